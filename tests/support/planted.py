"""Planted mistakes: a problem without any, changed in one place, and what `check_problem` says of it."""

from __future__ import annotations

from typing import Any

from colayer import check_problem
from colayer.checks import Finding
from support.selection_problem import instances


def only_failure(problem: Any) -> Finding:
    """The one finding that is a failure; where there are others, or none, the report says which."""
    report = check_problem(problem, instances())
    assert len(report.failures) == 1, str(report)
    return report.failures[0]
