"""`colayer label`: what has a label keeps it, the others get one; counts on stdout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from colayer import read_instances
from colayer.problems import SingleMachine
from support.tiny_instances import optimum
from support.toy_problem import write_toy


def test_it_goes_on_where_it_was(run: Any, place: Path) -> None:
    """What has a label keeps it; the others get optimal ones, from two processes."""
    run("generate", "single-machine", "d", "--count", 4, "--jobs", 7)
    limit = ("--time-limit", 600)  # first use compiles
    first = run("label", "single-machine", "d", "--workers", 1, *limit, "--json")
    assert first == {"problem": "single-machine", "instances": 4, "labelled": 4, "proved": 4}
    labels = {path.name: path.read_bytes() for path in (place / "d").glob("*.solution.json")}
    for name in ("0001.solution.json", "0003.solution.json"):
        (place / "d" / name).unlink()
    assert run("label", "single-machine", "d", "--workers", 2, *limit, "--json")["labelled"] == 2
    assert {path.name: path.read_bytes() for path in (place / "d").glob("*.solution.json")} == labels
    document = json.loads(labels["0000.solution.json"])
    assert document["cost"] == document["bound"] == optimum(SingleMachine(), read_instances("d")[0])[1]
    assert run("label", "single-machine", "d") == "0 labelled, 4 had a label; 4 proved optimal\n"


def test_a_problem_without_an_exact_solver_is_refused(refused: Any, place: Path) -> None:
    write_toy(place)
    assert refused("label", "toy_problem:Toy", "data").startswith("error: PROBLEM: ")
    assert not list(place.glob("data/*.solution.json"))
