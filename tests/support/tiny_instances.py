"""Instances of the built-in problems small enough for any solver to prove, and odd ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from colayer.problems.single_machine.instance import Instance as Jobs
from colayer.problems.spanning_tree.instance import Instance as Graph
from colayer.problems.vehicle_scheduling.instance import Instance as Tasks

TINY: list[tuple[Any, dict[str, int]]] = [
    (SingleMachine(), {"jobs": 6}),
    (SpanningTree(), {"width": 3, "scenarios": 3}),
    (VehicleScheduling(), {"tasks": 8, "scenarios": 4}),
]
IDS = [problem.name for problem, _ in TINY]


def odd() -> list[tuple[Any, Any]]:
    """The smallest instances, numbers that are not whole, positive tree costs, parallel edges, explicit travel."""
    return [
        (SingleMachine(), Jobs(np.array([2.0]), np.array([3.0]))),
        (SingleMachine(), Jobs(np.array([0.0, 0.1, 0.25]), np.array([1.7, 0.3, 0.9]))),
        (SpanningTree(), Graph(2, np.array([[0, 1]]), np.array([3.0]), np.array([[2.5]]))),
        (SpanningTree(), Graph(3, np.array([[0, 1], [1, 0], [2, 1], [0, 2]]), np.array([0.3, -0.2, 1.5, 1.1]),
                               np.array([[0.1, 0.7, 2.0, -1.0], [1.0, 1.0, 0.2, 0.9]]))),
        (VehicleScheduling(), Tasks(5.0, 1.5, np.array([0.0]), np.array([1.0]), np.array([[0.0]]), np.array([[1.0]]),
                                    np.full((1, 1), np.nan), np.zeros((1, 1, 1)))),
        (VehicleScheduling(), Tasks(3.0, 0.0, np.array([0.0, 2.0, 4.0]), np.array([1.0, 3.0, 5.0]),
                                    np.array([[0.0, 2.0, 4.0]]), np.array([[5.0, 3.0, 5.0]]),
                                    np.full((3, 3), 0.5), np.full((1, 3, 3), 0.5))),
        (VehicleScheduling(), Tasks(0.0, 2.0, np.array([0.0, 2.0]), np.array([1.0, 3.0]), np.array([[0.0, 2.0]]),
                                    np.array([[4.0, 3.0]]), np.full((2, 2), 0.5), np.full((1, 2, 2), 0.5))),
    ]  # fmt: skip


def optimum(problem: Any, instance: Any) -> tuple[Any, float]:
    """An optimal solution and its cost, by the problem's own solver."""
    solution, _, proved = problem.exact(instance, time_limit=20.0)
    assert proved
    return solution, problem.cost(solution, instance)
