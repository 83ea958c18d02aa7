"""What the weights of a linear model do, feature by feature and group by group."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.errors import InputError
from colayer.evaluators.base import Backend
from colayer.evaluators.statistics import moments
from colayer.models import LinearModel, Model
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.gap import gap
from colayer.problem.protocol import Problem, X, Y, Z

#: Beyond so many groups, names are told apart by their first word alone.
_MOST_GROUPS = 12


@dataclass(frozen=True)
class Contribution:
    """The contribution of one feature to θ: `contribution` is the standard deviation of weight × feature.

    In model units a feature is divided by its spread over the training rows, so there |weight| is the contribution.
    """

    feature: str
    weight: float
    raw_weight: float
    spread: float
    contribution: float
    share: float


@dataclass(frozen=True)
class Ablation:
    """A group of features: its share of all contributions, and the pipeline without it and with it alone."""

    group: str
    features: int
    share: float
    loss_without: float
    gap_without: float | None
    loss_alone: float
    gap_alone: float | None


@dataclass(frozen=True)
class Explanation:
    """The contributions of all features, the largest first; with instances also the losses without groups."""

    features: tuple[Contribution, ...]
    instances: int | None = None
    #: Mean loss and mean gap of the whole model.
    loss: float | None = None
    gap: float | None = None
    groups: tuple[Ablation, ...] | None = None

    def to_document(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {
            "instances": self.instances,
            "loss": self.loss,
            "gap": self.gap,
            "features": [asdict(row) for row in self.features],
            "groups": None if self.groups is None else [asdict(row) for row in self.groups],
        }


def explain(
    model: Model,
    problem: Problem[X, Y, Z],
    instances: Sequence[X] | None = None,
    *,
    backend: Backend | None = None,
) -> Explanation:
    """Return the contribution of every feature to θ; with instances also the losses without groups of features.

    Groups are those that the problem names (`feature_groups`), else features with names that begin alike.

    Parameters
    ----------
    model
        A linear model.
    problem
        The problem it was learned for.
    instances
        Where to measure spreads and losses; without, spreads are those of the training rows.
    backend
        Where losses are computed.

    Returns
    -------
    Explanation
        Contributions, and with instances the pipeline without each group and with it alone.
    """
    if not isinstance(model, LinearModel):  # the weights of a network say half of what it does
        raise InputError("a network, expected a linear model", where="model")
    if instances is None:
        return Explanation(tuple(_contributions(model, model.feature_scale)))
    bound: BoundProblem[X, Y, Z] = bind(problem)
    groups = feature_groups(bound)
    with (backend or Backend()).evaluators(bound) as evaluator_of:
        evaluator = evaluator_of(instances)
        features = _contributions(model, moments(bound, instances, evaluator).spread)
        losses = evaluator.losses(_ablated(model.raw(), model.feature_names, list(groups.values())))
    (loss, mean_gap), rows = _ablations(bound, instances, losses, groups, features)
    return Explanation(tuple(features), len(instances), loss, mean_gap, tuple(rows))


def feature_groups(problem: BoundProblem[X, Y, Z]) -> dict[str, tuple[str, ...]]:
    """Return the problem's groups of features; else group by name without `_q50` or number, else by first word."""
    names = problem.feature_names
    if problem.feature_groups:
        if sorted(name for members in problem.feature_groups.values() for name in members) != sorted(names):
            raise InputError(f"feature_groups of {problem.name}: expected every feature once")
        return dict(problem.feature_groups)
    stems = [re.sub(r"_q?\d+$", "", name) for name in names]
    if len(set(stems)) > _MOST_GROUPS:
        stems = [name.partition("_")[0] for name in names]
    return {stem: tuple(n for n, s in zip(names, stems, strict=True) if s == stem) for stem in dict.fromkeys(stems)}


def _contributions(model: LinearModel, spread: Floats) -> list[Contribution]:
    """Return every feature, the largest contribution first; in the order of the model where they are equal."""
    raw = model.raw()
    sizes = np.abs(raw) * spread
    total = float(sizes.sum())
    rows = [
        Contribution(
            feature=model.feature_names[k],
            weight=float(model.weights[k]),
            raw_weight=float(raw[k]),
            spread=float(spread[k]),
            contribution=float(sizes[k]),
            share=float(sizes[k]) / total if total > 0 else 0.0,
        )
        for k in range(len(raw))
    ]
    return sorted(rows, key=lambda row: -row.contribution)


def _ablated(weights: Floats, names: Sequence[str], groups: Sequence[Sequence[str]]) -> Floats:
    """Return the weights, then for each group the weights without it and the weights of it alone."""
    inside = np.array([[name in group for name in names] for group in groups])
    return np.vstack([weights, np.where(inside, 0.0, weights), np.where(inside, weights, 0.0)])


def _ablations(
    problem: BoundProblem[X, Y, Z],
    instances: Sequence[X],
    losses: Floats,
    groups: Mapping[str, Sequence[str]],
    features: Sequence[Contribution],
) -> tuple[tuple[float, float | None], list[Ablation]]:
    """Return (mean loss, mean gap) of the model, and each group, the most important first."""
    scales, bounds = [problem.scale(x) for x in instances], [problem.lower_bound(x) for x in instances]

    def mean(row: Floats) -> tuple[float, float | None]:
        gaps = [gap(value * u, bound) for value, u, bound in zip(row.tolist(), scales, bounds, strict=True)]
        defined = [g for g in gaps if g is not None]
        return math.fsum(row.tolist()) / len(row), math.fsum(defined) / len(defined) if defined else None

    share = {row.feature: row.share for row in features}
    rows = [
        Ablation(group, len(members), math.fsum(share[name] for name in members), *mean(without), *mean(alone))
        for (group, members), without, alone in zip(
            groups.items(), losses[1 : len(groups) + 1], losses[len(groups) + 1 :], strict=True
        )
    ]
    return mean(losses[0]), sorted(rows, key=lambda row: -row.loss_without)
