"""Days, played: epoch after epoch, by a policy or by given decisions, with the epoch in every error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from colayer._runtime.snapshot import difference, snapshot
from colayer._runtime.text import first_line
from colayer.errors import ColayerError, InputError
from colayer.problem.guard import with_place

if TYPE_CHECKING:
    from colayer.dynamic.bound import BoundDynamic

#: Epochs of a day at most; beyond, a mistake is likelier.
MOST_EPOCHS = 10_000

#: state → decision.
Policy = Callable[[Any], Any]


class InfeasibleError(InputError):
    """A decision that `violation` refuses."""


class Epoch(NamedTuple):
    """One epoch of a day: its number, from 0, its state, the decision and what that cost."""

    number: int
    state: Any
    decision: Any
    cost: float


def play(
    problem: BoundDynamic, state: Any, decide: Policy, *, careful: bool = False, first: int = 0
) -> Iterator[Epoch]:
    """Yield the epochs from a state, that of epoch `first`, to the end of the day.

    If `careful`, a decision that `violation` refuses and a state that is changed are errors.
    """
    for number in range(first, MOST_EPOCHS):
        try:
            kept = snapshot(state) if careful else None
            decision = decide(state)
            if careful:
                refuse_infeasible(problem, decision, state)
            cost, after = problem.step(state, decision)
            if kept is not None and (place := difference(kept, snapshot(state), "state")) is not None:
                raise InputError(f"a method of {problem.name} changes its input {place}: `step` makes a new state")
        except ColayerError as error:
            raise error.at(f"epoch {number}") from error.__cause__
        except Exception as error:
            with_place(error, f"epoch {number}")
            raise
        yield Epoch(number, state, decision, cost)
        if after is None:
            return
        state = after
    raise InputError(
        f"step of {problem.name} has not ended the day after {MOST_EPOCHS} epochs, expected None as the last state"
    )


def replay(problem: BoundDynamic, day: Any, decisions: Sequence[Any], *, careful: bool = False) -> Iterator[Epoch]:
    """Yield the epochs of a day with these decisions, one per epoch."""
    given = iter(decisions)

    def decide(state: Any) -> Any:
        for decision in given:
            return decision
        raise InputError(f"the day goes on after {len(decisions)} decisions, expected one per epoch")

    number = 0
    for epoch in play(problem, problem.start(day), decide, careful=careful):
        number += 1
        yield epoch
    if number < len(decisions):
        raise InputError(f"{len(decisions)} decisions, expected {number}: the day of {problem.name} has no more epochs")


def total_cost(epochs: Iterator[Epoch]) -> float:
    """Return the sum of the costs, one epoch after the other."""
    total = 0.0
    for epoch in epochs:
        total += epoch.cost
    return total


def refuse_infeasible(problem: BoundDynamic, decision: Any, state: Any) -> None:
    """Raise what `violation` says against a decision."""
    said = None if problem.decision_violation is None else problem.decision_violation(decision, state)
    if said is not None:
        words = first_line(InputError(said or "something is wrong"))
        raise InfeasibleError(f"the decision is infeasible: violation of {problem.name} says: {words}")
