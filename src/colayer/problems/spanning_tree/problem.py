"""The problem, assembled: each method is an arrow of the pipeline and lives in the file of that name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from colayer.problem.protocol import BaseProblem
from colayer.problem.sizes import Size
from colayer.problems.feature_table import feature_set
from colayer.problems.rules import rule_named
from colayer.problems.spanning_tree.compact import compact, constraint_program
from colayer.problems.spanning_tree.cost import bound, cost, log_comparisons, scale, tree_approximation
from colayer.problems.spanning_tree.decoder import best, decode, solved
from colayer.problems.spanning_tree.features import FEATURE_SETS, features
from colayer.problems.spanning_tree.instance import GRAPHS, Instance, content, generate, read, write
from colayer.problems.spanning_tree.layer import embed, layer, likelihood, mixed, target
from colayer.problems.spanning_tree.own_data import instance
from colayer.problems.spanning_tree.solution import Solution, read_solution, table, write_solution
from colayer.problems.spanning_tree.solvers import BASELINES, exact, no_first_stage
from colayer.problems.spanning_tree.structure import structure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from colayer.problems.spanning_tree.evaluator import FusedEvaluator


class SpanningTree(BaseProblem):
    """Two-stage spanning tree: buy a forest now, complete it in each scenario, least expected cost.

    A solution is a `Solution`: edge indices of the first stage, and of the second one in each scenario.

    Parameters:
        features: "cost" or "indicator" (membership in a spanning tree counts by the edge's cost, or as 0 and 1), or
            "prices" (those of "cost", and some steps of the Lagrangian relaxation's prices).
    """

    name = "spanning-tree"
    fields = ("nodes", "edges", "first", "second")
    optional_fields = ("names",)
    instance_type = Instance
    radius = 1.0
    homogeneous = True
    baselines = tuple(BASELINES)
    searches = ("lagrangian",)
    tight_seconds = 2.0
    sizes = (
        Size("width", int, 10, "width of the grid; the other graphs have as many nodes as it, width²", minimum=2),
        Size("scenarios", int, 10, "number of scenarios", minimum=1),
        Size("second_max", int, 20, "second-stage costs are uniform on -second_max..0", minimum=0),
        Size("graph", str, "grid", "the graph", choices=GRAPHS),
    )

    structure = staticmethod(structure)
    layer = staticmethod(layer)
    embed = staticmethod(embed)
    target = staticmethod(target)
    likelihood = staticmethod(likelihood)
    decode = staticmethod(decode)
    best = staticmethod(best)
    solved = staticmethod(solved)
    mixed = staticmethod(mixed)
    cost = staticmethod(cost)
    scale = staticmethod(scale)
    bound = staticmethod(bound)
    approximation = staticmethod(tree_approximation)
    log_comparisons = staticmethod(log_comparisons)
    quick = staticmethod(no_first_stage)
    exact = staticmethod(exact)
    generate = staticmethod(generate)
    instance = staticmethod(instance)
    read = staticmethod(read)
    write = staticmethod(write)
    read_solution = staticmethod(read_solution)
    write_solution = staticmethod(write_solution)
    table = staticmethod(table)
    content = staticmethod(content)
    compact = staticmethod(compact)
    constraint_program = staticmethod(constraint_program)

    def __init__(self, features: Literal["cost", "indicator", "prices"] = "cost") -> None:
        known = feature_set(features, FEATURE_SETS)
        self.feature_names, self.safe_weights = known.names, known.safe_weights
        self._features, self.first_stage = features, len(known.groups["first"])  # its features come first

    @property
    def options(self) -> dict[str, Any]:
        """Return the feature set."""
        return {"features": self._features}

    def features(self, instance: Instance) -> NDArray[np.float32]:
        """Return one row per edge and stage."""
        return features(instance, self._features)

    def evaluator(self, instances: Sequence[Instance], workers: int | None = None) -> FusedEvaluator:
        """Return an evaluator that stacks the features once and shares instances between threads."""
        from colayer.problems.spanning_tree.evaluator import FusedEvaluator

        return FusedEvaluator(self, instances, workers)

    def baseline(self, rule: str, instance: Instance) -> Solution:
        """Return the solution of a plain rule."""
        return rule_named(rule, BASELINES)(instance)

    def group(self, instance: Instance) -> dict[str, float]:
        """Return nodes, scenarios, and the largest second-stage cost in absolute value."""
        largest = float(np.abs(instance.second).max())
        return {"nodes": instance.nodes, "scenarios": instance.scenarios, "second_max": largest}

    def plot(self, solution: Solution, instance: Instance, ax: Axes | None = None) -> Axes:
        """Draw the graph with the first-stage forest and the completion of one scenario."""
        from colayer.problems.spanning_tree.pictures import draw

        return draw(solution, instance, ax=ax)
