"""What `Pipeline.fit` does with the method `neural`: a linear start, passes of the network, the best of all kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import colayer
from colayer.cores import cores
from colayer.errors import InputError, OptionError
from colayer.evaluators import feature_scale
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.experience import Evaluation
from colayer.learning.fit import Fitted, check_options, fit_by_experience, split, with_learn_decoder
from colayer.learning.fit_demonstration import PASSES, demonstration_method, examples_of, fit_by_demonstration
from colayer.learning.losses import Demonstration
from colayer.learning.progress import progress_bar
from colayer.neural import need_torch
from colayer.neural.method import Neural
from colayer.problem import content_hash, safe_weights_of

Floats = NDArray[np.float64]


def fit_neural(
    problem: Any,
    instances: Sequence[Any],
    *,
    solutions: Sequence[Any] | None = None,
    thetas: Sequence[Any] | None = None,
    method: Neural | None = None,
    evaluations: int | None = None,
    seed: int = 0,
    radius: float | None = None,
    learn_decoder: str | None = None,
    validation: float = 0.2,
    workers: int | None = None,
    journal: str | Path | None = None,
    time_limit: float | None = None,
    callback: Callable[[Evaluation], None] | None = None,
    progress: bool = False,
) -> Fitted:
    """Learn a linear model, then a network on top of it; by experience, or by demonstration; see `Pipeline.fit`.

    `journal` holds the linear start alone: a run that was stopped makes the passes of the network again.
    """
    need_torch("neural")
    from colayer.neural import training
    from colayer.neural.network import Network, one_thread

    method = method or Neural()
    instances = list(instances)
    imitated = solutions is not None or thetas is not None
    loss = demonstration_method(method.loss or "auto", solutions, thetas) if imitated else None
    budget = evaluations if evaluations is not None else PASSES if imitated else 1000
    check_options(instances, budget, seed, 1.0, 0.0, 0, validation, time_limit)
    if imitated and radius is not None:
        raise OptionError("has no meaning for neural by demonstration", where="--radius")
    if method.start is not None and journal is not None:
        raise OptionError("has no meaning with a given start: passes of the network are not kept", where="--journal")
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    shared: dict[str, Any] = {
        "seed": seed,
        "learn_decoder": learn_decoder,
        "validation": validation,
        "workers": workers,
        "journal": journal,
        "time_limit": time_limit,
        "callback": callback,
        "progress": progress,
    }
    linear = None
    first = 0 if method.start is not None else int(method.share * budget)
    if first:
        known = {"solutions": solutions, "thetas": thetas}
        linear = _linear(problem, instances, loss, known, first, radius, shared)
    learner = with_learn_decoder(problem, learn_decoder)
    kept, held = split(len(instances), validation, seed)
    data = LocalEvaluator(learner, [instances[i] for i in kept])
    held_data = LocalEvaluator(learner, [instances[i] for i in held])
    scale = feature_scale(data)
    if loss is None:
        gradient = training.experience_gradient(data, method)
    else:
        rows = np.empty(len(instances), dtype=np.int64)
        for indices, part in ((kept, data), (held, held_data)):
            rows[indices] = [len(features) for features in part.features]
        examples = examples_of(learner, instances, rows, solutions, thetas, seed)
        gradient = training.demonstration_gradient([examples[i] for i in kept], loss)
    weights = _start(problem, method, scale) if linear is None else linear.model.weights
    run = training.Training(
        network=Network(weights, _center(data) / scale, method.hidden, method.context, int(seed)),
        data=data,
        held_out=held_data if len(held) else None,
        gradient=gradient,
        method=method,
        seed=int(seed),
        described={
            "feature_names": tuple(problem.feature_names),
            "feature_scale": scale,
            "problem": problem.name,
            "options": problem.options,
        },
    )
    history: list[Evaluation] = [] if linear is None else list(linear.history)
    spent, cost = len(history), 1 if imitated else 2 * method.pairs + 1
    with ExitStack() as stack:
        stack.enter_context(one_thread())
        threads = workers or cores()
        run.pool = stack.enter_context(ThreadPoolExecutor(threads)) if threads > 1 else None
        listeners: list[Callable[[Evaluation], None]] = [] if callback is None else [callback]
        if progress:
            listeners.append(stack.enter_context(progress_bar(int(budget))))
        for number, value, checked in run.run(max(0, (budget - spent) // cost), deadline):
            best = min([value, *(done.best for done in history[-1:])])
            history.append(Evaluation(spent + number * cost, value, best, checked))
            for listener in listeners:
                listener(history[-1])
    if run.model is None:
        raise InputError("neural made no pass")
    provenance = {
        "colayer": colayer.__version__,
        "data": content_hash(problem, instances),
        "instances": len(instances),
        "method": method.name,
        "method_options": method.options(),
        "learned": "by demonstration" if imitated else "by experience",
        "evaluations": int(budget),
        "evaluated": history[-1].number,
        "seed": int(seed),
        "validation": validation,
        "learn_decoder": learner.options.get("decoder"),
        "loss": run.loss,
        "validation_loss": run.validation_loss,
        "linear": None if linear is None else linear.model.provenance,
    }
    return Fitted(replace(run.model, provenance=provenance), run.loss, run.validation_loss, tuple(history))


def _linear(
    problem: Any,
    instances: list[Any],
    loss: Demonstration | None,
    known: dict[str, Any],
    evaluations: int,
    radius: float | None,
    shared: dict[str, Any],
) -> Fitted:
    """The linear model to start from, on the same split."""
    if loss is not None:
        return fit_by_demonstration(problem, instances, method=loss, evaluations=evaluations, **known, **shared)
    plain: dict[str, Any] = {"method": "auto", "radius": radius, "sigma": 0.0, "samples": 1}
    return fit_by_experience(problem, instances, evaluations=evaluations, **plain, **shared)


def _start(problem: Any, method: Neural, scale: Floats) -> Floats:
    """The weights given, else the safe ones, else 0; in model units."""
    if method.start is None:
        safe = safe_weights_of(problem)
        return np.zeros(len(scale)) if safe is None else safe * scale
    weights = np.array(method.start)
    if weights.shape != scale.shape or not np.isfinite(weights).all():
        raise InputError(f"expected {len(scale)} finite numbers", where="start")
    return weights * scale


def _center(data: LocalEvaluator) -> Floats:
    """The mean of each feature over all rows."""
    rows, sums = data.feature_sums()
    return np.asarray(sums.sum(axis=0) / rows.sum())
