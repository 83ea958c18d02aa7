"""Plain rules are found by name."""

from __future__ import annotations

from colayer.errors import InputError
from colayer.problems.rules import rule_named
from support.errors import rejects

RULES = {"double": lambda x: 2 * x, "half": lambda x: x / 2}


def test_the_rule_of_that_name() -> None:
    assert rule_named("double", RULES)(3) == 6
    assert rule_named("half", RULES)(3) == 1.5


def test_an_unknown_rule_is_refused_with_those_there_are() -> None:
    with rejects(InputError, "third"):
        rule_named("third", RULES)
