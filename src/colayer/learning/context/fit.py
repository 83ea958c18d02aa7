"""Fit θ = W·context + b: a regression, then a descent of the decision loss from it; validation says which, then refit.

The instances held out choose between the start and the end of the descent; what was chosen is learned again from all
instances. So nothing is lost where the regression is right, and no data where it is not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer.errors import InputError, OptionError
from colayer.evaluators.statistics import Moments
from colayer.learning.context.data import ContextData
from colayer.learning.context.descent import BATCH, JUDGED, RATE, ContextDescent
from colayer.learning.context.teachers import ByAnswers, ByOwnBest, Solver, Teacher
from colayer.learning.imitation.example import examples_of
from colayer.learning.imitation.fit import Demonstration
from colayer.learning.imitation.spo import SpoPlus
from colayer.learning.journal import Record
from colayer.learning.learner import Fitted, Learner, TrainingJob
from colayer.learning.run import Run, open_run
from colayer.problem.context import ContextProblem

#: Passes where nothing is said: enough for so many steps, within these bounds.
_STEPS, _FEWEST, _MOST = 300, 5, 10
#: Passes by costs alone, and what a step is a share of there.
_OWN_PASSES, _OWN_RATE = 30, 0.1


def fit_context(learner: Learner, job: TrainingJob[Any, Any, Any]) -> Fitted:
    """Learn a model of the context by demonstration, by known linear costs, or by costs alone."""
    problem, instances = job.training_problem, job.instances
    data = ContextData.of(problem, instances)
    solve = Solver(problem, instances, job.backend.workers or 1)
    method = learner if isinstance(learner, Demonstration) else None
    thetas = job.thetas if job.solutions is None else None
    if method is None and (known := _linear_costs(job)) is not None:
        method, thetas = SpoPlus(), known
    if method is not None:
        taught = TrainingJob(job.problem, instances, job.settings, job.backend, job.solutions, thetas)
        examples = examples_of(taught, [data.rows] * len(instances))
        teacher: Teacher = ByAnswers(method, examples, solve)
        targets = _hash(teacher.targets, teacher.values) if isinstance(teacher, ByAnswers) else ""
        rate, batch = method.rate or RATE, method.batch or BATCH
    else:
        if learner.name not in ("auto", "srl"):
            raise OptionError(f"{learner.name} does not learn from contexts, expected auto", where="--method")
        teacher, targets, rate, batch = ByOwnBest(problem, instances, solve, job.seed), "", _OWN_RATE, BATCH
    train, held = job.split
    passes = job.budget(_passes(len(train), batch) if method is not None else _OWN_PASSES)
    identity = job.identity(learner, passes, Moments(data.mean, data.spread), targets=targets, model="affine")
    costs = partial(_costs, job, data, solve, teacher)
    with open_run(job.settings, passes, data.dimension, identity, every=True) as run:
        options: dict[str, Any] = {
            "run": run, "data": data, "losses": teacher.losses, "spread": teacher.spread,
            "rate": rate, "batch": batch, "seed": job.seed,
        }  # fmt: skip
        weights = run.conduct(partial(_learn, run, teacher, costs, train, held, passes, options), learner.name)
    learned = {"learned": "by demonstration" if method is not None else "by experience"}
    outcome = {"evaluated": len(run.history), "loss": costs(weights, np.arange(len(instances)))}
    provenance = job.provenance({**learned, **identity}, **outcome, validation_loss=run.validation_loss)
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
    start = teacher.start(data, train)
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
    found = again.minimize(teacher.start(data, everything), passes if descends else 0)
    # the loss on instances held out is that of the choice: what was learned from all has seen them
    run.select_answer(Record(found.evaluation, found.weights, found.loss, chosen.validation))


def _validation(record: Record) -> float:
    assert record.validation is not None
    return record.validation


def _passes(samples: int, batch: int) -> int:
    return min(_MOST, max(_FEWEST, -(-_STEPS * batch // samples)))


def _linear_costs(job: TrainingJob[Any, Any, Any]) -> list[Floats] | None:
    """Return the true θ of each instance where costs are linear and known."""
    problem = job.problem.problem
    if not isinstance(problem, ContextProblem) or job.solutions is not None:
        return None
    found = [problem.mean_costs(instance) for instance in job.instances]
    return None if any(one is None for one in found) else [one for one in found if one is not None]


def _costs(
    job: TrainingJob[Any, Any, Any], data: ContextData, solve: Solver, teacher: Teacher, weights: Floats, chosen: Ints
) -> float:
    """Return the mean cost over scale; where the true θ are known, ⟨θ*, y⟩ over the mean size of the least."""
    found = solve(data.thetas(weights, chosen), chosen)
    if isinstance(teacher, ByAnswers) and teacher.true is not None:
        least = float(np.abs((teacher.true * teacher.targets).sum(axis=1)).mean()) or 1.0
        return float((teacher.true[chosen] * found).sum(axis=1).mean()) / least
    problem, total = job.training_problem, []
    for y, i in zip(found, chosen, strict=True):
        one = job.instances[i]
        if not isinstance(problem.problem, ContextProblem):
            y = problem.layer(data.thetas(weights, np.array([i]))[0], one)
        total.append(problem.cost(problem.decode(y, one), one) / problem.scale(one))
    mean = float(np.mean(total))
    if not np.isfinite(mean):
        raise InputError(f"the mean cost is {mean}, expected a finite number")
    return mean


def _hash(*arrays: Floats) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
