"""Few arcs with a proof: the same solutions as on all arcs, for weights of any kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer._runtime.arrays import Floats
from colayer.layers.path_cover import path_cover_certified
from colayer.models import thetas
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling import near as near_arcs
from colayer.problems.vehicle_scheduling.cost import bound
from colayer.problems.vehicle_scheduling.features import features
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.layer import embed
from colayer.problems.vehicle_scheduling.near import NearArcs, _LowerBound

PROBLEM = VehicleScheduling("23")
LEARNED = Pipeline(PROBLEM).model.raw()


def city(seed: int, tasks: int = 150, scenarios: int = 7) -> Instance:
    return PROBLEM.generate(seed=seed, tasks=tasks, scenarios=scenarios)


def some_weights(seed: int) -> Floats:
    """Learned, safe, and drawn ones, some of them without a sense: of any sign, and with few features."""
    random = np.random.default_rng(seed)
    drawn = LEARNED * random.normal(1.0, 0.5, size=(2, 23))
    wild = random.normal(size=(3, 23)) * np.abs(LEARNED)
    sparse = random.normal(size=(2, 23)) * (random.random((2, 23)) < 0.2)
    waits = np.zeros((2, 23))
    waits[:, 1], waits[:, 2] = 1.0, (0.3, -0.3)  # waiting costs, or pays
    return np.vstack([LEARNED, PROBLEM.safe_weights, drawn, wild, sparse, waits])


@pytest.mark.parametrize("window", [0.0, 20.0, 60.0, 150.0, 2000.0])
@pytest.mark.parametrize("scenarios", [1, 7])
def test_the_value_is_that_of_all_arcs(window: float, scenarios: int) -> None:
    """Even where the window is much too short, or holds all there is."""
    for seed in range(2):
        x = city(seed, scenarios=scenarios)
        matrix = features(x, "23")
        near = NearArcs.within(x, window)
        for weights in some_weights(seed):
            theta = thetas(matrix, weights[None, :])[0]
            arcs, n = len(x.arcs[1]), x.tasks
            whole = path_cover_certified(*x.arcs, theta[:arcs], theta[arcs : arcs + n], theta[arcs + n :])
            value = whole.row_duals.sum() + whole.column_duals.sum()
            found = theta @ embed(near.cover(weights), x)
            assert found == pytest.approx(value, rel=1e-9, abs=1e-9 * np.abs(theta).max())


@pytest.mark.parametrize("window", [0.0, 40.0])
def test_the_lower_bound_is_one(window: float) -> None:
    for seed in range(3):
        x = city(seed, tasks=80, scenarios=1 + 8 * seed)
        near = NearArcs.within(x, window)
        indptr, heads = x.arcs
        tails = np.repeat(np.arange(x.tasks), np.diff(indptr))
        beyond = heads >= near.beyond[tails]
        travel = np.linalg.norm(x.times.start[heads] - x.times.finish[tails], axis=1)
        for weights in some_weights(seed):
            lower = _LowerBound.of(near, weights)
            least = lower.tail[tails] + lower.head[heads] + lower.per_minute * travel - lower.margin
            theta = thetas(features(x, "23"), weights[None, :])[0][: len(heads)]
            assert beyond.any()
            assert (least <= theta)[beyond].all()


def test_few_arcs_are_the_first_of_all() -> None:
    x = city(3)
    near = NearArcs.within(x, 60.0)
    indptr, heads = x.arcs
    for u in range(x.tasks):
        within = [v for v in heads[indptr[u] : indptr[u + 1]] if x.begin[v] <= x.end[u] + 60.0]
        assert near.heads[near.indptr[u] : near.indptr[u + 1]].tolist() == within


def test_a_large_city_is_solved_as_on_all_arcs(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = Pipeline(PROBLEM).solve(city(1, 300), samples=2)
    assert "near" not in vars(expected.origin.instance)  # type: ignore[union-attr]
    monkeypatch.setattr(near_arcs, "FEWEST", 300)
    found = Pipeline(PROBLEM).solve(city(1, 300), samples=2)
    assert "arcs" not in vars(found.origin.instance)  # type: ignore[union-attr]
    assert found.solution.tolist() == expected.solution.tolist()
    assert (found.cost, found.source, found.candidates) == (expected.cost, expected.source, expected.candidates)
    assert found.bound == pytest.approx(expected.bound, rel=1e-12)


def test_the_bound_is_that_of_all_arcs(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(3):
        x = city(seed, 120)
        assert NearArcs.within(x, 30.0).bound() == pytest.approx(bound(x), rel=1e-12)


class Own(VehicleScheduling):
    """A user's: the cost is another one."""

    def cost(self, successor: Any, instance: Any) -> float:  # type: ignore[override]
        return 7.0


def test_what_all_arcs_serve_as_well_is_left_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    x = city(0)
    assert NearArcs.of(x) is None
    monkeypatch.setattr(near_arcs, "FEWEST", 100)
    assert NearArcs.of(x) is not None
    order = np.random.default_rng(0).permutation(x.tasks)
    turned = PROBLEM.read(PROBLEM.write(x) | {key: getattr(x, key)[order].tolist() for key in ("begin", "end")})
    assert NearArcs.of(turned) is None
    assert VehicleScheduling("extended").by_weights(x) is None
    assert Own("23").by_weights(x) is None
    assert Pipeline(Own("23"), LEARNED).solve(x, bound=False).cost == 7.0
