"""The problem, assembled: each method is an arrow of the pipeline and lives in the file of that name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from colayer.errors import InputError, OptionError
from colayer.guarantees import Approximation, srpt_approximation
from colayer.layers import sorting
from colayer.layers.likelihood import plackett_luce
from colayer.problem import BaseProblem, Size
from colayer.problems.single_machine.cost import bound, cost, makespan, scale
from colayer.problems.single_machine.decoder import best, decode
from colayer.problems.single_machine.features import FEATURE_SETS, feature_groups, features, safe_weights
from colayer.problems.single_machine.instance import PAPER_RHO, Instance, generate, read, write
from colayer.problems.single_machine.layer import layer
from colayer.problems.single_machine.solution import read_solution, write_solution
from colayer.problems.single_machine.solvers import BASELINES, exact

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from colayer.problems.single_machine.evaluator import FusedEvaluator
    from colayer.programs import CompactModel, ConstraintProgram

Sequenced = NDArray[np.int64]


class SingleMachine(BaseProblem):
    """1 | r_j | Σ C_j: sequence n jobs with release dates on one machine, least sum of completion times.

    `features` is "66" or its subset "27"; `decoder` is "none", "ls" (adjacent-swap descent) or "rdi" (release date
    iteration after it). A solution is an array of job indices in the order they run.
    """

    name = "single-machine"
    fields = ("release", "processing")
    homogeneous = True
    decoders = ("none", "ls", "rdi")
    learn_decoders = MappingProxyType({"rdi": "ls"})
    baselines = tuple(BASELINES)
    sizes = (
        Size("jobs", int, 100, "number of jobs", minimum=1),
        Size("rho", float, 1.0, "release dates are spread over rho times the expected total work", minimum=0.0),
    )

    def __init__(self, features: str = "66", decoder: str = "none") -> None:
        self.safe_weights = safe_weights(features)
        self.feature_names = tuple(feature.name for feature in FEATURE_SETS[features])
        self.feature_groups = feature_groups(features)
        if decoder not in self.decoders:
            raise OptionError(f"no decoder {decoder!r}, expected one of {', '.join(self.decoders)}", where="--decoder")
        self._features = features
        self.decoder = decoder

    @property
    def options(self) -> dict[str, Any]:
        """Feature set and decoder."""
        return {"features": self._features, "decoder": self.decoder}

    def features(self, instance: Instance) -> NDArray[np.float32]:
        """One row per job; see docs/single_machine_features.md."""
        return features(instance, self._features)

    def layer(self, theta: NDArray[np.float64], instance: Instance) -> Sequenced:
        """Sort by θ, ties by job index."""
        return layer(theta, instance)

    def embed(self, y: Sequenced, instance: Instance) -> NDArray[np.float64]:
        """n − position, by job."""
        return sorting.embed(y)

    def target(self, solution: Sequenced, instance: Instance) -> NDArray[np.float64]:
        """A sequence is a solution of the layer as well."""
        return sorting.embed(solution)

    def augmented(
        self, theta: NDArray[np.float64], target: NDArray[np.float64], instance: Instance
    ) -> tuple[NDArray[np.float64], float]:
        """Δ = ½‖y − ȳ‖², which is linear in y because all y have the same norm (the Hamming distance is not)."""
        positions = np.arange(1.0, instance.jobs + 1.0)
        return theta + target, 0.5 * float((positions**2).sum() + (target**2).sum())

    def likelihood(
        self, theta: NDArray[np.float64], target: NDArray[np.float64], instance: Instance
    ) -> tuple[float, NDArray[np.float64]]:
        """Plackett–Luce, a surrogate, for the sequence by decreasing ȳ."""
        return plackett_luce(theta, sorting.sort(-target))

    def decode(self, y: Sequenced, instance: Instance) -> Sequenced:
        """The sequence after the decoder."""
        return decode(y, instance, self.decoder)

    def best(self, thetas: NDArray[np.float64], instance: Instance, seed: int) -> tuple[int, Sequenced, float]:
        """The best row; with the decoder rdi, rows after the first also jitter the release dates."""
        orders = np.array([layer(theta, instance) for theta in thetas])
        return best(orders, instance, self.decoder, seed)

    def cost(self, solution: Sequenced, instance: Instance) -> float:
        """Σ C_j."""
        return cost(solution, instance)

    def scale(self, instance: Instance) -> float:
        """n(n + 1)."""
        return scale(instance)

    def bound(self, instance: Instance) -> float:
        """The preemptive optimum (SRPT)."""
        return bound(instance)

    def approximation(self, instance: Instance) -> Approximation | None:
        """That of the SRPT order; nothing for the 27 features, where the safe weights sort by its rank."""
        return srpt_approximation(instance.jobs, makespan(instance)) if self._features == "66" else None

    def evaluator(self, instances: Sequence[Instance], workers: int | None = None) -> FusedEvaluator:
        """Features stacked once, threads over instances."""
        from colayer.problems.single_machine.evaluator import FusedEvaluator

        return FusedEvaluator(instances, features=self._features, decoder=self.decoder, workers=workers)

    def baseline(self, rule: str, instance: Instance) -> Sequenced:
        """The sequence of a plain rule."""
        if rule not in BASELINES:
            raise InputError(f"no baseline {rule!r}, expected one of {', '.join(BASELINES)}")
        return BASELINES[rule](instance)

    def exact(
        self,
        instance: Instance,
        time_limit: float | None = None,
        progress: Callable[[float, float], None] | None = None,
        start: Sequenced | None = None,
    ) -> tuple[Sequenced, float, bool]:
        """Branch and bound."""
        return exact(instance, time_limit=time_limit, progress=progress, start=start)

    def compact(self, instance: Instance) -> CompactModel:
        """Positions and completion times."""
        from colayer.problems.single_machine.compact import compact

        return compact(instance)

    def constraint_program(self, instance: Instance) -> ConstraintProgram:
        """Intervals that do not overlap."""
        from colayer.problems.single_machine.compact import constraint_program

        return constraint_program(instance)

    def generate(  # type: ignore[override]  # the sizes of this problem, by name
        self, seed: int | np.random.SeedSequence, jobs: int = 100, rho: float = 1.0
    ) -> Instance:
        """An instance of the paper's distribution."""
        return generate(seed, jobs=jobs, rho=rho)

    def read(self, document: Mapping[str, Any]) -> Instance:
        """From the file format."""
        return read(document)

    def write(self, instance: Instance) -> dict[str, Any]:
        """To the file format."""
        return write(instance)

    def read_solution(self, document: Mapping[str, Any], instance: Instance) -> Sequenced:
        """From the file format."""
        return read_solution(document, instance)

    def write_solution(self, solution: Sequenced, instance: Instance) -> dict[str, Any]:
        """To the file format."""
        return write_solution(solution, instance)

    def group(self, instance: Instance) -> dict[str, float]:
        """Number of jobs, and the ρ that the spread of the release dates suggests."""
        load = float(instance.release.max() / (50.5 * instance.jobs))
        return {"jobs": instance.jobs, "rho": min(PAPER_RHO, key=lambda rho: abs(rho - load))}

    def plot(self, solution: Sequenced, instance: Instance, ax: Axes | None = None) -> Axes:
        """A Gantt chart."""
        from colayer.problems.single_machine.pictures import gantt

        return gantt(solution, instance, ax=ax)

    def content(self, instance: Instance) -> bytes:
        """Release dates and processing times as they lie in memory."""
        return instance.release.tobytes() + instance.processing.tobytes()
