"""Evaluation on a Ray cluster: instances stay on their nodes, weights and losses travel. Ray is an extra."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from colayer.evaluators.base import Evaluator
from colayer.problem.protocol import Problem, X, Y, Z


@contextmanager
def cluster_evaluators(
    cluster: str, problem: Problem[X, Y, Z], count: int, workers: int | None
) -> Iterator[Callable[[Sequence[X]], Evaluator]]:
    """A function that makes evaluators on the cluster, with at most `count` workers, which end with the block."""
    from colayer.evaluators.ray.connection import connected
    from colayer.evaluators.ray.evaluator import ClusterEvaluator
    from colayer.evaluators.ray.workers import Workers

    with connected(cluster):
        there = Workers(problem, count, workers)
        try:
            yield lambda instances: ClusterEvaluator(there, problem, instances)
        finally:
            there.close()
