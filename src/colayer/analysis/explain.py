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
from colayer.problem.abilities import bound_of
from colayer.problem.compose import scale_of
from colayer.problem.gap import gap
from colayer.problem.protocol import Declared, Problem, X, Y, Z, declared

#: Beyond so many groups, names are told apart by their first word alone.
_MOST_GROUPS = 12


@dataclass(frozen=True)
class Contribution:
    """What one feature adds to θ. `spread` is its standard deviation, `contribution` that of weight × feature.

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
    """Contributions of all features, the largest first; on instances also the losses without groups of features."""

    features: tuple[Contribution, ...]
    instances: int | None = None
    #: Mean loss and mean gap of the whole model.
    loss: float | None = None
    gap: float | None = None
    groups: tuple[Ablation, ...] | None = None

    def to_document(self) -> dict[str, Any]:
        """The JSON object."""
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
    """What moves θ, from the training rows; with `instances`, on those: their spreads, and the losses without groups.

    Groups are those that the problem names (`feature_groups`), else features with names that begin alike.
    """
    if not isinstance(model, LinearModel):  # the weights of a network say half of what it does
        raise InputError("a network, expected a linear model", where="model")
    if instances is None:
        return Explanation(tuple(_contributions(model, model.feature_scale)))
    groups = feature_groups(declared(problem))
    with (backend or Backend()).evaluators(problem, len(instances)) as evaluator_of:
        evaluator = evaluator_of(instances)
        features = _contributions(model, moments(problem, instances, evaluator).spread)
        losses = evaluator.losses(_ablated(model.raw(), model.feature_names, list(groups.values())))
    (loss, mean_gap), rows = _ablations(problem, instances, losses, groups, features)
    return Explanation(tuple(features), len(instances), loss, mean_gap, tuple(rows))


def feature_groups(known: Declared) -> dict[str, tuple[str, ...]]:
    """The groups that the problem names, else by name: without `_q50` or a number, else by the first word."""
    names = known.feature_names
    if known.feature_groups:
        if sorted(name for members in known.feature_groups.values() for name in members) != sorted(names):
            raise InputError(f"feature_groups of {known.name}: expected every feature once")
        return {group: tuple(members) for group, members in known.feature_groups.items()}
    stems = [re.sub(r"_q?\d+$", "", name) for name in names]
    if len(set(stems)) > _MOST_GROUPS:
        stems = [name.partition("_")[0] for name in names]
    return {stem: tuple(n for n, s in zip(names, stems, strict=True) if s == stem) for stem in dict.fromkeys(stems)}


def _contributions(model: LinearModel, spread: Floats) -> list[Contribution]:
    """Every feature, the largest contribution first; in the order of the model where they are equal."""
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
    """The weights, then for each group the weights without it and the weights of it alone."""
    inside = np.array([[name in group for name in names] for group in groups])
    return np.vstack([weights, np.where(inside, 0.0, weights), np.where(inside, weights, 0.0)])


def _ablations(
    problem: Problem[X, Y, Z],
    instances: Sequence[X],
    losses: Floats,
    groups: Mapping[str, Sequence[str]],
    features: Sequence[Contribution],
) -> tuple[tuple[float, float | None], list[Ablation]]:
    """(mean loss, mean gap) of the model, and each group, that whose loss costs most first."""
    scales = [scale_of(problem, instance) for instance in instances]
    bounds = [bound_of(problem, instance) for instance in instances]

    def mean(row: Floats) -> tuple[float, float | None]:
        gaps = [gap(value * u, bound) for value, u, bound in zip(row.tolist(), scales, bounds, strict=True)]
        known = [g for g in gaps if g is not None]
        return math.fsum(row.tolist()) / len(row), math.fsum(known) / len(known) if known else None

    share = {row.feature: row.share for row in features}
    rows = [
        Ablation(group, len(members), math.fsum(share[name] for name in members), *mean(without), *mean(alone))
        for (group, members), without, alone in zip(
            groups.items(), losses[1 : len(groups) + 1], losses[len(groups) + 1 :], strict=True
        )
    ]
    return mean(losses[0]), sorted(rows, key=lambda row: -row.loss_without)
