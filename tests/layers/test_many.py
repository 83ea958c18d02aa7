"""Rows of θ through one layer: compiled, row by row, and in threads, all the same."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.layers import Knapsack, ShortestPath, TopK
from colayer.layers.many import solve_rows
from support.errors import rejects

LAYERS = {
    "top-k": TopK(2),
    "knapsack": Knapsack([3, 4, 2, 5, 1, 4, 3, 2], 9),
    "acyclic path": ShortestPath(5, [(0, 1), (0, 2), (1, 3), (2, 3), (1, 4), (3, 4), (2, 4), (0, 3)], 0, 4),
    "path with cycles": ShortestPath(5, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 4), (1, 4), (0, 3)], 0, 4),
}


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("workers", [1, 2])
def test_rows_are_solved_one_by_one(kind: str, workers: int) -> None:
    layer = LAYERS[kind]
    sign = -1.0 if kind == "knapsack" else 1.0
    thetas = sign * np.random.default_rng(0).random((70, 8))
    assert np.array_equal(solve_rows(layer, thetas, workers), [layer(theta) for theta in thetas])


def test_no_rows() -> None:
    assert solve_rows(TopK(1), np.empty((0, 3))).shape == (0, 3)


def test_names_what_is_wrong() -> None:
    with rejects(InputError, "the layer returned shape (2,)"):
        solve_rows(lambda theta: theta[:2], np.ones((1, 3)))
    for layer in (LAYERS["knapsack"], LAYERS["acyclic path"]):
        with rejects(InputError, where="thetas"):
            layer.many(np.ones((2, 7)))
        with rejects(InputError, where="thetas"):
            layer.many(np.ones(8))
        with rejects(InputError, where="thetas[9]"):
            layer.many(np.where(np.arange(16) == 9, np.nan, 1.0).reshape(2, 8))
