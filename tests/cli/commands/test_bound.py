"""`colayer bound`: the cheap bound, and the tight one between it and the optimum."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from colayer import read_instances
from colayer.problems import SingleMachine
from support.tiny_instances import optimum
from support.toy_problem import write_toy


def test_cheap_and_tight(data: Path, run: Any, place: Path) -> None:
    """The tight bound lies between the cheap one and the optimum; `-o` holds what is printed."""
    files = sorted(data.glob("000?.json"))
    cheap = run("bound", *files, "--json", "-o", "bounds.json")
    assert json.loads((place / "bounds.json").read_text()) == cheap
    tight = run("bound", *files, "--tight", "--time-limit", 600, "--json")
    for low, high, instance in zip(cheap, tight, read_instances(data), strict=True):
        assert list(low) == list(high) == ["problem", "bound", "seconds"]
        assert low["bound"] == SingleMachine().bound(instance)
        assert low["bound"] <= high["bound"] == optimum(SingleMachine(), instance)[1]
    assert run("bound", files[0], "--json")["bound"] == cheap[0]["bound"]


def test_the_table_has_a_line_for_each_file(data: Path, run: Any) -> None:
    lines = run("bound", data / "0000.json", data / "0001.json").splitlines()
    assert lines[0].split() == ["file", "bound", "time"]
    assert [line.split()[0] for line in lines[2:]] == [str(data / "0000.json"), str(data / "0001.json")]


def test_a_problem_without_a_bound_has_none_and_no_tight_one(run: Any, refused: Any, place: Path) -> None:
    write_toy(place)
    own = ("bound", "data/0000.json", "--problem", "toy_problem:Toy")
    assert run(*own, "--json")["bound"] is None
    assert run(*own).splitlines()[2].split()[1] == "-"
    assert refused(*own, "--tight").startswith("error: --tight: ")
