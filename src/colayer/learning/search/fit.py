"""Learning by experience: minimise the mean loss over the training instances by a black-box search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.evaluators.base import Evaluator, rows_at_once
from colayer.evaluators.local import visitor
from colayer.evaluators.statistics import moments
from colayer.learning.guaranteed import theory_sigma
from colayer.learning.learner import Fitted, Needs, TrainingJob
from colayer.learning.perturbation import draws
from colayer.learning.portfolio.choose import Remembering
from colayer.learning.portfolio.solve_defaults import choose_sigma_and_portfolio
from colayer.learning.run import open_run
from colayer.learning.search.objective import Objective, mean_loss
from colayer.learning.search.optimizer import Optimizer, Task
from colayer.learning.search.search import SearchRun
from colayer.learning.search.simple import simple_answers
from colayer.learning.settings import THEORY
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z

EVALUATIONS = 1000


class Experience(ABC):
    """A learner whose `minimize` searches for weights of low loss (see `Optimizer`)."""

    name: ClassVar[str]
    needs: ClassVar[tuple[Needs, ...]] = ("costs",)
    uses: ClassVar[frozenset[str]] = frozenset({"radius", "sigma", "cluster", "device", "rounds"})
    #: Whether the search itself says which of the weights it evaluated are the answer.
    selects_answer: ClassVar[bool] = False

    def options(self) -> dict[str, Any]:
        """What, with the task, determines the search: the fields of the learner, which is a dataclass, as in JSON."""
        fields: dict[str, Any] = asdict(self)  # type: ignore[call-overload]
        return {key: list(value) if isinstance(value, tuple) else value for key, value in fields.items()}

    @abstractmethod
    def minimize(self, evaluate: Callable[[Floats], Floats], task: Task) -> None:
        """Ask for losses until they are spent; see `Optimizer.minimize`."""

    def fit(self, job: TrainingJob[X, Y, Z]) -> Fitted:
        """Minimise the mean (perturbed) loss over the training instances."""
        if job.problem.context is not None:
            from colayer.learning.context.fit import fit_context

            return fit_context(self, job)
        settings, budget, radius = job.settings, job.budget(EVALUATIONS), job.radius
        problem, rounds = job.training_problem, int(settings.rounds)
        with job.backend.evaluators(problem, rounds=rounds) as evaluator_of:
            training = evaluator_of(job.training)
            held_out = evaluator_of(job.held_out) if job.held_out else None
            features = moments(job.training_problem, job.training, training)
            scale = features.scale
            if settings.sigma == THEORY:
                sigma = theory_sigma(job.training_problem, job.training, training, scale, radius, job.seed)
            else:
                sigma = float(settings.sigma)
            identity = job.identity(self, budget, features, radius=radius, sigma=sigma)
            drawn = draws(job.seed, int(settings.samples) if sigma > 0 else 0, len(scale))
            safe = _start(job.problem, scale, radius)
            task = Task(
                dimension=len(scale), radius=radius, evaluations=budget, seed=job.seed, safe=safe,
                instances=len(job.training), scale=scale, homogeneous=job.problem.homogeneous,
                embeds=job.training_problem.embed is not None, days=job.problem.dynamic,
            )  # fmt: skip
            known = {**identity, "safe": safe, "dimension": len(scale), "validated": held_out is not None}
            visits = cache(partial(visitor, training, problem, job.training, rounds))
            remembering = Remembering(training)  # what a perturbed loss asks for is of no further use
            judging = None if held_out is None else Remembering(held_out)
            with open_run(settings, budget, len(scale), known) as run:
                search = SearchRun(
                    run,
                    _objective(training if sigma > 0 else remembering, scale, sigma, drawn),
                    None if judging is None else _objective(judging, scale, sigma, drawn),
                    together=max(1, rows_at_once(training) // max(1, len(drawn))),
                    each=_each(training if sigma > 0 else remembering, scale, sigma, drawn),
                    held_out=None if judging is None else _each(judging, scale, sigma, drawn),
                    visits=visits,
                )
                search.verify()
                finished = run.journal is not None and run.journal.finished and not self.selects_answer
                searching = search.replay if finished else partial(self.minimize, search, task)
                weights = run.conduct(searching, self.name)
                search.validate_answer()
            round_parts = [] if settings.rounds == 1 else [(visits(), len(job.training))]
            if round_parts and held_out is not None:
                round_parts.append((visitor(held_out, problem, job.held_out, rounds), len(job.held_out)))
            simple = simple_answers(task)
            if safe is None and settings.portfolio > 1 and not run.out_of_time:  # the rule is then the best feature
                means = remembering.losses(simple / scale).mean(axis=1)
                simple = simple[np.argsort(means, kind="stable")]
            defaults = choose_sigma_and_portfolio(job, run, weights, scale, remembering, judging, round_parts, simple)
        outcome = {"evaluated": run.spent, "loss": run.loss, "validation_loss": run.validation_loss}
        model = job.model(weights, scale, identity, defaults, **outcome)
        return Fitted(model, run.loss, run.validation_loss, tuple(run.history), run.recalled)


@dataclass(frozen=True)
class Searched(Experience):
    """A black-box search of the user's: any object with `name`, `options` and `minimize`."""

    search: Optimizer

    @property
    def name(self) -> str:  # type: ignore[override]
        """That of the search."""
        return self.search.name

    def options(self) -> dict[str, Any]:
        """Those of the search."""
        return self.search.options()

    def minimize(self, evaluate: Callable[[Floats], Floats], task: Task) -> None:
        """Let it search."""
        self.search.minimize(evaluate, task)


def _start(problem: BoundProblem[X, Y, Z], scale: Floats, radius: float) -> Floats | None:
    """The safe weights in model units, where the layer allows as the multiple whose largest entry is radius/2."""
    if problem.safe_weights is None:
        return None
    safe: Floats = problem.safe_weights * scale
    largest = float(np.abs(safe).max())
    return safe * (radius / 2 / largest) if problem.homogeneous and largest > 0 else safe


def _each(evaluator: Evaluator, scale: Floats, sigma: float, drawn: Floats) -> Callable[[Floats], Floats]:
    """Losses of one weight vector, in model units, on each instance; perturbed, the mean over the draws."""
    if sigma == 0.0:
        return lambda w: evaluator.losses(w[None, :] / scale)[0]
    return lambda w: np.asarray(evaluator.losses((w + sigma * drawn) / scale).mean(axis=0))


def _objective(evaluator: Evaluator, scale: Floats, sigma: float, drawn: Floats) -> Objective:
    """Mean loss of weight vectors in model units."""
    return mean_loss(lambda weights: evaluator.losses(weights / scale), sigma, drawn, rows_at_once(evaluator))
