"""Trajectories: what counts, what comes too late, and what is not believed."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from colayer.comparison.trajectory import GRACE, Attempt, Trajectory, trajectory
from colayer.errors import InputError


def identity(solution: Any) -> float:
    return float(solution)


def test_only_improvements_are_kept_in_the_order_of_time() -> None:
    found = trajectory(Attempt([(3.0, 5.0), (1.0, 9.0), (2.0, 9.0), (2.5, 12.0), (4.0, 4.0)]), identity, 10.0)
    assert found.points == ((1.0, 9.0), (3.0, 5.0), (4.0, 4.0))
    assert (found.first, found.cost, found.note) == (1.0, 4.0, "")


def test_any_attempt_gives_a_trajectory_that_does_not_increase() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        pairs = [(float(t), float(c)) for t, c in zip(rng.random(8) * 12, rng.integers(0, 9, 8), strict=True)]
        points = trajectory(Attempt(pairs), identity, 10.0).points
        assert all(a[0] <= b[0] and a[1] > b[1] for a, b in pairwise(points))
        assert all(when <= 10.0 for when, _ in points)
        best = min((c for t, c in pairs if t <= 11.0), default=None)
        assert (points[-1][1] if points else None) == best


def test_a_little_late_counts_as_at_the_limit_and_more_does_not() -> None:
    late = 10.0 * (1.0 + GRACE)
    assert trajectory(Attempt([(late, 1.0)]), identity, 10.0).points == ((10.0, 1.0),)
    missed = trajectory(Attempt([(math.nextafter(late, 99.0), 1.0)], proved=True), identity, 10.0)
    assert (missed.points, missed.proved, missed.note) == ((), False, "no solution in time")


def test_a_solution_that_the_problem_refuses_does_not_count_and_is_said() -> None:
    def cost(solution: float) -> float:
        if solution < 0:
            raise InputError("its edges close a cycle", where="first_stage")
        return solution

    found = trajectory(Attempt([(1.0, 3.0), (2.0, -1.0)]), cost, 10.0)
    assert found.points == ((1.0, 3.0),)
    assert found.note == "a solution was not feasible (first_stage: its edges close a cycle)"


def test_only_solutions_that_would_improve_are_asked_about_and_a_proof_needs_its_solution() -> None:
    asked: list[float] = []

    def refusal(solution: float) -> str | None:
        asked.append(solution)
        return "two visits on one day" if solution < 3.0 else None

    attempt = Attempt([(1.0, 5.0), (2.0, 6.0), (3.0, 2.0), (4.0, 4.0), (5.0, 1.0)], proved=True)
    found = trajectory(attempt, identity, 10.0, refusal)
    assert asked == [5.0, 2.0, 4.0, 1.0]
    assert found.points == ((1.0, 5.0), (4.0, 4.0))
    assert (found.proved, found.note) == (False, "a solution was not feasible (two visits on one day)")


def test_reported_costs_count_only_down_to_what_the_solution_bears_out() -> None:
    attempt = Attempt([(5.0, 4.0)], costs=[(1.0, 9.0), (2.0, 4.0), (3.0, 2.0)], proved=True)
    found = trajectory(attempt, identity, 10.0)
    assert found.points == ((1.0, 9.0), (2.0, 4.0))
    assert found.proved
    assert trajectory(Attempt(costs=[(1.0, 9.0)]), identity, 10.0).points == ()  # no solution at all


def test_cost_at_a_time_and_time_to_a_cost() -> None:
    found = Trajectory(((1.0, 9.0), (3.0, -5.0)))
    assert [found.at(t) for t in (0.9, 1.0, 2.9, 3.0, 99.0)] == [None, 9.0, 9.0, -5.0, -5.0]
    assert [found.reaches(c) for c in (9.5, 9.0, 8.9, -5.0, -5.1)] == [1.0, 1.0, 3.0, 3.0, None]
    assert Trajectory(((1.0, 0.1 + 0.2),)).reaches(0.3) == 1.0  # equal up to rounding
    assert (Trajectory(()).first, Trajectory(()).cost, Trajectory(()).reaches(1e9)) == (None, None, None)
