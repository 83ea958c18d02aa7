"""Checks of what the methods return: features, scale, layer, decode, cost, bound, embed, target, exact."""

from __future__ import annotations

from collections import Counter

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.snapshot import difference, snapshot
from colayer.errors import InputError
from colayer.models import thetas
from colayer.problem.check.report import Doubt, Skip
from colayer.problem.check.trial import Trial, copied
from colayer.problem.feasibility import refusal
from colayer.problem.gap import ROUNDING
from colayer.problem.rounds import features_after
from colayer.problem.shares import loss_shares, ruled

#: θ of each instance for which y is compared with the y of all others.
TRIED = 60
#: Multiples of θ for `homogeneous`: powers of 2, so that nothing is rounded.
MULTIPLES = (0.25, 4.0, 1024.0)


def features(trial: Trial) -> None:
    """Check shape, type, finiteness and distinct names of the features of every instance."""
    names = trial.problem.feature_names
    if not names:
        raise InputError("feature_names is empty: θ needs at least one feature, even if it is the constant 1")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"feature_names has {twice[0]!r} twice: give every column a name of its own")
    for index in trial.each(range(len(trial.instances))):
        trial.features(index)


def scale(trial: Trial) -> None:
    """Check that the scale of every instance is a finite number > 0."""
    for index in trial.each(range(len(trial.instances))):
        trial.problem.scale(copied(trial.instances[index]))


def layer(trial: Trial) -> None:
    """Check that the layer returns a y for any θ: from features, free, with ties, 0."""
    for index in trial.each():
        for theta in trial.thetas(index):
            trial.layer(index, theta)


def decode(trial: Trial) -> None:
    """Check that whatever the layer returns is decoded."""
    for index in trial.each():
        for theta in trial.thetas(index):
            trial.decode(index, trial.layer(index, theta))


def cost(trial: Trial) -> None:
    """Check that every decoded solution has a finite cost."""
    for index in trial.each():
        for theta in trial.thetas(index):
            trial.sample(index, theta)


def shares(trial: Trial) -> None:
    """Doubt a scale that lets a few instances make up most of the loss, of safe weights or, without these, of ones."""
    problem, losses = trial.problem, []
    weights = np.ones(problem.dimension) if problem.safe_weights is None else problem.safe_weights
    for index in trial.each(range(len(trial.instances))):
        sample = trial.sample(index, thetas(trial.features(index), weights[None, :])[0])
        losses.append(sample.cost / problem.scale(copied(trial.instances[index])))
    said = ruled(loss_shares(losses), [f"instance {index}" for index in range(len(losses))])
    if said is not None:
        raise Doubt(said)


def rounds(trial: Trial) -> None:
    """Check features after a solution: shaped as in round 1, finite, repeatable, and the solution unchanged."""
    if not trial.problem.features_use_solution:
        raise Skip("features take no solution")
    for sample in trial.each_sample():
        instance, solution = trial.instances[sample.index], copied(sample.solution)
        before, rows = snapshot(solution), trial.rows[sample.index]
        first = features_after(trial.problem, copied(instance), solution, rows)
        place = difference(before, snapshot(solution), "solution")
        if place is not None:
            raise InputError(f"features changes {place}: work on a copy of the solution")
        if not np.array_equal(first, features_after(trial.problem, copied(instance), solution, rows)):
            raise InputError(
                "features differ between two calls with the same solution: use instance and solution alone"
            )


def theta(trial: Trial) -> None:
    """Check that y depends on θ and, if `homogeneous` is True, not on the size of θ."""
    homogeneous = trial.problem.homogeneous
    if max(trial.rows) == 1 and not homogeneous:
        raise Skip("every instance has one row of features")
    for sample in trial.each_sample() if homogeneous else ():
        for factor in MULTIPLES:
            again = trial.layer(sample.index, factor * sample.theta)
            if difference(snapshot(sample.y), snapshot(again), "y") is not None:
                raise InputError(
                    f"layer returned another y for {factor:g}·θ than for θ: set homogeneous = False, or use θ only "
                    "where its size does not matter"
                )
    for index in trial.chosen if max(trial.rows) > 1 else ():
        first, *others = [snapshot(sample.y) for sample in trial.samples if sample.index == index]
        if any(difference(first, other, "y") for other in others):
            return
    if max(trial.rows) > 1:
        raise InputError(
            "layer returned the same y for every θ, on every instance: use theta in layer, or check on larger "
            "instances if these leave no choice"
        )


def safe_weights(trial: Trial) -> None:
    """Check that the pipeline runs with the safe weights."""
    weights = trial.problem.safe_weights
    if weights is None:
        raise Skip("the problem has no safe_weights")
    for index in trial.each():
        trial.sample(index, thetas(trial.features(index), weights[None, :])[0])


def feasible(trial: Trial) -> None:
    """Check that decoded solutions are feasible by the problem's own test."""
    if not trial.has("violation") and not trial.has("write_solution", "read_solution"):
        raise Skip("the problem has neither violation nor read_solution and write_solution")
    for sample in trial.each_sample():
        said = refusal(trial.problem, sample.solution, trial.instances[sample.index])
        if said is not None:
            raise InputError(f"decode made an infeasible solution ({said}): repair it in decode, or fix the test")


def bound(trial: Trial) -> None:
    """Check that the bound is at most the cost of every decoded solution."""
    trial.need("bound")
    bounds = {index: trial.problem.lower_bound(trial.instances[index]) for index in trial.each()}
    if all(value is None for value in bounds.values()):
        raise Skip("bound returned None")
    for sample in trial.each_sample():
        least = bounds[sample.index]
        if least is not None and above(least, sample.cost):
            raise InputError(
                f"bound returned {least:.10g}, but a decoded solution costs {sample.cost:.10g}: lower the bound, or "
                "look for a part or a sign that cost forgets"
            )


def exact(trial: Trial) -> None:
    """Check that the exact solution is feasible and that no bound, `bound` included, exceeds a cost."""
    trial.need("exact")
    for index in trial.each(trial.smallest):
        solution, least = trial.exact(index)
        said = refusal(trial.problem, solution, trial.instances[index])
        if said is not None:
            raise InputError(f"exact returned an infeasible solution ({said}): return what decode would return")
        cheapest = trial.best_sample(index).cost
        if above(least, cheapest):
            raise InputError(
                f"exact says that no solution costs less than {least:.10g}, but a decoded one costs {cheapest:.10g}: "
                "let exact minimise cost, or return the bound that it has proved"
            )
        cheap, reached = trial.problem.lower_bound(trial.instances[index]), trial.cost(index, solution)
        if cheap is not None and above(cheap, reached):
            raise InputError(
                f"bound returned {cheap:.10g}, but the solution of exact costs {reached:.10g}: lower the bound"
            )


def need_optima(trial: Trial) -> None:
    """Skip what holds only of a layer whose y minimises ⟨θ, embed(y)⟩."""
    if not trial.has("embed"):
        raise Skip("the problem has no embed: the objective of its layer is unknown")
    if not trial.problem.layer_is_exact:
        raise Skip("the layer is a search: it may miss the best y")


def objective(trial: Trial) -> None:
    """Check that the layer minimises ⟨θ, embed(y)⟩: no y returned for another θ is better.

    On small instances the y that it returned are nearly all the vertices there are.
    """
    need_optima(trial)
    told_apart, distinct = False, False
    for index in trial.each():
        ys = [sample.y for sample in trial.samples if sample.index == index]
        first, *vectors = [trial.vector("embed", index, y) for y in ys]
        told_apart = told_apart or any(not np.array_equal(first, vector) for vector in vectors)
        distinct = distinct or any(difference(snapshot(ys[0]), snapshot(y), "y") is not None for y in ys)
    if distinct and not told_apart:
        raise InputError("embed returned the same vector for different y: return the one with g(y, θ) = ⟨θ, embed(y)⟩")
    for index in trial.each():
        many = _thetas_and_near_ones(trial, index)
        embedded = np.array([trial.vector("embed", index, trial.layer(index, theta)) for theta in many])
        values = many @ embedded.T
        rounding = ROUNDING * (np.abs(many) @ np.abs(embedded).max(axis=0))
        own, least, most = values.diagonal(), values.min(axis=1), values.max(axis=1)
        lost = own - least - rounding
        worst, count = int(lost.argmax()), int((lost > 0).sum())
        if count and int((own >= most - rounding).sum()) > 0.9 * len(own):
            raise InputError(
                "layer returned the y of LARGEST ⟨θ, embed(y)⟩: minimise it. Give the solver inside layer −θ, or fix "
                "the sign of embed"
            )
        if count:
            raise InputError(
                f"layer is not optimal for {count} of {len(own)} θ: its y has ⟨θ, embed(y)⟩ = {own[worst]:.6g}, a y "
                f"that it returned for another θ has {least[worst]:.6g}. Solve the easy problem to the end, or let "
                "embed give the objective of the layer"
            )


def target(trial: Trial) -> None:
    """Check that ȳ of a solution is a mean of embedded y: in no direction does it beat the layer's optimum."""
    trial.need("embed", "target")
    need_optima(trial)
    for sample in list(trial.each_sample())[::3]:  # each is held against many θ
        index = trial.current = sample.index
        aimed = trial.vector("target", index, sample.solution)
        many = _thetas_and_near_ones(trial, index)[:20]
        middle = np.mean([trial.vector("embed", index, trial.layer(index, theta)) for theta in many], axis=0)
        for theta in np.vstack([many, middle - aimed, -aimed, aimed]):
            reached = trial.vector("embed", index, trial.layer(index, theta))
            rounding = ROUNDING * float(np.abs(theta) @ np.maximum(np.abs(reached), np.abs(aimed)))
            if theta @ aimed < theta @ reached - rounding:
                raise InputError(
                    f"target is no mean of embedded y: for some θ, ⟨θ, ȳ⟩ = {theta @ aimed:.6g} is less than the "
                    f"layer's least, {theta @ reached:.6g}. Return embed of a y, or a mean of such"
                )


def above(bound: float, cost: float) -> bool:
    """Tell whether a bound exceeds a cost by more than rounding."""
    return bound > cost + ROUNDING * max(abs(bound), abs(cost))


def _thetas_and_near_ones(trial: Trial, index: int) -> Floats:
    """Return θ as in learning, then others near these."""
    base = trial.thetas(index, TRIED // 2, 2)
    rng = trial.rng(3, index)
    size = base.std(axis=1, keepdims=True) + 1e-3
    near = base + size * rng.choice([0.02, 0.3], size=(len(base), 1)) * rng.normal(size=base.shape)
    return np.asarray(np.vstack([base, near]))
