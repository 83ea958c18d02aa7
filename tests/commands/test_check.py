"""`colayer check`: the table on stdout, with mistakes or without; with mistakes, one line more and status 2."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from colayer.checks import check_problem, small_instances
from colayer.cli import main
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
    assert out.startswith("selection on 6 instances: 31 passed, 0 failed, 0 not applicable\n\nname ")
    document = json.loads((own / "report.json").read_text())
    assert (document["problem"], document["instances"], document["ok"]) == ("selection", 6, True)
    assert {row["result"] for row in document["checks"]} == {"passed"}


def test_mistakes_are_in_the_table_and_the_first_in_the_error(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = failing(capsys, "own_mistakes:Maximises")
    assert "\nscale                  FAILED\n" in out
    assert "\nsign                   FAILED\n" in out
    assert err.startswith(
        "error: own_mistakes:Maximises: 2 checks failed, the first: scale: instance 0: the scale is 0"
    )
    out, _ = failing(capsys, "own_mistakes:Maximises", "--json", "-o", "report.json")
    document = json.loads(out)
    assert out == (own / "report.json").read_text()
    assert document["ok"] is False
    assert [row["check"] for row in document["checks"] if row["result"] == "failed"] == ["scale", "sign"]
    assert next(row for row in document["checks"] if row["check"] == "optimal")["result"] == "not applicable"


@pytest.mark.parametrize("data", [(), ("--data", "data")])
def test_a_declaration_that_is_wrong_is_one_mistake_among_the_others(
    data: tuple[str, ...], run: Any, own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It does not keep the other checks from running, on instances generated or given."""
    run("generate", "own_projects:Selection", "data", "--count", "2")
    out, err = failing(capsys, "own_mistakes:Unsafe", *data)
    assert "30 passed, 1 failed, 0 not applicable\n" in out
    assert err.startswith("error: own_mistakes:Unsafe: a check failed: safe weights: safe_weights has shape (1,)")


def test_instances_come_from_the_folder_given(run: Any, refused: Any, own: Path) -> None:
    run("generate", "own_projects:Selection", "data", "--count", "3", "--projects", "5")
    assert run("check", "own_mistakes:NoInstances", "--data", "data").startswith("selection on 3 instances: ")
    assert refused("check", "own_mistakes:NoInstances") == (
        "error: --data: selection has no generate, expected a folder of instances to check on\n"
    )
    assert "-o: data/report.json lies in the data set" in refused(
        "check", "own_projects:Selection", "--data", "data", "-o", "data/report.json"
    )


def test_the_seed_chooses_instances_and_draws(run: Any, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def made(problem: Any, seed: int) -> Any:
        seeds.append(seed)
        return small_instances(problem, seed)

    def checked(problem: Any, instances: Any, *, seed: int) -> Any:
        seeds.append(seed)
        return check_problem(problem, instances, seed=seed)

    monkeypatch.setattr("colayer.checks.small_instances", made)
    monkeypatch.setattr("colayer.checks.check_problem", checked)
    run("check", "own_projects:Selection")
    run("check", "own_projects:Selection", "--seed", 9)
    assert seeds == [0, 0, 9, 9]


def test_a_registered_problem_can_be_checked(run: Any) -> None:
    document = run("check", "spanning-tree", "--json")
    assert (document["problem"], document["instances"], document["ok"]) == ("spanning-tree", 6, True)
