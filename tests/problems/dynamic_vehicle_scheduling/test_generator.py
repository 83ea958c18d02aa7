"""The city generator."""

from __future__ import annotations

import numpy as np

from colayer.problems.dynamic_vehicle_scheduling.generator import RADIUS, ROADS, city_of


def test_the_same_generator_gives_the_same_city() -> None:
    first, second = (city_of(np.random.default_rng(5), 20, 3) for _ in range(2))
    assert np.array_equal(first.travel, second.travel)
    assert np.array_equal(first.windows, second.windows)


def test_travel_times_are_roads_between_the_points() -> None:
    city = city_of(np.random.default_rng(5), 50, 3)
    lines = np.sqrt(((city.points[:, None] - city.points) ** 2).sum(axis=2))
    assert np.array_equal(city.travel, city.travel.T)
    assert (city.travel <= ROADS[1] * lines + 3.0).all()
    assert (city.travel >= ROADS[0] * lines - 3.0).all()
    assert np.abs(city.points).max() < 2.0 * RADIUS


def test_customers_live_in_clusters() -> None:
    """The nearest twentieth is nearer in few clusters than in many."""
    few, many = (np.mean([city_of(np.random.default_rng(s), 200, k).near.mean() for s in range(5)]) for k in (2, 100))
    assert few < 0.8 * many
