"""Cost, scale, bound and the constants of the guarantee, by hand and against the kernels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.single_machine.cost import bound, cost, scale, srpt_approximation
from colayer.problems.single_machine.instance import Instance, generate
from colayer.problems.single_machine.kernels.schedule import completion_times, srpt
from support.errors import rejects

#: SRPT runs job 0 in [0, 1) and [2, 5), job 1 in [1, 2), job 2 in [5, 7).
HAND = Instance([0, 1, 5], [4, 1, 2])


def test_by_hand() -> None:
    """In the order 1, 0, 2 the jobs complete at 2, 6 and 8; SRPT completes them at 5, 2 and 7."""
    assert cost([1, 0, 2], HAND) == 16.0
    assert cost([0, 1, 2], HAND) == 4 + 5 + 7
    assert bound(HAND) == 14.0
    assert scale(HAND) == 12.0


def test_cost_functions_take_instances() -> None:
    """cost, scale and bound are those of the kernels, as Python floats, and inputs are left alone."""
    instance = generate(7, jobs=50, rho=1.0)
    order = np.argsort(instance.release, kind="stable")
    before = order.copy()
    value = cost(order, instance)
    assert type(value) is float
    assert value == completion_times(order, instance.release, instance.processing).sum()
    assert cost(order.astype(np.int32), instance) == value
    assert scale(instance) == 2550.0
    assert bound(instance) == srpt(instance.release, instance.processing)[1].sum() <= value
    np.testing.assert_array_equal(order, before)


@pytest.mark.parametrize("sequence", [[0, 1], [0, 1, 1], [0, 1, 3], [0.0, 1.0, 2.0]])
def test_what_is_no_sequence_has_no_cost(sequence: list) -> None:
    with rejects(InputError, "sequence"):
        cost(sequence, HAND)


def test_constants_of_the_srpt_order() -> None:
    """a = 1 gives the ratio 1 + a = 2; b = 4·n·makespan, here 4·3·7."""
    found = srpt_approximation(HAND)
    assert (found.a, found.b, found.beta) == (1.0, 84.0, math.inf)
