"""The problem as a whole: options, sizes on the command line, solving instances of every kind."""

from __future__ import annotations

import numpy as np
import pytest

from colayer import Pipeline, read_instances
from colayer.cli.app import main
from colayer.errors import InputError, OptionError
from colayer.io.hashing import content_hash
from colayer.problems import find_problem
from colayer.problems.spanning_tree import GRAPHS, Instance, SpanningTree
from support.errors import rejects

PROBLEM = SpanningTree()


def test_is_registered_with_its_features_as_an_option() -> None:
    assert find_problem("spanning-tree").options == {"features": "cost"}
    other = find_problem("spanning-tree", features="indicator")
    assert other.features(PROBLEM.generate(0)).max() == 1.0  # costs are ≤ 0
    with rejects(OptionError, where="--features"):
        find_problem("spanning-tree", features="66")
    with rejects(OptionError, where="--decoder"):
        find_problem("spanning-tree", decoder="ls")


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("shift", [0.0, 10.0, 31.0])
def test_solves_graphs_of_every_kind_and_costs_of_either_sign(graph: str, shift: float) -> None:
    """Learned weights or not, the solution is feasible, no worse than the safe one, and no better than the bound."""
    drawn = PROBLEM.generate(1, width=4, scenarios=3, second_max=30, graph=graph)
    instance = Instance(drawn.nodes, drawn.edges, drawn.first + shift, drawn.second + shift)
    weights = PROBLEM.safe_weights + 0.1 * np.random.default_rng(0).normal(size=69)
    safe = Pipeline(PROBLEM, weights=PROBLEM.safe_weights).solve(instance)
    solved = Pipeline(PROBLEM, weights=weights).solve(instance, samples=3, sigma=0.1)
    PROBLEM.read_solution(PROBLEM.write_solution(solved.solution, instance), instance)
    assert solved.bound <= solved.cost == PROBLEM.cost(solved.solution, instance) <= safe.cost


def test_scaled_costs_give_the_same_solution() -> None:
    """`homogeneous`: θ times a positive number changes nothing; with features by cost, nor do costs in other units."""
    instance = PROBLEM.generate(2, width=5)
    weights = PROBLEM.safe_weights + 0.1 * np.random.default_rng(0).normal(size=69)
    one = Pipeline(PROBLEM, weights=weights).solve(instance)
    scaled = Instance(instance.nodes, instance.edges, 8 * instance.first, 8 * instance.second)
    for other in (
        Pipeline(PROBLEM, weights=weights).solve(scaled),
        Pipeline(PROBLEM, weights=4 * weights).solve(scaled),
    ):
        assert other.solution.first_stage.tolist() == one.solution.first_stage.tolist()
        assert other.cost == 8 * one.cost


def test_groups_by_the_sizes_of_the_generator() -> None:
    instance = PROBLEM.generate(0, width=7, scenarios=4, second_max=15)
    assert PROBLEM.group(instance) == {"nodes": 49, "scenarios": 4, "second_max": 15}


def test_content_tells_instances_apart() -> None:
    """Costs moved between stages, or another graph on the same costs, are other instances."""
    path, star = [(0, 1), (1, 2)], [(0, 1), (0, 2)]
    instances = [
        Instance(3, path, [1.0, 2.0], [[3.0, 4.0]]),
        Instance(3, star, [1.0, 2.0], [[3.0, 4.0]]),
        Instance(3, path, [3.0, 4.0], [[1.0, 2.0]]),
        Instance(3, path, [1.0, 2.0], [[3.0, 4.0], [3.0, 4.0]]),
    ]
    assert len({content_hash(PROBLEM, [instance]) for instance in instances}) == 4


def test_unknown_baseline() -> None:
    with rejects(InputError, "srpt"):
        PROBLEM.baseline("srpt", PROBLEM.generate(0))


@pytest.mark.parametrize("kind", ["json", "npz"])
def test_command_line_offers_every_graph(kind: str, tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path / "data"
    words = ["generate", "spanning-tree", str(folder), "--width", "3", "--graph", "grid,geometric,complete"]
    assert main([*words, "--count", "1", "--second-max", "5", "--format", kind]) == 0
    instances = read_instances(folder)
    assert [x.nodes for x in instances] == [9, 9, 9]
    assert [len(x.first) for x in instances][::2] == [12, 36]
    capsys.readouterr()
    assert main(["generate", "spanning-tree", str(tmp_path / "b"), "--graph", "torus"]) == 2
    assert capsys.readouterr().err == "error: --graph: 'torus', expected one of grid, geometric, complete\n"
    assert main(["generate", "spanning-tree", str(tmp_path / "b"), "--width", "1"]) == 2
    assert capsys.readouterr().err.startswith("error: --width: 1 is out of range, expected ")


def test_command_line_help_lists_the_graphs(capsys) -> None:  # type: ignore[no-untyped-def]
    assert main(["generate", "--help"]) == 0
    assert "--graph grid|geometric|complete" in capsys.readouterr().out
