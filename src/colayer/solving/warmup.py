"""Compile what a pipeline needs before the clock starts."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np

from colayer.evaluators.base import evaluator_for
from colayer.pipeline import Pipeline
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z

#: The whole-number sizes of a small instance.
_SMALL = 4


def small_instance(problem: BoundProblem[X, Y, Z], seed: int = 0) -> X | None:
    """Return a small generated instance; None if the problem has no generator."""
    if problem.generate is None:
        return None
    sizes: dict[str, Any] = {size.name: size.default for size in problem.sizes}
    for size in problem.sizes:
        if size.kind is int and not size.choices:
            sizes[size.name] = min(size.default, max(int(size.minimum or 1), _SMALL))
    return problem.generate(np.random.SeedSequence(seed), **sizes)


def warm_up(pipeline: Pipeline[X, Y, Z], samples: int = 0) -> None:
    """Solve a small instance to compile all that a solve needs; do nothing without a generator."""
    instance = small_instance(pipeline.bound_problem)
    if instance is not None:
        pipeline.solve(instance, samples=0 if pipeline.bound_problem.dynamic else min(1, samples))


def warm(problem: BoundProblem[X, Y, Z]) -> None:
    """Compile what solving and learning by experience need, if the problem makes instances."""
    instance, zero = small_instance(problem), np.zeros((1, problem.dimension))
    if instance is not None:
        warm_up(Pipeline(problem.problem, zero[0]), samples=1)
        with closing(evaluator_for(problem, [instance])) as evaluator:
            evaluator.losses(zero)
