"""`colayer train`: the model that Python learns, its journal and picture, and what it prints beside them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline, read_instances
from colayer.cli.app import main
from colayer.cli.commands.train import against_rules, kept_aside
from colayer.errors import MissingExtraError, OptionError
from colayer.evaluators import worth
from colayer.evaluators.pool import PoolEvaluator
from colayer.learning.learner import split
from colayer.problems import SingleMachine
from support.errors import rejects
from support.toy_problem import write_toy

TRAIN = ("train", "single-machine", "data", "-o", "m.json")
KEYS = [
    "problem", "model", "journal", "method", "evaluations", "loss", "validation_loss", "seconds", "sigma",
    "loss_shares", "reference", "summary", "trained_on", "guarantees",
]  # fmt: skip


def test_model_journal_and_picture(data: Path, run: Any, place: Path) -> None:
    """The model is the one Python learns with the same settings; a finished journal returns it at once."""
    common = ("train", "single-machine", data, "-o", "m.json", "--evaluations", 20, "--seed", 1, "--decoder", "ls")
    document = run(*common, "--method", "direct", "--plot", "curve.png", "--json")
    assert list(document) == KEYS
    assert sorted(p.name for p in place.iterdir()) == ["curve.png", "m.json", "m.json.journal"]
    assert (document["model"], document["journal"], document["evaluations"]) == ("m.json", "m.json.journal", 20)
    assert document["method"] == "direct"
    pipeline = Pipeline(SingleMachine(decoder="ls"), SingleMachine().safe_weights)
    pipeline.fit(read_instances(data), evaluations=20, seed=1, method="direct")
    loaded = Pipeline.load("m.json")
    assert np.array_equal(loaded.weights_, pipeline.weights_)
    assert loaded.problem.options == {"features": "66", "decoder": "ls"}
    assert document["loss"] == pipeline.loss_
    assert document["sigma"] == loaded.model.sigma == pipeline.model.sigma
    assert document["trained_on"] == 0
    assert document["reference"] in [row["contender"] for row in document["summary"]]
    before = (place / "m.json").read_bytes()
    out = run(*common, "--method", "direct")
    assert (place / "m.json").read_bytes() == before
    assert "safe weights" in out


def test_the_evaluations_are_those_of_the_budget_and_an_early_end_says_why(data: Path, run: Any) -> None:
    """A pass that looks at many solutions counts for all of them."""
    common = ("train", "single-machine", data, "-o", "m.json", "--no-journal", "--validation", 0)
    out = run(*common, "--method", "srl", "--evaluations", 63)
    done = int(out.split()[3])
    assert done > 20  # passes of many solutions each, not a few evaluations
    assert "of 63" not in out or ": the method had no more to try\n" in out
    out = run(*common, "--evaluations", 100000, "--time-limit", 0.001)
    assert " of 100000: out of time\n" in out


def test_the_text_says_where_the_model_is_and_how_good(data: Path, run: Any) -> None:
    lines = run("train", "single-machine", data, "-o", "m.json", "--evaluations", 5, "--no-journal").splitlines()
    assert lines[:2] == ["model            m.json", "evaluations      5"]
    assert [line.split("  ")[0] for line in lines[2:5]] == ["training loss", "validation loss", "time"]
    assert lines[6] == "on the 1 instance kept aside:"
    rows = lines[10 : 13 + len(SingleMachine().baselines)]
    names = {line.split("  ")[0].partition(" (")[0] for line in rows}
    assert names == {"learned", "safe weights", "best single feature", *SingleMachine().baselines}
    said = lines[10 + len(rows) :]
    assert said[1].startswith("no measurable difference between learned and ")  # of one instance nothing can be said
    assert lines[-1] == f"next: colayer solve {data / '0000.json'} --model m.json --candidates 10"
    assert "guarantee" not in "".join(lines)


def test_learning_that_ends_where_it_began_says_so(data: Path, run: Any) -> None:
    out = run("train", "single-machine", data, "-o", "m.json", "--evaluations", 1, "--no-journal")
    assert "\nlearning found no better weights" in out


def test_a_perturbation_has_its_guarantees(data: Path, run: Any) -> None:
    common = ("train", "single-machine", data, "-o", "m.json", "--evaluations", 5, "--sigma", 0.5, "--samples", 4)
    out = run(*common, "--no-journal", "--guarantees")
    assert "\nbounds of the theory at level 0.95, in units of the loss (n = " in out
    assert "σ = 0.5" in out
    assert "bounds are estimates\n" in out
    assert "guaranteed with probability" not in out
    assert run(*common, "--json", "--guarantees")["guarantees"]["sigma"] == 0.5
    assert run(*common, "--json")["guarantees"] is None


def test_without_a_journal(data: Path, run: Any, place: Path) -> None:
    run("train", "single-machine", data, "-o", "m.json", "--evaluations", 5, "--no-journal", "--validation", 0)
    assert [p.name for p in place.iterdir()] == ["m.json"]


def test_a_journal_of_another_run_is_refused(data: Path, run: Any, refused: Any) -> None:
    """Other settings are another run: its journal is not overwritten, and no model is written."""
    common = ["train", "single-machine", str(data), "-o", "m.json", "--journal", "j"]
    run(*common, "--evaluations", 5)
    Path("m.json").unlink()
    assert refused(*common, "--evaluations", "5", "--seed", "1").startswith("error: j")
    assert not Path("m.json").exists()


def test_by_demonstration_passes_are_counted(run: Any, place: Path) -> None:
    """From the labels beside the instances; without them it is refused by the name of the first."""
    run("generate", "single-machine", "data", "--count", 5, "--jobs", 5)
    assert main([*TRAIN, "--solutions"]) == 2
    run("label", "single-machine", "data", "--workers", 1)
    out = run(*TRAIN, "--solutions", "--evaluations", 3, "--plot", "curve.svg")
    assert "\npasses           3\n" in out
    assert "pass over the instances" in (place / "curve.svg").read_text()
    assert json.loads(Path("m.json").read_text())["provenance"]["method"] == "fenchel-young"


def test_learned_weights_are_held_against_all_that_is_plain(data: Path) -> None:
    """Alone: the safe weights that a solve falls back to are a contender of their own."""
    problem, instances = SingleMachine(decoder="ls"), read_instances(data)
    found = against_rules(Pipeline(problem, np.ones(66), safe=True), instances)
    learned, safe, feature, *rules = found.summary()
    assert (learned.contender, safe.contender, learned.instances) == ("learned", "safe weights", 6)
    assert feature.contender.startswith("best single feature (")
    assert [row.contender for row in rules] == list(problem.baselines)
    alone, plain = (Pipeline(problem, w, safe=False) for w in (np.ones(66), problem.safe_weights))
    assert learned.mean_cost == pytest.approx(np.mean([alone.solve(x).cost for x in instances]))
    assert safe.mean_cost == pytest.approx(np.mean([plain.solve(x).cost for x in instances]))


def test_instances_kept_aside_are_those_that_learning_keeps_aside() -> None:
    assert kept_aside(6, 0.4, 7) == (True, split(6, 0.4, 7)[1].tolist())
    assert kept_aside(3, 0.0, 7) == (False, [0, 1, 2])


def test_training_data_are_named_as_such(data: Path, run: Any) -> None:
    """Where nothing is kept aside, the comparison is on what was learned from."""
    common = ("train", "single-machine", data, "-o", "m.json", "--evaluations", 5, "--no-journal", "--validation", 0)
    assert "\non the 6 training instances:\n" in run(*common)
    assert run(*common, "--json")["trained_on"] == 6


def test_a_scale_that_lets_one_instance_rule_the_loss_is_warned_of(
    run: Any, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of five that cost 1 and one that costs 95, under a scale of 1: the share of each is in the document."""
    write_toy(place, [(1, 2, 3)] * 5 + [(95, 200, 300)])
    command = ("train", "toy_problem:Toy", "data", "-o", "m.json", "--evaluations", "5", "--no-journal")
    assert main([*command, "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["loss_shares"] == [0.01] * 5 + [0.95]
    assert err.startswith("warning: data/0005.json, of 6 instances, makes up 95.0 % of the loss, and learning sees ")
    assert "loss shares      1.00 % to 95.0 % by instance, the most data/0005.json\n" in run(*command)
    (place / "toy_problem.py").write_text(
        (place / "toy_problem.py").read_text().replace("return 1.0", "return float(min(instance))")
    )
    sys.modules.pop("toy_problem", None)
    assert main([*command, "--json"]) == 0
    out, err = capsys.readouterr()
    assert (json.loads(out)["loss_shares"], err) == ([1 / 6] * 6, "")


def test_a_long_run_in_plain_python_takes_all_cores_and_the_same_weights(
    run: Any, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_toy(place, [(3, 1, 2), (5, 9, 4), (7, 8, 6)])
    command = ("train", "toy_problem:Toy", "data", "--evaluations", 8, "--no-journal")
    run(*command, "-o", "one.json", "--workers", 1)
    counts: list[int | None] = []
    monkeypatch.setattr(worth, "LONG", 0.0)
    monkeypatch.setattr(worth, "allowed", lambda: 2)
    started = PoolEvaluator.__init__
    monkeypatch.setattr(PoolEvaluator, "__init__", lambda *given: counts.append(given[3]) or started(*given))
    run(*command, "-o", "two.json")
    assert counts == [2]
    assert (place / "two.json").read_bytes() == (place / "one.json").read_bytes()


def test_nan_is_named_with_the_file(refused: Any, place: Path) -> None:
    bad = "    def scale(self, instance): return float('nan') if instance[0] == 5 else 1.0\n"
    write_toy(place, [(3, 1, 2), (5, 9, 4), (7, 8, 6)], more=bad)
    said = refused("train", "toy_problem:Toy", "data", "-o", "m.json", "--evaluations", 8, "--no-journal")
    assert said.startswith("error: data/0001.json: scale of toy returned nan")


def test_a_problem_without_safe_weights_is_held_against_its_best_feature(run: Any, place: Path) -> None:
    write_toy(place, [(3 + k, 1, 2) for k in range(3)])
    common = ("train", "toy_problem:Toy", "data", "-o", "m.json", "--evaluations", 30, "--workers", 1)
    document = run(*common, "--json")
    assert document["loss"] == 1.0
    assert [row["contender"] for row in document["summary"]] == ["learned", "best single feature (value)"]
    assert document["summary"][0]["difference"]["verdict"] == "no measurable difference"
    assert "\nno guarantee without a perturbation (--sigma) and without a proven ratio\n" in run(
        *common, "--guarantees"
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--sigma", "much"], "--sigma: "),
        (["--sigma", "-1"], "--sigma: "),
        (["--device", "tpu"], "--device: "),
        (["--method", "spo+"], "--method: "),
        (["--solutions", "--radius", "3"], "--radius: "),
        (["--solutions", "--sigma", "1"], "--sigma: "),
        (["--journal", ""], "--journal: "),
    ],
)
def test_what_has_no_meaning_is_refused_before_any_data_is_read(
    more: list[str], said: str, refused: Any, place: Path
) -> None:
    """The folder of instances is not there."""
    assert refused(*TRAIN, *more).startswith(f"error: {said}")
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    "address", ["", "host", "host:", ":6379", "http://host:80", "ray://host", "a b:1", "host:123456"]
)
def test_a_cluster_that_is_no_address(address: str, refused: Any, place: Path) -> None:
    """Refused without a look at the folder, which is not there."""
    said = refused(*TRAIN, "--cluster", address)
    assert said.startswith("error: --cluster: ")
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("method", [["--solutions"], ["--solutions", "--method", "hinge"], ["--method", "neural"]])
def test_methods_that_learn_on_this_machine_take_no_cluster(method: list[str], refused: Any) -> None:
    said = refused(*TRAIN, "--cluster", "auto", *method)
    assert said.startswith("error: --cluster: ")


def test_a_missing_extra_is_named(run: Any, refused: Any, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("generate", "single-machine", "data", "--count", "2", "--jobs", "5")
    monkeypatch.setitem(sys.modules, "ray", None)
    said = refused(*TRAIN, "--cluster", "auto")
    assert said.startswith("error: --cluster: ")
    assert "pip install 'colayer[ray]'" in said
    assert [path.name for path in place.iterdir()] == ["data"]


def test_a_cluster_is_refused_the_same_from_python(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = SingleMachine()
    data = [problem.generate(seed=s, jobs=5) for s in range(3)]
    with rejects(OptionError, where="--cluster"):
        Pipeline(problem).fit(data, cluster="nonsense")
    with rejects(OptionError, where="--cluster"):
        Pipeline(problem).fit(data, solutions=[None] * 3, cluster="auto")
    monkeypatch.setitem(sys.modules, "ray", None)
    with rejects(MissingExtraError, where="--cluster"):
        Pipeline(problem).fit(data, cluster="auto")
    with rejects(OptionError, where="--workers"):
        Pipeline(problem).fit(data, cluster="auto", workers=0)
