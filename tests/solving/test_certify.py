"""From a pipeline's solution to a proof: the better solution, the better bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import colayer
from colayer import InputError, OptionError, Pipeline, Solved
from colayer.problems import SingleMachine
from colayer.solving.certify import certify
from support.errors import rejects
from support.pick_problem import Pick


class Solver(Pick):
    """A solution is its own cost; the exact solver answers what it is told to."""

    def __init__(self, *answer: Any) -> None:
        self.answer = answer
        self.given: dict[str, Any] = {}

    def cost(self, solution: Any, instance: Any) -> float:
        return float(solution)

    def exact(self, instance: Any, /, time_limit: Any = None, progress: Any = None, start: Any = None) -> Any:
        self.given = {"time_limit": time_limit, "progress": progress, "start": start}
        return self.answer


def solved(cost: float, bound: float | None) -> Solved[float]:
    return Solved(cost, cost, bound, None, 1.0, "sample 3")


@pytest.mark.parametrize(
    ("answer", "before", "expected"),
    [
        # (solution, bound, proved), (cost, bound) → (cost, source, bound, gap, certified)
        ((10.0, 10.0, True), (12.0, 8.0), (10.0, "exact", 10.0, 0.0, True)),
        ((10.0, 9.0, False), (12.0, 8.0), (10.0, "exact", 9.0, 1 / 9, False)),
        ((15.0, 10.0, False), (12.0, None), (12.0, "sample 3", 10.0, 0.2, False)),  # the pipeline's is the better one
        ((12.0, 12.0, True), (12.0, None), (12.0, "sample 3", 12.0, 0.0, True)),  # and its own at equal cost
        ((15.0, 5.0, False), (12.0, 8.0), (12.0, "sample 3", 8.0, 0.5, False)),  # the cheap bound is the better one
        ((15.0, 5.0, False), (12.0, 12.0), (12.0, "sample 3", 12.0, 0.0, True)),  # which proves it
    ],
)
def test_the_better_of_both(answer: Any, before: Any, expected: Any) -> None:
    found = certify(Solver(*answer), None, solved(*before))
    assert (found.cost, found.source, found.bound, found.gap, found.certified) == pytest.approx(expected)
    assert found.solution == found.cost
    assert found.seconds > 1.0  # with those of the pipeline


def test_the_solver_starts_from_the_solution_and_has_so_much_time() -> None:
    problem = Solver(1.0, 1.0, True)
    certify(problem, None, solved(2.0, None), time_limit=7.0, progress=print)
    assert problem.given == {"time_limit": 7.0, "progress": print, "start": 2.0}
    certify(problem, None, solved(2.0, None))
    assert problem.given["time_limit"] == 60.0


def test_a_solution_of_a_built_in_problem_is_proved() -> None:
    problem = SingleMachine(decoder="none")
    instance = problem.generate(3, jobs=8)
    found = Pipeline(problem, problem.safe_weights).solve(instance)
    proved = colayer.certify(problem, instance, found)
    assert proved.certified
    assert proved.cost == proved.bound == problem.cost(proved.solution, instance) <= found.cost
    assert proved.gap == 0.0


@pytest.mark.parametrize(
    ("problem", "names"),
    [
        (Pick(), ("pick", "exact")),
        (Solver(1.0, 1.0), ("exact", "pick")),
        (Solver(np.nan, 1.0, True), ("cost", "pick")),
    ],
)
def test_what_is_missing_or_wrong_is_named(problem: Any, names: tuple[str, ...]) -> None:
    with rejects((InputError, OptionError), *names):
        certify(problem, np.ones((2, 2)), solved(2.0, None))
