"""`colayer compare`: what it prints and writes, what it leaves out, and what it refuses."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from colayer.cli.app import main
from colayer.comparison import cpsat
from support.toy_problem import write_toy


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compare") / "data"
    assert main(["generate", "single-machine", str(folder), "--count", "2", "--jobs", "8"]) == 0
    return folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run `compare` in a folder of its own, without OR-Tools: (status, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(cpsat, "available", lambda: False)

    def call(*arguments: Any) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main(["compare", *(str(argument) for argument in arguments)])
        return (status, *capsys.readouterr())

    return call


def test_tables_figure_and_outcome(run: Any, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The folder is a run that `colayer report` takes; without OR-Tools CP-SAT is left out, and said to be."""
    options = ("--time-limit", "0.3", "--learning-seconds", "60", "-o", "run", "--plot", "figure.png")
    status, out, err = run("single-machine", data, *options)
    assert status == 0
    assert err == "CP-SAT is left out: pip install 'colayer[compare]'\n"
    assert "left out" not in out  # said once
    assert "2 instances of single-machine, 0.3 s each on one core" in out
    assert all(
        f"\n{name} " in out for name in ("pretrained", "pretrained, perturbed", "safe weights", "exact", "HiGHS")
    )
    assert "learning has paid for itself" in out
    rows = out.split("\n\n")
    assert max(len(line) for part in rows if "---" in part for line in part.splitlines()) <= 120  # in a pipe
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    names = ["compare.csv", "compare.json", "cost_over_time.svg", "outcome.json", "payback.csv"]
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == names
    assert main(["report", "run", "-o", "report.html"]) == 0
    capsys.readouterr()
    assert "When learning has paid for itself" in (tmp_path / "report.html").read_text()


def test_json_is_one_document_with_every_trajectory(run: Any, data: Path) -> None:
    status, out, _ = run("single-machine", data, "--time-limit", "0.3", "--decoder", "ls", "--json")
    assert status == 0
    document = json.loads(out)
    assert (document["problem"], document["time_limit"], document["hint"]) == ("single-machine", 0.3, [])
    assert document["left_out"] == ["CP-SAT is left out: pip install 'colayer[compare]'"]
    for instance in document["instances"]:
        assert list(instance["trajectories"]) == document["contenders"]
        finals = [t["points"][-1][1] for t in instance["trajectories"].values() if t["points"]]
        assert min(finals) == instance["best"]
    # shipped weights do not say what learning took
    assert {row["learning"] for row in document["payback"]} == {None}
    assert {row["payback"] for row in document["payback"]} <= {"unknown", "no measurable gain"}
    assert document["reference"] in document["contenders"]
    assert document["trained_on"] == {"pretrained": 0}
    differences = {row["contender"]: row["difference"] for row in document["summary"]}
    assert differences[document["reference"]] is None
    assert differences["pretrained"]["to"] == document["reference"]
    assert {"safe weights, perturbed", "srpt+ls", "exact"} < set(document["contenders"])


def test_any_seed_of_the_other_commands_will_do(run: Any, data: Path) -> None:
    """HiGHS and CP-SAT take 31 bits of it."""
    status, out, _ = run("single-machine", data, "--time-limit", "0.1", "--seed", 2**31, "--json")
    assert (status, json.loads(out)["seed"]) == (0, 2**31)


def test_models_and_what_their_learning_took(run: Any, data: Path) -> None:
    """Each model is a contender by its name, or by its path where a rule is called so."""
    for name in ("a", "srpt"):
        command = ["train", "single-machine", str(data), "-o", f"{name}.json", "--evaluations", "5", "--features", "27"]
        assert main(command) == 0
    models = ("--model", "a.json", "--model", "srpt.json", "--time-limit", "0.2", "--learning-seconds", "7", "--json")
    document = json.loads(run("single-machine", data, *models)[1])
    assert {(row["pipeline"], row["learning"]) for row in document["payback"]} == {("a", 7.0), ("srpt.json", 7.0)}
    rivals = {row["rival"] for row in document["payback"]}
    assert "srpt" in rivals
    assert not rivals & {"a", "srpt.json", "a, perturbed", "srpt.json, perturbed"}


def test_a_problem_of_the_user_s_without_any_model_for_solvers(run: Any, tmp_path: Path) -> None:
    write_toy(tmp_path, [(3, 1, 2), (5, 9, 4)])
    status, out, err = run("toy_problem:Toy", "data", "--model", "toy.json", "--time-limit", "0.05")
    assert status == 0
    assert err.splitlines() == [
        "HiGHS is left out: toy has no compact model",
        "CP-SAT is left out: toy has no constraint program",
    ]
    names = ["toy", "toy, perturbed", "best single feature (value)"]
    assert [line.split("  ")[0] for line in out.splitlines()[4:7]] == names
    assert "no measurable difference between toy and best single feature (value)" in out
    status, out, err = run("toy_problem:Toy", "data", "--time-limit", "0.05", "--json")
    assert (status, json.loads(out)["contenders"]) == (0, names[2:])
    status, out, err = run("toy_problem:Toy", "data", "--learning-seconds", "3")
    assert (status, out) == (2, "")
    assert err.startswith("error: --learning-seconds: ")


def test_a_baseline_that_fails_is_left_out_and_missing_weights_are_said(run: Any, tmp_path: Path) -> None:
    rules = """
    baselines = ("first", "broken")
    def baseline(self, rule, instance): return 0 if rule == "first" else instance["no such key"]
"""
    write_toy(tmp_path, more=rules)
    status, out, err = run("toy_problem:Toy", "data", "--time-limit", "0.05")
    assert status == 0
    rows = out.partition("\n\n")[2].splitlines()  # after the words; what is too wide goes on below
    assert [line.split("  ")[0] for line in rows[2:4]] == ["best single feature (value)", "first"]
    assert "broken" not in out
    first, *_, last = err.splitlines()
    assert first.startswith("no learned weights")
    assert last.startswith("broken is left out: it raised TypeError: ")
    assert "(toy_problem.py, line " in last


def test_a_race_that_ends_with_an_error_says_no_more_than_that(run: Any, tmp_path: Path) -> None:
    """Rules that fail are left out; a pipeline whose solutions are none is not."""
    rules = """
    baselines = ("broken",)
    def baseline(self, rule, instance): raise ValueError("no rule")
    def violation(self, solution, instance): return "never"
"""
    write_toy(tmp_path, more=rules)
    options = ("--time-limit", "0.05", "-o", "run")
    status, out, err = run("toy_problem:Toy", "data", "--model", "toy.json", *options)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: data/0000.json: ")
    assert not (tmp_path / "run").exists()


def test_a_folder_of_an_earlier_comparison_is_used_again_and_nothing_stale_stays(run: Any, tmp_path: Path) -> None:
    rules = """
    baselines = ("first",)
    def baseline(self, rule, instance): return 0
"""
    write_toy(tmp_path, more=rules)
    folder = tmp_path / "run"
    folder.mkdir()
    assert run("toy_problem:Toy", "data", "--time-limit", "0.05", "-o", "run")[0] == 0
    names = ["compare.csv", "compare.json", "cost_over_time.svg", "outcome.json"]
    assert sorted(path.name for path in folder.iterdir()) == names
    for name in ("payback.csv", "hint.csv", "report.html", "mine.txt"):
        (folder / name).write_text("of the earlier one")
    assert run("toy_problem:Toy", "data", "--time-limit", "0.05", "-o", "run")[0] == 0
    assert sorted(path.name for path in folder.iterdir()) == [*names[:3], "mine.txt", *names[3:]]
    (folder / "outcome.json").write_text('{"name": "tree-gap", "title": "of reproduce"}')
    status, out, err = run("toy_problem:Toy", "data", "-o", "run")
    assert (status, out) == (2, "")
    assert err.startswith("error: -o: ")


BAD = {
    "limit": (["--time-limit", "0"], "error: --time-limit: "),
    "limit text": (["--time-limit", "soon"], "error: --time-limit: "),
    "limit nan": (["--time-limit", "nan"], "error: --time-limit: "),
    "seed": (["--seed", "-1"], "error: --seed: "),
    "large seed": (["--seed", str(2**63 + 1)], "error: --seed: "),
    "learning": (["--learning-seconds", "-3"], "error: --learning-seconds: "),
    "decoder": (["--decoder", "magic"], "error: --decoder: "),
    "model": (["--model", "nowhere.json"], "error: nowhere.json: "),
    "plot": (["--plot", "figure.doc"], "error: --plot: "),
    "output file": (["-o", "here.txt"], "error: -o: "),
    "output empty": (["-o", ""], "error: -o: "),
    "output foreign": (["-o", "."], "error: -o: "),
    "output long": (["-o", "x" * 300], f"error: -o: {'x' * 200}"),
    "output deep": (["-o", "a/b"], "error: -o: a/b: "),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_options_are_refused_before_anything_is_solved(case: str, run: Any, data: Path, tmp_path: Path) -> None:
    (tmp_path / "here.txt").write_text("")
    arguments, expected = BAD[case]
    status, out, err = run("single-machine", data, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(expected)
    assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["here.txt"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a place where nobody can write, root neither")
@pytest.mark.parametrize("arguments", [("-o", "/proc/x"), ("--plot", "/proc/x.svg")])
def test_a_place_that_refuses_is_found_before_the_race(
    arguments: tuple[str, str], run: Any, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("colayer.comparison.compare.compare", None)
    status, out, err = run("single-machine", data, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"error: {arguments[0]}: {arguments[1]}: ")
    assert "writ" in err


def test_the_data_set_is_not_written_to_and_must_be_there(run: Any, data: Path) -> None:
    status, _, err = run("single-machine", data, "-o", data)
    assert status == 2
    assert err.startswith(f"error: -o: {data} ")
    status, _, err = run("single-machine", "nowhere")
    assert status == 2
    assert err.startswith("error: nowhere: ")
    assert run("knapsack", data)[0] == 2
