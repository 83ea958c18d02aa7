"""The constraint programs of the built-in problems: they mean the problem, checked by plain Python."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from colayer.problem.programs import ConstraintProgram, Rows, TooLargeError
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from support.errors import rejects
from support.tiny_instances import TINY, odd, optimum


def dense(rows: Rows, width: int) -> tuple[Any, Any, Any]:
    starts, columns, values, lower, upper = rows.compressed()
    A = np.zeros((rows.count, width))
    for k in range(rows.count):
        for c, v in zip(columns[starts[k] : starts[k + 1]], values[starts[k] : starts[k + 1]], strict=True):
            A[k, c] += v
    return A, lower, upper


def violated(program: ConstraintProgram, x: Any) -> list[str]:
    """What does not hold of x, by plain Python."""
    wrong = [f"bounds of {k}" for k in np.flatnonzero((x < program.lower) | (x > program.upper))]
    if program.rows.count:
        A, lower, upper = dense(program.rows, len(x))
        conditions = np.concatenate(program.conditions)
        assert len(conditions) == program.rows.count
        active = (conditions < 0) | (x[np.maximum(conditions, 0)] == 1)
        wrong += [f"row {k}" for k in np.flatnonzero(active & ((A @ x < lower) | (A @ x > upper)))]
    wrong += [f"exactly one {k}" for k, those in enumerate(program.exactly_one) if x[those].sum() != 1]
    for intervals in program.no_overlap:
        spans = sorted((x[k], x[k] + size) for k, size in intervals)
        wrong += [f"overlap at {b[0]}" for a, b in pairwise(spans) if a[1] > b[0]]
    return wrong


@pytest.mark.parametrize(
    ("problem", "instance"),
    [(p, p.generate(seed, **sizes)) for p, sizes in TINY for seed in range(3)] + odd(),
)
def test_the_hint_is_a_solution_of_the_constraint_program_with_its_cost(problem: Any, instance: Any) -> None:
    """Any solution keeps all constraints, is read back as it was, and programs rank solutions as the problem does."""
    program = problem.constraint_program(instance)
    rng = np.random.default_rng(0)
    d = len(problem.feature_names)
    features = problem.features(instance)
    solutions = [optimum(problem, instance)[0]]
    solutions += [problem.decode(problem.layer(features @ rng.normal(size=d), instance), instance) for _ in range(5)]
    pairs = []
    for solution in solutions:
        x = program.hint(solution)
        assert violated(program, x) == []
        again = program.solution(x[: program.reported])
        assert problem.cost(again, instance) == problem.cost(solution, instance)
        pairs.append((problem.cost(solution, instance), int(program.cost @ x)))
    (best, least), *others = pairs
    for cost, value in others:  # one factor (and, for starts instead of ends, one constant) between the two
        assert (cost - best) * max(abs(v - least) for _, v in pairs) == pytest.approx(
            (value - least) * max(abs(c - best) for c, _ in pairs), rel=1e-4, abs=1e-3
        )


def test_a_wrong_hint_is_noticed_by_the_checker() -> None:
    """The checker of the test above can fail."""
    problem = SpanningTree()
    instance = problem.generate(0, width=3, scenarios=2)
    program = problem.constraint_program(instance)
    x = program.hint(optimum(problem, instance)[0])
    x[0] = 1 - x[0]
    assert violated(program, x)


def test_a_model_that_is_too_large_is_refused_before_it_is_built() -> None:
    for problem, sizes in ((SingleMachine(), {"jobs": 1000}), (SpanningTree(), {"width": 80, "scenarios": 20})):
        with rejects(TooLargeError, "2,000,000"):
            problem.compact(problem.generate(0, **sizes))
    large = VehicleScheduling().generate(0, tasks=400, scenarios=100)
    for model in (VehicleScheduling().compact, VehicleScheduling().constraint_program):
        with rejects(TooLargeError, "arcs", "100 scenarios"):
            model(large)
