"""Planted mistakes: a problem without any, changed in one place, and what `check_problem` says of it."""

from __future__ import annotations

from typing import Any

from colayer import check_problem
from colayer.problem.check import Finding
from support.selection_problem import Selection, instances


def only_failure(problem: Any) -> Finding:
    """The one finding that is a failure; where there are others, or none, the report says which.

    Through the problem's own decoder, where it has one: most mistakes have nothing to do with the others.
    """
    chosen = problem.decoder if problem.decoders == Selection.decoders and "decoder" in problem.options else None
    report = check_problem(problem, instances(), decoder=chosen)
    assert len(report.failures) == 1, str(report)
    return report.failures[0]


def assert_found(problem: Any, check: str, words: str) -> None:
    """The mistake of a problem is found by one check alone, which says what is wrong in these words."""
    failure = only_failure(problem)
    assert failure.check == check
    assert words in failure.detail
