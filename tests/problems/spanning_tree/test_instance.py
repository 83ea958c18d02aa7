"""Instances: what is refused and how it is said, files, the generator."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.spanning_tree.instance import GRAPHS, Instance, content, generate, read, write
from support.errors import rejects

TRIANGLE = {"nodes": 3, "edges": [[0, 1], [1, 2], [0, 2]], "first": [1, 2, 3], "second": [[4, 5, 6], [0, -1, 2.5]]}


BAD = [
    ({"nodes": 1}, "nodes"),
    ({"nodes": True}, "nodes"),
    ({"nodes": 3.0}, "nodes"),
    ({"nodes": None}, "nodes"),
    ({"nodes": 4}, "edges"),
    ({"nodes": 10**15}, "edges"),
    ({"nodes": 4, "edges": [[0, 1], [1, 2], [0, 2]]}, "edges"),
    ({"edges": []}, "edges"),
    ({"edges": 7}, "edges"),
    ({"edges": "ab"}, "edges"),
    ({"edges": [[0, 1], [1, 2, 0], [0, 2]]}, "edges[1]"),
    ({"edges": [[0, 1], 5, [0, 2]]}, "edges[1]"),
    ({"edges": [[0, 1], [1, True], [0, 2]]}, "edges[1][1]"),
    ({"edges": [[0, 1], [1.0, 2], [0, 2]]}, "edges[1][0]"),
    ({"edges": [[0, 1], [1, 2], [0, 3]]}, "edges[2][1]"),
    ({"edges": [[0, 1], [-1, 2], [0, 2]]}, "edges[1][0]"),
    ({"edges": [[0, 1], [10**30, 2], [0, 2]]}, "edges[1][0]"),
    ({"edges": [[0, 1], [1, 2], [2, 2]]}, "edges[2]"),
    ({"edges": np.array([[0, 1], [1, 2], [0, 5]])}, "edges[2][1]"),
    ({"edges": np.zeros((3, 3), dtype=int)}, "edges"),
    ({"edges": np.zeros((3, 2))}, "edges"),
    ({"first": [1, 2]}, "first"),
    ({"first": [1, float("nan"), 2]}, "first[1]"),
    ({"first": [1, 2, -1e31]}, "first[2]"),
    ({"first": [1, 2, 10**400]}, "first"),
    ({"first": [1, False, 2]}, "first[1]"),
    ({"first": [1, "2", 2]}, "first[1]"),
    ({"first": None}, "first"),
    ({"first": np.zeros((3, 1))}, "first"),
    ({"first": np.zeros(3, dtype=bool)}, "first"),
    ({"second": []}, "second"),
    ({"second": [[1, 2, 3], [1, 2]]}, "second[1]"),
    ({"second": [[1, 2, 3], [1, 2, float("inf")]]}, "second[1][2]"),
    ({"second": [[1, 2, 3], [1, None, 3]]}, "second[1][1]"),
    ({"second": [1, 2, 3]}, "second[0]"),
    ({"second": 1.0}, "second"),
    ({"second": np.zeros(3)}, "second"),
    ({"second": np.zeros((2, 4))}, "second"),
]


@pytest.mark.parametrize(("change", "where"), BAD)
def test_names_what_is_wrong(change: dict, where: str) -> None:
    with rejects(InputError, where=where):
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
    ("sizes", "where"),
    [
        ({"width": 1}, "width"),
        ({"scenarios": 0}, "scenarios"),
        ({"second_max": -1}, "second_max"),
        ({"graph": "torus"}, "graph"),
    ],
)
def test_generator_refuses(sizes: dict, where: str) -> None:
    with rejects(InputError, where=where):
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
