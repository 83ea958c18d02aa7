"""A day, played with a model: one policy from the first state to the last, since a day cannot be played again.

Which of several weight vectors is the best, which other problems ask, is known only when a day is over. So the safe
weights have no part, and `candidates` and `samples` are tried on drawn futures, where the problem can draw them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.clock import clock
from colayer._runtime.snapshot import difference, snapshot
from colayer.dynamic.bound import BoundDynamic, goes_through
from colayer.dynamic.play import Epoch, play, refuse_infeasible, replay, total_cost
from colayer.errors import InputError, OptionError
from colayer.learning.search.own_best_days import cost_of_rest
from colayer.learning.settings import check_whole
from colayer.models import FromContext, Model
from colayer.problem.bind import BoundProblem
from colayer.problem.gap import gap
from colayer.problem.protocol import X, Y, Z
from colayer.solving.candidates import fixed_rows
from colayer.solving.context import decide_context
from colayer.solving.solved import Origin, Solved

if TYPE_CHECKING:
    from colayer.solving.solve import SolveOptions

#: Days that could follow, drawn in each state to choose among several weight vectors.
FUTURES = 8

_ONCE = "a day is played once: which weights were best is known when it is over"
_OPTIONS = "--candidates", "--samples"


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


@dataclass(frozen=True, eq=False)
class DayPolicy:
    """A model that decides; with several `rows` of weights (model units), by those that do best on drawn futures.

    In a state, each row decides first, and the model the rest, on the same days that could follow: the row of least
    mean cost is taken, the first of equals. So nothing is lost on average where the futures are those to be expected.
    """

    problem: BoundDynamic
    model: Model
    rows: Floats
    seed: int = 0

    def __call__(self, state: Any) -> Any:
        """Return the decision in a state; refuse an infeasible one of a user's problem."""
        decisions = [self.decision(state, row) for row in self.rows]
        decision = decisions[self._best(state, decisions) if len(decisions) > 1 else 0]
        if self.problem.guarded:
            refuse_infeasible(self.problem, decision, state)
        return decision

    def decision(self, state: Any, row: Floats) -> Any:
        """Return the decision of one row of weights."""
        return self.problem.model_decision(self.model, self.model.raw(row), state)

    def _best(self, state: Any, decisions: list[Any]) -> int:
        """Return the number of the row that does best."""
        problem, first = self.problem, snapshot(decisions[0])
        if all(difference(first, snapshot(other), "decision") is None for other in decisions):
            return 0
        future, onward = problem.need("future"), partial(self.decision, row=self.rows[0])
        drawn = [Epoch(0, problem.start(future(state, self.seed + k)), None, 0.0) for k in range(FUTURES)]
        costs = [
            sum(cost_of_rest(problem, onward, epoch, self.decision(epoch.state, row)) for epoch in drawn)
            for row in self.rows
        ]
        return int(np.argmin(costs))


def decide(problem: BoundProblem[X, Y, Z], model: Model, state: Any, candidates: int = 1, seed: int = 0) -> Any:
    """Return the decision of a model in a state."""
    if isinstance(model, FromContext):
        return decide_context(problem, model, state)
    if not isinstance(problem, BoundDynamic):
        raise InputError(f"{problem.name} has no states to decide in: it has no start and step")
    check_whole("--candidates", candidates, 1)
    check_whole("--seed", seed, 0)
    policy = _policy(problem, model, candidates, 0, None, seed)
    try:
        return policy(state)
    except Exception:
        if goes_through(problem.start, state):
            said = "this is a day, expected a state of it: the first is problem.start(day); solve(day) plays them all"
            raise InputError(said, where="decide") from None
        raise


def solve_day(problem: BoundDynamic, model: Model, day: Any, options: SolveOptions) -> SolvedDay:
    """Return the day played with a model."""
    if options.time_limit is not None:
        raise OptionError(_ONCE, where="--time-limit")
    begin = clock()
    policy = _policy(problem, model, options.candidates, options.samples, options.sigma, options.seed)
    try:
        first = problem.start(day)
    except Exception:
        problem.refuse_state(day)
        raise
    careful, problem.watched = problem.guarded and not problem.watched, True
    epochs = list(play(problem, first, policy, careful=careful))
    cost, seconds = total_cost(iter(epochs)), clock() - begin
    bound = problem.lower_bound(day) if options.bound else None
    decisions, origin = [epoch.decision for epoch in epochs], Origin(problem, day)
    quality = bound, gap(cost, bound), seconds
    return SolvedDay(decisions, cost, *quality, "learned", candidates=len(policy.rows), origin=origin)


def _policy(
    problem: BoundDynamic, model: Model, candidates: int, samples: int, sigma: float | None, seed: int
) -> DayPolicy:
    """Return the policy of the weights, or of several around them where the problem can draw futures."""
    rows, _ = fixed_rows(model, candidates, samples, sigma, seed)
    if len(rows) > 1 and problem.future is None:
        raise OptionError(f"{_ONCE}, and {problem.name} has no future(state, seed)", where=_OPTIONS[candidates == 1])
    return DayPolicy(problem, model, rows, seed)
