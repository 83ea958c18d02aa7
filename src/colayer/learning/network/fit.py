"""A network on top of a linear model: the linear start, then passes of the network, of which the best state is kept."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

import colayer
from colayer.clock import clock
from colayer.content import SEEN, hashed
from colayer.errors import InputError, OptionError, need_extra
from colayer.evaluators.base import Backend
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.statistics import moments
from colayer.learning.demonstration.example import examples_of
from colayer.learning.demonstration.fit import PASSES, Demonstration, feature_rows
from colayer.learning.experience.auto import Auto
from colayer.learning.experience.fit import EVALUATIONS
from colayer.learning.learner import Fitted, Lesson, learner_for
from colayer.learning.run import Evaluation, open_run
from colayer.problem import Floats, X, Y, Z, declared
from colayer.threads import Threads

if TYPE_CHECKING:
    from colayer.learning.network.method import Neural


def fit_network(method: Neural, lesson: Lesson[X, Y, Z]) -> Fitted:
    """Learn a linear model, then a network on top of it.

    The journal holds the linear start alone: a run that was stopped makes the passes of the network again.
    """
    need_extra("torch", "neural needs torch", "neural")
    from colayer.learning.network import training
    from colayer.learning.network.module import Network, one_thread

    settings, loss = lesson.settings, _loss(method, lesson)
    if loss is not None and settings.radius is not None:
        raise OptionError("has no meaning for neural by demonstration", where="--radius")
    if method.start is not None and settings.journal is not None:
        raise OptionError("has no meaning with a given start: passes of the network are not kept", where="--journal")
    budget = lesson.budget(EVALUATIONS if loss is None else PASSES)
    deadline = math.inf if settings.time_limit is None else clock() + settings.time_limit
    first = 0 if method.start is not None else int(method.share * budget)
    linear = None
    if first:
        begin = replace(lesson, settings=replace(settings, evaluations=first), backend=Backend(lesson.backend.workers))
        linear = (loss or Auto()).fit(begin)
    data = LocalEvaluator(lesson.student, lesson.training)
    held_out = LocalEvaluator(lesson.student, lesson.held_out)
    features = moments(lesson.student, lesson.training, data)
    scale = features.scale
    if loss is None:
        gradient = training.experience_gradient(data, method)
    else:
        examples = examples_of(lesson, feature_rows(lesson, data, held_out))
        gradient = training.demonstration_gradient([examples[i] for i in lesson.split[0]], loss)
    weights = _start(method, lesson, scale) if linear is None else linear.model.weights
    history: list[Evaluation] = [] if linear is None else list(linear.history)
    spent, cost = len(history), 2 * method.pairs + 1 if loss is None else 1
    watched = replace(settings, journal=None, time_limit=None)
    with Threads(lesson.backend.workers) as threads, one_thread(), open_run(watched, budget, len(scale), {}) as run:
        course = training.Training(
            network=Network(weights, features.mean / scale, method.hidden, method.context, lesson.seed),
            data=data,
            held_out=held_out if lesson.held_out else None,
            gradient=gradient,
            method=method,
            seed=lesson.seed,
            described={
                "feature_names": lesson.known.feature_names,
                "feature_scale": scale,
                "problem": lesson.known.name,
                "options": lesson.known.options,
            },
            threads=threads,
        )
        for number, value, validation in course.run(max(0, (budget - spent) // cost), deadline):
            best = min([value, *(done.best for done in history[-1:])])
            history.append(Evaluation(spent + number * cost, value, best, validation))
            for listener in run.listeners:
                listener(history[-1])
    if course.model is None:
        raise InputError("neural made no pass")
    digest, seen = hashed(lesson.problem, lesson.instances)
    provenance = {
        "colayer": colayer.__version__,
        "data": digest,
        "instances": len(lesson.instances),
        "method": method.name,
        "method_options": method.options(),
        "learned": "by experience" if loss is None else "by demonstration",
        "evaluations": budget,
        "evaluated": history[-1].number,
        "seed": lesson.seed,
        "validation": settings.validation,
        "learn_decoder": declared(lesson.student).decoder,
        "loss": course.loss,
        "validation_loss": course.validation_loss,
        "linear": None if linear is None else linear.model.provenance,
        SEEN: seen,
    }
    model, recalled = replace(course.model, provenance=provenance), 0 if linear is None else linear.recalled
    return Fitted(model, course.loss, course.validation_loss, tuple(history), recalled)


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
