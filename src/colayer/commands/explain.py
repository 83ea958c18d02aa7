"""`colayer explain`: what the weights of a model do, feature by feature and group by group."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from colayer.commands import options
from colayer.commands.output import emit
from colayer.dataset import instance_files, read_files
from colayer.errors import InputError
from colayer.evaluation import gap
from colayer.models import LinearModel

if TYPE_CHECKING:
    from colayer.evaluators import Evaluator

Floats = NDArray[np.float64]

#: Beyond so many groups, names are told apart by their first word alone.
_MOST_GROUPS = 12
#: Bars in the picture.
_SHOWN = 20


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


def run(
    model: str, *, data: str | None, problem: str | None, plot: str | None, as_json: bool, output: str | None
) -> None:
    """Explain; with `data`, on those instances: their spreads, and the losses without each group of features."""
    from colayer.evaluators import evaluator_for
    from colayer.networks import NeuralModel
    from colayer.problem import completed

    path = Path(model)
    given = None if problem is None else options.find(problem)
    known, linear = options.load_model(path, given, None)
    if isinstance(linear, NeuralModel):  # its weights say half of what it does
        raise InputError("a network, expected a linear model", where=f"{path}: model")
    found = completed(known)
    out = options.output(output, "-o", [path], folder=None if data is None else Path(data))
    drawing = options.picture(plot, "--plot", [path, *([out] if out else [])])
    instances = None if data is None else read_files(instance_files(data), found)[1]
    document: dict[str, Any] = {
        "problem": found.name,
        "model": model,
        "options": linear.options,
        "instances": None if instances is None else len(instances),
    }
    whole, groups = None, None
    if instances is None:
        features = contributions(linear, linear.feature_scale)
    else:
        evaluator = evaluator_for(found, instances)
        try:
            features = contributions(linear, _spread(evaluator))
            members = feature_groups(found)
            losses = evaluator.losses(_ablated(linear.raw(), linear.feature_names, list(members.values())))
        finally:
            evaluator.close()
        whole, groups = ablation(found, instances, losses, members, features)
    document |= {
        "loss": None if whole is None else whole[0],
        "gap": None if whole is None else whole[1],
        "features": [asdict(row) for row in features],
        "groups": None if groups is None else [asdict(row) for row in groups],
    }
    if drawing is not None:
        draw(features, whole, groups, drawing)
    emit(document, _text(document, features, whole, groups), as_json=as_json, out=out)


def contributions(model: LinearModel, spread: Floats) -> list[Contribution]:
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


def _spread(evaluator: Evaluator) -> Floats:
    """The standard deviation of each feature over all rows of all instances, 0 where it is constant."""
    rows, sums = evaluator.feature_sums()
    total = float(rows.sum())
    mean = sums.sum(axis=0) / total
    spread: Floats = np.sqrt(evaluator.feature_squares(mean).sum(axis=0) / total)
    return np.where(spread > 1e-9 * np.maximum(1.0, np.abs(mean)), spread, 0.0)  # without rounding noise


def feature_groups(problem: Any) -> dict[str, tuple[str, ...]]:
    """The groups that the problem names (`feature_groups`), else by name: without `_q50` or a number, else by word."""
    names = tuple(problem.feature_names)
    named: Mapping[str, Sequence[str]] | None = getattr(problem, "feature_groups", None)
    if named:
        if sorted(name for members in named.values() for name in members) != sorted(names):
            raise InputError(f"feature_groups of {problem.name}: expected every feature once")
        return {group: tuple(members) for group, members in named.items()}
    stems = [re.sub(r"_q?\d+$", "", name) for name in names]
    if len(set(stems)) > _MOST_GROUPS:
        stems = [name.partition("_")[0] for name in names]
    return {stem: tuple(n for n, s in zip(names, stems, strict=True) if s == stem) for stem in dict.fromkeys(stems)}


def _ablated(weights: Floats, names: Sequence[str], groups: Sequence[Sequence[str]]) -> Floats:
    """The weights, then for each group the weights without it and the weights of it alone."""
    inside = np.array([[name in group for name in names] for group in groups])
    return np.vstack([weights, np.where(inside, 0.0, weights), np.where(inside, weights, 0.0)])


def ablation(
    problem: Any,
    instances: Sequence[Any],
    losses: Floats,
    groups: Mapping[str, Sequence[str]],
    features: Sequence[Contribution],
) -> tuple[tuple[float, float | None], list[Ablation]]:
    """(mean loss, mean gap) of the model, and each group, that whose loss costs most first."""
    scales = [float(problem.scale(instance)) for instance in instances]
    bounds = [problem.bound(instance) for instance in instances]

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


def draw(
    features: Sequence[Contribution],
    whole: tuple[float, float | None] | None,
    groups: Sequence[Ablation] | None,
    path: Path,
) -> None:
    """The largest contributions, with their signs, and beside them what is lost without each group."""
    from matplotlib.figure import Figure

    from colayer.report.figures import save, signed_bars

    shown = [row for row in features if row.contribution > 0][:_SHOWN] or list(features[:1])
    width, height = (6.0 if groups is None else 11.0), 1.3 + 0.24 * max(len(shown), len(groups or ()), 6)
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(1, 1 if groups is None else 2, squeeze=False)[0]
    signed = [math.copysign(row.contribution, row.raw_weight) for row in shown]
    signed_bars([row.feature for row in shown], signed, axes[0])
    axes[0].set(xlabel="weight × spread of the feature", title="What moves θ")
    if groups is not None and whole is not None:
        gaps = whole[1] is not None and all(row.gap_without is not None for row in groups)
        lost = [
            100.0 * ((row.gap_without or 0.0) - (whole[1] or 0.0)) if gaps else row.loss_without - whole[0]
            for row in groups
        ]
        signed_bars([row.group for row in groups], lost, axes[1])
        axes[1].set(xlabel="points of mean gap (%)" if gaps else "mean loss", title="What is lost without a group")
    save(figure, path)


def _text(
    document: Mapping[str, Any],
    features: Sequence[Contribution],
    whole: tuple[float, float | None] | None,
    groups: Sequence[Ablation] | None,
) -> str:
    from colayer.report.tables import percent, significant, table

    active = [row for row in features if row.weight != 0.0]
    count = document["instances"]
    given = "the instance given" if count == 1 else f"the {count} instances given"
    where = "over the training rows" if groups is None else f"over {given}"
    lines = [f"{document['model']}: {len(active)} of {len(features)} features of {document['problem']} have a weight."]
    if groups is None and all(row.spread == 1.0 for row in features):
        lines.append("Weights are in raw units (feature_scale is 1): --data gives the spreads of the features.")
    lines.append(f"contribution: the spread of weight × feature {where}; θ grows with a feature of weight > 0.\n")
    cells = [
        (r.feature, significant(r.weight), significant(r.spread), significant(r.contribution), percent(r.share))
        for r in active
    ]
    lines.append(table(("feature", "weight", "spread", "contribution", "share"), cells).text())
    if groups is not None and whole is not None:
        rows: list[tuple[Any, ...]] = [("nothing", None, None, significant(whole[0], 5), percent(whole[1]), None, None)]
        rows += [
            (
                row.group, row.features, percent(row.share), significant(row.loss_without, 5),
                percent(row.gap_without), significant(row.loss_alone, 5), percent(row.gap_alone),
            )
            for row in groups if row.share > 0
        ]  # fmt: skip
        headers = ("without", "features", "share", "mean loss", "mean gap", "loss alone", "gap alone")
        lines += ["Groups of features with their weights set to 0, and alone:\n", table(headers, rows).text()]
    return "\n".join(lines)
