"""A day, played with a model: one policy from the first state to the last, since a day cannot be played again.

The best of several weight vectors, which other problems take, is known only when a day is over: `candidates`, `samples`
and the safe weights play no part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from colayer._runtime.clock import clock
from colayer.dynamic.bound import BoundDynamic
from colayer.dynamic.play import Epoch, play, refuse_infeasible, replay, total_cost
from colayer.errors import InputError, OptionError
from colayer.models import Model
from colayer.models.thetas import theta_blocks
from colayer.problem.bind import BoundProblem
from colayer.problem.gap import gap
from colayer.problem.protocol import X, Y, Z
from colayer.problem.theta import correction_of
from colayer.solving.solved import Origin, Solved

if TYPE_CHECKING:
    from colayer.solving.solve import SolveOptions


@dataclass(frozen=True, repr=False)
class SolvedDay(Solved[list[Any]]):
    """A day, played: `solution` holds the decision of each epoch."""

    @property
    def bound_kind(self) -> str | None:
        """Return "hindsight", or None without a bound: no policy, which knows less, can be sure to reach it."""
        return None if self.bound is None else "hindsight"

    @property
    def decisions(self) -> list[Any]:
        """The decision of each epoch."""
        return self.solution

    @property
    def costs(self) -> list[float]:
        """The cost of each epoch."""
        return [epoch.cost for epoch in self._epochs]

    @property
    def states(self) -> list[Any]:
        """The state of each epoch."""
        return [epoch.state for epoch in self._epochs]

    @cached_property
    def _epochs(self) -> list[Epoch]:
        """The day, replayed when it is first asked for."""
        origin = self._origin("states")
        assert isinstance(origin.problem, BoundDynamic)
        return list(replay(origin.problem, origin.instance, self.solution))


def decide(problem: BoundProblem[X, Y, Z], model: Model, state: Any) -> Any:
    """Return the decision of a model in a state."""
    if not isinstance(problem, BoundDynamic):
        raise InputError(f"{problem.name} has no states to decide in: it has no start and step")
    features = problem.state_features(state)
    correction = correction_of(problem, model, state, features)
    ((_, (theta,)),) = theta_blocks(features, model.raw()[None, :], correction)
    decision = problem.decode(problem.layer(theta, state), state)
    if problem.guarded:
        refuse_infeasible(problem, decision, state)
    return decision


def solve_day(problem: BoundDynamic, model: Model, day: Any, options: SolveOptions) -> SolvedDay:
    """Return the day played with a model."""
    for option, given in (
        ("--candidates", options.candidates > 1),
        ("--samples", options.samples > 0),
        ("--time-limit", options.time_limit is not None),
    ):
        if given:
            raise OptionError("a day is played once: which weights were best is known when it is over", where=option)
    begin = clock()
    epochs = list(play(problem, problem.start(day), lambda state: decide(problem, model, state)))
    cost, seconds = total_cost(iter(epochs)), clock() - begin
    bound = problem.lower_bound(day) if options.bound else None
    decisions = [epoch.decision for epoch in epochs]
    return SolvedDay(decisions, cost, bound, gap(cost, bound), seconds, "learned", origin=Origin(problem, day))
