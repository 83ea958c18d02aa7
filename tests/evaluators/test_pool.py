"""Processes that each hold a shard: the numbers of the plain loop, and faults that come back as errors."""

from __future__ import annotations

import os
import signal
from functools import partial
from typing import Any

import numpy as np
import pytest

from colayer.errors import ColayerError, InputError
from colayer.evaluators.base import evaluator_for
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.pool import PoolEvaluator
from colayer.evaluators.statistics import moments, row_squares, row_sums
from colayer.evaluators.visit import LoadedInstance
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from support.pick_problem import Pick


def jobs(count: int, **sizes: Any) -> list[Any]:
    return [SingleMachine().generate(seed=s, **{"jobs": 10 + 7 * s, **sizes}) for s in range(count)]


def test_pool_equals_local() -> None:
    """Processes, shards of unequal size, and the moments behind the feature scale."""
    problem = SingleMachine(decoder="ls")
    data = jobs(5)
    weights = np.random.default_rng(2).normal(size=(4, 66))
    local = LocalEvaluator(bind(problem), data)
    pool = PoolEvaluator(bind(problem), data, 2)
    try:
        assert pool.shards == [[0, 2, 4], [1, 3]]
        assert np.array_equal(pool.losses(weights), local.losses(weights))
        ours, theirs = moments(bind(problem), data, pool), moments(bind(problem), data, local)
        assert np.array_equal(ours.scale, theirs.scale)
        assert np.array_equal(ours.mean, theirs.mean)
        assert [count for count, _ in pool.map_features(row_sums)] == [10, 17, 24, 31, 38]  # in order
    finally:
        pool.close()


def test_there_are_no_more_processes_than_instances() -> None:
    pool = PoolEvaluator(bind(Pick()), [np.ones((2, 2)), np.zeros((2, 2))], 5)
    try:
        assert len(pool._processes) == 2
        assert pool.losses(np.ones((1, 2))).tolist() == [[101.0 / 2, 100.0 / 2]]
    finally:
        pool.close()


def test_closing_ends_the_processes_and_may_be_repeated() -> None:
    pool = PoolEvaluator(bind(Pick()), [np.ones((2, 2))] * 2, 2)
    pool.losses(np.ones((1, 2)))
    pids = pool.visit(pid, range(2))
    pool.close()
    assert not any(alive(process) for process in pids)
    pool.close()


def pid(_: LoadedInstance[Any, Any, Any]) -> int:
    return os.getpid()


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


class Broken(SingleMachine):
    """A user's mistake: a feature that is not finite."""

    def features(self, instance: Any) -> Any:
        values = np.array(super().features(instance), dtype=np.float64)
        values[2, 5] = np.nan
        return values

    def evaluator(self, instances: Any, workers: int | None = None) -> None:
        return None


def test_bad_features_are_named_also_from_a_worker() -> None:
    data = jobs(4)
    message = "features of single-machine: feature 'release_over_total_release' is nan in row 2"
    with pytest.raises(InputError, match=message):
        evaluator_for(bind(Broken()), data)
    pool = evaluator_for(bind(Broken()), data, workers=2)
    try:
        with pytest.raises(InputError, match=message):
            pool.losses(np.zeros((1, 66)))
    finally:
        pool.close()


class TwoWordsError(Exception):
    """An exception that cannot be unpickled: its constructor needs two words."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} {two}")


class Raising(Pick):
    def cost(self, solution: Any, instance: Any) -> float:
        raise TwoWordsError("no", "luck")


def test_an_exception_that_cannot_travel_is_told_in_words() -> None:
    pool = PoolEvaluator(bind(Raising()), [np.ones((2, 2))] * 2, 2)
    try:
        with pytest.raises(ColayerError, match="in a worker process: TwoWordsError: no luck"):
            pool.losses(np.ones((1, 2)))
        # the process is still there and answers
        assert np.array_equal(pool.map_features(partial(row_squares, center=np.zeros(2))), [[2.0, 2.0]] * 2)
    finally:
        pool.close()


def test_a_dead_worker_is_an_error_not_a_hang() -> None:
    pool = PoolEvaluator(bind(SingleMachine()), jobs(4, jobs=10), 2)
    try:
        pool.map_features(row_sums)
        os.kill(pool.visit(pid, [1])[0], signal.SIGKILL)
        for _ in range(2):  # at work or not, and ever after
            with pytest.raises(ColayerError, match="worker process ended"):
                pool.losses(np.zeros((1, 66)))
    finally:
        pool.close()


def test_what_cannot_be_pickled_is_refused() -> None:
    class Local(Pick):
        """A class that no other process can import."""

    with pytest.raises(InputError, match="cannot be pickled") as caught:
        PoolEvaluator(bind(Local()), [np.ones((2, 2))] * 2, 2)
    assert "\n" not in str(caught.value)
