"""`colayer check`: the table on stdout, with mistakes or without; with mistakes, one line more and status 2."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from colayer.cli.app import main
from colayer.problem.check import check_problem, small_instances
from support import selection_problem

MISTAKEN = """
from own_projects import Selection


class Maximises(Selection):
    def layer(self, theta, instance):
        return super().layer(-theta, instance)

    def scale(self, instance):
        return 0.0


class Unsafe(Selection):
    safe_weights = (1.0,)


class NoInstances(Selection):
    generate = None


class Lossy(Selection):
    def decode(self, y, instance):
        return y if self.decoder == "none" else y[:-1]


class CostForgetsToReturn(Selection):
    def cost(self, solution, instance):
        super().cost(solution, instance)


class ExactOfAPair(Selection):
    def exact(self, instance, time_limit=None, progress=None, start=None):
        return super().exact(instance)[:2]


class BoundOfWords(Selection):
    def bound(self, instance):
        return "12"


class Typo(Selection):
    @property
    def safe_weights(self):
        return self.wieghts


class MethodOfWords(Selection):
    layer = "sort"


class SizesOfWords(Selection):
    sizes = ("projects",)
"""


@pytest.fixture
def own(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A problem without mistakes and some with, in files of the folder one is in."""
    for name in [name for name in sys.modules if name.startswith("own_")]:
        monkeypatch.delitem(sys.modules, name)
    shutil.copy(selection_problem.__file__, place / "own_projects.py")
    (place / "own_mistakes.py").write_text(MISTAKEN)
    return place


def failing(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    assert main(["check", *arguments]) == 2
    out, err = capsys.readouterr()
    assert err.count("\n") == 1
    return out, err


def test_a_problem_without_mistakes_has_a_table_and_status_0(run: Any, own: Path) -> None:
    out = run("check", "own_projects:Selection", "-o", "report.json")
    assert out.startswith(
        "selection on 6 instances: 20 passed, 0 failed, 1 not applicable\n"
        "tried with decoder=none; decoder=swap\n\ndeclarations "
    )
    document = json.loads((own / "report.json").read_text())
    assert (document["problem"], document["instances"], document["ok"]) == ("selection", 6, True)
    assert document["variants"] == ["decoder=none", "decoder=swap"]
    left = {row["check"] for row in document["checks"] if row["result"] != "passed"}
    assert left == {"rounds"}


def test_mistakes_are_in_the_table_and_the_first_in_the_error(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = failing(capsys, "own_mistakes:Maximises")
    assert "\nscale             FAILED\n" in out
    assert "\nobjective         FAILED\n" in out
    assert err.startswith(
        "error: own_mistakes:Maximises: 2 checks failed, the first: scale: instance 0: scale of selection returned 0.0"
    )
    out, _ = failing(capsys, "own_mistakes:Maximises", "--json", "-o", "report.json")
    document = json.loads(out)
    assert out == (own / "report.json").read_text()
    assert document["ok"] is False
    assert [row["check"] for row in document["checks"] if row["result"] == "failed"] == ["scale", "objective"]
    assert next(row for row in document["checks"] if row["check"] == "target")["result"] == "not applicable"


@pytest.mark.parametrize("data", [(), ("--data", "data")])
def test_a_declaration_that_is_wrong_is_one_mistake_among_the_others(
    data: tuple[str, ...], run: Any, own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It does not keep the other checks from running, on instances generated or given."""
    run("generate", "own_projects:Selection", "data", "--count", "2")
    out, err = failing(capsys, "own_mistakes:Unsafe", *data)
    assert "17 passed, 1 failed, 3 not applicable\n" in out
    assert err.startswith("error: own_mistakes:Unsafe: a check failed: declarations: safe_weights of selection: ")


@pytest.mark.parametrize(("name", "check", "said"), [
    ("CostForgetsToReturn", "cost", "instance 0: cost of selection returned None, expected a finite number"),
    ("ExactOfAPair", "exact", "instance 0: exact of selection returned (array(["),
    ("BoundOfWords", "bound", "instance 0: bound of selection returned '12', expected a number or None"),
    ("SizesOfWords", "declarations", "sizes of SizesOfWords is ('projects',)"),
    ("Typo", "declarations", "safe_weights of Typo raised AttributeError: 'Typo' object has no attribute 'wieghts'"),
])  # fmt: skip
def test_the_method_at_fault_and_what_it_returned_are_named(
    name: str, check: str, said: str, own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = failing(capsys, f"own_mistakes:{name}")
    assert f"\n{check:<16}  FAILED\n" in out
    assert err.startswith(f"error: own_mistakes:{name}: a check failed: {check}: {said}")


@pytest.mark.parametrize(("name", "said"), [
    ("MethodOfWords", "PROBLEM: layer of MethodOfWords is 'sort', expected a method"),
])  # fmt: skip
def test_what_leaves_nothing_to_check_is_refused(name: str, said: str, refused: Any, own: Path) -> None:
    assert said in refused("check", f"own_mistakes:{name}")


def test_every_decoder_is_tried_unless_one_is_chosen(
    run: Any, refused: Any, own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = failing(capsys, "own_mistakes:Lossy")
    assert "\ntried with decoder=none; decoder=swap\n" in out
    assert ": a check failed: feasible: with decoder=swap: instance 0: decode made an infeasible solution" in err
    assert run("check", "own_mistakes:Lossy", "--decoder", "none", "--json")["variants"] == ["decoder=none"]
    _, err = failing(capsys, "own_mistakes:Lossy", "--decoder", "swap")
    assert ": a check failed: feasible: instance 0: decode made" in err
    assert refused("check", "own_mistakes:Lossy", "--decoder", "swop").startswith("error: --decoder: ")


def test_instances_come_from_the_folder_given(run: Any, refused: Any, own: Path) -> None:
    run("generate", "own_projects:Selection", "data", "--count", "3", "--projects", "5")
    assert run("check", "own_mistakes:NoInstances", "--data", "data").startswith("selection on 3 instances: ")
    assert refused("check", "own_mistakes:NoInstances").startswith("error: --data: ")
    assert "-o: data/report.json lies in the data set" in refused(
        "check", "own_projects:Selection", "--data", "data", "-o", "data/report.json"
    )


def test_the_seed_chooses_instances_and_draws(run: Any, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def made(problem: Any, seed: int) -> Any:
        seeds.append(seed)
        return small_instances(problem, seed)

    def checked(problem: Any, instances: Any, *, seed: int, decoder: str | None) -> Any:
        seeds.append(seed)
        return check_problem(problem, instances, seed=seed, decoder=decoder)

    monkeypatch.setattr("colayer.problem.check.small_instances", made)
    monkeypatch.setattr("colayer.problem.check.check_problem", checked)
    run("check", "own_projects:Selection")
    run("check", "own_projects:Selection", "--seed", 9)
    assert seeds == [0, 0, 9, 9]


def test_a_registered_problem_can_be_checked(run: Any) -> None:
    document = run("check", "single-machine", "--decoder", "ls", "--json")
    assert (document["problem"], document["instances"], document["ok"]) == ("single-machine", 6, True)
    assert document["variants"] == ["features=66, decoder=ls", "features=27"]
