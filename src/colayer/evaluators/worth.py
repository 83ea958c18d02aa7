"""Whether a run in plain Python is long enough to pay for worker processes.

Only commands ask: a process that is spawned imports the main module again, and not every script is made for that.
"""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Sequence

import numpy as np

from colayer._runtime.clock import clock
from colayer._runtime.threads import allowed
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z

#: Seconds in one process above which processes are started.
LONG = 20.0
#: Instances that are solved once to tell.
_TRIED = 5


def workers_worth_starting(
    problem: BoundProblem[X, Y, Z], instances: Sequence[X], evaluations: int, rounds: int = 1
) -> int | None:
    """Return all cores for a run that would take longer than `LONG` in one process, else None.

    None as well for a problem with a compiled evaluator, which has threads of its own, for one that cannot be pickled,
    and in a process that is a worker itself.
    """
    compiled = problem.evaluator is not None and rounds == 1
    if compiled or allowed() == 1 or len(instances) < 2 or multiprocessing.parent_process() is not None:
        return None
    weights = np.ones((1, problem.dimension)) if problem.safe_weights is None else problem.safe_weights[None, :]
    tried, seconds = instances[:_TRIED], 0.0
    for instance in tried:
        features = problem.features(instance)
        begin = clock()
        problem.costs(features, weights, instance)
        seconds += clock() - begin
    if seconds / len(tried) * len(instances) * evaluations * rounds < LONG:
        return None
    try:
        pickle.dumps((problem, tried))
    except Exception:  # whatever a user's class raises: it stays in this process
        return None
    return allowed()
