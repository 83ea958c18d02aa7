"""The guarantees of a training run: the σ that theory would choose, and what is proved of the model it gave."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer.evaluators import Evaluator, evaluator_for
from colayer.evaluators.crew import crew_at
from colayer.guarantees import Guarantees, guarantees, loss_range, probes, sigma_theory
from colayer.models import LinearModel
from colayer.problem import safe_weights_of

Floats = NDArray[np.float64]


def theory_sigma(
    problem: Any, instances: Sequence[Any], evaluator: Evaluator, scale: Floats, radius: float, seed: int
) -> float:
    """σ_n for the search ball of `radius`, with the range of the loss measured in it."""
    losses = evaluator.losses(_tried(problem, scale, radius, seed) / scale)
    return sigma_theory(problem, instances, scale, radius, loss_range(losses))


def guaranteed(
    problem: Any,
    model: LinearModel,
    instances: Sequence[Any],
    *,
    delta: float = 0.05,
    workers: int | None = None,
    cluster: str | None = None,
) -> Guarantees | None:
    """What is guaranteed of a model learned by experience from `instances`; None of any other model.

    The run is known from the model's provenance: radius, σ, seed, the share held out, the decoder learned through.
    `workers` and `cluster` as in `Pipeline.fit`.
    """
    from colayer.learning.fit import split

    run = model.provenance
    if not {"radius", "sigma", "seed", "validation", "learn_decoder"} <= set(run):
        return None
    decoder = run["learn_decoder"]
    learner = problem if decoder in (None, problem.options.get("decoder")) else problem.with_options(decoder=decoder)
    training = [instances[i] for i in split(len(instances), run["validation"], run["seed"])[0]]
    tried = np.vstack([model.weights, _tried(problem, model.feature_scale, run["radius"], run["seed"])])
    with (
        crew_at(cluster, learner, len(training), workers) as crew,
        closing(evaluator_for(learner, training, workers, crew)) as evaluator,
    ):
        losses = evaluator.losses(tried / model.feature_scale)
    return guarantees(learner, training, model.feature_scale, run["sigma"], run["radius"], losses, delta)


def _tried(problem: Any, scale: Floats, radius: float, seed: int) -> Floats:
    """Weights, in model units, under which the range of the loss is measured: 0, the safe ones, and draws."""
    safe = safe_weights_of(problem)
    fixed = [np.zeros(len(scale)), *([] if safe is None else [safe * scale])]
    return np.vstack([*fixed, probes(len(scale), radius, seed)])
