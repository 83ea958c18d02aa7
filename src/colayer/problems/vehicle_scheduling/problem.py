"""The problem, assembled: each method is an arrow of the pipeline and lives in the file of that name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer.problem.abilities import ByWeights
from colayer.problem.protocol import BaseProblem, check_decoder
from colayer.problem.sizes import Size
from colayer.problems.feature_table import feature_set
from colayer.problems.vehicle_scheduling.compact import compact, constraint_program
from colayer.problems.vehicle_scheduling.cost import bound, cost, log_comparisons, scale
from colayer.problems.vehicle_scheduling.decoder import DECODERS, best_cover, decode, solved
from colayer.problems.vehicle_scheduling.features import FEATURE_SETS, features
from colayer.problems.vehicle_scheduling.generator import SCENARIOS, TASKS, generate
from colayer.problems.vehicle_scheduling.gtfs import from_gtfs
from colayer.problems.vehicle_scheduling.instance import Instance, content, read, write
from colayer.problems.vehicle_scheduling.layer import embed, layer, likelihood, mixed, target
from colayer.problems.vehicle_scheduling.near import NearArcs
from colayer.problems.vehicle_scheduling.own_data import instance
from colayer.problems.vehicle_scheduling.solution import read_solution, table, write_solution
from colayer.problems.vehicle_scheduling.solvers import baseline, exact, quick, rules
from colayer.problems.vehicle_scheduling.structure import structure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from colayer.problems.vehicle_scheduling.evaluator import FusedEvaluator


class VehicleScheduling(BaseProblem):
    """Cover tasks by vehicles under random times: least vehicle cost plus expected cost of propagated delay.

    A solution is an array: the task after each task on its vehicle, −1 for the last one.

    Parameters:
        features: "23", "extended" (these and more, from a reference solution) or "rounds" (a few, which depend on the
            solution of the round before).
        decoder: "none" or "ls" (local search on routes).
    """

    name = "vehicle-scheduling"
    instance_type = Instance
    tables = ("scenarios", "travel")
    homogeneous = True
    decoders = DECODERS
    sizes = (
        Size("tasks", int, TASKS, "number of tasks", minimum=1),
        Size("scenarios", int, SCENARIOS, "number of scenarios of the delays", minimum=1),
    )

    structure = staticmethod(structure)
    layer = staticmethod(layer)
    embed = staticmethod(embed)
    target = staticmethod(target)
    likelihood = staticmethod(likelihood)
    mixed = staticmethod(mixed)
    cost = staticmethod(cost)
    scale = staticmethod(scale)
    bound = staticmethod(bound)
    log_comparisons = staticmethod(log_comparisons)
    quick = staticmethod(quick)
    baseline = staticmethod(baseline)
    exact = staticmethod(exact)
    generate = staticmethod(generate)
    instance = staticmethod(instance)
    from_gtfs = staticmethod(from_gtfs)
    read = staticmethod(read)
    write = staticmethod(write)
    read_solution = staticmethod(read_solution)
    write_solution = staticmethod(write_solution)
    table = staticmethod(table)
    content = staticmethod(content)
    compact = staticmethod(compact)
    constraint_program = staticmethod(constraint_program)

    def __init__(
        self, features: Literal["23", "extended", "rounds"] = "extended", decoder: Literal["none", "ls"] = "none"
    ) -> None:
        known = feature_set(features, FEATURE_SETS)
        self.feature_names, self.feature_groups, self.safe_weights = known.names, known.groups, known.safe_weights
        self._features, self.features_use_solution = features, features == "rounds"
        self.memory_features = tuple(name for name in self.feature_names if name.startswith("stay_"))
        self.decoder = decoder
        check_decoder(self.name, self.decoders, decoder, "--decoder")
        self.baselines = rules(decoder)

    @property
    def options(self) -> dict[str, Any]:
        """Return feature set and decoder."""
        return {"features": self._features, "decoder": self.decoder}

    def features(self, instance: Instance, solution: Ints | None = None) -> Singles:
        """Return one row per arc: task arcs by (u, v), origin arcs, destination arcs."""
        return features(instance, self._features, solution)

    def decode(self, y: Ints, instance: Instance) -> Ints:
        """Return the solution after the decoder."""
        return decode(y, instance, self.decoder)

    def by_weights(self, instance: Instance) -> ByWeights[Ints] | None:
        """Return what solves a large city by the arcs near in time, with a proof; None otherwise."""
        plain = self._features == "23" and type(self) is VehicleScheduling  # a class of a user's may change any arrow
        near = NearArcs.of(instance) if plain else None
        return None if near is None else partial(best_cover, near, self.decoder)

    def solved(self, thetas: Floats, instance: Instance) -> tuple[Ints, Floats]:
        """Return the covers of many θ, and their costs after the decoder."""
        return solved(thetas, instance, self.decoder)

    def evaluator(self, instances: Sequence[Instance], workers: int | None = None) -> FusedEvaluator:
        """Return an evaluator that computes the features once and shares instances between threads."""
        from colayer.problems.vehicle_scheduling.evaluator import FusedEvaluator

        return FusedEvaluator(self, instances, workers)

    def group(self, instance: Instance) -> dict[str, float]:
        """Return the number of tasks, and of scenarios."""
        return {"tasks": instance.tasks, "scenarios": instance.scenarios}

    def plot(self, solution: Ints, instance: Instance, ax: Axes | None = None) -> Axes:
        """Draw the vehicles over the day."""
        from colayer.problems.vehicle_scheduling.pictures import gantt

        return gantt(solution, instance, ax=ax)
