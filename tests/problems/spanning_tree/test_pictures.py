"""Pictures show what the solution says, and are a function of their arguments."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection

from colayer.errors import InputError
from colayer.problems import SpanningTree
from colayer.problems.spanning_tree.instance import Instance, generate
from colayer.problems.spanning_tree.lagrangian import lagrangian
from colayer.problems.spanning_tree.pictures import draw, positions
from support.errors import rejects


def lines(ax) -> dict[str, int]:  # type: ignore[no-untyped-def]
    """Label → number of lines drawn."""
    drawn = [artist for artist in ax.collections if isinstance(artist, LineCollection)]
    return {str(artist.get_label()): len(artist.get_segments()) for artist in drawn}


@pytest.mark.parametrize("graph", ["grid", "geometric", "complete"])
def test_every_edge_is_drawn_once_by_its_stage(graph: str) -> None:
    instance = generate(1, width=4, scenarios=3, graph=graph)
    solution = lagrangian(instance).solution
    drawn = lines(draw(solution, instance, scenario=2))
    counts = [len(solution.first_stage), len(solution.second_stage[2])]
    assert sorted(drawn.values()) == sorted([*counts, instance.edge_count - sum(counts)])
    assert sum(drawn.values()) == instance.edge_count
    assert any(label.startswith("second stage, scenario 3 of 3") for label in drawn)


def test_scenario_out_of_range_is_refused() -> None:
    instance = generate(1, width=3, scenarios=2)
    with rejects(InputError, where="scenario"):
        draw(lagrangian(instance).solution, instance, scenario=2)


def test_a_grid_is_drawn_as_one_also_where_it_is_not_square() -> None:
    at = positions(generate(0, width=5))
    assert np.array_equal(at[7], [2, -1])
    ladder = Instance(6, [[0, 1], [2, 3], [4, 5], [0, 2], [2, 4], [1, 3], [3, 5]], np.zeros(7), np.zeros((1, 7)))
    assert len(np.unique(positions(ladder)[:, 0])) in (2, 3)
    assert len(np.unique(positions(ladder), axis=0)) == 6


@pytest.mark.parametrize("nodes", [2, 3, 40, 450])
def test_other_graphs_have_a_layout_of_their_own(nodes: int) -> None:
    """A star, which is no grid from four nodes on: finite places, no two nodes on one spot, the same every time."""
    star = Instance(nodes, [[0, k] for k in range(1, nodes)], np.ones(nodes - 1), np.ones((1, nodes - 1)))
    at = positions(star)
    assert np.isfinite(at).all()
    assert len(np.unique(at.round(9), axis=0)) == nodes
    assert np.array_equal(at, positions(star))


def test_nodes_with_names_carry_them() -> None:
    problem = SpanningTree()
    instance = problem.instance(start=["$a", "b"], to=["b", "c"], first=[1, 1], second=[[2, 2]])
    ax = problem.plot(problem.baseline(problem.baselines[0], instance), instance)
    assert [text.get_text() for text in ax.texts] == ["$a", "b", "c"]
