"""Plain rules by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from colayer.errors import InputError
from colayer.problem.protocol import X, Z


def rule_named(rule: str, rules: Mapping[str, Callable[[X], Z]]) -> Callable[[X], Z]:
    """Return the rule called `rule`, a function from an instance to a solution."""
    if rule not in rules:
        raise InputError(f"no baseline {rule!r}, expected one of {', '.join(rules)}")
    return rules[rule]
