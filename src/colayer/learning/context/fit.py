"""Fit θ = W·context + b: a regression, then a descent of the decision loss from it; validation says which, then refit.

The instances held out choose between the start and the end of the descent; what was chosen is learned again from all
instances. So nothing is lost where the regression is right, and no data where it is not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer.evaluators.statistics import Moments
from colayer.learning.context.data import ContextData
from colayer.learning.context.descent import JUDGED, RATE, ContextDescent
from colayer.learning.context.lesson import lesson_of
from colayer.learning.context.teachers import ByOwnBest, Teacher
from colayer.learning.journal import Record
from colayer.learning.learner import Fitted, Learner, TrainingJob
from colayer.learning.run import Run, open_run

#: Passes where nothing is said: enough for so many steps, within these bounds.
_STEPS, _FEWEST, _MOST = 300, 5, 10
#: Passes by costs alone, and what a step is a share of there.
_OWN_PASSES, _OWN_RATE = 30, 0.1


def fit_context(learner: Learner, job: TrainingJob[Any, Any, Any]) -> Fitted:
    """Learn a model of the context: W and b, or a torch module of the user's."""
    problem, instances = job.training_problem, job.instances
    data = ContextData.of(problem, instances)
    lesson = lesson_of(learner, job, data)
    if job.module is not None:
        from colayer.learning.context.module import fit_module

        return fit_module(learner, job, data, lesson)
    teacher, (train, held) = lesson.teacher, job.split
    own = isinstance(teacher, ByOwnBest)
    passes = job.budget(_OWN_PASSES if own else _passes(len(train), lesson.batch))
    identity = job.identity(learner, passes, Moments(data.mean, data.spread), targets=lesson.targets, model="affine")

    def costs(weights: Floats, chosen: Ints) -> float:
        return lesson.cost(data.thetas(weights, chosen), chosen)

    with open_run(job.settings, passes, data.dimension, identity, every=True) as run:
        options: dict[str, Any] = {
            "run": run, "data": data, "losses": teacher.losses, "spread": teacher.spread,
            "rate": lesson.rate or (_OWN_RATE if own else RATE), "batch": lesson.batch, "seed": job.seed,
        }  # fmt: skip
        weights = run.conduct(partial(_learn, run, teacher, costs, train, held, passes, options), learner.name)
    outcome = {"evaluated": len(run.history), "loss": costs(weights, np.arange(len(instances)))}
    provenance = job.provenance({"learned": lesson.learned, **identity}, **outcome, validation_loss=run.validation_loss)
    model = data.model(problem, weights, provenance)
    return Fitted(model, outcome["loss"], run.validation_loss, tuple(run.history), run.recalled)


def _learn(
    run: Run,
    teacher: Teacher,
    costs: Callable[[Floats, Ints], float],
    train: Ints,
    held: Ints,
    passes: int,
    options: dict[str, Any],
) -> None:
    """Descend on the training instances, choose by those held out, and do it again on all."""
    data: ContextData = options["data"]

    def judge(w: Floats, whole: bool, validated: bool = True) -> tuple[float, float | None]:
        return costs(w, train[:JUDGED]), costs(w, held) if whole and validated and len(held) else None

    first = ContextDescent(chosen=train, judge=judge, **options)
    start = data.regression(teacher.answers(data, train), train)
    last = first.minimize(start, passes)
    if not len(held):
        run.select_answer(last)
        return
    at_start = run.visited[0]
    descends = _validation(last) < _validation(at_start)
    chosen = last if descends else at_start
    run.select_answer(chosen)
    everything = np.arange(len(train) + len(held))
    again = ContextDescent(chosen=everything, judge=partial(judge, validated=False), key=1, **options)
    start = data.regression(teacher.answers(data, everything), everything)
    found = again.minimize(start, passes if descends else 0)
    # the loss on instances held out is that of the choice: what was learned from all has seen them
    run.select_answer(Record(found.evaluation, found.weights, found.loss, chosen.validation))


def _validation(record: Record) -> float:
    assert record.validation is not None
    return record.validation


def _passes(samples: int, batch: int) -> int:
    return min(_MOST, max(_FEWEST, -(-_STEPS * batch // samples)))
