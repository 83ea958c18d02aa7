"""Rows are arcs between tasks, and to and from the depot."""

from __future__ import annotations

import numpy as np

from colayer.problems import VehicleScheduling
from colayer.structure import structure_of


def test_arcs_in_the_order_of_theta() -> None:
    problem = VehicleScheduling("23")
    instance = problem.generate(0, tasks=6, scenarios=2)
    rows = len(problem.features(instance))
    (graph,) = structure_of(problem, instance, rows)
    cover = problem.layer(np.random.default_rng(0).normal(size=rows), instance)
    used = np.flatnonzero(problem.embed(cover, instance))
    out = {u: v for u, v in zip(graph.tail[used].tolist(), graph.head[used].tolist(), strict=True) if u < 6}
    assert graph.nodes == 7
    assert graph.directed
    assert out == {u: 6 if v < 0 else v for u, v in enumerate(cover.tolist())}
