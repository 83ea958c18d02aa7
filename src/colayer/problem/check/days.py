"""Checks of a dynamic problem: days that are played by several policies, and its states as instances of one decision.

What takes a state (features, layer, decode, embed, target) is checked on states as the methods of other problems are on
instances. What takes a day (files, generate, bound, pickling) is checked on days, and on the decisions of policies in
the place of solutions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.snapshot import difference, snapshot
from colayer.dynamic.bound import BoundDynamic
from colayer.dynamic.play import Epoch, Policy, play, replay, total_cost
from colayer.errors import InputError
from colayer.problem.check import methods, purity, roundtrip
from colayer.problem.check.report import Skip
from colayer.problem.check.trial import Sample, Trial, copied
from colayer.problem.check.variants import declarations
from colayer.problem.gap import ROUNDING

#: Random weights under which each day is played, and states that are looked at closely.
POLICIES, STATES = 3, 6
#: Epochs of a day at which futures are drawn, about.
FUTURES = 2

_OF_STATES = ("features", "layer", "decode", "embed", "target", "homogeneous", "layer_is_exact")


class OneDecision:
    """The problem of one decision: an instance is a state, and the cost that of its step."""

    def __init__(self, problem: Any) -> None:
        self._problem = problem
        self.name, self.feature_names = problem.name, tuple(problem.feature_names)
        for name in _OF_STATES:
            if getattr(problem, name, None) is not None:
                setattr(self, name, getattr(problem, name))

    def cost(self, decision: Any, state: Any) -> float:
        """Return the cost of the step."""
        return float(self._problem.step(copied(state), copied(decision))[0])

    def scale(self, state: Any) -> float:
        """Return 1."""
        return 1.0


class DayTrial(Trial):
    """A dynamic problem with days; what several policies decide on them stands for solutions."""

    problem: BoundDynamic

    def policies(self) -> list[Policy]:
        """Return the plain policy, the rules and random weights."""
        random = self.rng(7).normal(size=(POLICIES, self.problem.dimension))
        rule = self.problem.rule_decision
        rules = [] if rule is None else [partial(rule, name) for name in self.problem.baselines]
        return [self.problem.plain_policy, *rules, *map(self.problem.policy, random)]

    @cached_property
    def days(self) -> list[tuple[int, list[Epoch]]]:
        """The days looked at closely, each played by each policy: its number, and the epochs."""
        problem, played = self.problem, []
        for index in self.each():
            for policy in self.policies():
                state = problem.start(copied(self.instances[index]))
                played.append((index, list(play(problem, state, policy, careful=True))))
        return played

    @cached_property
    def samples(self) -> list[Sample]:
        """The decisions of each policy on each day, with their cost."""
        none: Floats = np.empty(0)
        return [
            Sample(index, none, None, [epoch.decision for epoch in epochs], total_cost(iter(epochs)))
            for index, epochs in self.days
        ]

    @cached_property
    def states(self) -> Trial:
        """Some of the states in which there is something to decide, as instances."""
        visited = [epoch.state for _, epochs in self.days for epoch in epochs]
        deciding = [state for state in visited if len(self.problem.state_features(state))]
        if not deciding:
            raise InputError("no state of these days has rows of features: there is nothing to decide")
        chosen = np.linspace(0, len(deciding) - 1, min(STATES, len(deciding))).astype(int)
        problem: Any = OneDecision(self.problem.problem)
        return Trial(problem, [deciding[k] for k in chosen], self.seed)


def of_states(check: Callable[[Trial], None]) -> Callable[[DayTrial], None]:
    """Return a check of other problems, on states."""

    def run(trial: DayTrial) -> None:
        states = trial.states
        states.current = None
        try:
            check(states)
        except InputError as error:
            raise InputError(f"{'' if states.current is None else f'state {states.current}: '}{error}") from error

    return run


def start(trial: DayTrial) -> None:
    """Check that `start` returns the same state twice, and leaves the day as it is."""
    for index in trial.each():
        day = copied(trial.instances[index])
        before = snapshot(day)
        first, again = snapshot(trial.problem.start(day)), snapshot(trial.problem.start(day))
        if (place := difference(before, snapshot(day), "day")) is not None:
            raise InputError(f"start changes its input {place}: work on a copy")
        if (place := difference(first, again, "state")) is not None:
            raise InputError(f"start returned different states for the same day (look at {place}): use the day alone")


def step(trial: DayTrial) -> None:
    """Check that days end, with finite costs and states left as they are, and that `step` repeats itself."""
    for index, epochs in trial.days:
        trial.current = index
        decisions = [epoch.decision for epoch in epochs]
        again = list(replay(trial.problem, copied(trial.instances[index]), copied(decisions)))
        for one, other in zip(epochs, again, strict=True):
            # the state that only `step` has seen comes first: the other may have cached more
            place = difference(snapshot((other.cost, other.state)), snapshot((one.cost, one.state)), "")
            if place is not None:
                raise InputError(
                    f"epoch {one.number}: the same decisions gave another {'cost' if place == '[0]' else 'state'}: let "
                    "step use its arguments alone. Look for random draws: a day holds all that will happen"
                )


def feasible(trial: DayTrial) -> None:
    """Check that there is a test of decisions; `step`, which plays with care, has applied it to all."""
    if trial.problem.decision_violation is None:
        raise Skip("the problem has no violation")
    trial.need("violation")


def monotone(trial: Trial) -> None:
    """Check that y moves against θ: ⟨θ − θ′, embed(y) − embed(y′)⟩ ≤ 0, as where g(y, θ) = ⟨θ, embed(y)⟩ + c(y)."""
    methods.need_optima(trial)
    for index in trial.each():
        many = trial.thetas(index, methods.TRIED // 2, 2)
        embedded = np.array([trial.vector("embed", index, trial.layer(index, theta)) for theta in many])
        values = many @ embedded.T
        own = values.diagonal()
        moved = own[:, None] + own[None, :] - values - values.T
        rounding = ROUNDING * (np.abs(many) @ np.abs(embedded).max(axis=0)).max()
        if (moved > rounding).any():
            raise InputError(
                f"layer does not minimise ⟨θ, embed(y)⟩ and what is known: {int((moved > rounding).sum()) // 2} pairs "
                "of θ would do better with each other's y. Mind the sign of θ, or let embed give the objective"
            )


def target(trial: DayTrial) -> None:
    """Check that every decision has a target, one number per row of the features."""
    trial.need("target")
    for index, epochs in trial.days:
        trial.current = index
        for epoch in epochs:
            rows = len(trial.problem.state_features(epoch.state))
            if rows:
                trial.problem.vector("target", rows, epoch.decision, epoch.state)


def hindsight(trial: DayTrial) -> None:
    """Check that hindsight decides for whole days, from a state on as well, and where exact is below every policy."""
    problem = trial.problem
    if problem.hindsight is None:
        raise Skip("the problem has no hindsight")
    for index, epochs in trial.days:
        trial.current = index
        day = trial.instances[index]
        known = total_cost(replay(problem, day, problem.hindsight_decisions(day), careful=True))
        reached = total_cost(iter(epochs))
        if problem.hindsight_is_exact and methods.above(known, reached):
            raise InputError(
                f"hindsight_is_exact, but the decisions of hindsight cost {known:.10g}, and those of a policy "
                f"{reached:.10g}: set it to False, or let hindsight minimise the sum of the costs"
            )


def future(trial: DayTrial) -> None:
    """Check that nothing looks ahead, on two days that agree up to a state and differ later: `future` draws them.

    The state and the first states of both days have the same features. In the latter two, policies decide alike, and
    `future` draws the same days again.
    """
    problem = trial.problem
    if problem.future is None:
        raise Skip("the problem has no future")
    varies = False
    for index, epochs in trial.days:
        trial.current = index
        for epoch in epochs[:: max(1, len(epochs) // FUTURES)]:
            drawn = [problem.future(copied(epoch.state), trial.seed + k) for k in (0, 1)]
            one, other = map(snapshot, drawn)
            varies = varies or difference(one, other, "") is not None
            said = _looks_ahead(trial, epoch.state, [problem.start(day) for day in drawn])
            if said is not None:
                raise InputError(f"epoch {epoch.number}: {said}")
    trial.current = None
    if not varies:
        raise InputError("future returned the same day for every seed: let it draw what may come, not look it up")


def _looks_ahead(trial: DayTrial, state: Any, twins: list[Any]) -> str | None:
    """Return what looks ahead in two states that are equal as far as they are known; None if nothing does."""
    problem = trial.problem
    rows = [problem.state_features(each).tolist() for each in (*twins, state)]
    if rows[0] != rows[1]:
        return "features look ahead: they differ on two days that agree up to this state"
    if rows[0] != rows[2]:
        return (
            "the first state of a day of future has other features than the state it follows: let it hold all that "
            "is known there"
        )
    for policy in (problem.plain_policy, trial.policies()[-1]):
        one, other = (snapshot(policy(copied(twin))) for twin in twins)
        if difference(one, other, "") is not None:
            return "decisions look ahead: they differ on two days that agree up to this state"
    one, other = (snapshot(problem.need("future")(twin, trial.seed)) for twin in twins)
    if (place := difference(one, other, "day")) is not None:
        return f"future drew different days for one seed in equal states (look at {place}): use the seed"
    return None


def day_costs(trial: DayTrial) -> None:
    """Check that the compiled costs are those of `step`, to the last bit."""
    problem = trial.problem
    if problem.day_costs is None:
        raise Skip("the problem has no day_costs")
    weights = np.vstack([np.zeros(problem.dimension), trial.rng(8).normal(size=(POLICIES, problem.dimension))])
    for index in trial.each():
        day = trial.instances[index]
        expected = [total_cost(play(problem, problem.start(day), problem.policy(row))) for row in weights]
        found = problem.costs(np.empty((0, 0)), weights, day).tolist()
        if found != expected:
            raise InputError(f"day_costs returned {found}, expected {expected}, the sums of the costs of step")


#: See `CHECKS` of `run.py`.
DAY_CHECKS: dict[str, tuple[Callable[[Any], None], tuple[str, ...]]] = {
    "declarations": (declarations, ()),
    "scale": (methods.scale, ()),
    "start": (start, ()),
    "step": (step, ("start",)),
    "features": (of_states(methods.features), ("step",)),
    "layer": (of_states(methods.layer), ("features",)),
    "decode": (of_states(methods.decode), ("layer",)),
    "inputs unchanged": (of_states(purity.inputs_unchanged), ("decode",)),
    "repeatable": (of_states(purity.repeatable), ("inputs unchanged",)),
    "theta": (of_states(methods.theta), ("repeatable",)),
    "feasible": (feasible, ("step",)),
    "bound": (methods.bound, ("step",)),
    "hindsight": (hindsight, ("step",)),
    "future": (future, ("step",)),
    "objective": (of_states(monotone), ("theta",)),
    "target": (target, ("step",)),
    "day costs": (day_costs, ("step",)),
    "files": (roundtrip.files, ("step",)),
    "generate": (roundtrip.generate, ("step",)),
    "pickling": (roundtrip.pickling, ("step", "scale")),
}
