"""`colayer warmup`: one problem or all of them, and what is compiled is compiled once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from colayer.problems import problem_names
from support.toy_problem import write_toy


def test_it_names_each_problem_and_a_second_time_has_nothing_to_do(run: Any) -> None:
    assert set(run("warmup", "--json")) == set(problem_names())
    assert run("warmup", "--json") == dict.fromkeys(problem_names(), 0.0)
    assert run("warmup", "spanning-tree") == "spanning-tree: nothing to compile\n"


def test_a_problem_of_ones_own_without_kernels(run: Any, place: Path) -> None:
    write_toy(place)
    assert run("warmup", "toy_problem:Toy") == "toy: nothing to compile\n"


def test_an_unknown_problem_is_refused(refused: Any) -> None:
    assert refused("warmup", "nothing").startswith("error: PROBLEM: ")
