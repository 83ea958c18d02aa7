"""Fit a torch module of the user's in the place of W·context + b.

θ = s·module(z), z the context at mean 0 and spread 1, and s the size of known θ. Where answers are known, the first
half of the passes regress on them; the others descend the decision loss, whose gradient in θ the module pulls back. Of
all passes the one of least validation loss is kept.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats, Ints
from colayer.errors import InputError, OptionError
from colayer.evaluators.statistics import Moments
from colayer.learning.context.data import ContextData
from colayer.learning.context.descent import JUDGED
from colayer.learning.context.lesson import Lesson
from colayer.learning.journal import Record
from colayer.learning.learner import Fitted, Learner, TrainingJob
from colayer.learning.network.device import one_thread
from colayer.learning.run import Run, open_run
from colayer.models.module import ModuleModel

#: Adam's rate, which falls to 0 over the passes of each half.
RATE = 1e-2
#: Passes of each half where nothing is said: enough for so many steps, within these bounds.
_STEPS, _FEWEST, _MOST = 600, 10, 30


def fit_module(learner: Learner, job: TrainingJob[Any, Any, Any], data: ContextData, lesson: Lesson) -> Fitted:
    """Return the model of a copy of `job.module`, trained."""
    if not isinstance(job.module, torch.nn.Module) or not any(True for _ in job.module.parameters()):
        raise OptionError("expected a torch module with parameters", where="module")
    if data.shared.shape[2]:
        raise OptionError(
            f"{job.problem.name} has features beside the context, which only W·context + b takes", where="module"
        )
    if job.settings.journal is not None:
        raise OptionError("a torch module keeps no journal", where="--journal")
    train, held = job.split
    answers = lesson.teacher.answers(data, train)
    half = min(_MOST, max(_FEWEST, -(-_STEPS * lesson.batch // len(train))))
    passes = job.budget(half if answers is None else 2 * half)
    size = lesson.teacher.spread if answers is None else math.sqrt(float((answers**2).mean())) or 1.0
    identity = job.identity(learner, passes, Moments(data.mean, data.spread), targets=lesson.targets, model="module")
    with (
        one_thread(),
        torch.random.fork_rng(devices=[]),
        open_run(job.settings, passes, 0, identity, every=True) as run,
    ):
        torch.manual_seed(job.seed)
        training = _Training(copy.deepcopy(job.module), run, data, lesson, size, train, held, job.seed)
        run.conduct(partial(training.minimize, answers, passes), learner.name)
        module = training.best
        cost = lesson.cost(training.thetas(module, np.arange(len(job.instances))), np.arange(len(job.instances)))
    outcome = {"evaluated": len(run.history), "loss": cost, "validation_loss": run.validation_loss}
    problem = job.problem
    provenance = job.provenance({"learned": lesson.learned, **identity, "module": repr(module)}, **outcome)
    header = problem.feature_names, np.empty(0), np.empty(0), problem.name, problem.options, provenance
    model = ModuleModel(*header, module=module, mean=data.mean, spread=data.spread, size=size)
    return Fitted(model, cost, run.validation_loss, tuple(run.history))


@dataclass(eq=False)
class _Training:
    """The training of one module; `best` is a copy of it as it was at the answer of the run."""

    module: torch.nn.Module
    run: Run
    data: ContextData
    lesson: Lesson
    size: float
    train: Ints
    held: Ints
    seed: int

    def __post_init__(self) -> None:
        self.best = self.module

    def minimize(self, answers: Floats | None, passes: int) -> None:
        """Go through the training samples so many times; the first evaluation is of the module as it came."""
        self._keep(0.0)
        half = 0 if answers is None else passes // 2
        for first, last in ((0, half), (half, passes)):
            optimizer = torch.optim.Adam(self.module.parameters())
            for number in range(first + 1, last + 1):
                self.run.check_time()
                self._keep(self._pass(number, optimizer, (first, last), answers if last == half else None))

    def thetas(self, module: torch.nn.Module, chosen: Ints) -> Floats:
        """Return θ of the chosen samples, as in `decide`."""
        module.eval()
        with torch.no_grad():
            return self.size * self._outputs(module, chosen).double().numpy()

    def _pass(
        self, number: int, optimizer: torch.optim.Optimizer, phase: tuple[int, int], answers: Floats | None
    ) -> float:
        """Return the mean loss of a pass: of least squares where there are answers, else of the teacher."""
        order = seeds.generator(self.seed, seeds.DEMONSTRATION, 0, number).permutation(len(self.train))
        parts = np.array_split(order, -(-len(order) // self.lesson.batch))
        self.module.train()
        values = []
        for k, rows in enumerate(parts):
            part = self.train[rows]
            outputs = self._outputs(self.module, part)
            thetas = self.size * outputs.detach().double().numpy()
            if answers is None:
                value, gradients = self.lesson.teacher.losses(thetas, part, number)
            else:
                away = thetas - answers[rows]
                value, gradients = float((away**2).sum()) / len(part), 2.0 * away
            values.append(value * len(part))
            done = (number - 1 - phase[0] + k / len(parts)) / (phase[1] - phase[0])
            optimizer.param_groups[0]["lr"] = (self.lesson.rate or RATE) * (1.0 - done)
            optimizer.zero_grad()
            torch.autograd.backward(outputs, torch.as_tensor(gradients * (self.size / len(part)), dtype=outputs.dtype))
            optimizer.step()
        return math.fsum(values) / len(order)

    def _outputs(self, module: torch.nn.Module, chosen: Ints) -> torch.Tensor:
        kind = next(module.parameters()).dtype
        outputs: torch.Tensor = module(torch.as_tensor(self.data.inputs[chosen, :-1], dtype=kind))
        if tuple(outputs.shape) != (len(chosen), self.data.rows):
            said = f"returned shape {tuple(outputs.shape)}, expected {(len(chosen), self.data.rows)}"
            raise InputError(f"{said}: a θ per context", where="module")
        if not torch.isfinite(outputs).all():
            raise InputError("returned a number that is not finite", where="module")
        return outputs

    def _keep(self, demonstration: float) -> None:
        """Evaluate the module, and keep a copy where it is the best so far."""
        few = self.train[:JUDGED]
        loss = self.lesson.cost(self.thetas(self.module, few), few)
        validation = self.lesson.cost(self.thetas(self.module, self.held), self.held) if len(self.held) else None
        record = Record(self.run.number, [], loss, validation, demonstration)
        self.run.keep([record])
        if self.run.answer is record:
            self.best = copy.deepcopy(self.module)
