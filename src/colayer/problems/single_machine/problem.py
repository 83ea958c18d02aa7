"""The problem, assembled: each method is an arrow of the pipeline and lives in the file of that name."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer.problem.approximation import Approximation
from colayer.problem.protocol import BaseProblem, check_decoder
from colayer.problem.sizes import Size
from colayer.problem.structure import Order
from colayer.problems.feature_table import feature_set
from colayer.problems.single_machine.compact import compact, constraint_program
from colayer.problems.single_machine.cost import bound, cost, log_comparisons, scale, srpt_approximation
from colayer.problems.single_machine.decoder import DECODERS, best, decode, smoothed, solved
from colayer.problems.single_machine.features import FEATURE_SETS, features
from colayer.problems.single_machine.instance import Instance, content, generate, read, write
from colayer.problems.single_machine.layer import augmented, embed, layer, likelihood, mixed
from colayer.problems.single_machine.own_data import instance
from colayer.problems.single_machine.solution import read_solution, table, write_solution
from colayer.problems.single_machine.solvers import baseline, exact, quick, rules, searches
from colayer.problems.single_machine.structure import structure, structure_of_sequence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from colayer.problems.single_machine.evaluator import FusedEvaluator


class SingleMachine(BaseProblem):
    """1 | r_j | Σ C_j: sequence n jobs with release dates on one machine, least sum of completion times.

    A solution is an array of job indices in the order they run.

    Parameters:
        features: "66", or its subset "27".
        decoder: "none", "ls" (adjacent-swap descent) or "rdi" (LS, then release date iteration).
    """

    name = "single-machine"
    fields = ("release", "processing")
    optional_fields = ("names", "origin")
    instance_type = Instance
    homogeneous = True
    decoders = DECODERS
    learn_decoders = MappingProxyType({"rdi": "ls"})
    sizes = (
        Size("jobs", int, 100, "number of jobs", minimum=1),
        Size("rho", float, 1.0, "release dates are spread over rho times the expected total work", minimum=0.0),
    )

    layer = staticmethod(layer)
    embed = target = staticmethod(embed)
    augmented = staticmethod(augmented)
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
    read = staticmethod(read)
    write = staticmethod(write)
    read_solution = staticmethod(read_solution)
    write_solution = staticmethod(write_solution)
    table = staticmethod(table)
    content = staticmethod(content)
    compact = staticmethod(compact)
    constraint_program = staticmethod(constraint_program)

    def __init__(self, features: Literal["66", "27"] = "66", decoder: Literal["none", "ls", "rdi"] = "none") -> None:
        known = feature_set(features, FEATURE_SETS)
        self.feature_names, self.feature_groups, self.safe_weights = known.names, known.groups, known.safe_weights
        self._features = features
        self.decoder = decoder
        check_decoder(self.name, self.decoders, decoder, "--decoder")
        self.baselines, self.searches = rules(decoder), searches(decoder)

    @property
    def options(self) -> dict[str, Any]:
        """Return feature set and decoder."""
        return {"features": self._features, "decoder": self.decoder}

    def features(self, instance: Instance) -> Singles:
        """Return one row per job; see paper/docs/single_machine_features.md."""
        return features(instance, self._features)

    def structure(self, instance: Instance, y: Ints | None = None) -> Order:
        """Order the jobs by the middle of their time under SRPT, or, given an answer y, by that sequence."""
        return structure(instance) if y is None else structure_of_sequence(y, instance)

    def decode(self, y: Ints, instance: Instance) -> Ints:
        """Return the sequence after the decoder."""
        return decode(y, instance, self.decoder)

    def best(self, thetas: Floats, instance: Instance, seed: int) -> tuple[int, Ints, float]:
        """Return the best row; with the decoder rdi, rows after the first also jitter the release dates."""
        orders = np.array([layer(theta, instance) for theta in thetas])
        return best(orders, instance, self.decoder, seed)

    def solved(self, thetas: Floats, instance: Instance) -> tuple[Ints, Floats]:
        """Return the sequences of many θ, and their costs after the decoder."""
        return solved(thetas, instance, self.decoder)

    def smoothed(self, theta: Floats, noise: Floats, sigma: float, instance: Instance) -> Floats | None:
        """Return the gradient of the smoothed cost in each priority; None with a decoder."""
        return smoothed(theta, noise, sigma, instance, self.decoder)

    def approximation(self, instance: Instance) -> Approximation | None:
        """Return the guarantee of the SRPT order; None for the 27 features, whose safe weights sort by its rank."""
        return srpt_approximation(instance) if self._features == "66" else None

    def evaluator(self, instances: Sequence[Instance], workers: int | None = None) -> FusedEvaluator:
        """Return an evaluator that stacks the features once and shares instances between threads."""
        from colayer.problems.single_machine.evaluator import FusedEvaluator

        return FusedEvaluator(self, instances, workers)

    def group(self, instance: Instance) -> dict[str, float]:
        """Return the number of jobs. No file says its ρ, and a guess tells alike instances apart."""
        return {"jobs": instance.jobs}

    def plot(self, solution: Ints, instance: Instance, ax: Axes | None = None) -> Axes:
        """Draw a Gantt chart."""
        from colayer.problems.single_machine.pictures import gantt

        return gantt(solution, instance, ax=ax)
