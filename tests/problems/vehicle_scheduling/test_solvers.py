"""The plain rule of the comparison tables."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.solution import checked, routes_of
from colayer.problems.vehicle_scheduling.solvers import BASELINES
from support import plain_vehicles as plain


def test_deterministic_by_hand() -> None:
    """Two vehicles are needed for 0 and 1; then 0 → 3 and 1 → 2 is the shorter pairing, however late it may be."""
    travel = np.full((4, 4), np.nan)
    travel[0, 2], travel[0, 3], travel[1, 2], travel[1, 3] = 5.0, 2.0, 4.0, 3.0
    begin, end = np.array([0.0, 0.0, 20.0, 20.0]), np.array([10.0, 10.0, 30.0, 30.0])
    late = np.zeros((1, 4, 4))
    late[0, 0, 3] = 100.0
    x = Instance(1000.0, 2.0, begin, end, begin[None], end[None], travel, late)
    assert BASELINES["deterministic"](x).tolist() == [3, 2, -1, -1]


@pytest.mark.parametrize("seed", range(5))
def test_deterministic_uses_as_few_vehicles_as_can_be(seed: int) -> None:
    """As many as there are tasks no two of which fit one route (Dilworth), found by brute force over small cities."""
    x = generate(seed, tasks=12, scenarios=2)
    successor = BASELINES["deterministic"](x)
    assert np.array_equal(checked(successor, x), successor)
    reach = np.eye(12, dtype=bool)
    for u, v in plain.arcs(x):
        reach[u, v] = True
    for k in range(12):
        reach |= reach[:, k : k + 1] & reach[k]
    apart = ~(reach | reach.T)
    largest = max(
        bin(chosen).count("1")
        for chosen in range(1 << 12)
        if all(apart[u, v] for u in range(12) if chosen >> u & 1 for v in range(u) if chosen >> v & 1)
    )
    assert len(routes_of(successor)) == largest


def test_deterministic_without_arcs() -> None:
    x = Instance(1.0, 1.0, [0.0], [1.0], [[0.0]], [[1.0]], [[np.nan]], [[[0.0]]])
    assert BASELINES["deterministic"](x).tolist() == [-1]
