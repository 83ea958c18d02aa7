"""The problem, assembled: each method is an arrow of the pipeline and lives in the file of that name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from colayer.errors import InputError, OptionError
from colayer.layers.likelihood import path_cover
from colayer.problem import BaseProblem, Size
from colayer.problems.vehicle_scheduling.cost import bound, cost, scale
from colayer.problems.vehicle_scheduling.decoder import DECODERS, decode
from colayer.problems.vehicle_scheduling.features import (
    feature_groups,
    feature_table,
    features,
    safe_weights,
)
from colayer.problems.vehicle_scheduling.generator import SCENARIOS, TASKS, generate
from colayer.problems.vehicle_scheduling.instance import Instance, read, write
from colayer.problems.vehicle_scheduling.layer import embed, layer
from colayer.problems.vehicle_scheduling.solution import checked, read_solution, write_solution
from colayer.problems.vehicle_scheduling.solvers import BASELINES, exact

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from colayer.problems.vehicle_scheduling.evaluator import FusedEvaluator
    from colayer.programs import CompactModel, ConstraintProgram

Successors = NDArray[np.int64]


class VehicleScheduling(BaseProblem):
    """Cover tasks by vehicles under random times: least vehicle cost plus expected cost of propagated delay.

    `features` is "23" or "extended" (these and more, from a reference solution); `decoder` is "none" or "ls" (local
    search on routes). A solution is an array: the task after each task on its vehicle, −1 for the last one.
    """

    name = "vehicle-scheduling"
    homogeneous = True
    decoders = DECODERS
    baselines = tuple(BASELINES)
    sizes = (
        Size("tasks", int, TASKS, "number of tasks", minimum=1),
        Size("scenarios", int, SCENARIOS, "number of scenarios of the delays", minimum=1),
    )

    def __init__(self, features: str = "extended", decoder: str = "none") -> None:
        self.feature_names = tuple(feature.name for feature in feature_table(features))
        self.feature_groups = feature_groups(features)
        self.safe_weights = safe_weights(features)
        if decoder not in self.decoders:
            raise OptionError(f"no decoder {decoder!r}, expected one of {', '.join(self.decoders)}", where="--decoder")
        self._features = features
        self.decoder = decoder

    @property
    def options(self) -> dict[str, Any]:
        """Feature set and decoder."""
        return {"features": self._features, "decoder": self.decoder}

    def features(self, instance: Instance) -> NDArray[np.float32]:
        """One row per arc: task arcs by (u, v), origin arcs, destination arcs."""
        return features(instance, self._features)

    def layer(self, theta: NDArray[np.float64], instance: Instance) -> Successors:
        """The path cover of least cost."""
        return layer(theta, instance)

    def embed(self, y: Successors, instance: Instance) -> NDArray[np.float64]:
        """1 on the arcs that are used."""
        return embed(y, instance)

    def target(self, solution: Successors, instance: Instance) -> NDArray[np.float64]:
        """A solution is one of the layer as well."""
        return embed(checked(solution, instance), instance)

    def likelihood(
        self, theta: NDArray[np.float64], target: NDArray[np.float64], instance: Instance
    ) -> tuple[float, NDArray[np.float64]]:
        """The composite likelihood of the cover against its exchanges, a surrogate."""
        return path_cover(*instance.arcs, theta, target)

    def decode(self, y: Successors, instance: Instance) -> Successors:
        """The solution after the decoder."""
        return decode(y, instance, self.decoder)

    def cost(self, solution: Successors, instance: Instance) -> float:
        """Vehicles plus expected delay."""
        return cost(solution, instance)

    def scale(self, instance: Instance) -> float:
        """The number of tasks."""
        return scale(instance)

    def bound(self, instance: Instance) -> float:
        """The layer's value under the safe weights."""
        return bound(instance)

    def evaluator(self, instances: Sequence[Instance], workers: int | None = None) -> FusedEvaluator:
        """Features made once, threads over instances."""
        from colayer.problems.vehicle_scheduling.evaluator import FusedEvaluator

        return FusedEvaluator(instances, features=self._features, decoder=self.decoder, workers=workers)

    def baseline(self, rule: str, instance: Instance) -> Successors:
        """The solution of a plain rule."""
        if rule not in BASELINES:
            raise InputError(f"no baseline {rule!r}, expected one of {', '.join(BASELINES)}")
        return BASELINES[rule](instance)

    def exact(
        self,
        instance: Instance,
        time_limit: float | None = None,
        progress: Callable[[float, float], None] | None = None,
        start: Successors | None = None,
    ) -> tuple[Successors, float, bool]:
        """Column generation."""
        return exact(instance, time_limit=time_limit, progress=progress, start=start)

    def compact(self, instance: Instance) -> CompactModel:
        """Arcs, and delays by task and scenario."""
        from colayer.problems.vehicle_scheduling.compact import compact

        return compact(instance)

    def constraint_program(self, instance: Instance) -> ConstraintProgram:
        """Arcs as literals, and delays where they are used."""
        from colayer.problems.vehicle_scheduling.compact import constraint_program

        return constraint_program(instance)

    def generate(  # type: ignore[override]  # the sizes of this problem, by name
        self, seed: int | np.random.SeedSequence, tasks: int = TASKS, scenarios: int = SCENARIOS
    ) -> Instance:
        """A random city."""
        return generate(seed, tasks=tasks, scenarios=scenarios)

    def read(self, document: Mapping[str, Any]) -> Instance:
        """From the file format."""
        return read(document)

    def write(self, instance: Instance) -> dict[str, Any]:
        """To the file format."""
        return write(instance)

    def read_solution(self, document: Mapping[str, Any], instance: Instance) -> Successors:
        """From the file format."""
        return read_solution(document, instance)

    def write_solution(self, solution: Successors, instance: Instance) -> dict[str, Any]:
        """To the file format."""
        return write_solution(solution, instance)

    def group(self, instance: Instance) -> dict[str, float]:
        """Number of tasks, and of scenarios."""
        return {"tasks": instance.tasks, "scenarios": instance.scenarios}

    def plot(self, solution: Successors, instance: Instance, ax: Axes | None = None) -> Axes:
        """The vehicles over the day."""
        from colayer.problems.vehicle_scheduling.pictures import gantt

        return gantt(solution, instance, ax=ax)

    def content(self, instance: Instance) -> bytes:
        """All numbers of the instance as they lie in memory, each with its name."""
        document = write(instance)
        document |= {f"city.{key}": value for key, value in document.pop("city", {}).items()}
        return b"".join(key.encode() + np.asarray(value).tobytes() for key, value in document.items())
