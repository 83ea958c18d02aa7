"""The cost along a line against the layer and the decoder themselves, between all crossings."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems import SpanningTree
from support.plain_trees import small

PROBLEM = SpanningTree()
LOW, HIGH = -1.5, 2.5


def between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A t between any two crossings of lines a + t·b."""
    rise, fall = np.subtract.outer(a, a), np.subtract.outer(b, b)
    met = -rise[fall > 0] / fall[fall > 0]
    edges = np.concatenate([[LOW], np.unique(met[(met > LOW) & (met < HIGH)]), [HIGH]])
    return ((edges[1:] + edges[:-1]) / 2)[np.diff(edges) > 1e-9]


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("kind", ["whole", "positive", "real"])
def test_costs_between_crossings_are_those_of_the_layer(seed: int, kind: str) -> None:
    """Multigraphs of up to 6 nodes; with whole θ many lines are equal, and many meet in one point."""
    instance = small(seed, kind)
    rng = np.random.default_rng(seed)
    rows = 2 * instance.edge_count
    a, b = rng.normal(size=(2, rows)) if kind == "real" else rng.integers(-3, 4, size=(2, rows)).astype(float)
    t, costs = PROBLEM.along(a, b, instance, LOW, HIGH)
    assert len(costs) == len(t) + 1
    assert (np.diff(np.concatenate([[LOW], t])) > 0).all()
    assert (np.diff(costs) != 0).all()
    at = between(a, b)
    solutions = [PROBLEM.decode(PROBLEM.layer(a + s * b, instance), instance) for s in at]
    expected = [PROBLEM.cost(solution, instance) for solution in solutions]
    assert costs[np.searchsorted(t, at)].tolist() == pytest.approx(expected, rel=1e-12)


def test_a_grid_of_many_edges() -> None:
    instance = PROBLEM.generate(3, width=9, scenarios=4)
    rng = np.random.default_rng(0)
    a = np.concatenate([instance.first, instance.second.mean(axis=0)])
    b = rng.normal(size=len(a), scale=8.0)
    t, costs = PROBLEM.along(a, b, instance, LOW, HIGH)
    assert len(t) > 64  # more than the first arrays hold
    for s in rng.uniform(LOW, HIGH, 50):
        cost = PROBLEM.cost(PROBLEM.decode(PROBLEM.layer(a + s * b, instance), instance), instance)
        assert costs[np.searchsorted(t, s)] == pytest.approx(cost, rel=1e-12)
