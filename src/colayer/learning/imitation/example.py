"""What a demonstration loss is given, one instance at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats, finite_numbers
from colayer.errors import InputError
from colayer.learning.learner import TrainingJob
from colayer.problem.bind import BoundProblem
from colayer.problem.guard import listed
from colayer.problem.protocol import X, Y, Z

#: θ → the embedded solution of the layer, argmin over y of ⟨θ, y⟩.
Solve = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class Example(Generic[X, Y, Z]):
    """An instance and what is known of its solution: the target ȳ, and the true θ* where the data has it.

    `sequence` seeds the random numbers of this instance, the same for every θ (common random numbers).
    """

    problem: BoundProblem[X, Y, Z]
    instance: X
    target: Floats
    true_theta: Floats | None
    sequence: np.random.SeedSequence

    def solve(self, theta: Floats) -> Floats:
        """The layer at θ, embedded."""
        self.problem.need("embed", why="it cannot learn by demonstration")
        return self.problem.vector("embed", len(theta), self.problem.layer(theta, self.instance), self.instance)

    def draws(self, samples: int) -> Floats:
        """Z_1..Z_K, standard Gaussian, (samples, |θ|)."""
        return np.random.default_rng(self.sequence).standard_normal((samples, len(self.target)))


def examples_of(job: TrainingJob[X, Y, Z], rows: Sequence[int]) -> list[Example[X, Y, Z]]:
    """Targets from solutions, or from the layer at the true θ; `rows` are those of the features of each instance.

    Draws depend on the seed and on the place of the instance.
    """
    problem, solutions = job.training_problem, job.solutions
    name, known = ("thetas", job.thetas) if solutions is None else ("solutions", solutions)
    if isinstance(known, str):
        raise InputError(f"{known!r} labels days, and {problem.name} is not dynamic", where=name)
    given: list[Any] = [] if known is None else listed(known, "a list, one per instance", name)
    if len(given) != len(job.instances):
        raise InputError(f"{len(given)} of them, expected {len(job.instances)}, one per instance", where=name)
    examples = []
    for i, (instance, answer) in enumerate(zip(job.instances, given, strict=True)):
        sequence = seeds.sequence(job.seed, seeds.DEMONSTRATION, 1, i)
        if solutions is not None:
            problem.need("target", why="it cannot learn from solutions")
            target = problem.vector("target", rows[i], answer, instance, of=f": instance {i}:")
            examples.append(Example(problem, instance, target, None, sequence))
        else:
            true_theta = vector(answer, rows[i], f"{name}[{i}]")
            example = Example(problem, instance, np.zeros(rows[i]), true_theta, sequence)
            examples.append(Example(problem, instance, example.solve(true_theta), true_theta, sequence))
    return examples


def inner(a: Floats, b: Floats) -> float:
    """⟨a, b⟩, summed by numpy and not by BLAS: the same bits for any number of threads."""
    return float((a * b).sum())


def vector(values: Any, length: int, what: str) -> Floats:
    """`values` as float64, checked: `length` finite numbers."""
    array = finite_numbers(values, what)
    if array.shape != (length,):
        raise InputError(f"shape {array.shape}, expected one entry per row of the features, ({length},)", where=what)
    return array
