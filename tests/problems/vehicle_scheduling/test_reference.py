"""The reference solution behind the extended features: good, and what it says of every arc is true."""

from __future__ import annotations

import numpy as np
import pytest

from colayer._runtime.threads import limited
from colayer.problems.vehicle_scheduling.cost import cost
from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.layer import layer, safe_theta
from colayer.problems.vehicle_scheduling.reference import FACTORS, reference
from support import plain_vehicles as plain


@pytest.mark.parametrize("seed", range(4))
def test_the_reference_is_no_worse_than_the_safe_solution(seed: int) -> None:
    """The layer under the safe weights, with ties broken by slack, is one of its candidates."""
    x = generate(seed, tasks=80, scenarios=10)
    found = reference(x)
    assert found.cost == cost(found.successor, x)
    assert found.cost <= cost(layer(safe_theta(x), x), x)


def test_arcs_and_lateness_are_those_of_the_solution() -> None:
    x = plain.hurried(3, 20, 5)
    found = reference(x)
    assert found.factor in FACTORS
    arcs = plain.arcs(x)
    assert {arc for arc, used in zip(arcs, found.used, strict=True) if used} == {
        (u, int(v)) for u, v in enumerate(found.successor) if v >= 0
    }
    for route in plain.routes(found.successor):
        expected = np.array([plain.delays(x, route, s) for s in range(5)]).T
        np.testing.assert_allclose(found.late[route], expected, rtol=1e-9, atol=1e-9)
    assert found.late.max() > 0
    for k, (u, v) in enumerate(arcs):
        late = [max(found.late[u, s] - plain.slack(x, s, u, v), 0.0) for s in range(5)]
        assert found.delays[k] == pytest.approx(np.mean(late), rel=1e-9, abs=1e-9)
    assert np.all(found.chained >= found.delays)


def test_does_not_depend_on_the_number_of_threads() -> None:
    found = []
    for workers in (1, 3):
        with limited(workers):
            found.append(reference(generate(2, tasks=60, scenarios=8)))
    assert np.array_equal(found[0].successor, found[1].successor)
    assert found[0].cost == found[1].cost
