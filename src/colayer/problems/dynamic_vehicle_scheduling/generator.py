"""The city generator: clusters of customers around a depot, windows of two hours."""

from __future__ import annotations

import numpy as np

from colayer.problems.dynamic_vehicle_scheduling.city import City
from colayer.problems.dynamic_vehicle_scheduling.kernels.epoch import HOUR

#: Half an hour from the middle of the city to its edge; roads are longer than straight lines, by up to a fifth more.
RADIUS, ROADS = 1800.0, (1.1, 1.3)
#: Windows open from 1:30 to 6:30 on the hour, for two hours; the latest visit begins at 7:30.
OPENING, WINDOW = np.arange(1.5, 7.0) * HOUR, 2.0 * HOUR
SERVICE = (180.0, 600.0)
#: One customer in five lives outside the clusters.
SCATTERED, SPREAD = 0.2, 0.12


def city_of(rng: np.random.Generator, customers: int, clusters: int) -> City:
    """Draw a city: the depot near its middle, centres of clusters anywhere, customers around them.

    Customers lie around their centre by a normal distribution of SPREAD·RADIUS in either direction, or anywhere in the
    disc. Travel times are straight lines times a factor of the pair, the same in both directions.
    """
    depot = _disc(rng, 1) * 0.3
    centres = _disc(rng, clusters)
    members = centres[rng.integers(clusters, size=customers)] + rng.normal(0.0, SPREAD, size=(customers, 2))
    scattered = rng.random(customers) < SCATTERED
    points = RADIUS * np.concatenate([depot, np.where(scattered[:, None], _disc(rng, customers), members)])
    lines = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    factors = np.triu(rng.uniform(*ROADS, size=lines.shape), 1)
    opening = rng.choice(OPENING, size=customers)
    return City(
        travel=np.round(lines * (factors + factors.T)),
        windows=np.column_stack([opening, opening + WINDOW]),
        service=np.round(rng.uniform(*SERVICE, size=customers) / 60.0) * 60.0,
        points=np.round(points),
    )


def _disc(rng: np.random.Generator, count: int) -> np.ndarray:
    """Draw points of the unit disc, uniformly."""
    angle, radius = rng.uniform(0.0, 2.0 * np.pi, size=count), np.sqrt(rng.random(count))
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
