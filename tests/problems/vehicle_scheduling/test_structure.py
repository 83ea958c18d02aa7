"""Rows are arcs between tasks, and to and from the depot."""

from __future__ import annotations

import numpy as np

from colayer.problem.bind import bind
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling.kernels.delay import solution_delays


def test_arcs_in_the_order_of_theta() -> None:
    problem = VehicleScheduling("23")
    instance = problem.generate(0, tasks=6, scenarios=2)
    rows = len(problem.features(instance))
    (graph,) = bind(problem).structure_of(instance, rows)
    cover = problem.layer(np.random.default_rng(0).normal(size=rows), instance)
    used = np.flatnonzero(problem.embed(cover, instance))
    out = {u: v for u, v in zip(graph.tail[used].tolist(), graph.head[used].tolist(), strict=True) if u < 6}
    assert graph.nodes == 7
    assert graph.directed
    assert out == {u: 6 if v < 0 else v for u, v in enumerate(cover.tolist())}


def test_theta_offsets_in_a_solution_are_delays_along_its_routes() -> None:
    """In costs: of an arc alone, behind its tail as late as it is, with what follows; lateness; a minute where used."""
    problem = VehicleScheduling("23")
    instance = problem.generate(1, tasks=25, scenarios=4)
    features = problem.features(instance)
    assert bind(problem).structure_of(instance, len(features))[0].theta_offsets.shape == (len(features), 0)
    y = problem.layer(features @ problem.safe_weights, instance)
    graph = bind(problem).structure_of(instance, len(features), y)[0]
    used = problem.embed(y, instance) > 0
    alone, behind, chained, late, stays = graph.theta_offsets.T
    minute = instance.delay_cost
    arcs = len(instance.arcs[1])
    named = list(problem.feature_names)
    assert np.allclose(alone[:arcs], features[:arcs, named.index("expected_delay")], rtol=1e-5)
    assert stays.tolist() == (minute * used).tolist()
    assert not graph.theta_offsets[arcs:, :4].any()
    lateness = solution_delays(instance.times, y).mean(axis=1)
    assert np.allclose(late[:arcs], minute * lateness[graph.tail[:arcs]])
    # on the arcs of the solution, the delay behind the tail is that of the head
    own = np.flatnonzero(used[:arcs])
    assert np.allclose(behind[own], minute * lateness[graph.head[own]])
    assert (behind[:arcs] >= alone[:arcs] - 1e-9).all()
    assert (chained[:arcs] >= behind[:arcs] - 1e-9).all()
    vehicles = int((y < 0).sum())
    assert np.isclose(problem.cost(y, instance), instance.vehicle_cost * vehicles + behind[own].sum())
