"""Features against their formulas."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError, OptionError
from colayer.problems.vehicle_scheduling.features import (
    FEATURE_SETS,
    FEATURES_23,
    FEATURES_EXTENDED,
    FEATURES_ROUNDS,
    LEVELS,
    PERIODS,
    POINTS,
    features,
    periods,
)
from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.layer import safe_theta
from support import plain_vehicles as plain
from support.errors import rejects

NAMES = [feature.name for feature in FEATURES_EXTENDED]


@pytest.mark.parametrize("form", ["city", "explicit"])
@pytest.mark.parametrize(("tasks", "scenarios"), [(12, 1), (25, 2), (20, 7), (15, 50)])
def test_the_23_against_numpy(form: str, tasks: int, scenarios: int) -> None:
    x = generate(tasks, tasks=tasks, scenarios=scenarios)
    x = plain.explicit(x) if form == "explicit" else x
    matrix = features(x, "23")
    arcs = plain.arcs(x)
    assert matrix.dtype == np.float32
    assert matrix.T.flags.c_contiguous
    assert matrix.shape == (len(arcs) + 2 * tasks, 23)
    for row, (u, v) in zip(matrix, arcs, strict=False):
        slack = np.array([plain.slack(x, s, u, v) for s in range(scenarios)])
        expected = [
            plain.nominal(x, u, v), 0.0, slack.mean(), *np.quantile(slack, LEVELS),
            *((slack <= point).mean() for point in POINTS), 2.0 * np.maximum(-slack, 0).mean(),
        ]  # fmt: skip
        assert np.allclose(row, expected, rtol=1e-5, atol=1e-4)
    origin, destination = matrix[len(arcs) : len(arcs) + tasks], matrix[len(arcs) + tasks :]
    assert np.array_equal(origin, np.where(np.arange(23) == NAMES.index("vehicle_cost"), 1000.0, np.zeros((tasks, 1))))
    assert not destination.any()


def test_threads_give_the_same_features() -> None:
    """Large enough for several threads; chunks must not depend on how many there are."""
    x = generate(0, tasks=300, scenarios=40)
    whole = features(x, "23")
    delays = whole[:, -1][: len(x.arcs[1])]
    assert np.allclose(delays, 2.0 * x.mean_delay, rtol=1e-6)
    again = features(generate(0, tasks=300, scenarios=40), "23")
    assert np.array_equal(whole, again)


def test_names_are_unique_and_sets_nest() -> None:
    assert len(FEATURES_23) == 23
    assert FEATURES_EXTENDED[:23] == FEATURES_23
    assert len(set(NAMES)) == len(NAMES)
    x = generate(2, tasks=20, scenarios=5)
    assert np.array_equal(features(x, "extended")[:, :23], features(x, "23"))
    with rejects(OptionError, where="--features"):
        features(x, "24")


def test_safe_weights_choose_cost_units() -> None:
    for which in ("23", "extended", "rounds"):
        x = generate(4, tasks=30, scenarios=10)
        theta = features(x, which) @ FEATURE_SETS[which].safe_weights
        assert np.allclose(theta, safe_theta(x), rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_extended_features_against_plain_python(seed: int) -> None:
    """The chained delay of (u, v) is what the routes up to u and from v on cost as one more than in two."""
    x = generate(seed, tasks=18, scenarios=4)
    matrix = features(x, "extended")
    arcs = plain.arcs(x)
    column = {name: matrix[:, k].astype(np.float64) for k, name in enumerate(NAMES)}
    role = column["reference_arc"]
    used = {arc for arc, value in zip(arcs, role, strict=False) if value}
    successor = np.full(18, -1)
    for u, v in used:
        successor[u] = v
    routes = plain.routes(successor)
    assert np.array_equal(np.flatnonzero(role[len(arcs) : len(arcs) + 18]), sorted(route[0] for route in routes))
    assert np.array_equal(np.flatnonzero(role[len(arcs) + 18 :]), sorted(route[-1] for route in routes))
    assert set(role) <= {0.0, 1000.0}

    before = {route[k]: route[: k + 1] for route in routes for k in range(len(route))}
    after = {route[k]: route[k:] for route in routes for k in range(len(route))}
    total = plain.cost(x, successor)
    length = 18 / len(routes)
    share = 1 - 1000 * len(routes) / total
    for k, (u, v) in enumerate(arcs):
        joined = [plain.delays(x, before[u] + after[v], s) for s in range(4)]
        apart = [plain.delays(x, before[u], s) + plain.delays(x, after[v], s) for s in range(4)]
        here = len(before[u])
        expected = {
            "reference_delay": 2 * np.mean([late[here] for late in joined]),
            "chained_delay": 2 * np.mean([sum(one) - sum(two) for one, two in zip(joined, apart, strict=True)]),
            "tail_lateness": 2 * np.mean([late[here - 1] for late in joined]),
            "delay_times_route_length": length * column["expected_delay"][k],
            "delay_times_delay_share": share * column["expected_delay"][k],
        }
        for name, value in expected.items():
            assert np.isclose(column[name][k], value, rtol=1e-4, atol=1e-4), name
    assert not matrix[len(arcs) :, 23:-1].any()


@pytest.mark.parametrize("seed", range(3))
def test_features_in_view_of_a_solution_against_plain_python(seed: int) -> None:
    """Any solution may be looked at; the routes up to u and from v on are its own."""
    x = plain.hurried(seed, 16, 4)
    successor = plain.random_solution(x, seed)
    matrix = features(x, "rounds", successor).astype(np.float64)
    arcs, routes = plain.arcs(x), plain.routes(successor)
    column = {feature.name: matrix[:, k] for k, feature in enumerate(FEATURES_ROUNDS)}
    before = {route[k]: route[: k + 1] for route in routes for k in range(len(route))}
    after = {route[k]: route[k:] for route in routes for k in range(len(route))}
    first, last = x.begin.min(), x.begin.max()
    for k, (u, v) in enumerate(arcs):
        joined = [plain.delays(x, before[u] + after[v], s) for s in range(4)]
        apart = [plain.delays(x, before[u], s) + plain.delays(x, after[v], s) for s in range(4)]
        slack = [plain.slack(x, s, u, v) for s in range(4)]
        here = len(before[u])
        expected = {
            "vehicle_cost": 0.0,
            "slack_mean": np.mean(slack),
            "expected_delay": 2 * np.mean([max(-value, 0.0) for value in slack]),
            "delay_in_view": 2 * np.mean([late[here] for late in joined]),
            "chained_delay": 2 * np.mean([sum(one) - sum(two) for one, two in zip(joined, apart, strict=True)]),
            "tail_lateness": 2 * np.mean([late[here - 1] for late in joined]),
        }
        period = min(int(PERIODS * (x.begin[u] - first) / (last - first)), PERIODS - 1)
        for j in range(PERIODS):
            expected[f"stay_{j}"] = 2.0 if successor[u] == v and j == period else 0.0
        for name, value in expected.items():
            assert np.isclose(column[name][k], value, rtol=1e-4, atol=1e-4), name
    ends = np.zeros((32, matrix.shape[1]))
    ends[:16, 0] = x.vehicle_cost
    assert np.array_equal(matrix[len(arcs) :], ends)


def test_without_a_solution_every_task_is_alone() -> None:
    x = plain.hurried(1, 16, 4)
    assert np.array_equal(features(x, "rounds"), features(x, "rounds", np.full(16, -1)))
    assert np.array_equal(features(x, "rounds")[:, :3], features(x, "23")[:, [1, 2, 22]])
    with rejects(InputError, where="successor[1]"):
        features(x, "rounds", np.full(16, 15))


def test_periods_cover_the_day_also_where_all_tasks_begin_at_once() -> None:
    assert np.array_equal(periods(np.array([0.0, 59.0, 60.0, 120.0, 240.0])), [0, 2, 3, 6, 11])
    assert np.array_equal(periods(np.array([7.0, 7.0])), [0, 0])


@pytest.mark.parametrize("which", ["23", "extended"])
def test_slacks_are_left_on_the_instance_as_a_pass_of_their_own_finds_them(which: str) -> None:
    """Bit for bit, and apart from the features, whose memory can be given back."""
    for seed, (tasks, scenarios) in enumerate([(1, 1), (30, 5), (60, 1), (120, 50)]):
        seen, unseen = (generate(seed, tasks=tasks, scenarios=scenarios) for _ in range(2))
        matrix = features(seen, which)
        for noted, own in zip(seen.slacks, unseen.slacks, strict=True):
            assert noted.dtype == own.dtype
            assert noted.tobytes() == own.tobytes()
            assert not np.shares_memory(noted, matrix)
