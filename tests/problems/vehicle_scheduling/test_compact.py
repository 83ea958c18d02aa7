"""The models for general solvers: every solution is a point of them at its cost, and the least point is the optimum."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problem.programs import CompactModel, TooLargeError
from colayer.problems.vehicle_scheduling import compact as module
from colayer.problems.vehicle_scheduling.compact import compact, constraint_program
from colayer.problems.vehicle_scheduling.cost import bound, cost
from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.instance import Instance
from support import plain_vehicles as plain
from support.errors import rejects
from support.model_points import inside, least, satisfied
from support.plain_vehicles import by_hand, hurried


def point_of(model: CompactModel, x: Instance, successor: np.ndarray) -> np.ndarray:
    """Arcs that are used, first tasks, and the delays of plain Python."""
    first = np.ones(x.tasks)
    first[successor[successor >= 0]] = 0.0
    late = np.zeros((x.tasks, x.scenarios))
    for route in plain.routes(successor):
        late[route] = np.array([plain.delays(x, route, s) for s in range(x.scenarios)]).T
    used = [float(successor[u] == v) for u, v in plain.arcs(x)]
    return np.concatenate([used, first, late.ravel()])


@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_of_the_program_is_that_of_the_instance(seed: int) -> None:
    """Where being late is worth a vehicle, and where it is not."""
    x = hurried(seed, 6, 3, 30.0 if seed % 2 else 100.0)
    model = compact(x)
    point, value = least(model)
    assert value == pytest.approx(plain.least_cost(x), rel=1e-6)
    assert cost(model.solution(point), x) == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_every_solution_is_a_point_at_its_cost(seed: int) -> None:
    x = hurried(seed, 10, 4)
    model = compact(x)
    for k in range(5):
        successor = plain.random_solution(x, k)
        point = point_of(model, x, successor)
        assert inside(model, point)
        assert model.cost @ point == pytest.approx(cost(successor, x), rel=1e-9)
        assert np.array_equal(model.solution(point), successor)


def test_the_relaxation_is_at_least_the_bound_of_the_layer() -> None:
    """What the second family of rows is for."""
    x = hurried(1, 10, 4)
    model = compact(x)
    relaxed = CompactModel(
        model.cost, model.rows, model.lower, model.upper, np.zeros(len(model.cost), dtype=bool), model.solution
    )
    assert least(relaxed)[1] >= bound(x) * (1 - 1e-9)


def test_hints_are_solutions_of_the_constraint_program() -> None:
    """By hand: arcs (0, 1), (0, 2), (1, 2); times are thousandths of minutes, and so are costs in proportion."""
    x = by_hand()
    program = constraint_program(x)
    hint = program.hint(np.array([1, 2, -1]))
    assert hint[:6].tolist() == [1, 0, 1, 1, 0, 0]
    assert hint[6:].reshape(3, 2).tolist() == [[0, 0], [0, 24_000], [0, 23_000]]
    unit = program.cost[-1]  # of a thousandth of a minute in one of two scenarios, which costs 2/2000
    for successor in ([1, 2, -1], [2, -1, -1], [-1, 2, -1], [-1, -1, -1]):
        x_of = program.hint(np.array(successor))
        assert satisfied(program, x_of)
        assert program.cost @ x_of / unit == pytest.approx(1000 * cost(successor, x))
        assert program.solution(x_of[: program.reported]).tolist() == successor


def test_hints_hold_for_times_that_are_rounded() -> None:
    for seed in range(3):
        x = hurried(seed, 12, 3)
        program = constraint_program(x)
        for k in range(5):
            assert satisfied(program, program.hint(plain.random_solution(x, k)))


@pytest.mark.parametrize(("vehicle_cost", "delay_cost"), [(0.0, 2.0), (5.0, 0.0), (0.0, 0.0)])
def test_prices_of_nothing_are_whole_all_the_same(vehicle_cost: float, delay_cost: float) -> None:
    x = hurried(0, 5, 2, vehicle_cost, delay_cost)
    program = constraint_program(x)
    vehicle, delay = int(program.cost[len(x.arcs[1])]), int(program.cost[-1])
    assert (vehicle > 0, delay > 0) == (vehicle_cost > 0, delay_cost > 0)


def test_models_that_are_too_large_are_refused_before_they_are_built(monkeypatch: pytest.MonkeyPatch) -> None:
    x = generate(0, tasks=20, scenarios=5)
    monkeypatch.setattr(module, "_MOST_PAIRS", 100)
    for model in (compact, constraint_program):
        with rejects(TooLargeError, "arcs", "5 scenarios"):
            model(x)
