"""The layer: a spanning tree with the cheaper stage of each edge, by hand and over all trees and stages."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.layers.likelihood import matrix_tree
from colayer.problems.spanning_tree.decoder import complete
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.layer import embed, layer, likelihood, target
from support.errors import rejects
from support.plain_trees import SQUARE, random_instance, spanning_trees


def test_by_hand() -> None:
    """θ = (c, mean d) = (4, 1, 5, 2, 9 | 4, 5, 2, 7.5, 1): the cheaper costs are 4, 1, 2, 2, 1.

    Kruskal takes edges 1 and 4 (cost 1), then 2 and not 3 (cost 2, which would close 0-2-3; ties by index). Edge 1 is
    first stage, 2 and 4 are second stage. Without a first stage, scenario 0 takes 2, 4 and 0, scenario 1 takes 4, 2
    and 1: of the target, the edges 0 and 1 have a half.
    """
    theta = np.concatenate([SQUARE.first, SQUARE.second.mean(axis=0)])
    stages = layer(theta, SQUARE)
    assert stages.tolist() == [0, 1, 2, 0, 2]
    assert embed(stages, SQUARE).tolist() == [0, 1, 0, 0, 0, 0, 0, 1, 0, 1]
    assert target(complete((), SQUARE)[0], SQUARE).tolist() == [0] * 5 + [0.5, 0.5, 1.0, 0.0, 1.0]


def test_layer_is_optimal_for_the_linear_objective() -> None:
    """g(y, θ) = ⟨θ, embed(y)⟩ is least over all spanning trees and all stages of their edges."""
    rng = np.random.default_rng(0)
    for _ in range(25):
        instance = random_instance(rng)
        theta = rng.normal(size=2 * instance.edge_count)
        values = []
        for tree in spanning_trees(instance):
            for stages in product((1, 2), repeat=len(tree)):
                y = np.zeros(instance.edge_count, dtype=np.int8)
                y[list(tree)] = stages
                values.append(theta @ embed(y, instance))
        y = layer(theta, instance)
        assert theta @ embed(y, instance) == pytest.approx(min(values))
        assert tuple(np.flatnonzero(y)) in spanning_trees(instance)


def test_ties_go_to_the_first_stage_and_the_smaller_index() -> None:
    instance = Instance(2, [(0, 1), (1, 0), (0, 1)], [1.0] * 3, [[1.0] * 3])
    assert layer([5.0, 4.0, 4.0, 4.0, 4.0, 4.0], instance).tolist() == [2, 0, 0]
    assert layer([4.0, 4.0, 4.0, 4.0, 4.0, 4.0], instance).tolist() == [1, 0, 0]
    assert layer([4.0, 3.0, 4.0, 4.0, 4.0, 4.0], instance).tolist() == [0, 1, 0]


@pytest.mark.parametrize("theta", [np.zeros(9), np.zeros((2, 5)), np.full(10, np.nan), np.full(10, np.inf)])
def test_layer_refuses(theta: np.ndarray) -> None:
    with rejects(InputError, where="theta" if np.isfinite(theta).all() else "theta[0]"):
        layer(theta, SQUARE)


def test_target_of_what_the_layer_gives_is_its_vector() -> None:
    """A solution that is bought alike in all scenarios is the layer's own y, stage by stage."""
    stages = layer(np.concatenate([SQUARE.first, SQUARE.second.mean(axis=0)]), SQUARE)
    solution = complete(np.flatnonzero(stages == 1), SQUARE)[0]
    assert target(solution, SQUARE).tolist() == embed(stages, SQUARE).tolist()


def test_likelihood_is_that_of_the_matrix_tree_theorem() -> None:
    """With and without the instance's own order of elimination; the value is that of a probability."""
    rng = np.random.default_rng(0)
    theta = rng.normal(size=10)
    y = embed(layer(theta, SQUARE), SQUARE)
    value, gradient = likelihood(theta, y, SQUARE)
    expected, slope = matrix_tree(4, SQUARE.edges, theta, y)
    assert value == pytest.approx(expected)
    np.testing.assert_allclose(gradient, slope)
    assert value > 0.0
