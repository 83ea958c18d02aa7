"""`colayer evaluate`: every learner without and with the safe weights, and every plain rule, on one folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import InputError, Pipeline, read_instances
from colayer.cli.app import main
from colayer.cli.commands.evaluate import draw, labelled_bound, naming
from colayer.comparison.table import Comparison, Result
from colayer.display.charts import save
from colayer.io.dataset import instance_files
from colayer.io.files import encode
from colayer.models import LinearModel
from colayer.problem.bind import bind
from colayer.problems import SingleMachine, VehicleScheduling
from support.errors import rejects
from support.tiny_instances import optimum
from support.toy_problem import write_toy


def test_learners_rules_and_safe_weights(data: Path, model: Path, run: Any, place: Path) -> None:
    document = run("evaluate", "single-machine", data, "--model", model, "--json", "-o", "e.json", "--plot", "e.png")
    assert json.loads((place / "e.json").read_text()) == document
    assert list(document) == [
        "format", "problem", "contenders", "reference", "summary", "by_group", "results", "trained_on",
    ]  # fmt: skip
    names = list(document["contenders"])
    assert names.pop(3).startswith("best single feature (")
    assert names == ["model", "model, safe", "safe weights", *SingleMachine().baselines]
    summary = {row["contender"]: row for row in document["summary"]}
    assert summary["model, safe"]["mean_cost"] <= min(
        summary["model"]["mean_cost"], summary["safe weights"]["mean_cost"]
    )
    costs = [Pipeline.load(model, safe=False).solve(x).cost for x in read_instances(data)]
    assert summary["model"]["mean_cost"] == pytest.approx(np.mean(costs))
    assert (place / "e.png").stat().st_size > 1000
    safe_only = run("evaluate", "single-machine", data, "--model", model, "--safe", "--json")
    assert safe_only["contenders"][:2] == ["model, safe", "safe weights"]
    out = run("evaluate", "single-machine", data, "--model", model, "--no-safe", "--samples", 2)
    assert out.startswith("6 instances of single-machine\n\ncontender ")
    assert "\nmodel, 2 samples " in out
    assert "\nsafe weights, 2 samples " in out
    assert "model, safe" not in out


def test_draws_are_those_of_solve(data: Path, model: Path, run: Any) -> None:
    document = run("evaluate", "single-machine", data, "--model", model, "--samples", 5, "--seed", 3, "--json")
    pipeline = Pipeline.load(model, safe=False)
    costs = [result["cost"] for result in document["results"] if result["contender"] == "model, 5 samples"]
    assert costs == [pipeline.solve(x, samples=5, seed=3).cost for x in read_instances(data)]


def test_rounds_are_those_of_all_weights_whose_features_take_a_solution(
    data: Path, run: Any, refused: Any, place: Path
) -> None:
    run("generate", "vehicle-scheduling", "vs", "--count", 2, "--tasks", 30, "--scenarios", 5)
    for features, rounds in (("rounds", 3), ("23", 1)):
        problem = VehicleScheduling(features)
        weights = np.array(problem.safe_weights)
        weights[-1] = -0.1
        ones = np.ones(len(weights))
        LinearModel(problem.feature_names, weights, ones, problem.name, problem.options, rounds=rounds).save(
            place / f"{features}.json"
        )
    evaluate = ("evaluate", "vehicle-scheduling", "vs", "--no-safe", "--json", "--model")
    document = run(*evaluate, "rounds.json", "--rounds", 4)
    assert document["contenders"][:2] == ["rounds, 4 rounds", "safe weights, 4 rounds"]
    pipeline = Pipeline.load(place / "rounds.json", safe=False)
    costs = [result["cost"] for result in document["results"] if result["contender"] == "rounds, 4 rounds"]
    assert costs == [pipeline.solve(x, rounds=4).cost for x in read_instances("vs")]
    assert run(*evaluate, "rounds.json")["contenders"][:2] == ["rounds, 3 rounds", "safe weights, 3 rounds"]
    beside = run(*evaluate, "rounds.json", "--model", "23.json", "--rounds", 2)["contenders"]
    assert [name for name in beside if "best" not in name][:4] == [
        "rounds, features rounds, 2 rounds", "23, features 23",
        "safe weights, 2 rounds, features rounds", "safe weights, features 23",
    ]  # fmt: skip
    for command in ("evaluate", "compare"):
        said = refused(command, "single-machine", data, "--rounds", 2)
        assert said.startswith("error: --rounds: ")


def test_the_decoder_of_the_model_is_that_of_all(data: Path, run: Any) -> None:
    """Without --decoder the safe weights and the rules run through the one that the model was made with."""
    made = ("train", "single-machine", data, "--evaluations", 5, "--no-journal", "-o")
    run(*made, "ls.json", "--decoder", "ls")
    run(*made, "none.json")
    document = run("evaluate", "single-machine", data, "--model", "ls.json", "--no-safe", "--json")
    safe = Pipeline(SingleMachine(decoder="ls"), SingleMachine().safe_weights, safe=False)
    costs = [result["cost"] for result in document["results"] if result["contender"] == "safe weights"]
    assert costs == [safe.solve(x).cost for x in read_instances(data)]
    assert "srpt+ls" in document["contenders"]
    both = run("evaluate", "single-machine", data, "--model", "ls.json", "--model", "none.json", "--no-safe", "--json")
    names = both["contenders"]
    assert names[:3] == ["ls, decoder ls", "none, decoder none", "safe weights, decoder ls"]
    assert "safe weights, decoder none" in names


def test_training_data_are_named_as_such(
    data: Path, model: Path, run: Any, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("evaluate", "single-machine", data, "--model", model, "--json")["trained_on"] == {"model": 6}
    assert main(["evaluate", "single-machine", str(data), "--model", str(model)]) == 0
    said = capsys.readouterr().err
    assert said.startswith("warning: model ")
    assert said.count("\n") == 1
    run("generate", "single-machine", "new", "--count", 2, "--jobs", 6, "--rho", 0.5, "--seed", 99)
    shutil.copy(data / "0000.json", place / "new/0002.json")
    assert run("evaluate", "single-machine", "new", "--model", model, "--json")["trained_on"] == {"model": 1}
    (place / "new/0002.json").unlink()
    assert main(["evaluate", "single-machine", "new", "--model", str(model)]) == 0
    assert capsys.readouterr().err == ""


def test_differences_verdicts_and_what_they_mean_are_printed(data: Path, model: Path, run: Any) -> None:
    command = ("evaluate", "single-machine", data, "--model", model, "--no-safe")
    document, out = run(*command, "--json"), run(*command)
    first, reference = document["summary"][0], document["reference"]
    assert out.splitlines()[2].split()[-2:] == ["difference", "verdict"]
    row = next(line for line in out.splitlines() if line.startswith(f"{reference} "))
    assert row.endswith("  reference")
    assert first["difference"]["to"] == reference
    assert first["difference"]["verdict"] in out
    own, known = (
        np.array([r["cost"] for r in document["results"] if r["contender"] == name]) for name in ("model", reference)
    )
    parts = (own - known) / known
    assert first["difference"]["mean"] == pytest.approx(parts.mean())
    assert first["difference"]["standard_error"] == pytest.approx(parts.std(ddof=1) / np.sqrt(len(parts)))
    assert [row["group"]["jobs"] for row in document["by_group"][:: len(document["contenders"])]] == [6, 9]
    assert any(line.startswith("jobs  contender") for line in out.splitlines())


def test_without_a_model_the_shipped_weights_are_evaluated(data: Path, run: Any) -> None:
    assert run("evaluate", "single-machine", data, "--json")["contenders"][:2] == ["pretrained", "pretrained, safe"]


def test_models_of_one_name_are_told_apart_by_their_paths(data: Path, model: Path, run: Any, place: Path) -> None:
    (place / "other").mkdir()
    shutil.copy(model, place / "other" / "model.json")
    document = run(
        "evaluate", "single-machine", data, "--model", model, "--model", "other/model.json", "--no-safe", "--json"
    )
    assert document["contenders"][:2] == [str(model), "other/model.json"]


def test_tight_takes_the_labels_bounds_where_there_are(
    data: Path, model: Path, run: Any, refused: Any, place: Path
) -> None:
    """Gaps to the exact bound, which is at least the cheap one; a label's bound is used as it stands."""
    folder = place / "data"
    shutil.copytree(data, folder)
    command = ("evaluate", "single-machine", folder, "--model", model, "--json")

    def bounds(*more: str) -> list[float]:
        document = run(*command, *more)
        return [result["bound"] for result in document["results"][:: len(document["contenders"])]]

    optima = [optimum(SingleMachine(), instance)[1] for instance in read_instances(folder)]
    assert bounds("--tight") == optima
    assert all(cheap <= best for cheap, best in zip(bounds(), optima, strict=True))
    run("label", "single-machine", folder)
    label = folder / "0000.solution.json"
    known = json.loads(label.read_text())
    label.write_text(json.dumps({**known, "bound": optima[0] - 0.25}))
    assert bounds("--tight") == [optima[0] - 0.25, *optima[1:]]
    label.write_text(json.dumps({"sequence": known["sequence"], "completion": known["completion"]}))  # no bound in it
    assert bounds("--tight") == optima
    label.write_text(json.dumps({**known, "bound": optima[0] + 1}))
    assert f"{label}: bound: " in refused(*command, "--tight")


def test_the_bound_of_a_label_is_at_most_the_cost_of_its_solution(place: Path) -> None:
    """But for rounding."""
    problem = SingleMachine()
    instance = problem.generate(0, jobs=3)
    solution, best = optimum(problem, instance)
    path, label = place / "0000.json", place / "0000.solution.json"
    assert labelled_bound(path, bind(problem), instance) is None
    written = encode(problem.write_solution(solution, instance))
    for bound, expected in ((best - 1.0, best - 1.0), (best * (1 + 1e-12), best * (1 + 1e-12))):
        label.write_text(json.dumps({**json.loads(written), "bound": bound}))
        assert labelled_bound(path, bind(problem), instance) == expected
    label.write_text(json.dumps({**json.loads(written), "bound": best + 1.0}))
    with rejects(InputError, where="0000.solution.json: bound"):
        labelled_bound(path, bind(problem), instance)


def test_a_problem_of_ones_own_needs_no_more_than_its_methods(run: Any, refused: Any, place: Path) -> None:
    write_toy(place, [(3, 1, 2), (5, 9, 4)])
    document = run("evaluate", "toy_problem:Toy", "data", "--model", "toy.json", "--json")
    feature = "best single feature (value)"
    assert (document["contenders"], document["summary"][0]["mean_cost"]) == (["toy", feature], 2.5)
    head = run("evaluate", "toy_problem:Toy", "data", "--model", "toy.json").split("\n")[2]
    assert [word.strip() for word in head.split("  ") if word][:2] == ["contender", "mean cost"]
    assert run("evaluate", "toy_problem:Toy", "data", "--json")["contenders"] == [feature]
    assert refused("evaluate", "toy_problem:Toy", "data", "--model", "toy.json", "--tight").startswith(
        "error: --tight: "
    )


def test_gaps_to_best_known_costs(run: Any, refused: Any, place: Path) -> None:
    write_toy(place, [(3, 1, 2), (5, 9, 4)])
    command = ("evaluate", "toy_problem:Toy", "data", "--model", "toy.json", "--best", "best.csv")
    (place / "best.csv").write_text("instance,best\n0000,1\n0001,5\n")
    document = run(*command, "--json", "--plot", "e.svg")
    assert [(r["cost"], r["best"], r["gap"]) for r in document["results"][::2]] == [(1.0, 1.0, 0.0), (4.0, 5.0, -0.2)]
    assert "to the best known cost" in (place / "e.svg").read_text()
    out = run(*command)
    assert "mean gap to best known" in out
    assert "\ntoy is better than best known on 1 instance.\n" in out
    assert refused(*command, "--tight").startswith("error: --tight: ")
    (place / "best.csv").write_text("instance,best\n0000,1\n")
    assert refused(*command).startswith("error: best.csv: ")
    assert refused(*command, "-o", "best.csv").startswith("error: -o: ")


def test_errors_about_an_instance_name_its_file() -> None:
    paths = [Path("a.json"), Path("b.json")]
    for where, named in (("instance 1", "b.json"), ("instance 7", "instance 7"), ("bounds", "bounds"), (None, None)):
        with pytest.raises(InputError) as caught, naming(paths):
            raise InputError("wrong", where=where)
        assert (caught.value.where, caught.value.message) == (named, "wrong")


@pytest.mark.parametrize(
    ("groups", "title"),
    [
        ([{"jobs": 5.0, "rho": 1.0}, {"jobs": 5.0, "rho": 2.0}], "Gap by rho"),
        ([{"jobs": 5.0}, {"jobs": 9.0}], "Gap by jobs"),
        ([{"jobs": 5.0}, {"jobs": 5.0}], "Gap"),
        ([{}, {}], "Gap"),
    ],
)
def test_the_picture_is_by_the_first_key_that_tells_instances_apart(
    groups: list[dict[str, float]], title: str, place: Path
) -> None:
    results = tuple(Result("a", i, 11.0, 10.0, 1.0, 0.1, group) for i, group in enumerate(groups))
    save(draw(Comparison("toy", ("a",), results)), place / "p.svg")
    assert f">{title}</text>" in (place / "p.svg").read_text()


def test_plans_beside_the_instances_are_compared_with(run: Any, refused: Any, data: Path, place: Path) -> None:
    """Those of today, say: a solution file each, as `solve` writes it."""
    folder = place / "days"
    shutil.copytree(data, folder)
    for path in instance_files(folder):
        solved = run("solve", path, "--json")
        path.with_name(f"{path.stem}.today.solution.json").write_text(json.dumps(solved["solution"]))
    compared = run("evaluate", "single-machine", folder, "--plan", "today", "--json")
    assert "today" in compared["contenders"]
    costs = {(row["contender"], row["instance"]): row["cost"] for row in compared["results"]}
    assert all(costs["today", i] == costs["pretrained, safe", i] for _, i in costs)
    assert ".other.solution.json" in refused("evaluate", "single-machine", folder, "--plan", "other")
