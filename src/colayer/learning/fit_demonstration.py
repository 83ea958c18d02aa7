"""What `Pipeline.fit` does with solutions or true θ: targets, split, feature scale, descent, model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import colayer
from colayer.cores import cores
from colayer.errors import InputError, OptionError
from colayer.evaluators import feature_scale
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.demonstration import Pass, imitate
from colayer.learning.examples import Examples
from colayer.learning.fit import Fitted, check_options, split, with_learn_decoder
from colayer.learning.losses import Demonstration, Example, demonstration_named, demonstration_names
from colayer.learning.losses.base import vector
from colayer.models import LinearModel
from colayer.problem import content_hash, safe_weights_of

Floats = NDArray[np.float64]

#: Passes over the training instances where nothing else is said.
PASSES = 100
_SPAWN_KEY = 0xDE


def demonstration_method(method: Any, solutions: Any, thetas: Any) -> Demonstration | None:
    """The method that learns by demonstration, or None where `method` learns by experience; the data must fit it.

    "auto" is fenchel-young where there are solutions, spo+ where there are true θ.
    """
    if solutions is not None and thetas is not None:
        raise OptionError("given with thetas, expected one of them", where="solutions")
    given = "solutions" if solutions is not None else None if thetas is None else "thetas"
    if given is not None and method == "auto":
        method = "spo+" if given == "thetas" else "fenchel-young"
    known = method in demonstration_names() if isinstance(method, str) else isinstance(method, Demonstration)
    if not known:
        if given is not None:
            names = ", ".join(demonstration_names())
            raise OptionError(f"{method!r} does not learn from {given}, expected one of {names}", where="--method")
        return None
    chosen: Demonstration = demonstration_named(method) if isinstance(method, str) else method
    needed = "thetas" if chosen.from_theta else "solutions"
    if given != needed:
        raise OptionError(f"{chosen.name} learns from {needed}, and there are none", where="--method")
    return chosen


def fit_by_demonstration(
    problem: Any,
    instances: Sequence[Any],
    *,
    solutions: Sequence[Any] | None = None,
    thetas: Sequence[Any] | None = None,
    method: str | Demonstration = "auto",
    evaluations: int | None = None,
    seed: int = 0,
    learn_decoder: str | None = None,
    validation: float = 0.2,
    workers: int | None = None,
    journal: str | Path | None = None,
    time_limit: float | None = None,
    callback: Callable[[Pass], None] | None = None,
    progress: bool = False,
) -> Fitted:
    """Minimise the mean demonstration loss over the training share of the instances; see `Pipeline.fit`.

    `evaluations` are passes over the training instances, 100 where it is None. The search starts from w = 0, or, for a
    loss that is homogeneous, from the safe weights (the sum of the features, without), and keeps the norm √d.
    """
    instances = list(instances)
    chosen = demonstration_method(method, solutions, thetas)
    if chosen is None:
        raise OptionError(f"{method!r} does not learn by demonstration", where="--method")
    passes = PASSES if evaluations is None else evaluations
    check_options(instances, passes, seed, 1.0, 0.0, 0, validation, time_limit)
    if workers is not None and workers < 1:
        raise OptionError(f"{workers} is out of range, expected at least 1", where="--workers")
    passes, seed = int(passes), int(seed)
    learner = with_learn_decoder(problem, learn_decoder)
    training, held = split(len(instances), validation, seed)
    with ExitStack() as stack:
        threads = workers or cores()
        pool = stack.enter_context(ThreadPoolExecutor(threads)) if threads > 1 else None
        evaluator = LocalEvaluator(learner, [instances[i] for i in training])
        held_evaluator = LocalEvaluator(learner, [instances[i] for i in held])
        rows = np.empty(len(instances), dtype=np.int64)
        for indices, part in ((training, evaluator), (held, held_evaluator)):
            rows[indices] = [len(features) for features in part.features]
        examples = examples_of(learner, instances, rows, solutions, thetas, seed)
        scale = feature_scale(evaluator)
        identity = {
            "problem": problem.name,
            "options": problem.options,
            "data": content_hash(problem, instances),
            "targets": _hash(examples),
            "instances": len(instances),
            "method": chosen.name,
            "method_options": chosen.options(),
            "evaluations": passes,
            "seed": seed,
            "learn_decoder": learner.options.get("decoder"),
            "validation": validation,
            "features": hashlib.sha256(repr(problem.feature_names).encode() + scale.tobytes()).hexdigest(),
        }
        imitated = imitate(
            Examples(evaluator, [examples[i] for i in training], pool),
            Examples(held_evaluator, [examples[i] for i in held], pool) if len(held) else None,
            method=chosen,
            scale=scale,
            start=_start(problem, chosen, scale),
            passes=passes,
            seed=seed,
            journal=journal,
            identity=identity,
            time_limit=time_limit,
            callback=callback,
            progress=progress,
        )
    provenance = {
        "colayer": colayer.__version__,
        "learned": "by demonstration",
        **{key: value for key, value in identity.items() if key not in ("problem", "options")},
        "evaluated": len(imitated.history),
        "converged": imitated.converged,
        "loss": imitated.loss,
        "validation_loss": imitated.validation_loss,
        "demonstration_loss": {
            "start": imitated.history[0].demonstration,
            "least": min(done.demonstration for done in imitated.history),
            "last": imitated.history[-1].demonstration,
        },
    }
    names = tuple(problem.feature_names)
    model = LinearModel(names, imitated.weights, scale, problem.name, problem.options, provenance)
    return Fitted(model, imitated.loss, imitated.validation_loss, imitated.history)


def examples_of(
    problem: Any,
    instances: Sequence[Any],
    rows: NDArray[np.int64],
    solutions: Sequence[Any] | None,
    thetas: Sequence[Any] | None,
    seed: int,
) -> list[Example]:
    """Targets from solutions, or from the layer at the true θ. Draws depend on the seed and the instance's place."""
    name, given = ("thetas", thetas) if solutions is None else ("solutions", solutions)
    known = list(given or ())
    if len(known) != len(instances):
        raise InputError(f"{len(known)} of them, expected {len(instances)}, one an instance", where=name)
    examples = []
    for i, (instance, answer) in enumerate(zip(instances, known, strict=True)):
        sequence = np.random.SeedSequence(seed, spawn_key=(_SPAWN_KEY, 1, i))
        length = int(rows[i])
        if solutions is not None:
            target = vector(problem.target(answer, instance), length, f"target of {name}[{i}]")
            examples.append(Example(problem, instance, target, None, sequence))
        else:
            true_theta = vector(answer, length, f"{name}[{i}]")
            example = Example(problem, instance, np.zeros(length), true_theta, sequence)
            examples.append(Example(problem, instance, example.solve(true_theta), true_theta, sequence))
    return examples


def _start(problem: Any, method: Demonstration, scale: Floats) -> Floats:
    if not method.homogeneous:
        return np.zeros(len(scale))
    safe = safe_weights_of(problem)
    direction: Floats = np.ones(len(scale)) if safe is None or not safe.any() else safe * scale
    return direction * float(np.sqrt(len(scale) / (direction**2).sum()))


def _hash(examples: Sequence[Example]) -> str:
    digest = hashlib.sha256()
    for example in examples:
        digest.update(example.target.tobytes())
        digest.update(b"" if example.true_theta is None else example.true_theta.tobytes())
    return digest.hexdigest()
