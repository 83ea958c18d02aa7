"""Learning by demonstration: minimise the mean of a loss that says how far the layer is from known answers."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, ClassVar

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.threads import Threads
from colayer.errors import OptionError
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.statistics import moments
from colayer.learning.imitation.days import DayExamples, day_solutions
from colayer.learning.imitation.descent import BATCH, RATE, Descent
from colayer.learning.imitation.example import Example, examples_of
from colayer.learning.imitation.examples import Examples
from colayer.learning.learner import Fitted, Needs, TrainingJob
from colayer.learning.options import at_least_one, one_of, positive
from colayer.learning.portfolio.solve_defaults import choose_sigma_and_portfolio
from colayer.learning.run import open_run
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z

#: Passes over the training instances where nothing else is said.
PASSES = 100

OPTIMIZERS = ("adam", "l-bfgs")


@dataclass(frozen=True, kw_only=True)
class Demonstration(ABC):
    """A demonstration loss and how it is minimised: the options that all of them share.

    `optimizer`: "adam" on mini-batches of `batch` instances (4), whose step `rate`, in model units (0.1), falls
    linearly to zero over the passes; or "l-bfgs" on all instances at once (then `batch` and `rate` have no meaning),
    for smooth losses. From contexts, by Adam alone: the batch is 32, the rate 0.05 of the spread of θ, and `start` a
    regressor with `fit` and `predict`, by default least squares.
    """

    optimizer: str = "adam"
    rate: float | None = None
    batch: int | None = None
    start: Any = None

    name: ClassVar[str]
    needs: ClassVar[tuple[Needs, ...]] = ("solutions",)
    uses: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        one_of(self, "optimizer", OPTIMIZERS)
        positive(self, "rate")
        at_least_one(self, "batch")

    @property
    def homogeneous(self) -> bool:
        """The loss of cθ is c times that of θ, c > 0: then θ = 0 is best, and learning must hold the norm of w."""
        return False

    def options(self) -> dict[str, Any]:
        """What, with the data and the seed, determines the run."""
        chosen = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "start"}
        started = {} if self.start is None else {"start": repr(self.start)}
        return {**chosen, "rate": self.rate or RATE, "batch": self.batch or BATCH, **started}

    @abstractmethod
    def loss(self, theta: Floats, example: Example[X, Y, Z]) -> tuple[float, Floats]:
        """The loss of θ for one instance and its gradient with respect to θ."""

    def fit(self, job: TrainingJob[X, Y, Z]) -> Fitted:
        """Minimise the mean demonstration loss over the training instances.

        Evaluations are passes over them, 100 by default. The search starts from w = 0, on days from the safe weights,
        or, for a homogeneous loss, from the safe weights (the sum of the features, without), and keeps the norm √d.
        """
        if job.problem.context is not None:
            from colayer.learning.context.fit import fit_context

            return fit_context(self, job)
        if self.start is not None:
            why = f"a start is for problems with a context, and {job.problem.name} has none"
            raise OptionError(why, where="--method")
        problem, budget = job.training_problem, job.budget(PASSES)
        with Threads(job.backend.workers) as threads:
            training = LocalEvaluator(problem, job.training)
            held_out = LocalEvaluator(problem, job.held_out)
            train, validation, targets = _examples(job, training, held_out, threads)
            features = moments(problem, job.training, training)
            identity = job.identity(self, budget, features, targets=targets)
            with open_run(job.settings, budget, len(features.scale), identity, every=True) as run:
                descent = Descent(run, self, train, validation if job.held_out else None, features.scale, job.seed)
                start = self._start(job.problem, features.scale)
                weights = run.conduct(partial(descent.minimize, start), self.name)
            defaults = choose_sigma_and_portfolio(
                job, run, weights, features.scale, training, held_out if job.held_out else None
            )
        demonstration = descent.losses
        model = job.model(
            weights,
            features.scale,
            {"learned": "by demonstration", **identity},
            defaults,
            evaluated=len(run.history),
            converged=descent.converged,
            loss=run.loss,
            validation_loss=run.validation_loss,
            demonstration_loss={
                "start": demonstration[0],
                "least": min(demonstration),
                "last": demonstration[-1],
            },
        )
        return Fitted(model, run.loss, run.validation_loss, tuple(run.history), run.recalled)

    def _start(self, problem: BoundProblem[X, Y, Z], scale: Floats) -> Floats:
        safe = problem.safe_weights
        if not self.homogeneous:
            return np.zeros(len(scale)) if safe is None or not problem.dynamic else safe * scale
        direction: Floats = np.ones(len(scale)) if safe is None or not safe.any() else safe * scale
        return direction * float(np.sqrt(len(scale) / (direction**2).sum()))


def _examples(
    job: TrainingJob[X, Y, Z], training: LocalEvaluator[X, Y, Z], held_out: LocalEvaluator[X, Y, Z], threads: Threads
) -> tuple[Examples[X, Y, Z], Examples[X, Y, Z], str]:
    """What to learn from, what to validate on, and the hash of their targets."""
    if job.problem.dynamic:
        train = DayExamples(training, day_solutions(job), threads, job.seed)
        return train, DayExamples(held_out, None, threads, job.seed), _hash(train.examples)
    examples = examples_of(job, feature_rows(job, training, held_out))
    kept, held = ([examples[i] for i in part] for part in job.split)
    return Examples(training, kept, threads), Examples(held_out, held, threads), _hash(examples)


def feature_rows(
    job: TrainingJob[X, Y, Z], training: LocalEvaluator[X, Y, Z], held_out: LocalEvaluator[X, Y, Z]
) -> list[int]:
    """The rows of the features of each instance, in the order of the job."""
    rows = [0] * len(job.instances)
    for indices, part in zip(job.split, (training, held_out), strict=True):
        for i, features in zip(indices, part.features, strict=True):
            rows[i] = len(features)
    return rows


def _hash(examples: Sequence[Example[X, Y, Z]]) -> str:
    digest = hashlib.sha256()
    for example in examples:
        digest.update(example.target.tobytes())
        digest.update(b"" if example.true_theta is None else example.true_theta.tobytes())
    return digest.hexdigest()
