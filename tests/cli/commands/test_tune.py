"""`colayer tune`: the function `tune` on a folder; what is wrong is one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from colayer import OptionError, read_instances, tune
from colayer.cli.app import main
from colayer.cli.commands.tune import parse_grid
from colayer.problems import VehicleScheduling
from support.errors import rejects
from support.toy_problem import write_toy

RULE = """
    baselines = ("at",)
    def baseline(self, rule, instance, place=0, unused=0.5): return place
    def violation(self, solution, instance): return "no such place" if solution < 0 else None
"""
TOYS = [(3, 1, 2), (4, 1, 2), (5, 2, 3)]
TUNE = ("tune", "toy_problem:Toy", "data", "--rule", "at")


def test_it_prints_and_writes_what_the_function_finds(run: Any, place: Path) -> None:
    run("generate", "vehicle-scheduling", "d", "--count", 3, "--tasks", 12, "--scenarios", 3)
    command = ("tune", "vehicle-scheduling", "d", "--rule", "delay x3", "--set", "factor=1,2.5,50", "-o", "o.json")
    found = tune(VehicleScheduling(), "delay x3", read_instances("d"), {"factor": [1, 2.5, 50]})
    assert run(*command) == f"{found}\n"
    assert json.loads((place / "o.json").read_text()) == run(*command, "--json")
    assert run(*command, "--json") == json.loads(json.dumps(found.document()))


def test_constants_are_set_and_the_journal_is_taken_up(
    run: Any, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_toy(place, TOYS, RULE)
    command = (*TUNE, "--set", "place=0,1,2", "--set", "unused=-1,0.5", "--journal", "book", "--json")
    document = run(*command)
    assert document["constants"] == {"place": 1, "unused": -1.0}
    assert document["loss"] == pytest.approx(4 / 3)
    assert document["summary"][-1]["constants"] == {"place": 0, "unused": 0.5}
    assert main([str(word) for word in command]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == document
    assert err == "6 of 6 combinations from the journal\n"


@pytest.mark.parametrize(
    ("words", "where", "said"),
    [
        (("--set", "place"), "--set", "NAME=VALUES"),
        (("--set", "=1"), "--set", "NAME=VALUES"),
        (("--set", "place=1,x"), "--set", "'x'"),
        (("--set", "place=1,"), "--set", "''"),
        (("--set", "place=inf"), "--set", "inf"),
        (("--set", "place=1,1"), "--set", "twice"),
        (("--set", "place=1", "--set", "place=2"), "--set", "twice"),
        (("--set", "plce=1"), "--set", "takes no constant plce, expected place"),
        (("--set", "place=1", "--rule", "on"), "--rule", "no rule 'on', expected at"),
        (("--set", "place=1,-1"), "data/0000.json", "at with place=-1 returned an infeasible solution"),
        (("--set", "place=1", "-o", "data/o.json"), "-o", "data set"),
        (("--set", "place=1", "--journal", "data/j"), "--journal", "data set"),
        (("--set", "place=1", "--journal", "x", "-o", "x"), "--journal", "x"),
        ((), "--set", "missing"),
    ],
)
def test_what_is_wrong_is_one_line(words: tuple[str, ...], where: str, said: str, refused: Any, place: Path) -> None:
    write_toy(place, TOYS, RULE)
    line = refused(*TUNE, *words)
    assert line.startswith(f"error: {where}: ")
    assert said in line
    assert not (place / "x").exists()


def test_a_journal_of_another_grid_is_refused(run: Any, refused: Any, place: Path) -> None:
    write_toy(place, TOYS, RULE)
    run(*TUNE, "--set", "place=0,1", "--journal", "book")
    assert refused(*TUNE, "--set", "place=0,2", "--journal", "book").startswith("error: book: belongs to another run")


def test_an_interrupted_run_says_how_to_go_on(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_toy(place, TOYS, RULE)

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("colayer.comparison.tune.tune", interrupted)
    assert main([*TUNE, "--set", "place=0,1", "--journal", "book"]) == 130
    assert "run the same command to continue from book" in capsys.readouterr().err


def test_numbers_are_whole_where_all_are() -> None:
    assert parse_grid(["k=1,2", " b = -0.5,1e3"]) == {"k": [1, 2], "b": [-0.5, 1000.0]}
    assert [type(value) for value in parse_grid(["k=1,2.0"])["k"]] == [int, float]
    with rejects(OptionError, where="--set"):
        parse_grid(["1k=2"])
