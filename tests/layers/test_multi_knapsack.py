"""Knapsacks in several dimensions, against all subsets and against the knapsack in one."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.layers import Knapsack, MultiKnapsack
from support.errors import rejects


@pytest.mark.parametrize("seed", range(30))
def test_against_all_subsets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dims, n = int(rng.integers(1, 4)), int(rng.integers(1, 11))
    weights, capacity = rng.integers(0, 9, (dims, n)), rng.integers(0, 20, dims)
    layer = MultiKnapsack(weights, capacity)
    sets = np.array([y for y in itertools.product([0.0, 1.0], repeat=n) if (weights @ y <= capacity).all()])
    for whole in (False, True):  # whole θ have many ties
        thetas = rng.normal(-1.0, 2.0, (5, n)) if not whole else rng.integers(-4, 3, (5, n)).astype(float)
        found = layer.many(thetas)
        assert (weights @ found.T <= capacity[:, None]).all()
        assert np.allclose((found * thetas).sum(axis=1), (sets @ thetas.T).min(axis=0), atol=1e-9)
        assert np.array_equal(found, [layer(theta) for theta in thetas])


def test_one_dimension_is_the_knapsack() -> None:
    rng = np.random.default_rng(1)
    weights, thetas = rng.integers(300, 800, 32), -rng.uniform(1.0, 9.0, (50, 32))
    one, many = Knapsack(weights, 2000), MultiKnapsack([weights], [2000])
    values = [(layer.many(thetas) * thetas).sum(axis=1) for layer in (one, many)]
    assert np.allclose(*values)


def test_can_be_pickled() -> None:
    layer = MultiKnapsack([[1, 2], [2, 1]], [2, 2])
    assert pickle.loads(pickle.dumps(layer))([-1.0, -2.0]).tolist() == layer([-1.0, -2.0]).tolist() == [0.0, 1.0]


def test_names_what_is_wrong() -> None:
    for weights in ([1, 2], [[1.5]], [[-1]], [["a"]], [[1], [2, 3]]):
        with rejects(InputError, where="weights"):
            MultiKnapsack(weights, [1])
    with rejects(InputError, where="capacity"):
        MultiKnapsack([[1, 2]], [1, 2])
    with rejects(InputError, where="theta"):
        MultiKnapsack([[1, 2]], [2])([1.0])
