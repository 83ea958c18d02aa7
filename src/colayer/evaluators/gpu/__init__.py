"""Evaluators on a GPU. There is none yet: this is where it goes, and what refuses until it is here."""

from __future__ import annotations

from collections.abc import Sequence

from colayer.errors import OptionError
from colayer.evaluators.base import Evaluator
from colayer.problem import Problem, X, Y, Z


def gpu_evaluator(problem: Problem[X, Y, Z], instances: Sequence[X]) -> Evaluator:
    """The losses of `problem` on a GPU."""
    raise OptionError(f"{problem.name} has no evaluator for a GPU, expected cpu", where="--device")
