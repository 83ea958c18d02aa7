"""Features that look at a solution: every mistake that only later rounds would meet is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import check_problem
from colayer.problems import VehicleScheduling
from support.crowd_problem import Crowd
from support.selection_problem import Selection
from support.selection_problem import instances as projects

DATA = [Crowd().generate(seed, jobs=4) for seed in range(3)]


class Shorter(Crowd):
    """Rows are lost in the second round."""

    def features(self, instance: Any, solution: Any = None) -> Any:
        return super().features(instance, solution)[solution is not None :]


class Dividing(Crowd):
    """Where the load is 0 there is nothing to divide by."""

    def features(self, instance: Any, solution: Any = None) -> Any:
        values = super().features(instance, solution)
        if solution is not None:
            with np.errstate(divide="ignore"):
                values[:, 1] = 1.0 / values[:, 1]
        return values


class Writing(Crowd):
    """The solution is written to."""

    def features(self, instance: Any, solution: Any = None) -> Any:
        values = super().features(instance, solution)
        if solution is not None:
            solution[0] = 1 - min(solution[0], 1)
        return values


class Counting(Crowd):
    """Every call gives something else."""

    calls = 0

    def features(self, instance: Any, solution: Any = None) -> Any:
        values = super().features(instance, solution)
        if solution is not None:
            type(self).calls += 1
            values[:, 2] += self.calls
        return values


class Strict(Crowd):
    """None is not what it seems."""

    def features(self, instance: Any, *given: Any, solution: Any = None) -> Any:
        values = super().features(instance, given[0] if given else solution)
        return values + (len(given) > 0 and given[0] is None)


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (Shorter(), "features after a solution have the shape (11, 3): return the shape of the first round, (12, 3)"),
        (Dividing(), "features after a solution are not all finite numbers"),
        (Writing(), "features after a solution change what they look at"),
        (Counting(), "features after a solution are not the same the second time"),
        (Strict(), "features with solution=None are not those of the first round"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_mistake_of_later_rounds_is_found(problem: Any, words: str) -> None:
    report = check_problem(problem, DATA)
    assert [finding.check for finding in report.failures] == ["rounds"], str(report)
    assert words in report.failures[0].detail


def test_problems_without_mistakes_pass_and_those_that_do_not_look_back_are_left_out() -> None:
    found = {finding.check: finding for finding in check_problem(Crowd(), DATA).findings}
    assert found["rounds"].result == "passed"
    vehicles = VehicleScheduling("rounds")
    report = check_problem(vehicles, [vehicles.generate(seed, tasks=5, scenarios=3) for seed in range(2)])
    assert report.ok, str(report)
    left = next(f for f in check_problem(Selection(), projects(), decoder="none").findings if f.check == "rounds")
    assert left.detail == "features take no solution"
