"""Feasible solutions and their losses, before and after learning."""

from __future__ import annotations

import numpy as np

from colayer import Pipeline
from colayer.errors import InputError
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from colayer.solving.feasible import feasible_losses
from support.errors import rejects
from support.item_problem import Even, Item


class Large(Even):
    def scale(self, instance: Item) -> float:
        return 4.0


class Bent(Even):
    """With a negative weight it picks the largest, and with its safe weights the smallest number."""

    safe_weights = np.array([1.0])


def test_infeasible_solutions_are_found_before_and_after_learning() -> None:
    """With the safe weights, or with ones where there are none; then with those learned. The instance is named."""
    even = Item([1.0, 2.0, 3.0, 4.0])
    assert feasible_losses(bind(Even()), [even]) == feasible_losses(bind(Bent()), [even]) == [1.0]
    with rejects(InputError, where="instance 1"):
        feasible_losses(bind(Even()), [even, Item([2.0, 1.0])])
    assert feasible_losses(bind(Bent()), [even], Pipeline(Bent(), [1.0], safe=False)) == [1.0]
    with rejects(InputError, where="instance 0"):
        feasible_losses(bind(Bent()), [even], Pipeline(Bent(), [-1.0], safe=False))


def test_a_loss_is_a_cost_over_the_scale() -> None:
    assert feasible_losses(bind(Large()), [Item([1.0, 2.0, 3.0, 4.0])]) == [0.25]


def test_ours_are_not_looked_at() -> None:
    problem = SingleMachine(features="27")
    assert feasible_losses(bind(problem), [problem.generate(0, jobs=4)]) == []
