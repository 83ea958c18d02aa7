"""MODULE:NAME in the place of PROBLEM, on every command: a problem in a file of the folder the user is in."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from colayer.cli.app import main
from colayer.problem.check.run import CHECKS
from support.toy_problem import write_toy

#: A problem with every optional part, as a user's file.
SOURCE = Path(__file__).parents[2] / "support" / "selection_problem.py"

MISTAKEN = """
import numpy as np
from own_selection import Selection


class NoGenerator:
    name, feature_names = "bare", ("value",)

    def features(self, instance):
        return instance[:, None]

    def layer(self, theta, instance):
        return int(np.argmin(theta))

    def decode(self, y, instance):
        return y

    def cost(self, solution, instance):
        return float(instance[solution])

    def scale(self, instance):
        return 1.0

    def read(self, document):
        return np.array(document["values"], dtype=float)


class Raises(Selection):
    def generate(self, seed, projects=9):
        return {}["nothing"]


class CannotBeMade(Selection):
    def __init__(self):
        raise RuntimeError("no licence")


class Explodes(Selection):
    def cost(self, solution, instance):
        raise ValueError("boom")


class Leaves(Selection):
    def cost(self, solution, instance):
        raise SystemExit(0)


class NoCost(Selection):
    cost = property()


class NeedsSize(Selection):
    def __init__(self, size):
        super().__init__()


problem = Selection(decoder="swap")


def make():
    return Selection(decoder="swap")


def make_with(size):
    return Selection()
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user, with two files of theirs; what is imported from it goes with the test."""
    shutil.copy(SOURCE, tmp_path / "own_selection.py")
    (tmp_path / "own_mistaken.py").write_text(MISTAKEN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in [name for name in sys.modules if name.startswith("own_")]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path


@pytest.fixture
def run(place: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """A command that succeeds; its stdout, decoded with `--json`."""

    def call(line: str) -> Any:
        status = main(line.split())
        out, err = capsys.readouterr()
        assert status == 0, err
        return json.loads(out) if "--json" in line else out

    return call


@pytest.fixture
def refused(place: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """A command that is refused; its stdout and the one line on stderr."""

    def call(line: str) -> tuple[str, str]:
        assert main(line.split()) == 2, line
        out, err = capsys.readouterr()
        assert err.startswith("error: ")
        assert err.count("\n") == 1
        return out, err

    return call


def test_the_whole_way(run: Any, place: Path) -> None:
    """check → generate → train → evaluate → solve, and what else there is, with a problem that nobody registered."""
    counts = re.search(r": (\d+) passed, 0 failed, ", run("check own_selection:Selection"))
    assert counts is not None
    assert int(counts[1]) == len(CHECKS) - 1  # it has no rounds
    run("generate own_selection:Selection data --count 40 --projects 6,8")
    run("generate own_selection:Selection test --count 6 --seed 1 --format npz")
    assert "80 instances" in run("check own_selection:Selection --data data").splitlines()[0]
    trained = run("train own_selection:Selection data -o m.json --evaluations 80 --workers 1 --json")
    safe = next(row for row in trained["summary"] if row["contender"] == "safe weights")
    assert trained["summary"][0]["mean_loss"] < safe["mean_loss"]
    rows = {
        row["contender"]: row for row in run("evaluate own_selection:Selection test --model m.json --json")["summary"]
    }
    assert rows["m"]["mean_cost"] < min(rows[rule]["mean_cost"] for rule in ("cheapest", "safest", "safe weights"))
    tight = run("evaluate own_selection:Selection test --model m.json --tight --time-limit 5 --json")["summary"]
    assert 0 <= tight[0]["mean_gap"] < rows["m"]["mean_gap"]
    solved = run("solve test/0000.npz --problem own_selection:Selection --model m.json --json")
    assert solved["bound"] <= solved["cost"]
    certified = run("solve test/0000.npz --problem own_selection:Selection --model m.json --certify --json")
    assert certified["certified"]
    assert certified["cost"] <= solved["cost"]
    assert len(certified["solution"]["chosen"]) == 5
    swapped = run("solve test/0000.npz --problem own_selection:Selection --model m.json --decoder swap --json")
    assert certified["cost"] <= swapped["cost"] <= solved["cost"]
    assert run("bound test/0000.npz --problem own_selection:Selection --json")["bound"] == solved["bound"]
    assert run("label own_selection:Selection test --workers 1 --json")["proved"] == 6
    explained = run("explain m.json --problem own_selection:Selection --data test --json")
    assert {row["feature"] for row in explained["features"]} == {"price", "risk", "price_times_risk"}


def test_what_a_problem_with_the_five_methods_lacks_is_refused_by_name(run: Any, refused: Any, place: Path) -> None:
    """With a file format alone it trains, solves and is evaluated."""
    write_toy(place, [(3 + k, 1, 2) for k in range(3)])
    assert run("train toy_problem:Toy data -o m.json --evaluations 30 --workers 1 --json")["loss"] == 1.0
    solved = run("solve data/0001.json --problem toy_problem:Toy --model m.json --json")
    assert (solved["cost"], solved["bound"], solved["gap"], solved["solution"]) == (1.0, None, None, {"pick": 1})
    assert run("bound data/0001.json --problem toy_problem:Toy --json")["bound"] is None
    assert run("evaluate toy_problem:Toy data --model m.json --json")["summary"][0]["mean_cost"] == 1.0
    alone = run("evaluate toy_problem:Toy data --json")["summary"]
    assert [row["contender"] for row in alone] == ["best single feature (value)"]
    for line, words in (
        ("generate toy_problem:Toy new", "toy has no instance generator"),
        ("label toy_problem:Toy data", "toy has no exact solver"),
        ("solve data/0000.json --problem toy_problem:Toy --certify", "--certify: toy has no exact solver"),
        ("solve data/0000.json --problem toy_problem:Toy --plot x.png", "--plot: toy has no picture"),
        ("solve data/0000.json --problem toy_problem:Toy", "toy has neither shipped nor safe weights"),
        ("solve data/0000.json --problem toy_problem:Toy --decoder ls", "--decoder: toy has no such option"),
        ("solve data/0000.json", "data/0000.json: problem: no problem 'toy'"),
    ):
        assert words in refused(line)[1]


def test_worker_processes_find_the_module(run: Any, place: Path) -> None:
    """They are started anew, in the same folder."""
    run("generate own_selection:Selection data --count 6")
    one = run("train own_selection:Selection data -o one.json --evaluations 20 --workers 1 --json")
    two = run("train own_selection:Selection data -o two.json --evaluations 20 --workers 2 --json")
    assert one["loss"] == two["loss"]
    assert run("label own_selection:Selection data --workers 2 --json")["labelled"] == 6


@pytest.mark.parametrize("name", ["problem", "make"])
def test_an_object_or_a_function_will_do(name: str, run: Any) -> None:
    """With the options it was made with."""
    run(f"generate own_mistaken:{name} data --count 6")
    run(f"train own_mistaken:{name} data -o m.json --evaluations 10 --workers 1")
    assert json.loads(Path("m.json").read_text())["options"] == {"decoder": "swap"}


def test_five_methods_and_read_are_enough_to_check_train_and_solve(run: Any, refused: Any, place: Path) -> None:
    """Without a generator the instances must be given; a solution is written as it is."""
    (place / "d").mkdir()
    for k in range(3):
        document = {"format": 1, "problem": "bare", "values": [3.0 + k, 1.0, 2.0]}
        (place / f"d/{k:04d}.json").write_text(json.dumps(document))
    out, err = refused("check own_mistaken:NoGenerator")
    assert out == ""
    assert "--data: " in err
    assert re.search(r"\nfiles +not applicable: .*\bwrite\b", run("check own_mistaken:NoGenerator --data d"))
    run("train own_mistaken:NoGenerator d -o m.json --evaluations 20 --workers 1")
    solved = run("solve d/0002.json --problem own_mistaken:NoGenerator --model m.json --json")
    assert (solved["cost"], solved["solution"]) == (1.0, 1)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("check nowhere:Problem", "PROBLEM: nowhere:Problem"),
        ("check own_selection:Nothing", "Nothing"),
        ("check own_selection:np", "feature_names"),
        ("check own_selection", "PROBLEM: "),
        ("check own_mistaken:CannotBeMade", "own_mistaken.py, line 35"),
        ("generate own_mistaken:NeedsSize data", "own_mistaken:NeedsSize"),
        ("generate own_unlicensed:Problem data", "own_unlicensed.py, line 1"),
        ("generate own_unclosed:Problem data", "PROBLEM: own_unclosed:Problem"),
        ("generate own_needy:Problem data", "PROBLEM: own_needy:Problem"),
        ("train own_mistaken:NoCost data -o m.json", "PROBLEM: cost of NoCost"),
        ("check own_mistaken:make_with", "own_mistaken:make_with"),
        ("check own_mistaken:Raises", "own_mistaken.py, line 30"),
        ("check own_mistaken:NoCost", "PROBLEM: cost of NoCost"),
        ("check own_leaving:Problem", "own_leaving.py, line 2"),
        ("generate own_leaving:Problem data", "own_leaving.py, line 2"),
        ("generate own_mistaken:Raises data", "generate of selection"),
        ("check own_selection:Selection --data nothing", "nothing: "),
        ("check own_selection:Selection --seed x", "--seed: "),
        ("check own_selection:Selection -o nowhere/report.json", "-o: nowhere/report.json: "),
        ("check own_broken:Problem", "own_broken.py, line 3"),
        ("train own_unclosed:Problem data -o m.json", "own_unclosed.py, line 2"),
        ("evaluate own_needy:Problem data", "own_needy.py, line 1"),
        ("label own_broken:Problem data", "own_broken.py, line 3"),
        ("demo own_broken:Problem", "own_broken.py, line 3"),
        ("solve x.json --problem own_broken:Problem", "own_broken.py, line 3"),
        ("explain m.json --problem own_broken:Problem", "own_broken.py, line 3"),
        ("bound x.json --problem own_broken:Problem", "own_broken.py, line 3"),
        ("generate own_broken:Problem data", "own_broken.py, line 3"),
        ("compare own_broken:Problem data", "own_broken.py, line 3"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line_with_its_place(line: str, words: str, refused: Any, place: Path) -> None:
    (place / "own_broken.py").write_text("import math\n\nHALF = 1 / 0\n")
    (place / "own_unclosed.py").write_text("import math\nclass Problem(\n")
    (place / "own_needy.py").write_text("import no_such_library\n")
    (place / "own_unlicensed.py").write_text("raise RuntimeError('no licence')\n")
    (place / "own_leaving.py").write_text("import sys\nsys.exit(0)\n")
    out, err = refused(line)
    assert out == ""
    assert words in err


@pytest.mark.parametrize(("name", "said"), [
    ("Explodes", "ValueError: boom (own_mistaken.py, line 40)"),
    ("Leaves", "SystemExit: 0 (own_mistaken.py, line 45)"),
])  # fmt: skip
def test_what_a_method_raises_ends_with_one_line_and_2(name: str, said: str, run: Any, refused: Any) -> None:
    """Wherever it is called from; sys.exit does not end a command as if all were well. The method called is named."""
    run("generate own_selection:Selection data --count 3 --projects 4")
    problem = f"own_mistaken:{name}"
    for line in (
        f"train {problem} data -o m.json --evaluations 5",
        f"evaluate {problem} data",
        f"solve data/0000.json --problem {problem} --model w.json",
    ):
        if line.startswith("solve"):
            run("train own_selection:Selection data -o w.json --evaluations 5 --workers 1")
        out, err = refused(line)
        assert out == ""
        assert said in err
        assert err.startswith(("error: cost of ", "error: best of "))  # `best` calls `cost` itself


@pytest.mark.parametrize(
    "ours", ["cli.commands.train.against_rules", "learning.search.fit.moments", "problem.bind.checked_features"]
)
def test_a_fault_of_ours_still_shows_its_traceback(
    ours: str, run: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when a problem of the user's is at work, but not in the way of the fault."""
    run("generate own_selection:Selection data --count 3 --projects 4")

    def fault(*_: object, **__: object) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(f"colayer.{ours}", fault)
    assert main(["train", "own_selection:Selection", "data", "-o", "m.json", "--evaluations", "5"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_files_of_ones_own_problem_say_which_option_is_missing(run: Any, refused: Any) -> None:
    run("generate own_selection:Selection data --count 3 --projects 4")
    run("train own_selection:Selection data -o m.json --evaluations 5 --workers 1")
    for line in (
        "solve data/0000.json",
        "solve data/0000.json --model m.json",
        "explain m.json",
        "bound data/0000.json",
    ):
        assert refused(line)[1].endswith(": problem: no problem 'selection', expected one of single-machine, "
                                         "spanning-tree, vehicle-scheduling, dynamic-vehicle-scheduling, "
                                         "dynamic-routing, or --problem MODULE:NAME\n")  # fmt: skip


def test_one_instance_is_not_called_instances(run: Any) -> None:
    run("generate own_selection:Selection data --count 6 --projects 4")
    text = run("train own_selection:Selection data -o m.json --evaluations 5 --workers 1")
    assert "\non the 1 instance kept aside:\n" in text
    run("generate own_selection:Selection one --count 1 --projects 4")
    assert "over the instance given;" in run("explain m.json --problem own_selection:Selection --data one")
