"""Instances: what is refused and how it is said, files, the generator."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.spanning_tree.instance import GRAPHS, Instance, content, generate, read, write

TRIANGLE = {"nodes": 3, "edges": [[0, 1], [1, 2], [0, 2]], "first": [1, 2, 3], "second": [[4, 5, 6], [0, -1, 2.5]]}


BAD = [
    ({"nodes": 1}, "nodes: 1 is out of range, expected at least 2"),
    ({"nodes": True}, "nodes: True is not a whole number"),
    ({"nodes": 3.0}, "nodes: 3.0 is not a whole number"),
    ({"nodes": None}, "nodes: None is not a whole number"),
    ({"nodes": 4}, "edges: the graph is not connected"),
    ({"nodes": 10**15}, "edges: the graph is not connected"),
    ({"nodes": 4, "edges": [[0, 1], [1, 2], [0, 2]]}, "edges: the graph is not connected"),
    ({"edges": []}, "edges: empty, expected at least one edge"),
    ({"edges": 7}, "edges: 7 is not a list of pairs of nodes"),
    ({"edges": "ab"}, "edges: 'ab' is not a list of pairs"),
    ({"edges": [[0, 1], [1, 2, 0], [0, 2]]}, "edges.1.: .1, 2, 0. is not a pair of nodes"),
    ({"edges": [[0, 1], 5, [0, 2]]}, "edges.1.: 5 is not a pair of nodes"),
    ({"edges": [[0, 1], [1, True], [0, 2]]}, "edges.1..1.: True is not a node, expected a whole number"),
    ({"edges": [[0, 1], [1.0, 2], [0, 2]]}, "edges.1..0.: 1.0 is not a node, expected a whole number"),
    ({"edges": [[0, 1], [1, 2], [0, 3]]}, "edges.2..1.: 3 is not a node, expected 0 to 2"),
    ({"edges": [[0, 1], [-1, 2], [0, 2]]}, "edges.1..0.: -1 is not a node, expected 0 to 2"),
    ({"edges": [[0, 1], [10**30, 2], [0, 2]]}, "edges.1..0.: 1000000000.* is not a node, expected 0 to 2"),
    ({"edges": [[0, 1], [1, 2], [2, 2]]}, "edges.2.: a loop at node 2, expected two different nodes"),
    ({"edges": np.array([[0, 1], [1, 2], [0, 5]])}, "edges.2..1.: 5 is not a node"),
    ({"edges": np.zeros((3, 3), dtype=int)}, "edges: an array of shape .3, 3., expected pairs of nodes"),
    ({"edges": np.zeros((3, 2))}, "edges: an array of float64, expected whole numbers"),
    ({"first": [1, 2]}, "first: 2 entries, expected 3"),
    ({"first": [1, float("nan"), 2]}, "first.1.: nan is not finite"),
    ({"first": [1, 2, -1e31]}, "first.2.: -1e.31 is out of range, expected -1e.30 to 1e.30"),
    ({"first": [1, 2, 10**400]}, "first: a number too large"),
    ({"first": [1, False, 2]}, "first.1.: False is not a number"),
    ({"first": [1, "2", 2]}, "first.1.: '2' is not a number"),
    ({"first": None}, "first: None is not a list of numbers"),
    ({"first": np.zeros((3, 1))}, "first: an array of 2 dimensions"),
    ({"first": np.zeros(3, dtype=bool)}, "first: an array of bool, expected numbers"),
    ({"second": []}, "second: empty, expected at least one entry"),
    ({"second": [[1, 2, 3], [1, 2]]}, "second.1.: 2 entries, expected 3"),
    ({"second": [[1, 2, 3], [1, 2, float("inf")]]}, "second.1..2.: inf is not finite"),
    ({"second": [[1, 2, 3], [1, None, 3]]}, "second.1..1.: None is not a number"),
    ({"second": [1, 2, 3]}, "second.0.: 1 is not a list of numbers"),
    ({"second": 1.0}, "second: 1.0 is not a list of lists of numbers"),
    ({"second": np.zeros(3)}, "second: an array of 1 dimension, expected .any, 3."),
    ({"second": np.zeros((2, 4))}, "second: an array of shape .2, 4., expected .any, 3."),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_names_what_is_wrong(change: dict, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        read({**TRIANGLE, **change})


def test_documents_keep_whole_numbers_whole() -> None:
    instance = read(TRIANGLE)
    assert write(instance)["first"] == [1, 2, 3]
    assert write(instance)["second"] == [[4.0, 5.0, 6.0], [0.0, -1.0, 2.5]]
    assert str(write(generate(0, width=2, scenarios=1))["second"][0][0]).lstrip("-").isdigit()
    assert write(read(write(instance))) == write(instance)


def test_arrays_are_read_only_here_and_after_a_journey() -> None:
    """The kernels' view of them is writable, and is not what the fields are."""
    given = np.array([1.0, 2.0, 3.0])
    for instance in (read({**TRIANGLE, "first": given}), pickle.loads(pickle.dumps(read(TRIANGLE)))):
        for array in (instance.edges, instance.first, instance.second):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0
        assert all(array.flags.writeable and array.flags.c_contiguous for array in instance.arrays)
    given[0] = 9.0
    assert instance.first[0] == 1.0


def test_integral_means_exact_sums() -> None:
    assert generate(0, width=3).integral
    assert not read(TRIANGLE).integral
    assert not read({**TRIANGLE, "first": [2.0**52, 2, 3], "second": [[0, 0, 0]] * 4}).integral


def test_generator_keeps_to_its_ranges() -> None:
    """The paper's: c in −20..0, d in −K..0, all values there, mean in the middle."""
    instance = generate(3, width=30, scenarios=5, second_max=15)
    assert instance.nodes == 900
    assert instance.second.shape == (5, 2 * 30 * 29)
    assert set(instance.first) == set(range(-20, 1))
    assert set(instance.second.ravel()) == set(range(-15, 1))
    assert instance.second.mean() == pytest.approx(-7.5, abs=0.3)
    for graph in GRAPHS:
        other = generate(0, width=4, scenarios=2, second_max=1, graph=graph)
        assert other.nodes == 16
        assert np.array_equal(other.second, generate(0, width=4, scenarios=2, second_max=1, graph=graph).second)
    assert len(generate(0, width=4, graph="complete").first) == 120


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"width": 1}, "width: 1 is out of range, expected at least 2"),
        ({"scenarios": 0}, "scenarios: 0 is out of range, expected at least 1"),
        ({"second_max": -1}, "second_max: -1 is out of range, expected at least 0"),
        ({"graph": "torus"}, "graph: no graph 'torus', expected one of grid, geometric, complete"),
    ],
)
def test_generator_refuses(sizes: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        generate(0, **sizes)


def test_scenario_trees_are_by_increasing_cost_with_ties_by_index() -> None:
    """A triangle and a parallel edge: d = (4, 1, 4, 1) takes edges 1 and 0, d = (0, 0, 0, 0) takes 0 and 1."""
    edges = [[0, 1], [1, 2], [0, 2], [2, 1]]
    instance = Instance(3, edges, [0.0] * 4, [[4, 1, 4, 1], [0, 0, 0, 0], [9, 3, 2, 2]])
    assert instance.scenario_trees.tolist() == [[1, 0], [0, 1], [2, 3]]


def test_content_is_all_numbers_of_the_instance() -> None:
    """Costs moved between stages, another graph or one more scenario are other contents; a copy has the same."""
    path, star = [(0, 1), (1, 2)], [(0, 1), (0, 2)]
    instances = [
        Instance(3, path, [1.0, 2.0], [[3.0, 4.0]]),
        Instance(3, star, [1.0, 2.0], [[3.0, 4.0]]),
        Instance(3, path, [3.0, 4.0], [[1.0, 2.0]]),
        Instance(3, path, [1.0, 2.0], [[3.0, 4.0], [3.0, 4.0]]),
    ]
    assert len({content(instance) for instance in instances}) == 4
    assert content(read(write(instances[0]))) == content(instances[0])
