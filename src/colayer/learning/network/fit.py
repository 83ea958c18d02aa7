"""A network beside a linear model: the linear start, then passes of the network, of which the best state is kept."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import colayer
from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer._runtime.clock import clock
from colayer._runtime.threads import Threads
from colayer.errors import InputError, OptionError, need_extra
from colayer.evaluators.base import Backend
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.statistics import Moments, moments
from colayer.io.documents import generated
from colayer.io.hashing import SEEN, hashed
from colayer.learning.imitation.example import examples_of
from colayer.learning.imitation.fit import PASSES, Demonstration, feature_rows
from colayer.learning.learner import Fitted, Lesson, learner_for
from colayer.learning.network.ending import Corrected, conclude_network
from colayer.learning.network.slopes import Gradient, by_demonstration, by_experience
from colayer.learning.network.source import item_after, units_of
from colayer.learning.run import Evaluation, open_run
from colayer.learning.search.auto import Auto
from colayer.learning.search.fit import EVALUATIONS
from colayer.models import ContextModel
from colayer.models.context import followed
from colayer.models.stage import kinds_of
from colayer.problem.abilities import Generates, need
from colayer.problem.protocol import X, Y, Z, declared
from colayer.problem.structure import looks_again, looks_first, structure_of

if TYPE_CHECKING:
    from colayer.learning.network.averaged import Averaged
    from colayer.learning.network.method import Neural
    from colayer.learning.network.passes import Part, Passes

#: Blocks of a network, where rows stand in an order and elsewhere; and the dilations of the first, over and over.
_DEPTH = {True: 6, False: 3}
_DILATIONS = (1, 2, 4, 8, 16, 32)
#: The budget where nothing is said, as a multiple of that of a linear model.
_BUDGET = 4
#: A change of θ that matters, as a share of its spread; of moments, in their own unit.
_GAIN = 0.3


def fit_network(method: Neural, lesson: Lesson[X, Y, Z]) -> Fitted:
    """Learn a linear model, then a network beside it.

    The journal holds the linear start; beside it, with `.npz` after its name, lies the state after the last pass, and
    with `.2.npz` and so on that of later stages.
    """
    need_extra("torch", "neural needs torch", "neural")
    from colayer.learning.network.device import device_named, one_thread
    from colayer.learning.network.passes import Part

    settings, loss = lesson.settings, _loss(method, lesson)
    if method.stages > 1 and not looks_again(lesson.problem):
        raise OptionError(
            f"stages {method.stages} need structure(instance, y), which {lesson.problem.name} has not; expected 1",
            where="--method",
        )
    device = device_named(lesson.backend.device)
    if loss is not None and settings.radius is not None:
        raise OptionError("has no meaning for neural by demonstration", where="--radius")
    if method.fresh is not None:
        need(lesson.problem, Generates, option="--method", why="fresh instances need it")
        if loss is not None:
            raise OptionError("fresh instances have no solutions to learn from", where="--method")
    budget = lesson.budget(_BUDGET * (EVALUATIONS if loss is None else PASSES))
    deadline = math.inf if settings.time_limit is None else clock() + settings.time_limit
    linear = _linear(method, lesson, loss, 0 if method.start is not None else int(method.share * budget))
    data, held = LocalEvaluator(lesson.student, lesson.training), LocalEvaluator(lesson.student, lesson.held_out)
    features = moments(lesson.student, lesson.training, data)
    weights = _start(method, lesson, features.scale) if linear is None else linear.model.weights
    if loss is None:
        gradient = by_experience(data, method.samples, method.sigma)
    else:
        examples = examples_of(lesson, feature_rows(lesson, data, held))
        gradient = by_demonstration([examples[i] for i in lesson.split[0]], loss)
    history: list[Evaluation] = [] if linear is None else list(linear.history)
    spent, cost = sum(done.cost for done in history), method.samples + 1 if loss is None else 1
    digest, seen = hashed(lesson.problem, lesson.instances)
    recalled = 0 if linear is None else linear.recalled
    watched = replace(settings, journal=None, time_limit=None)
    with Threads(lesson.backend.workers) as threads, one_thread(), open_run(watched, budget, 1, {}) as run:
        identity = {
            **lesson.identity(method, budget, features, start=weights.tolist()),
            **({} if device == "cpu" else {"device": device}),
        }
        model = _before(lesson, data, features, weights)
        best_passes: list[int] = []
        for stage in range(method.stages):
            parts = [Part(part, _items(part, features, weights, model)) for part in (data, held)]
            passes = _passes(method, lesson, parts, gradient, weights, features, threads, device, model)
            passes.checkpoint = _checkpoint(settings.journal, stage)
            passes.count = max(0, (budget - spent) // (cost * (method.stages - stage)))
            passes.identity = {**identity, **({} if model is None else {"after": _digest(model)})}
            if method.fresh is not None:
                passes.fresh = partial(_fresh, method, lesson, features, weights, model)
            until = deadline if math.isinf(deadline) else clock() + (deadline - clock()) / (method.stages - stage)
            for number, made in passes.run(until):
                best = min([made.loss, *(done.best for done in history[-1:])])
                history.append(Evaluation(spent + number * cost, made.loss, best, made.validation))
                for listener in run.listeners:
                    listener(history[-1])
            spent = history[-1].number
            recalled += passes.recalled
            model, kept = passes.model(), passes.losses[passes.best]
            best_passes.append(passes.best)
        assert model is not None
        corrected = [Corrected(part, model, threads) for part in (data, held)]
        if clock() < deadline:
            ending = conclude_network(
                corrected[0], corrected[1] if lesson.held_out else None, model, lesson.seed,
                history[-1].number, int(settings.portfolio),
            )  # fmt: skip
            model = replace(model, sigma=ending.sigma, portfolio=ending.portfolio)
    provenance = {
        "colayer": colayer.__version__,
        "data": digest,
        "instances": len(lesson.instances),
        "method": method.name,
        "method_options": method.options(),
        "learned": "by experience" if loss is None else "by demonstration",
        "evaluations": budget,
        "evaluated": history[-1].number,
        "pass": best_passes[0] if method.stages == 1 else best_passes,
        "seed": lesson.seed,
        "validation": settings.validation,
        "learn_decoder": declared(lesson.student).decoder,
        "loss": kept.loss,
        "validation_loss": kept.validation,
        "linear": None if linear is None else linear.model.provenance,
        SEEN: seen,
    }
    return Fitted(replace(model, provenance=provenance), kept.loss, kept.validation, tuple(history), recalled)


def _before(
    lesson: Lesson[X, Y, Z], data: LocalEvaluator[X, Y, Z], features: Moments, weights: Floats
) -> ContextModel | None:
    """The linear model as one whose network is silent, where the first network looks at what it makes; else None."""
    structure = structure_of(data.problem, data.instances[0], len(data.features[0]))
    if not looks_first(data.problem, structure):
        return None
    known = lesson.known
    return ContextModel(
        feature_names=known.feature_names, weights=weights, feature_scale=features.scale, problem=known.name,
        options=known.options, center=features.mean / features.scale, fallback=weights,
    )  # fmt: skip


def _checkpoint(journal: str | Path | None, stage: int) -> Path | None:
    """Where the state of a stage, counted from 0, goes."""
    return None if journal is None else Path(f"{journal}.{stage + 1}.npz" if stage else f"{journal}.npz")


def _digest(model: ContextModel) -> str:
    """What a later stage depends on."""
    return hashlib.sha256(json.dumps(model.written_weights()).encode()).hexdigest()


def _linear(method: Neural, lesson: Lesson[X, Y, Z], loss: Demonstration | None, evaluations: int) -> Fitted | None:
    """The linear model, learned on the processor; None without evaluations."""
    if evaluations == 0:
        return None
    settings = replace(lesson.settings, evaluations=evaluations, portfolio=1)
    return (loss or Auto()).fit(replace(lesson, settings=settings, backend=Backend(lesson.backend.workers)))


def _items(
    data: LocalEvaluator[X, Y, Z], features: Moments, weights: Floats, earlier: ContextModel | None
) -> list[Any]:
    """What the network sees of the instances, after those of an earlier stage."""
    scale = features.scale
    return [
        item_after(data.problem, instance, rows, weights, scale, features.mean / scale, earlier)
        for instance, rows in zip(data.instances, data.features, strict=True)
    ]


def _fresh(
    method: Neural,
    lesson: Lesson[X, Y, Z],
    features: Moments,
    weights: Floats,
    earlier: ContextModel | None,
    number: int,
) -> tuple[Part[X, Y, Z], Gradient]:
    """New instances for a pass, as many as it had, and the gradient at them; they depend on seed and pass alone."""
    from colayer.learning.network.passes import Part

    instances = []
    for k in range(len(lesson.training)):
        sequence = seeds.sequence(lesson.seed, seeds.FRESH, number, k)
        random = np.random.default_rng(sequence)
        sizes = {name: values[int(random.integers(len(values)))] for name, values in method.sizes.items()}
        instances.append(generated(lesson.student, sequence.spawn(1)[0], **sizes))
    data = LocalEvaluator(lesson.student, instances)
    return Part(data, _items(data, features, weights, earlier)), by_experience(data, method.samples, method.sigma)


def _passes(
    method: Neural,
    lesson: Lesson[X, Y, Z],
    parts: Sequence[Part[X, Y, Z]],
    gradient: Gradient,
    weights: Floats,
    features: Moments,
    threads: Threads,
    device: str,
    earlier: ContextModel | None,
) -> Passes[X, Y, Z]:
    """The network of the next stage, and how it learns."""
    from colayer.learning.network.averaged import Averaged, Pace
    from colayer.learning.network.context import ContextNetwork
    from colayer.learning.network.passes import Passes

    items, known = parts[0].items, lesson.known
    relations = kinds_of(items[0].structure)
    for item in items:
        if kinds_of(item.structure) != relations or len(item.inputs) != len(items[0].inputs):
            raise InputError(f"structure of {known.name} is not the same in all instances")
    anchored = items[0].anchored
    spread = 0.0 if anchored else float(np.median([item.start.std() for item in items]))
    depth = method.depth or _DEPTH["order" in relations]
    dilations = tuple(_DILATIONS[k % len(_DILATIONS)] for k in range(depth))
    gain = _GAIN * (spread or 1.0)
    units = [] if anchored else units_of(items)
    network = ContextNetwork(len(items[0].inputs), relations, method.channels, dilations, gain, lesson.seed, units)

    def model_of(state: Any) -> ContextModel:
        made = network.model(
            state,
            feature_names=known.feature_names,
            feature_scale=features.scale,
            problem=known.name,
            options=known.options,
            weights=np.zeros(len(weights)) if anchored else weights,
            center=features.mean / features.scale,
            fallback=weights,
        )
        return made if earlier is None else followed(earlier, made)

    learning: Averaged = Averaged(network, Pace(method.rate), device)
    return Passes(
        learning, parts[0], parts[1] if parts[1].items else None, gradient, model_of, method.batch, 0, lesson.seed,
        threads,
    )  # fmt: skip


def _loss(method: Neural, lesson: Lesson[X, Y, Z]) -> Demonstration | None:
    """The demonstration loss to learn with; None by experience."""
    if lesson.solutions is None and lesson.thetas is None:
        return None
    chosen = learner_for(method.loss or "auto", "thetas" if lesson.solutions is None else "solutions")
    if not isinstance(chosen, Demonstration):
        raise OptionError(f"{chosen.name} is no demonstration loss", where="--method")
    return chosen


def _start(method: Neural, lesson: Lesson[X, Y, Z], scale: Floats) -> Floats:
    """The weights given, else the safe ones, else 0; in model units."""
    if method.start is None:
        safe = lesson.known.safe_weights
        weights = np.zeros(len(scale)) if safe is None else safe
    else:
        weights = np.array(method.start)
        if weights.shape != scale.shape or not np.isfinite(weights).all():
            raise InputError(f"expected {len(scale)} finite numbers", where="start")
    return weights * scale
