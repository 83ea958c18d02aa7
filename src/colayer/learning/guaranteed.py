"""The guarantees of a training run: the σ that theory would choose, and what is proved of the model it gave."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.analysis.guarantees import Guarantees, guarantees, loss_range, probes, sigma_theory
from colayer.errors import OptionError
from colayer.evaluators.base import Backend, Evaluator
from colayer.models import Model
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z


def theory_sigma(
    problem: BoundProblem[X, Y, Z],
    instances: Sequence[X],
    evaluator: Evaluator,
    scale: Floats,
    radius: float,
    seed: int,
) -> float:
    """σ_n for the search ball of `radius`, with the range of the loss measured in it."""
    if problem.dynamic:
        raise OptionError("the theory is of single decisions, not of days: expected a number", where="--sigma")
    losses = evaluator.losses(_tried(problem, scale, radius, seed) / scale)
    return sigma_theory(problem, instances, scale, radius, loss_range(losses))


def guaranteed(
    problem: BoundProblem[X, Y, Z],
    model: Model,
    instances: Sequence[X],
    *,
    delta: float = 0.05,
    backend: Backend | None = None,
) -> Guarantees | None:
    """What is guaranteed of a model learned by experience from `instances`; None of any other model.

    The run is known from the model's provenance: radius, σ, seed, the share held out, the decoder learned through.
    """
    from colayer.learning.learner import split

    run = model.provenance
    if problem.dynamic or not {"radius", "sigma", "seed", "validation", "learn_decoder"} <= set(run):
        return None
    training_problem = problem.variant(decoder=run["learn_decoder"])
    training = [instances[i] for i in split(len(instances), run["validation"], run["seed"])[0]]
    tried = np.vstack([model.weights, _tried(problem, model.feature_scale, run["radius"], run["seed"])])
    with (backend or Backend()).evaluators(training_problem, rounds=run.get("rounds", 1)) as evaluator_of:
        losses = evaluator_of(training).losses(tried / model.feature_scale)
    several = run.get("rounds", 1) > 1  # what a later round asks depends on the answers before
    return guarantees(
        training_problem, training, model.feature_scale, run["sigma"], run["radius"], losses, delta,
        draws=None if several else max(1, run["samples"]), reach=float(np.abs(model.weights).max()),
    )  # fmt: skip


def _tried(problem: BoundProblem[X, Y, Z], scale: Floats, radius: float, seed: int) -> Floats:
    """Weights, in model units, under which the range of the loss is measured: 0, the safe ones, and draws."""
    safe = problem.safe_weights
    fixed = [np.zeros(len(scale)), *([] if safe is None else [safe * scale])]
    return np.vstack([*fixed, probes(len(scale), radius, seed)])
