"""Rows of an edge connect its ends, in both stages; in an answer they know what buying the edge is worth."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problem.bind import bind
from colayer.problems import SpanningTree
from colayer.problems.spanning_tree.decoder import complete
from colayer.problems.spanning_tree.structure import savings
from support.plain_trees import forests, small


def test_both_stages_of_an_edge_belong_together() -> None:
    problem = SpanningTree()
    instance = problem.generate(0, width=3, scenarios=2)
    m = instance.edge_count
    answer = problem.layer(np.random.default_rng(0).normal(size=2 * m), instance)
    for y in (None, answer):
        graph, groups = bind(problem).structure_of(instance, len(problem.features(instance)), y)
        assert graph.nodes == 9
        assert not graph.directed
        for stage in (slice(0, m), slice(m, 2 * m)):
            assert graph.tail[stage].tolist() == instance.edges[:, 0].tolist()
            assert graph.head[stage].tolist() == instance.edges[:, 1].tolist()
            assert groups.labels[stage].tolist() == list(range(m))


@pytest.mark.parametrize("seed", range(8))
def test_savings_are_what_an_edge_changes_in_the_second_stage(seed: int) -> None:
    """Bought or not, all other edges as they are; what closes a cycle has the least cost."""
    instance = small(seed)
    for forest in forests(instance):
        found = savings(np.array(forest, dtype=np.int64), instance)
        for e in range(instance.edge_count):
            other = sorted(set(forest) ^ {e})
            if e not in forest and other not in list(map(list, forests(instance))):
                assert found[e] == min(instance.first.min(), instance.second.min())
                continue
            without, held = sorted([list(forest), other], key=len)
            paid = [complete(edges, instance)[1] - instance.first[edges].sum() for edges in (without, held)]
            assert found[e] == pytest.approx(paid[0] - paid[1])


def test_theta_offsets_in_an_answer() -> None:
    problem = SpanningTree()
    instance = problem.generate(1, width=4, scenarios=3)
    m = instance.edge_count
    assert bind(problem).structure_of(instance, 2 * m)[0].theta_offsets.shape == (2 * m, 0)
    y = problem.layer(problem.features(instance) @ problem.safe_weights, instance)
    bought = np.flatnonzero(y == 1)
    theta_offsets = problem.structure(instance, y)[0].theta_offsets
    assert theta_offsets[:m, 0].tolist() == (instance.first - savings(bought, instance)).tolist()
    assert theta_offsets[:m, 1].tolist() == [20.0 if e in bought else 0.0 for e in range(m)]
    assert not theta_offsets[m:].any()
    cost = complete(bought, instance)[1]
    for e in bought:
        assert complete(np.setdiff1d(bought, [e]), instance)[1] == pytest.approx(cost - theta_offsets[e, 0])
