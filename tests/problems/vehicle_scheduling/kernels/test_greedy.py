"""The greedy rule does what plain Python does with the same rule."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling.kernels.greedy import greedy_into
from colayer.problems.vehicle_scheduling.kernels.travel import is_arc, nominal_travel

PROBLEM = VehicleScheduling("23")


@pytest.mark.parametrize("least", [0.0, 15.0])
def test_each_task_takes_the_vehicle_that_waits_longest(least: float) -> None:
    for seed in range(5):
        x = PROBLEM.generate(seed=seed, tasks=60, scenarios=2)
        expected, last = np.full(60, -1), []
        for v in np.argsort(x.begin, kind="stable"):
            slack = [
                x.begin[v] - x.end[u] - nominal_travel(x.times, u, v) if is_arc(x.times, u, v) else -np.inf
                for u in last
            ]
            if slack and max(slack) >= least:
                k = int(np.argmax(slack))
                expected[last[k]] = v
                last[k] = v
            else:
                last.append(v)
        found = np.empty(60, dtype=np.int64)
        greedy_into(x.times, x.latest_first, least, found)
        assert found.tolist() == expected.tolist()


def test_the_quickest_rule_is_feasible_and_beats_one_vehicle_per_task() -> None:
    x = PROBLEM.generate(seed=1, tasks=200, scenarios=10)
    assert PROBLEM.cost(PROBLEM.quick(x), x) < 0.5 * PROBLEM.cost(np.full(200, -1), x)
