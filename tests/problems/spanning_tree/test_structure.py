"""Rows of an edge connect its ends, in both stages."""

from __future__ import annotations

from colayer.problems import SpanningTree
from colayer.structure import structure_of


def test_both_stages_of_an_edge_belong_together() -> None:
    problem = SpanningTree()
    instance = problem.generate(0, width=3, scenarios=2)
    m = instance.edge_count
    graph, groups = structure_of(problem, instance, len(problem.features(instance)))
    assert graph.nodes == 9
    assert not graph.directed
    for stage in (slice(0, m), slice(m, 2 * m)):
        assert graph.tail[stage].tolist() == instance.edges[:, 0].tolist()
        assert graph.head[stage].tolist() == instance.edges[:, 1].tolist()
        assert groups.labels[stage].tolist() == list(range(m))
