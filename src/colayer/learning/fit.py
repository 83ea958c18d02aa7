"""What `Pipeline.fit` does: split, evaluators, feature scale, search, model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import colayer
from colayer.errors import InputError, OptionError
from colayer.evaluators import Evaluator, evaluator_for, feature_scale
from colayer.evaluators.crew import crew_at
from colayer.learning.experience import Evaluation, learn, mean_loss
from colayer.learning.guaranteed import theory_sigma
from colayer.learning.optimizers import Task, method_named
from colayer.learning.perturbation import LARGEST, draws
from colayer.models import LinearModel
from colayer.problem import content_hash, safe_weights_of

Floats = NDArray[np.float64]

_FEWEST_TO_SPLIT = 5


@dataclass(frozen=True)
class Fitted:
    """A learned model, its losses and how the search went."""

    model: LinearModel
    loss: float
    validation_loss: float | None
    history: Sequence[Evaluation]


def fit_by_experience(
    problem: Any,
    instances: Sequence[Any],
    *,
    method: str | Any,
    evaluations: int,
    seed: int,
    radius: float | None,
    sigma: float | str,
    samples: int,
    learn_decoder: str | None,
    validation: float,
    workers: int | None,
    cluster: str | None = None,
    journal: str | Path | None,
    time_limit: float | None,
    callback: Callable[[Evaluation], None] | None,
    progress: bool,
) -> Fitted:
    """Minimise the mean (perturbed) loss over the training share of the instances; see `Pipeline.fit`."""
    instances = list(instances)
    radius = float(problem.radius if radius is None else radius)
    by_theory = sigma == "theory"
    sigma = 1.0 if by_theory else float(sigma)  # till the range of the loss and the features are known
    check_options(instances, evaluations, seed, radius, sigma, samples, validation, time_limit)
    optimizer = method_named(method) if isinstance(method, str) else method
    if not hasattr(optimizer, "minimize"):
        raise OptionError(f"{method!r} is neither the name of a method nor one", where="--method")
    evaluations, seed, samples = int(evaluations), int(seed), int(samples)
    learner = with_learn_decoder(problem, learn_decoder)
    # Samples do not matter without perturbation: leave them out of the identity then.
    samples = samples if sigma > 0 else 0
    identity = {
        "problem": problem.name,
        "options": problem.options,
        "data": content_hash(problem, instances),
        "instances": len(instances),
        "method": optimizer.name,
        "method_options": optimizer.options(),
        "evaluations": evaluations,
        "seed": seed,
        "sigma": sigma,
        "samples": samples,
        "radius": radius,
        "learn_decoder": learner.options.get("decoder"),
        "validation": validation,
    }
    training, held_out = split(len(instances), validation, seed)
    with ExitStack() as stack:
        crew = stack.enter_context(crew_at(cluster, learner, len(training), workers))

        def evaluator_of(chosen: NDArray[np.int64]) -> Evaluator:
            evaluator = evaluator_for(learner, [instances[i] for i in chosen], workers, crew)
            return stack.enter_context(closing(evaluator))

        train_evaluator = evaluator_of(training)
        validation_evaluator = evaluator_of(held_out) if len(held_out) else None
        scale = feature_scale(train_evaluator)
        # the same data under other features is another run
        identity["features"] = hashlib.sha256(repr(problem.feature_names).encode() + scale.tobytes()).hexdigest()
        dimension = len(problem.feature_names)
        if by_theory:
            chosen = [instances[i] for i in training]
            sigma = identity["sigma"] = theory_sigma(problem, chosen, train_evaluator, scale, radius, seed)
        Z = draws(seed, samples, dimension)
        safe = _start(problem, scale, radius)
        learned = learn(
            _objective(train_evaluator, scale, sigma, Z),
            _objective(validation_evaluator, scale, sigma, Z) if validation_evaluator is not None else None,
            task=Task(dimension=dimension, radius=radius, evaluations=evaluations, seed=seed, safe=safe),
            method=optimizer,
            journal=journal,
            identity=identity,
            time_limit=time_limit,
            callback=callback,
            progress=progress,
        )
    provenance = {
        "colayer": colayer.__version__,
        **{key: value for key, value in identity.items() if key not in ("problem", "options")},
        "evaluated": len(learned.history),
        "loss": learned.loss,
        "validation_loss": learned.validation_loss,
    }
    model = LinearModel(tuple(problem.feature_names), learned.weights, scale, problem.name, problem.options, provenance)
    return Fitted(model, learned.loss, learned.validation_loss, learned.history)


def split(count: int, validation: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices to learn on and to validate on, each in increasing order; nothing is held out below 5 instances."""
    if count < _FEWEST_TO_SPLIT or validation == 0.0:
        return np.arange(count), np.arange(0)
    held = min(max(round(validation * count), 1), count - 1)
    shuffled = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,))).permutation(count)
    return np.sort(shuffled[held:]), np.sort(shuffled[:held])


def _start(problem: Any, scale: Floats, radius: float) -> Floats | None:
    """The safe weights in model units, where the layer allows as the multiple whose largest entry is radius/2."""
    weights = safe_weights_of(problem)
    if weights is None:
        return None
    safe: Floats = weights * scale
    largest = float(np.abs(safe).max())
    return safe * (radius / 2 / largest) if problem.homogeneous and largest > 0 else safe


def _objective(evaluator: Evaluator, scale: Floats, sigma: float, Z: Floats) -> Callable[[Floats], Floats]:
    """Mean loss of weight vectors in model units."""
    return mean_loss(lambda weights: evaluator.losses(weights / scale), sigma, Z)


def with_learn_decoder(problem: Any, learn_decoder: str | None) -> Any:
    """The problem with the decoder that it is learned through: the one named, or the problem's own choice."""
    decoder = problem.options.get("decoder")
    if decoder is None:
        if learn_decoder is not None:
            raise OptionError(f"{problem.name} has no decoders to choose from", where="--learn-decoder")
        return problem
    chosen = problem.learn_decoders.get(decoder, decoder) if learn_decoder is None else learn_decoder
    if chosen not in problem.decoders:
        raise OptionError(
            f"no decoder {chosen!r}, expected one of {', '.join(problem.decoders)}", where="--learn-decoder"
        )
    return problem if chosen == decoder else problem.with_options(decoder=chosen)


def check_options(
    instances: Sequence[Any],
    evaluations: int,
    seed: int,
    radius: float,
    sigma: float,
    samples: int,
    validation: float,
    time_limit: float | None,
) -> None:
    """Refuse options that make no sense, before any work is done."""
    if len(instances) == 0:
        raise InputError("no instances to learn from")
    for option, count in (("--evaluations", evaluations), ("--seed", seed), ("--samples", samples)):
        if not isinstance(count, int | np.integer):
            raise OptionError(f"{count!r} is not a whole number", where=option)
    limits = (
        ("--evaluations", evaluations, evaluations >= 1, "at least 1"),
        ("--seed", seed, seed >= 0, "at least 0"),
        ("--radius", radius, 0 < radius <= LARGEST, f"a number > 0, at most {LARGEST:g}"),
        ("--sigma", sigma, 0 <= sigma <= LARGEST, f"a number from 0 to {LARGEST:g}"),
        ("--samples", samples, sigma == 0 or samples >= 1, "at least 1"),
        ("--validation", validation, 0 <= validation < 1, "a share >= 0 and < 1"),
        ("--time-limit", time_limit, time_limit is None or time_limit >= 0, "seconds >= 0"),
    )
    for option, value, fine, expected in limits:
        if not fine:
            raise OptionError(f"{value} is out of range, expected {expected}", where=option)
