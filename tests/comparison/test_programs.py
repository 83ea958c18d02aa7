"""The models that general solvers get: as programs they mean the problem, checked without any solver but HiGHS."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from colayer.comparison.highs import solve_compact
from colayer.comparison.trajectory import trajectory
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from colayer.problems.single_machine.instance import Instance as Jobs
from colayer.problems.single_machine.solvers import brute_force
from colayer.problems.spanning_tree.instance import Instance as Graph
from colayer.problems.vehicle_scheduling.instance import Instance as Tasks
from colayer.programs import ConstraintProgram, Rows, TooLargeError, check_size, whole

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


def best_of(problem: Any, instance: Any) -> tuple[Any, float]:
    solution, _, proved = problem.exact(instance, time_limit=20.0)
    assert proved
    return solution, problem.cost(solution, instance)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("problem", "sizes"), TINY, ids=IDS)
def test_highs_on_the_compact_model_is_exact(problem: Any, sizes: dict[str, int], seed: int) -> None:
    instance = problem.generate(seed, **sizes)
    best = brute_force(instance)[1] if problem.name == "single-machine" else best_of(problem, instance)[1]
    attempt = solve_compact(problem, instance, 20.0)
    found = trajectory(attempt, lambda z: problem.cost(z, instance), 20.0)
    assert attempt.proved
    assert found.cost == pytest.approx(best, rel=1e-7)
    assert found.note == ""


@pytest.mark.parametrize(("problem", "instance"), odd())
def test_highs_on_odd_instances(problem: Any, instance: Any) -> None:
    found = trajectory(solve_compact(problem, instance, 20.0), lambda z: problem.cost(z, instance), 20.0)
    assert found.cost == pytest.approx(best_of(problem, instance)[1], rel=1e-6, abs=1e-6)


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
    solutions = [best_of(problem, instance)[0]]
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
    x = program.hint(best_of(problem, instance)[0])
    x[0] = 1 - x[0]
    assert violated(program, x)


def test_a_model_that_is_too_large_is_refused_before_it_is_built() -> None:
    for problem, sizes in ((SingleMachine(), {"jobs": 1000}), (SpanningTree(), {"width": 80, "scenarios": 20})):
        with pytest.raises(TooLargeError, match="nonzeros, at most 2,000,000 are tried"):
            problem.compact(problem.generate(0, **sizes))
    large = VehicleScheduling().generate(0, tasks=400, scenarios=100)
    for model in (VehicleScheduling().compact, VehicleScheduling().constraint_program):
        with pytest.raises(TooLargeError, match="arcs in 100 scenarios"):
            model(large)
    assert solve_compact(SingleMachine(), SingleMachine().generate(0, jobs=1000), 1.0).note.startswith("the model has")
    check_size(2_000_000)


def test_rows_come_out_as_they_were_added() -> None:
    rows = Rows()
    rows.add(np.array([0.0, 1.0]), 2.0, ([0, 1, 0], [2, 0, 1], [3.0, 4.0, 5.0]))
    rows.add([-np.inf], 7.0, (0, [0, 2], 1.0), (0, 1, -1.0))
    A, lower, upper = dense(rows, 3)
    assert A.tolist() == [[0, 5, 3], [4, 0, 0], [1, -1, 1]]
    assert (lower.tolist(), upper.tolist()) == ([0.0, 1.0, -np.inf], [2.0, 2.0, 7.0])


def test_whole_numbers_stay_and_others_keep_their_proportions() -> None:
    assert whole([3.0, -4.0, 0.0])[0].tolist() == [3, -4, 0]
    scaled, factor = whole([0.1, -0.7, 0.35])
    assert scaled / factor == pytest.approx(np.array([0.1, -0.7, 0.35]), rel=1e-8)
    assert np.abs(scaled).max() == 2**32
