"""Checks of the layer as a minimiser of ⟨θ, embed(y)⟩, and of what demonstration needs: embed and target.

The layer is held against every y that it returned itself, for other θ: all of them are feasible, so none may be better.
On small instances these are nearly all the vertices there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.snapshot import difference, snapshot
from colayer.problem.check.report import Mistake, Skip
from colayer.problem.check.trial import ROUNDING, Trial, finite, parts

Floats = NDArray[np.float64]

#: θ of each instance for which y is compared with the y of all others.
TRIED = 60
#: Multiples of θ for `homogeneous`: powers of 2, so that nothing is rounded.
MULTIPLES = (0.25, 4.0, 1024.0)


@dataclass
class Pool:
    """θ in rows, the embedded y that the layer returns for them in rows."""

    thetas: Floats
    vectors: Floats

    @cached_property
    def values(self) -> Floats:
        """⟨θ, y⟩ for every θ (rows) and every y (columns)."""
        return np.asarray(self.thetas @ self.vectors.T)

    @cached_property
    def rounding(self) -> Floats:
        """What may be lost in ⟨θ, y⟩, by θ."""
        return np.asarray(ROUNDING * (np.abs(self.thetas) @ np.abs(self.vectors).max(axis=0)))


def embed(trial: Trial) -> None:
    """One finite number per row of the features, and not the same for every y."""
    _need_embed(trial)
    told_apart, distinct = False, False
    for index in trial.chosen:
        ys = [sample.y for sample in trial.samples if sample.index == index]
        vectors = [trial.embed(index, y) for y in ys]
        told_apart = told_apart or any(not np.array_equal(vectors[0], vector) for vector in vectors)
        first = snapshot(ys[0])
        distinct = distinct or any(difference(first, snapshot(y), "y") is not None for y in ys)
    if distinct and not told_apart:
        raise Mistake("embed returned the same vector for different y: return the vector with g(y, θ) = ⟨θ, embed(y)⟩")


def sign(trial: Trial) -> None:
    """The layer minimises: it does not return the y of largest ⟨θ, embed(y)⟩."""
    _need_embed(trial)
    least, most, count = 0, 0, 0
    for index in trial.chosen:
        values, rounding = pool(trial, index).values, pool(trial, index).rounding
        own = values.diagonal()
        choice = values.max(axis=1) - values.min(axis=1) > 2 * rounding
        least += int((choice & (own <= values.min(axis=1) + rounding)).sum())
        most += int((choice & (own >= values.max(axis=1) - rounding)).sum())
        count += int(choice.sum())
    if count == 0:
        raise Skip("no instance leaves the layer a choice")
    if most > 0.9 * count and least < 0.5 * count:
        raise Mistake(
            f"for {most} of {count} θ the layer returned the y of LARGEST ⟨θ, embed(y)⟩: everything is minimised here. "
            "Give the solver inside layer −θ, or turn its maximum into a minimum (or embed has the wrong sign)"
        )


def optimal(trial: Trial) -> None:
    """No y that the layer returned for another θ is better than the one for this θ."""
    _need_embed(trial)
    for index in trial.chosen:
        found = pool(trial, index)
        values = found.values
        lost = values.diagonal() - values.min(axis=1) - found.rounding
        worst = int(lost.argmax())
        if lost[worst] > 0:
            raise Mistake(
                f"{trial.at(index)}for {int((lost > 0).sum())} of {len(lost)} θ the layer is not optimal: it returned "
                f"a y with ⟨θ, embed(y)⟩ = {values[worst, worst]:.6g}, where a y that it returned for another θ has "
                f"{values[worst].min():.6g}. Solve the easy problem to the end in layer; or embed does not give the "
                "objective that layer minimises"
            )


def target(trial: Trial) -> None:
    """ȳ of a solution is a mean of embedded y: in no direction is it beyond the layer's optimum."""
    trial.need("embed", "target")
    for sample in trial.samples[::3]:  # each is held against many θ
        index = sample.index
        given = trial.call("target", sample.solution, trial.instances[index], on=index)
        aimed = trial.vector(given, index, "target")
        middle = pool(trial, index).vectors.mean(axis=0)
        tried = np.vstack([pool(trial, index).thetas[:20], middle - aimed, -aimed, aimed])
        for theta in tried:
            reached = trial.embed(index, trial.layer(index, theta))
            rounding = ROUNDING * float(np.abs(theta) @ np.maximum(np.abs(reached), np.abs(aimed)))
            if theta @ aimed < theta @ reached - rounding:
                raise Mistake(
                    f"{trial.at(index)}target of a decoded solution is no mean of embedded y: for some θ it has ⟨θ, ȳ⟩ "
                    f"= {theta @ aimed:.6g}, less than the layer's least, {theta @ reached:.6g}. Return embed of a y, "
                    "or a mean of such"
                )


def augmented(trial: Trial) -> None:
    """Δ(y, ȳ) = ⟨θ − θ′, y⟩ + a is a distance: 0 at ȳ itself, never negative, and the same for every θ."""
    trial.need("embed", "augmented")
    apart = False
    for index in trial.chosen:
        found = pool(trial, index)
        vectors = np.unique(found.vectors, axis=0)
        for target in vectors[:: max(1, len(vectors) // 4)][:4]:
            distances = [_distances(trial, index, theta, target, vectors) for theta in found.thetas[:5]]
            first, rounding = distances[0]
            own = float(first[int(np.argmin(np.abs(vectors - target).sum(axis=1)))])
            if abs(own) > rounding:
                raise Mistake(
                    f"{trial.at(index)}augmented gives ȳ the distance {own:.6g} from itself: return (θ′, a) with "
                    "⟨θ, y⟩ − Δ(y, ȳ) = ⟨θ′, y⟩ − a for every embedded y, where Δ(ȳ, ȳ) = 0"
                )
            if first.min() < -rounding:
                raise Mistake(
                    f"{trial.at(index)}augmented gives a y the distance {first.min():.6g} from ȳ, less than 0: Δ is "
                    "taken off ⟨θ, y⟩, ⟨θ′, y⟩ − a = ⟨θ, y⟩ − Δ(y, ȳ); look at the signs of θ′ − θ and of a"
                )
            for other, more in distances[1:]:
                at = int(np.abs(other - first).argmax())
                if abs(other[at] - first[at]) > rounding + more:
                    raise Mistake(
                        f"{trial.at(index)}augmented gives a y the distance {first[at]:.6g} from ȳ for one θ and "
                        f"{other[at]:.6g} for another: Δ(y, ȳ) is not to depend on θ, so θ′ is θ plus a vector of ȳ"
                    )
            apart = apart or len(vectors) == 1 or bool(first.max() > rounding)
    if not apart:
        raise Mistake("augmented gives every y the distance 0 from every ȳ: the margin of the hinge loss is then none")


def _distances(trial: Trial, index: int, theta: Floats, target: Floats, vectors: Floats) -> tuple[Floats, float]:
    """Δ of every embedded y from ȳ, as `augmented` says, and what rounding may make of it."""
    answer = trial.call("augmented", theta.copy(), target.copy(), trial.instances[index], on=index)
    given, number = parts(answer, 2, f"{trial.at(index)}augmented", "(θ′, a), an array and a number")
    moved = trial.vector(given, index, "augmented: θ′ that it")
    constant = finite(number, f"{trial.at(index)}augmented: a that it")
    rounding = ROUNDING * float((np.abs(theta) + np.abs(moved)) @ np.abs(vectors).max(axis=0) + abs(constant))
    return np.asarray(vectors @ (theta - moved) + constant), rounding


def homogeneous(trial: Trial) -> None:
    """Where `homogeneous` is True, a positive multiple of θ gives the same y."""
    if not trial.attribute("homogeneous"):
        raise Skip("homogeneous is False")
    for sample in trial.samples:
        for factor in MULTIPLES:
            again = trial.layer(sample.index, factor * sample.theta)
            if difference(snapshot(sample.y), snapshot(again), "y") is not None:
                raise Mistake(
                    f"{trial.at(sample.index)}layer returned another y for {factor:g}·θ than for θ: set "
                    "homogeneous = False, or use θ in layer only where its scale does not matter"
                )


def _need_embed(trial: Trial) -> None:
    if not trial.has("embed"):
        raise Skip("the problem has no embed, so what its layer minimises is not known")


def pool(trial: Trial, index: int) -> Pool:
    """The layer on one instance under many θ: some as learning meets them, some near these, some free."""
    if index not in trial.pools:
        base = trial.thetas(index, TRIED // 2, 2)
        rng = trial.rng(3, index)
        size = base.std(axis=1, keepdims=True) + 1e-3
        near = base + size * rng.choice([0.02, 0.3], size=(len(base), 1)) * rng.normal(size=base.shape)
        many = np.vstack([base, near])
        vectors = np.array([trial.embed(index, trial.layer(index, theta)) for theta in many])
        trial.pools[index] = Pool(many, vectors)
    found: Pool = trial.pools[index]
    return found
