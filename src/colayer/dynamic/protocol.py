"""The protocol of dynamic problems: what a user writes where information arrives while one decides.

    day ──start──▶ state ──features──▶ θ ──layer──▶ y ──decode──▶ decision ──step──▶ cost, next state … until None

A *day* is an instance: everything that will happen, revealed bit by bit. A *state* is what is known when one decides.
The costs of all epochs are added up. Everything is minimised.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from colayer.problem.protocol import BaseProblem


@runtime_checkable
class Dynamic(Protocol):
    """The two methods that make a problem dynamic; they stand in the place of `cost`."""

    def start(self, day: Any, /) -> Any:
        """Return the first state of a day."""

    def step(self, state: Any, decision: Any, /) -> tuple[float, Any]:
        """Return the cost of a decision and the next state, None after the last; the state is not changed."""


class DynamicProblem(BaseProblem):
    """A base class with defaults for the optional part of a dynamic problem.

    Write `name`, `feature_names`, `start`, `features`, `layer` and `step`. Any class with these, and without `cost`, is
    a dynamic problem as well.

    `features`, `layer`, `decode`, `embed`, `target`, `structure`, `violation` and `baseline` take a state where those
    of other problems take an instance; features have no rows where there is nothing to decide. `scale`, `bound`,
    `group`, `generate`, `read`, `write` and `plot(decisions, day, ax=None)` take a day. Methods that a dynamic problem
    may have besides:

    - `hindsight(day, state=None)`: the best decisions for a whole day, knowing it, or from a state of it on.
    - `future(state, seed)`: a day that could follow; its first state is this one as far as it is known.
    - `day_costs(weights, day)`: the total cost of a day under each row of `weights` (raw units), by compiled code.
    """

    #: Whether no policy costs less than the decisions of `hindsight`: then they bound the cost of a day.
    hindsight_is_exact: bool = False
