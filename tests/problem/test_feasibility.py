"""What a problem says against a solution: by `violation`, else by its solution files."""

from __future__ import annotations

from typing import Any

import pytest

from colayer.errors import InputError
from colayer.problem.bind import bind
from colayer.problem.feasibility import below_bound, refusal
from colayer.problem.gap import ROUNDING
from support.item_problem import Even, Item, PickItem, Written

ITEM = Item([4.0, 1.0, 2.0])


class Saying(PickItem):
    def __init__(self, said: Any) -> None:
        self.said = said

    def violation(self, solution: int, instance: Item) -> Any:
        return self.said


class Unreadable(Written):
    """Its files cannot be read at all: that is no sign of a good solution."""

    def read_solution(self, document: Any, instance: Item) -> int:
        return int(document["no such key"])


class OnlyValidating(Written):
    """Reading validates, and returns nothing: no verdict on the solution."""

    def read_solution(self, document: Any, instance: Item) -> None:
        return None


class OnlyWritten(Written):
    read_solution = None


@pytest.mark.parametrize(("problem", "said"), [(Even(), "violation says: odd"), (Written(), "odd")])
def test_an_infeasible_solution_is_told_from_a_feasible_one(problem: Any, said: str) -> None:
    assert refusal(bind(problem), 1, ITEM) == said
    assert refusal(bind(problem), 2, ITEM) is None


@pytest.mark.parametrize("problem", [PickItem(), OnlyWritten(), OnlyValidating()], ids=lambda p: type(p).__name__)
def test_where_the_problem_cannot_tell_there_is_nothing_to_say(problem: Any) -> None:
    assert refusal(bind(problem), 1, ITEM) is None


@pytest.mark.parametrize("error", [KeyError("pick"), TypeError("no"), IndexError("out"), RuntimeError("x"), OSError(3)])
def test_an_exception_of_read_solution_is_no_sign_of_feasibility(error: Exception) -> None:
    class Raising(Written):
        def read_solution(self, document: Any, instance: Item) -> int:
            raise error

    assert refusal(bind(Unreadable()), 1, ITEM) == "read_solution raised KeyError: 'no such key'"
    said = refusal(bind(Raising()), 2, ITEM)
    assert said is not None
    assert said.startswith(f"read_solution raised {type(error).__name__}")


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_rounding_is_relative_to_the_costs(unit: float, sign: float) -> None:
    cost = sign * unit
    assert below_bound(cost, cost + 0.5 * ROUNDING * unit) is None
    assert below_bound(cost, cost + 2.0 * ROUNDING * unit) == (
        f"it costs {cost:.10g}, less than the lower bound {cost + 2.0 * ROUNDING * unit:.10g}"
    )


def test_a_violation_is_one_line_and_never_empty() -> None:
    assert refusal(bind(Saying("two visits\non one day")), 0, ITEM) == "violation says: two visits"
    assert refusal(bind(Saying("")), 0, ITEM) == "violation says: something is wrong"


def test_a_violation_that_is_no_sentence_is_refused() -> None:
    with pytest.raises(InputError, match="violation of pick"):
        refusal(bind(Saying(False)), 0, ITEM)


def test_a_cost_below_the_lower_bound_is_refused_unless_by_rounding() -> None:
    assert below_bound(1.0, 1.0 + 1e-9) is None
    assert below_bound(1.0, 2.0) == refusal(bind(PickItem()), 1, ITEM, cost=1.0, bound=2.0)
    assert refusal(bind(PickItem()), 1, ITEM, cost=2.0, bound=1.0) is None
