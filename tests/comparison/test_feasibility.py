"""What a problem says against a solution: by `violation`, else by its solution files."""

from __future__ import annotations

from typing import Any

import pytest

from colayer.comparison.feasibility import refusal
from colayer.errors import InputError
from support.errors import rejects
from support.item_problem import Even, Item, PickItem, Written

ITEM = Item([4.0, 1.0, 2.0])


class Saying(PickItem):
    def __init__(self, said: Any) -> None:
        self.said = said

    def violation(self, solution: int, instance: Item) -> Any:
        return self.said


class Unreadable(Written):
    """Its files cannot be read at all, which is for `colayer check` to say."""

    def read_solution(self, document: Any, instance: Item) -> int:
        return int(document["no such key"])


class OnlyWritten(Written):
    read_solution = None


@pytest.mark.parametrize(("problem", "said"), [(Even(), "violation says: odd"), (Written(), "odd")])
def test_an_infeasible_solution_is_told_from_a_feasible_one(problem: Any, said: str) -> None:
    assert refusal(problem, 1, ITEM) == said
    assert refusal(problem, 2, ITEM) is None


@pytest.mark.parametrize("problem", [PickItem(), OnlyWritten(), Unreadable()], ids=lambda p: type(p).__name__)
def test_where_the_problem_cannot_tell_there_is_nothing_to_say(problem: Any) -> None:
    assert refusal(problem, 1, ITEM) is None


def test_a_violation_is_one_line_and_never_empty() -> None:
    assert refusal(Saying("two visits\non one day"), 0, ITEM) == "violation says: two visits"
    assert refusal(Saying(""), 0, ITEM) == "violation says: something is wrong"


def test_a_violation_that_is_no_sentence_is_refused() -> None:
    with rejects(InputError, "violation", "pick"):
        refusal(Saying(False), 0, ITEM)
