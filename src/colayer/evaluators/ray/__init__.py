"""Evaluation on a Ray cluster: instances stay on their nodes, weights and losses travel. Ray is an extra."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from colayer.evaluators.base import Evaluator
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z


@contextmanager
def cluster_evaluators(
    cluster: str, problem: BoundProblem[X, Y, Z], workers: int | None, rounds: int = 1
) -> Iterator[Callable[[Sequence[X]], Evaluator]]:
    """Connect to the cluster and yield a function that makes evaluators there."""
    from colayer.evaluators.ray.connection import connected
    from colayer.evaluators.ray.evaluator import ClusterEvaluator

    with connected(cluster):
        yield lambda instances: ClusterEvaluator(problem, instances, workers, rounds)
