"""Plain rules by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from colayer.errors import InputError

Rule = TypeVar("Rule", bound=Callable[..., Any])


def rule_named(rule: str, rules: Mapping[str, Rule]) -> Rule:
    """Return the rule called `rule`, a function from an instance to a solution."""
    if rule not in rules:
        raise InputError(f"no baseline {rule!r}, expected one of {', '.join(rules)}")
    return rules[rule]
