"""A lesson: the teacher that suits what is known, how long its steps are, and what some θ cost."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer.errors import InputError, OptionError
from colayer.learning.context.data import ContextData
from colayer.learning.context.teachers import ByAnswers, ByOwnBest, Solver, Teacher
from colayer.learning.imitation.example import examples_of
from colayer.learning.imitation.fit import Demonstration
from colayer.learning.imitation.spo import SpoPlus
from colayer.learning.learner import Learner, TrainingJob
from colayer.problem.context import ContextProblem

#: Samples of a step.
BATCH = 32


@dataclass(frozen=True, eq=False)
class Lesson:
    """See the head of this module; `rate` is None where the user sets none, `targets` a hash of what is taught."""

    job: TrainingJob[Any, Any, Any]
    solve: Solver
    teacher: Teacher
    rate: float | None
    batch: int
    targets: str = ""

    @property
    def learned(self) -> str:
        """Return how, for the provenance."""
        return f"by {'demonstration' if isinstance(self.teacher, ByAnswers) else 'experience'}"

    def cost(self, thetas: Floats, chosen: Ints) -> float:
        """Return the mean cost over scale of deciding by θ, a row for each of the chosen samples.

        Where the true θ are known, it is ⟨θ*, y⟩ over the mean size of the least.
        """
        teacher, problem = self.teacher, self.job.training_problem
        if isinstance(teacher, ByAnswers) and teacher.true is not None:
            found = self.solve(thetas, chosen)
            least = float(np.abs((teacher.true * teacher.targets).sum(axis=1)).mean()) or 1.0
            return float((teacher.true[chosen] * found).sum(axis=1).mean()) / least
        own = not isinstance(problem.problem, ContextProblem)
        found = thetas if own else self.solve(thetas, chosen)
        total = []
        for y, i in zip(found, chosen, strict=True):
            one = self.job.instances[i]
            solution = problem.decode(problem.layer(y, one) if own else y, one)
            total.append(problem.cost(solution, one) / problem.scale(one))
        mean = float(np.mean(total))
        if not np.isfinite(mean):
            raise InputError(f"the mean cost is {mean}, expected a finite number")
        return mean


def lesson_of(learner: Learner, job: TrainingJob[Any, Any, Any], data: ContextData) -> Lesson:
    """Return the lesson of a learner: by demonstration, by known linear costs, or by costs alone."""
    for name, given in (
        ("sigma", job.settings.sigma),
        ("radius", job.settings.radius),
        ("cluster", job.backend.cluster),
    ):
        if given:
            raise OptionError(f"learning from contexts does not use `{name}`", where=f"--{name}")
    problem, instances = job.training_problem, job.instances
    solve = Solver(problem, instances, job.backend.workers or 1)
    method = learner if isinstance(learner, Demonstration) else None
    thetas = job.thetas if job.solutions is None else None
    if method is None and (known := _linear_costs(job)) is not None:
        method, thetas = SpoPlus(), known
    if method is not None:
        taught = TrainingJob(job.problem, instances, job.settings, job.backend, job.solutions, thetas)
        teacher = ByAnswers(method, examples_of(taught, [data.rows] * len(instances)), solve)
        targets = _hash(teacher.targets, teacher.values)
        return Lesson(job, solve, teacher, method.rate, method.batch or BATCH, targets)
    if learner.name not in ("auto", "srl"):
        raise OptionError(f"{learner.name} does not learn from contexts, expected auto", where="--method")
    return Lesson(job, solve, ByOwnBest(problem, instances, solve, job.seed), None, BATCH)


def _linear_costs(job: TrainingJob[Any, Any, Any]) -> list[Floats] | None:
    """Return the true θ of each instance where costs are linear and known."""
    problem = job.problem.problem
    if not isinstance(problem, ContextProblem) or job.solutions is not None:
        return None
    found = [problem.mean_costs(instance) for instance in job.instances]
    return None if any(one is None for one in found) else [one for one in found if one is not None]


def _hash(*arrays: Floats) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
