"""Items of networks: the sizes of what can be added to θ."""

from __future__ import annotations

import numpy as np

from colayer.learning.network.items import Item, item_of, units_of
from colayer.problem.bind import bind
from colayer.problem.structure import Graph, Order
from support.pick_problem import Pick


def test_units_of_amounts_are_how_they_spread() -> None:
    """Over rows, on average over instances; the size of what is the same in all rows; 1 where there is nothing."""

    def with_amounts(*columns: list[float]) -> Item[None]:
        graph = Graph(2, [0, 1], [1, 0], theta_offsets=np.array(columns).T)
        graph.check()
        return Item(None, np.empty((0, 2), np.float32), (graph,), np.zeros(2), None, 0.0)

    items = [with_amounts([1.0, 3.0], [7.0, 7.0], [0.0, 0.0]), with_amounts([0.0, 6.0], [-5.0, -5.0], [0.0, 0.0])]
    assert units_of(items) == [2.0, 6.0, 1.0]


def test_units_of_moments_are_their_own() -> None:
    order = Order([1, 0], [[1.0, 30.0], [2.0, 50.0]])
    order.check()
    assert units_of([Item(None, np.empty((0, 2), np.float32), (order,), np.zeros(2), None, 0.0)]) == [1.0]


def test_theta_starts_from_the_weights() -> None:
    """In model units, rows as they stand where nothing orders them."""
    features = np.array([[1.0, 2.0], [3.0, 8.0]])
    item = item_of(bind(Pick()), features, features, np.array([2.0, 3.0]), np.array([1.0, 2.0]), np.zeros(2))
    assert item.start.tolist() == [5.0, 18.0]
