"""The problem, assembled: each method is an arrow of the pipeline and lives in the file of that name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from colayer.errors import InputError
from colayer.guarantees import Approximation, tree_approximation
from colayer.layers.likelihood import matrix_tree
from colayer.problem import BaseProblem, Size
from colayer.problems.spanning_tree.cost import bound, cost, scale
from colayer.problems.spanning_tree.decoder import best, decode
from colayer.problems.spanning_tree.features import FEATURE_SETS, features, safe_weights
from colayer.problems.spanning_tree.instance import GRAPHS, Instance, generate, read, write
from colayer.problems.spanning_tree.layer import Stages, embed, layer, target
from colayer.problems.spanning_tree.solution import Solution, read_solution, write_solution
from colayer.problems.spanning_tree.solvers import BASELINES, exact

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from colayer.problems.spanning_tree.evaluator import FusedEvaluator
    from colayer.programs import CompactModel, ConstraintProgram


class SpanningTree(BaseProblem):
    """Two-stage spanning tree: buy a forest now, complete it in each scenario, least expected cost.

    `features` is "cost" or "indicator": whether membership in a spanning tree counts by the edge's cost or as 0 and 1.
    A solution is a `Solution`: edge indices of the first stage, and of the second one in each scenario.
    """

    name = "spanning-tree"
    fields = ("nodes", "edges", "first", "second")
    radius = 1.0
    homogeneous = True
    baselines = tuple(BASELINES)
    tight_seconds = 2.0
    sizes = (
        Size("width", int, 10, "width of the grid; the other graphs have as many nodes as it, width²", minimum=2),
        Size("scenarios", int, 10, "number of scenarios", minimum=1),
        Size("second_max", int, 20, "second-stage costs are uniform on -second_max..0", minimum=0),
        Size("graph", str, "grid", "the graph", choices=GRAPHS),
    )

    def __init__(self, features: str = "cost") -> None:
        self.safe_weights = safe_weights(features)
        self.feature_names = tuple(feature.name for feature in FEATURE_SETS[features])
        self._features = features

    @property
    def options(self) -> dict[str, Any]:
        """The feature set."""
        return {"features": self._features}

    def features(self, instance: Instance) -> NDArray[np.float32]:
        """One row per edge and stage."""
        return features(instance, self._features)

    def layer(self, theta: NDArray[np.float64], instance: Instance) -> Stages:
        """The stage of each edge in a minimum spanning tree for the cheaper of its two costs."""
        return layer(theta, instance)

    def embed(self, y: Stages, instance: Instance) -> NDArray[np.float64]:
        """Indicators of the first and of the second stage."""
        return embed(y)

    def target(self, solution: Solution, instance: Instance) -> NDArray[np.float64]:
        """The indicator of E_1 and the mean of those of the E_s."""
        return target(solution, instance)

    def likelihood(
        self, theta: NDArray[np.float64], target: NDArray[np.float64], instance: Instance
    ) -> tuple[float, NDArray[np.float64]]:
        """Exact, by the matrix-tree theorem."""
        return matrix_tree(instance.nodes, instance.edges, theta, target, instance.elimination)

    def decode(self, y: Stages, instance: Instance) -> Solution:
        """The first stage, completed in each scenario, or no first stage where that is cheaper."""
        return decode(y, instance)

    def best(self, thetas: NDArray[np.float64], instance: Instance, seed: int) -> tuple[int, Solution, float]:
        """The best row, costed by the compiled pipeline; nothing is drawn from the seed."""
        return best(thetas, instance)

    def cost(self, solution: Solution, instance: Instance) -> float:
        """First-stage cost plus the mean second-stage cost."""
        return cost(solution, instance)

    def scale(self, instance: Instance) -> float:
        """|V| − 1."""
        return scale(instance)

    def bound(self, instance: Instance) -> float:
        """Each scenario on its own."""
        return bound(instance)

    def approximation(self, instance: Instance) -> Approximation | None:
        """That of the maximum-weight problem; nothing where a cost is positive."""
        positive = bool((instance.first > 0).any() or (instance.second > 0).any())
        return None if positive else tree_approximation(instance.scenarios)

    def evaluator(self, instances: Sequence[Instance], workers: int | None = None) -> FusedEvaluator:
        """Features stacked once, threads over instances."""
        from colayer.problems.spanning_tree.evaluator import FusedEvaluator

        return FusedEvaluator(instances, features=self._features, workers=workers)

    def baseline(self, rule: str, instance: Instance) -> Solution:
        """The solution of a plain rule."""
        if rule not in BASELINES:
            raise InputError(f"no baseline {rule!r}, expected one of {', '.join(BASELINES)}")
        return BASELINES[rule](instance)

    def exact(
        self,
        instance: Instance,
        time_limit: float | None = None,
        progress: Callable[[float, float], None] | None = None,
        start: Solution | None = None,
    ) -> tuple[Solution, float, bool]:
        """Lagrangian bound and heuristic, and on small graphs a mixed-integer program."""
        return exact(instance, time_limit=time_limit, progress=progress, start=start)

    def compact(self, instance: Instance) -> CompactModel:
        """A flow in each scenario."""
        from colayer.problems.spanning_tree.compact import compact

        return compact(instance)

    def constraint_program(self, instance: Instance) -> ConstraintProgram:
        """A rooted tree in each scenario."""
        from colayer.problems.spanning_tree.compact import constraint_program

        return constraint_program(instance)

    def generate(  # type: ignore[override]  # the sizes of this problem, by name
        self,
        seed: int | np.random.SeedSequence,
        width: int = 10,
        scenarios: int = 10,
        second_max: int = 20,
        graph: str = "grid",
    ) -> Instance:
        """An instance of the paper's distribution, or of the same costs on another graph."""
        return generate(seed, width=width, scenarios=scenarios, second_max=second_max, graph=graph)

    def read(self, document: Mapping[str, Any]) -> Instance:
        """From the file format."""
        return read(document)

    def write(self, instance: Instance) -> dict[str, Any]:
        """To the file format."""
        return write(instance)

    def read_solution(self, document: Mapping[str, Any], instance: Instance) -> Solution:
        """From the file format."""
        return read_solution(document, instance)

    def write_solution(self, solution: Solution, instance: Instance) -> dict[str, Any]:
        """To the file format."""
        return write_solution(solution, instance)

    def group(self, instance: Instance) -> dict[str, float]:
        """Nodes, scenarios, and the largest second-stage cost in absolute value."""
        largest = float(np.abs(instance.second).max())
        return {"nodes": instance.nodes, "scenarios": instance.scenarios, "second_max": largest}

    def plot(self, solution: Solution, instance: Instance, ax: Axes | None = None) -> Axes:
        """The graph with the first-stage forest and the completion of one scenario."""
        from colayer.problems.spanning_tree.pictures import draw

        return draw(solution, instance, ax=ax)

    def content(self, instance: Instance) -> bytes:
        """Nodes, edges and costs as they lie in memory."""
        sizes = np.array([instance.nodes, instance.edge_count], dtype=np.int64)
        return b"".join(part.tobytes() for part in (sizes, instance.edges, instance.first, instance.second))
