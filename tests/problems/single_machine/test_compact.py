"""The models for general solvers: every sequence is a point of them at its cost, and the least point is the optimum."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from colayer.problem.programs import TooLargeError
from colayer.problems.single_machine.compact import compact, constraint_program
from colayer.problems.single_machine.cost import cost
from colayer.problems.single_machine.instance import Instance, generate
from colayer.problems.single_machine.kernels.schedule import completion_times
from support.errors import rejects
from support.model_points import inside, least, satisfied
from support.plain_jobs import brute_force

#: Waiting for the short jobs is optimal: 2 + 4 + 14 in the order 1, 2, 0.
WAIT = Instance([0, 1, 2], [10, 1, 2])


@pytest.mark.parametrize("instance", [WAIT, Instance([0.5], [0.25]), generate(3, jobs=5, rho=0.8)])
def test_the_optimum_of_the_program_is_that_of_the_instance(instance: Instance) -> None:
    model = compact(instance)
    point, value = least(model)
    assert value == pytest.approx(brute_force(instance)[1])
    assert cost(model.solution(point), instance) == pytest.approx(value)


def test_every_sequence_is_a_point_at_its_cost() -> None:
    """x_jk = 1 where j is the k-th, C_k the time at which the k-th job completes."""
    model = compact(WAIT)
    for order in permutations(range(3)):
        times = completion_times(np.array(order), *WAIT.arrays)[list(order)]
        point = np.concatenate([np.zeros(9), times])
        point[[3 * j + k for k, j in enumerate(order)]] = 1.0
        assert inside(model, point)
        assert model.cost @ point == cost(order, WAIT)
        assert model.solution(point).tolist() == list(order)


def test_constraint_program_has_intervals_and_hints_at_their_starts() -> None:
    """The cost is the sum of the starts: Σ C less Σ p; jobs start between their release and the horizon."""
    program = constraint_program(WAIT)
    assert program.no_overlap == [[(0, 10), (1, 1), (2, 2)]]
    assert program.lower.tolist() == [0, 1, 2]
    assert program.upper.tolist() == [5, 14, 13]
    for order in permutations(range(3)):
        start = program.hint(np.array(order))
        assert program.cost @ start == cost(order, WAIT) - 13
        assert program.solution(start).tolist() == list(order)
        assert satisfied(program, start)
        assert not satisfied(program, start - 1)  # the first job starts at its release


def test_times_that_are_not_whole_keep_their_proportions() -> None:
    program = constraint_program(Instance([0.5, 0.0], [1.5, 0.25]))
    (short, long) = (program.no_overlap[0][1][1], program.no_overlap[0][0][1])
    assert long / short == pytest.approx(6.0)
    assert program.lower[0] / long == pytest.approx(1 / 3)
    assert program.solution(program.hint(np.array([1, 0]))).tolist() == [1, 0]


def test_a_program_that_is_too_large_is_refused_before_it_is_built() -> None:
    with rejects(TooLargeError, "4,000,000"):
        compact(generate(0, jobs=1000))
