"""The fused evaluator: bit for bit the generic one, on data of every kind, for any number of workers."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.statistics import moments
from colayer.problems.spanning_tree import Instance, SpanningTree
from colayer.problems.spanning_tree.instance import generate
from support.errors import rejects


def mixed_data() -> list[Instance]:
    """Sizes that differ, whole and broken costs of either sign, a tree, a single edge, parallel edges."""
    rng = np.random.default_rng(0)
    data = [generate(seed, width=2 + seed, scenarios=1 + 2 * seed) for seed in range(4)]
    data += [generate(9, width=4, scenarios=3, graph=graph) for graph in ("geometric", "complete")]
    for x in data[1:4]:
        data.append(Instance(x.nodes, x.edges, rng.normal(size=x.first.shape), rng.normal(size=x.second.shape)))
    data.append(Instance(4, [(0, 1), (1, 2), (1, 3)], rng.random(3), rng.random((5, 3))))
    data.append(Instance(2, [(0, 1)], [0.1], [[0.3], [-0.7]]))
    data.append(Instance(2, [(0, 1), (0, 1)], [0.1, -0.1], [[0.3, 0.2], [-0.7, -0.7]]))
    return data


@pytest.mark.parametrize("features", ["cost", "indicator"])
def test_equals_the_generic_evaluator(features: str) -> None:
    """Dense, sparse, zero and huge weights; more rows than one tile."""
    problem = SpanningTree(features)
    data = mixed_data()
    weights = problem.safe_weights + 0.05 * np.random.default_rng(1).normal(size=(20, 69))  # near: few choose E_1 = ∅
    weights[1] = problem.safe_weights
    weights[2] = 0.0
    weights[3, ::2] = 0.0
    weights[4] *= 1e200
    local = LocalEvaluator(problem, data)
    expected = local.losses(weights)
    assert len(np.unique(expected[:, 3])) > 10
    for workers in (1, 2, 5):
        fused = problem.evaluator(data, workers)
        assert np.array_equal(fused.losses(weights), expected)
        assert np.array_equal(fused.losses(weights[7:8]), expected[7:8])
        scales = [moments(problem, data, evaluator).scale for evaluator in (fused, local)]
        assert np.array_equal(*scales)
        shown = fused.map_features(np.copy)
        assert [matrix.shape for matrix in shown] == [(69, 2 * x.edge_count) for x in data]
        assert all(np.array_equal(matrix, problem.features(x).T) for matrix, x in zip(shown, data, strict=True))
        fused.close()


def test_refuses_weights_that_are_not_finite() -> None:
    fused = SpanningTree().evaluator(mixed_data()[:1], 1)
    for bad in (np.nan, np.inf, 1e300):
        with rejects(InputError, where="theta"):
            fused.losses(np.full((1, 69), bad))
