"""A network beside a linear model: the linear start, then one network or several, each after those before it.

`Run` counts the budget, watches the clock, and keeps history and checkpoints; `EmaTrainer` trains.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer._runtime.clock import clock
from colayer._runtime.threads import Threads
from colayer.dynamic.bound import BoundDynamic
from colayer.dynamic.play import Epoch
from colayer.errors import InputError, OptionError
from colayer.evaluators.base import Backend
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.statistics import Moments, moments
from colayer.learning.checkpoint import Checkpoint
from colayer.learning.imitation.example import examples_of
from colayer.learning.imitation.fit import PASSES, Demonstration, feature_rows
from colayer.learning.learner import Fitted, TrainingJob, learner_for
from colayer.learning.network.context import ContextNetwork
from colayer.learning.network.day_states import DayPart, by_rests, drawn_epochs, own
from colayer.learning.network.device import device_named, one_thread
from colayer.learning.network.instance_batches import InstanceBatches, Part
from colayer.learning.network.items import Item, item_of, units_of
from colayer.learning.network.method import Neural
from colayer.learning.network.theta_gradients import Gradient, by_demonstration, by_experience
from colayer.learning.network.trainer import EmaTrainer, RateSchedule
from colayer.learning.portfolio.solve_defaults import Corrected, choose_for_network
from colayer.learning.run import open_run
from colayer.learning.search.auto import Auto
from colayer.learning.search.fit import EVALUATIONS
from colayer.models import ContextModel
from colayer.models.context import append_stage
from colayer.models.stage import kinds_of
from colayer.problem.protocol import X, Y, Z
from colayer.problem.structure import first_stage_uses_answer

#: Blocks of a network, where rows stand in an order and elsewhere; and the dilations of the first, over and over.
_DEPTH = {True: 6, False: 3}
_DILATIONS = (1, 2, 4, 8, 16, 32)
#: The budget where nothing is said, as a multiple of that of a linear model.
_BUDGET = 4
#: A change of θ that matters, as a share of its spread; of positions, in their own unit.
_GAIN = 0.3


def fit_network(method: Neural, job: TrainingJob[X, Y, Z]) -> Fitted:
    """Learn a linear model, then networks beside it.

    The journal is that of the linear start; beside it, with `.npz` after its name, lies the checkpoint of the network,
    and with `.2.npz` and so on those of later stages.
    """
    begin, settings, loss = clock(), job.settings, _loss(method, job)
    _check(method, job, loss)
    device = device_named(job.backend.device)
    budget = job.budget(_BUDGET * (EVALUATIONS if loss is None else PASSES))
    linear = _linear(method, job, loss, 0 if method.start is not None else int(method.share * budget))
    data, held = LocalEvaluator(job.training_problem, job.training), LocalEvaluator(job.training_problem, job.held_out)
    features = moments(job.training_problem, job.training, data)
    weights = _start(method, job, features.scale) if linear is None else linear.model.weights
    if job.problem.dynamic:
        gradient = None  # anew in each pass
    elif loss is None:
        gradient = by_experience(data, method.samples, method.sigma)
    else:
        examples = examples_of(job, feature_rows(job, data, held))
        gradient = by_demonstration([examples[i] for i in job.split[0]], loss)
    left = None if settings.time_limit is None else max(0.0, begin + settings.time_limit - clock())
    watched = replace(settings, journal=None, time_limit=left)
    with Threads(job.backend.workers) as threads, one_thread(), open_run(watched, budget, 1, {}) as run:
        if linear is not None:
            run.continue_from(linear.history, linear.recalled)
        cost = method.samples + 1 if loss is None else 1
        identity = job.identity(method, budget, features)
        determined = {**identity, "start": weights.tolist(), **({} if device == "cpu" else {"device": device})}
        stages = _Stages(method, job, data, held, features, weights, gradient, cost, threads, device)
        model, epochs = stages.silent_model(), []
        for stage in range(method.stages):
            until, deadline = run.part_left(method.stages - stage)
            run.checkpoint = _checkpoint(settings.journal, stage, determined, model)
            trainer, source = stages.next(model, until - run.spent)
            trainer.train(source, run, until, deadline)
            model = source.model_of(trainer.kept)
            epochs.append(trainer.best)
        assert model is not None
        if clock() < run.deadline and not job.problem.dynamic:
            training, held_out = (Corrected(part, model, threads) for part in (data, held))
            defaults = choose_for_network(
                training, held_out if job.held_out else None, model, job.seed, run.spent, int(settings.portfolio)
            )
            model = replace(model, sigma=defaults.sigma, portfolio=defaults.portfolio)
    provenance = job.provenance(
        {"learned": "by experience" if loss is None else "by demonstration", **identity},
        evaluated=run.spent,
        loss=run.loss,
        validation_loss=run.validation_loss,
        linear=None if linear is None else linear.model.provenance,
        **{"pass": epochs[0] if method.stages == 1 else epochs},
    )
    model = replace(model, provenance=provenance)
    return Fitted(model, run.loss, run.validation_loss, tuple(run.history), run.recalled)


@dataclass(frozen=True, eq=False)
class _Stages(Generic[X, Y, Z]):
    """The networks of one run: what all of them share; weights are the linear ones, in model units."""

    method: Neural
    job: TrainingJob[X, Y, Z]
    training: LocalEvaluator[X, Y, Z]
    held_out: LocalEvaluator[X, Y, Z]
    features: Moments
    weights: Floats
    gradient: Gradient | None
    cost: int
    threads: Threads
    device: str

    def silent_model(self) -> ContextModel | None:
        """Return the linear model as a silent network, where the first network looks at what it makes; else None."""
        data = self.training
        first, rows = data.instances[0], len(data.features[0])
        if data.problem.dynamic:
            item = self._part(data, None).items[0]
            first, rows = item.instance, len(item.start)
        structure = data.problem.structure_of(first, rows)
        if not first_stage_uses_answer(data.problem.structure_uses_answer, structure):
            return None
        return ContextModel(weights=self.weights, **self._described())

    def next(self, earlier: ContextModel | None, budget: int) -> tuple[EmaTrainer, InstanceBatches[X, Y, Z]]:
        """Return the trainer of the network after an earlier one, and the batches it learns from."""
        method, seed = self.method, self.job.seed
        training, held_out = self._part(self.training, earlier), self._part(self.held_out, earlier)
        items = training.items
        relations = kinds_of(items[0].structure)
        for item in items:
            if kinds_of(item.structure) != relations or len(item.inputs) != len(items[0].inputs):
                raise InputError(f"structure of {self.job.problem.name} is not the same in all instances")
        anchored = items[0].anchored
        spread = 0.0 if anchored else float(np.median([item.start.std() for item in items]))
        depth = method.depth or _DEPTH["order" in relations]
        dilations = tuple(_DILATIONS[k % len(_DILATIONS)] for k in range(depth))
        gain, units = _GAIN * (spread or 1.0), [] if anchored else units_of(items)
        network = ContextNetwork(len(items[0].inputs), relations, method.channels, dilations, gain, seed, units)
        weights = np.zeros(len(self.weights)) if anchored else self.weights

        def model_of(state: Any) -> ContextModel:
            made = network.model(state, weights=weights, **self._described())
            return made if earlier is None else append_stage(earlier, made)

        trainer = EmaTrainer(network, RateSchedule(method.rate), self.device)
        fresh = None if method.fresh is None else partial(self._fresh, earlier)
        if self.job.problem.dynamic:
            fresh = partial(self._states, earlier, lambda: model_of(trainer.averaged()))
        source = InstanceBatches(
            training, held_out if held_out.items else None, self.gradient, model_of, method.batch, budget // self.cost,
            self.cost, seed, self.threads, self.device, fresh,
        )  # fmt: skip
        return trainer, source

    def _described(self) -> dict[str, Any]:
        """Return the fields that the models of all stages have in common."""
        known, scale = self.job.problem, self.features.scale
        return {
            "feature_names": known.feature_names, "feature_scale": scale, "problem": known.name,
            "options": known.options, "center": self.features.mean / scale, "fallback": self.weights,
        }  # fmt: skip

    def _part(self, data: LocalEvaluator[X, Y, Z], earlier: ContextModel | None) -> Part[X, Y, Z]:
        """Return instances with what a network sees of them after an earlier one."""
        if isinstance(data.problem, BoundDynamic):
            policy = data.problem.policy(self.weights / self.features.scale)
            epochs = drawn_epochs(data.problem, policy, data.instances, self.job.seed, 0) if data.instances else []
            return self._part_of_states(data, epochs, earlier)
        pairs = zip(data.instances, data.features, strict=True)
        return Part(data, [self._item(x, rows, earlier) for x, rows in pairs])

    def _item(self, instance: X, rows: NDArray[Any], earlier: ContextModel | None) -> Item[X]:
        scale, problem = self.features.scale, self.training.problem
        return item_of(problem, instance, rows, self.weights, scale, self.features.mean / scale, earlier)

    def _part_of_states(
        self, data: LocalEvaluator[X, Y, Z], epochs: Sequence[Epoch], earlier: ContextModel | None
    ) -> Part[X, Y, Z]:
        """Return days with the states of these epochs."""
        problem = own(data.problem)
        states = (epoch.state for epoch in epochs)
        return DayPart(data, [self._item(state, problem.state_features(state), earlier) for state in states])

    def _states(
        self, earlier: ContextModel | None, current: Callable[[], ContextModel], epoch: int
    ) -> tuple[Part[X, Y, Z], Gradient]:
        """Return one state of each day, on the way of the network as it is, and the gradient there."""
        data, method = self.training, self.method
        problem = own(data.problem)
        policy = problem.model_policy(current())
        epochs = drawn_epochs(problem, policy, data.instances, self.job.seed, epoch)
        gradient = by_rests(problem, policy, epochs, method.samples, method.sigma)
        return self._part_of_states(data, epochs, earlier), gradient

    def _fresh(self, earlier: ContextModel | None, epoch: int) -> tuple[Part[X, Y, Z], Gradient]:
        """Return new instances, as many as are trained on, and their gradient; they depend on seed and epoch alone."""
        instances = []
        for k in range(len(self.job.training)):
            sequence = seeds.sequence(self.job.seed, seeds.FRESH, epoch, k)
            random = np.random.default_rng(sequence)
            sizes = {name: values[int(random.integers(len(values)))] for name, values in self.method.sizes.items()}
            instances.append(self.job.training_problem.need("generate")(sequence.spawn(1)[0], **sizes))
        data = LocalEvaluator(self.job.training_problem, instances)
        return self._part(data, earlier), by_experience(data, self.method.samples, self.method.sigma)


def _check(method: Neural, job: TrainingJob[X, Y, Z], loss: Demonstration | None) -> None:
    """Refuse options that do not go together."""
    if job.problem.context is not None:
        raise OptionError("neural sees rows, not contexts; expected module=, a torch module", where="--method")
    if job.problem.dynamic:
        if loss is not None or method.fresh is not None:
            raise OptionError("neural learns from days by their costs alone", where="--method")
        job.problem.need("embed", option="--method", why="neural on days imitates decisions as vectors")
    if method.stages > 1 and not job.problem.structure_uses_answer:
        raise OptionError(
            f"stages {method.stages} need structure(instance, y), which {job.problem.name} has not; expected 1",
            where="--method",
        )
    if loss is not None and job.settings.radius is not None:
        raise OptionError("neural does not use it by demonstration", where="--radius")
    if method.fresh is not None:
        job.problem.need("generate", option="--method", why="fresh instances need it")
        if loss is not None:
            raise OptionError("fresh instances have no solutions to learn from", where="--method")


def _checkpoint(
    journal: str | Path | None, stage: int, identity: dict[str, Any], earlier: ContextModel | None
) -> Checkpoint | None:
    """Return the checkpoint of a stage, counted from 0; a later one depends on the network before it."""
    if journal is None:
        return None
    after = {} if earlier is None else {"after": _digest(earlier)}
    return Checkpoint(Path(f"{journal}.{stage + 1}.npz" if stage else f"{journal}.npz"), {**identity, **after})


def _digest(model: ContextModel) -> str:
    return hashlib.sha256(json.dumps(model.written_weights()).encode()).hexdigest()


def _linear(method: Neural, job: TrainingJob[X, Y, Z], loss: Demonstration | None, evaluations: int) -> Fitted | None:
    """Learn the linear model, on the processor; None without evaluations."""
    if evaluations == 0:
        return None
    settings = replace(job.settings, evaluations=evaluations, portfolio=1)
    return (loss or Auto()).fit(replace(job, settings=settings, backend=Backend(job.backend.workers)))


def _loss(method: Neural, job: TrainingJob[X, Y, Z]) -> Demonstration | None:
    """Return the demonstration loss to learn with; None by experience."""
    if job.solutions is None and job.thetas is None:
        return None
    chosen = learner_for(method.loss or "auto", "thetas" if job.solutions is None else "solutions")
    if not isinstance(chosen, Demonstration):
        raise OptionError(f"{chosen.name} is no demonstration loss", where="--method")
    return chosen


def _start(method: Neural, job: TrainingJob[X, Y, Z], scale: Floats) -> Floats:
    """Return the weights given, else the safe ones, else 0; in model units."""
    if method.start is None:
        safe = job.problem.safe_weights
        weights = np.zeros(len(scale)) if safe is None else safe
    else:
        weights = np.array(method.start)
        if weights.shape != scale.shape or not np.isfinite(weights).all():
            raise InputError(f"expected {len(scale)} finite numbers", where="start")
    return weights * scale
