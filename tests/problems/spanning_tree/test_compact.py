"""The models for general solvers: every solution is a point of them at its cost, and the least point is the optimum."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problem.programs import TooLargeError
from colayer.problems.spanning_tree.compact import compact, constraint_program
from colayer.problems.spanning_tree.cost import cost
from colayer.problems.spanning_tree.decoder import complete
from colayer.problems.spanning_tree.instance import Instance, generate
from support.errors import rejects
from support.model_points import least, satisfied
from support.plain_trees import brute_force, forests, signed

TRIANGLE = Instance(3, [[0, 1], [1, 2], [0, 2]], [1.0, 2.0, 3.0], [[4.0, 0.0, 1.0], [0.0, 5.0, 1.0]])


@pytest.mark.parametrize(
    "instance",
    [TRIANGLE, Instance(2, [[0, 1]], [0.5], [[-0.5], [2.0]]), signed(0), signed(1, 0, 9)],
    ids=["triangle", "edge", "signs", "positive"],
)
def test_the_optimum_of_the_program_is_that_of_the_instance(instance: Instance) -> None:
    model = compact(instance)
    point, value = least(model)
    assert value == pytest.approx(brute_force(instance))
    assert cost(model.solution(point), instance) == pytest.approx(value)


def test_size_by_hand() -> None:
    """x of 3 edges, y and two arcs of each edge in 2 scenarios; a count, 2 nodes and 3 edges a scenario."""
    model = compact(TRIANGLE)
    assert len(model.cost) == 3 + 2 * 3 + 2 * 6
    assert model.rows.count == 2 * (1 + 2 + 3)
    assert model.cost[:9].tolist() == [1.0, 2.0, 3.0, 2.0, 0.0, 0.5, 0.0, 2.5, 0.5]
    assert model.integral.sum() == 9


def test_hints_are_solutions_of_the_constraint_program() -> None:
    """Each first stage with its completion: conditions hold, exactly one arc enters each node, levels grow."""
    program = constraint_program(TRIANGLE)
    for forest in forests(TRIANGLE):
        solution, value = complete(np.array(forest, dtype=np.int64), TRIANGLE)
        x = program.hint(solution)
        assert satisfied(program, x)
        assert program.cost @ x == 2 * value  # costs are whole: S times the cost
        again = program.solution(x[: program.reported])
        assert again.first_stage.tolist() == solution.first_stage.tolist()
        assert cost(again, TRIANGLE) == value


def test_models_that_are_too_large_are_refused_before_they_are_built() -> None:
    large = generate(0, width=100, scenarios=20)
    for model in (compact, constraint_program):
        with rejects(TooLargeError):
            model(large)
