"""Every feature against its formula: np.quantile, and spanning trees by networkx and plain Python."""

from __future__ import annotations

from functools import cache

import networkx as nx
import numpy as np
import pytest

from colayer.errors import OptionError
from colayer.models.thetas import thetas
from colayer.problems.feature_table import feature_set
from colayer.problems.spanning_tree.features import FEATURE_SETS, features
from colayer.problems.spanning_tree.instance import Instance, generate
from colayer.problems.spanning_tree.kernels.trees import bottlenecks
from colayer.problems.spanning_tree.layer import layer
from colayer.problems.spanning_tree.prices import STEPS, price_shares
from colayer.problems.spanning_tree.problem import SpanningTree
from support.errors import rejects

NAMES = list(FEATURE_SETS["cost"].names)
LEVELS = np.arange(11) / 10


def tree_by_ties(instance: Instance, costs: np.ndarray) -> np.ndarray:
    """Whether each edge is in the minimum spanning tree, ties by index: Kruskal's algorithm with sets."""
    component = list(range(instance.nodes))
    inside = np.zeros(instance.edge_count)
    for e in sorted(range(instance.edge_count), key=lambda e: (costs[e], e)):
        a, b = (component[i] for i in instance.edges[e])
        if a != b:
            inside[e] = 1.0
            component = [a if c == b else c for c in component]
    return inside


def tree_by_networkx(instance: Instance, costs: np.ndarray) -> np.ndarray:
    graph = nx.MultiGraph()
    for e, (a, b) in enumerate(instance.edges.tolist()):
        graph.add_edge(a, b, key=e, weight=costs[e])
    inside = np.zeros(instance.edge_count)
    inside[[e for _, _, e in nx.minimum_spanning_edges(graph, keys=True, data=False)]] = 1.0
    return inside


def path_costs(instance: Instance, costs: np.ndarray, inside: np.ndarray) -> list[float]:
    """For each edge the largest cost on the path between its ends in a tree: the smallest that connects them."""
    ends = instance.edges.tolist()
    result = []
    for a, b in ends:
        component = list(range(instance.nodes))
        for k in sorted(np.flatnonzero(inside), key=lambda k: costs[k]):
            u, v = component[ends[k][0]], component[ends[k][1]]
            component = [u if i == v else i for i in component]
            if component[a] == component[b]:
                result.append(float(costs[k]))
                break
    return result


def reference(instance: Instance, which: str, tree_of=tree_by_ties) -> np.ndarray:  # type: ignore[no-untyped-def]
    """(2m, 69), formula by formula."""
    m, c, d = instance.edge_count, instance.first, instance.second
    in_second = np.array([tree_of(instance, row) for row in d])
    in_cheaper = np.array([tree_of(instance, np.minimum(c, row)) for row in d])
    in_first = tree_of(instance, c)
    paths = np.array([path_costs(instance, row, inside > 0) for row, inside in zip(d, in_second, strict=True)])
    by_c, by_d = (c, d) if which == "cost" else (np.ones(m), np.ones_like(d))
    out = np.zeros((2 * m, 69))
    for e in range(m):
        near = [k for k in range(m) if set(instance.edges[k]) & set(instance.edges[e])]
        out[e, :24] = np.concatenate([
            [c[e]],
            np.quantile(c[near], LEVELS),
            [in_first[e] * by_c[e]],
            np.quantile(in_cheaper[:, e] * (c[e] <= d[:, e]) * by_c[e], LEVELS),
        ])  # fmt: skip
        out[m + e, 24:] = np.concatenate([
            [d[:, e].mean()],
            np.quantile(d[:, e], LEVELS),
            np.quantile(d[:, near], LEVELS),
            np.quantile(paths[:, e] if which == "cost" else in_second[:, e], LEVELS),
            np.quantile(in_cheaper[:, e] * (c[e] > d[:, e]) * by_d[:, e], LEVELS),
        ])  # fmt: skip
    return out


def floats(seed: int, scenarios: int, shift: float) -> Instance:
    """A multigraph with costs that are all different, of signs by the shift."""
    rng = np.random.default_rng(seed)
    pairs = [(int(rng.integers(k)), k) for k in range(1, 8)]
    pairs += [tuple(rng.choice(8, 2, replace=False).tolist()) for _ in range(9)]
    return Instance(8, pairs, rng.random(16) * 10 - shift, rng.random((scenarios, 16)) * 10 - shift)


@cache
def cases() -> list[Instance]:
    """Made by the first test that asks: to make one compiles kernels."""
    return [
        *[generate(seed, width=4, scenarios=s, second_max=20) for seed, s in ((0, 1), (1, 2), (2, 11), (3, 30))],
        generate(4, width=3, scenarios=5, second_max=5, graph="complete"),
        generate(5, width=4, scenarios=6, second_max=30, graph="geometric"),
        *[floats(seed, s, shift) for seed, (s, shift) in enumerate([(1, 0.0), (4, 5.0), (7, 10.0), (40, 5.0)])],
        Instance(2, [(0, 1)], [-3.0], [[1.5]]),
        Instance(2, [(0, 1), (1, 0)], [-3.0, -3.0], [[1.5, 1.5], [-4.0, 0.0]]),
    ]


@pytest.mark.parametrize("which", ["cost", "indicator"])
@pytest.mark.parametrize("case", range(12))
def test_every_value_is_its_formula(case: int, which: str) -> None:
    """Grids, complete and geometric graphs, multigraphs; one and many scenarios; negative, positive, mixed costs."""
    found, expected = features(cases()[case], which), reference(cases()[case], which)
    assert found.shape == expected.shape
    for k, name in enumerate(NAMES):
        np.testing.assert_allclose(found[:, k], expected[:, k], rtol=1e-6, atol=1e-6, err_msg=name)


def test_trees_are_those_of_networkx() -> None:
    """Where costs differ the tree is unique, so that an independent implementation must find it."""
    for seed in range(5):
        instance = floats(seed, 4, 5.0)
        expected = reference(instance, "indicator", tree_by_networkx)
        np.testing.assert_allclose(features(instance, "indicator"), expected, rtol=1e-6, atol=1e-6)


def test_layout_in_memory_is_the_one_models_want() -> None:
    matrix = features(cases()[0])
    assert matrix.dtype == np.float32
    assert matrix.T.flags.c_contiguous


def test_tables_name_69_features_and_both_alike() -> None:
    for which in ("cost", "indicator"):
        table = FEATURE_SETS[which]
        assert len(table) == len(set(table.names)) == 69
        assert [feature.group for feature in table.columns] == ["first"] * 24 + ["second"] * 45
        assert list(table.names) == NAMES
    assert FEATURE_SETS["cost"].columns[13].formula == "Q_0 over s of c_e·[e ∈ T(b_s), c_e ≤ d_es]"
    assert FEATURE_SETS["indicator"].columns[68].name == "second_bought_q100"


def test_prices_come_on_top_of_costs() -> None:
    """Those of a stage behind its own, in rows of that stage alone, and the range of costs where shares are counted."""
    table = FEATURE_SETS["prices"]
    assert [name for name in table.names if name in NAMES] == NAMES
    assert [feature.group for feature in table.columns] == ["first"] * 32 + ["second"] * 54
    for instance in cases():
        u, v, first, second = instance.arrays
        m, r = instance.edge_count, max(first.max(), second.max()) - min(first.min(), second.min())
        matrix = features(instance, "prices")
        assert matrix.T.flags.c_contiguous
        plain = [k for k, name in enumerate(table.names) if name in NAMES]
        assert np.array_equal(matrix[:, plain], features(instance))
        shares = price_shares(instance, bottlenecks(u, v, instance.scenario_trees, second))
        for stage, own, other in (("first", slice(0, m), slice(m, 2 * m)), ("second", slice(m, 2 * m), slice(0, m))):
            columns = [table.names.index(f"{stage}_wanted_{k}") for k in range(1, STEPS + 1)]
            assert np.array_equal(matrix[own, columns], (r * shares.T).astype(np.float32))
            assert not matrix[other, columns].any()
        assert matrix[:, table.names.index("second_range")].tolist() == [0.0] * m + [np.float32(r)] * m


def test_safe_weights_are_the_costs_themselves() -> None:
    """θ = (c, mean of d), and so the layer is that of the approximation algorithm."""
    for which, table in FEATURE_SETS.items():
        for instance in cases():
            theta = thetas(features(instance, which), table.safe_weights[np.newaxis])[0]
            plain = np.concatenate([instance.first, instance.second.mean(axis=0)])
            np.testing.assert_allclose(theta, plain, rtol=1e-6)
            assert layer(theta, instance).tolist() == layer(plain.astype(np.float32), instance).tolist()


def test_cost_features_scale_with_the_costs_and_indicators_do_not() -> None:
    for instance in cases():
        scaled = Instance(instance.nodes, instance.edges, 4 * instance.first, 4 * instance.second)
        for which in ("cost", "prices"):
            assert np.array_equal(features(scaled, which), 4 * features(instance, which))
        trees = [k for k, name in enumerate(NAMES) if "tree" in name or "bought" in name]
        assert np.array_equal(features(scaled, "indicator")[:, trees], features(instance, "indicator")[:, trees])


def test_rows_follow_a_renumbering_of_nodes_edges_and_scenarios() -> None:
    rng = np.random.default_rng(0)
    for instance in cases()[6:10]:
        m = instance.edge_count
        nodes, edges, order = rng.permutation(instance.nodes), rng.permutation(m), rng.permutation(instance.scenarios)
        renamed = Instance(
            instance.nodes, nodes[instance.edges[edges]][:, ::-1], instance.first[edges],
            instance.second[order][:, edges],
        )  # fmt: skip
        for which in ("cost", "prices"):
            expected = features(instance, which)[np.concatenate([edges, m + edges])]
            np.testing.assert_allclose(features(renamed, which), expected, rtol=1e-6)


def test_unknown_feature_set() -> None:
    for call in (lambda: SpanningTree(features="69"), lambda: feature_set("69", FEATURE_SETS)):  # type: ignore[arg-type]
        with rejects(OptionError, where="--features"):
            call()
