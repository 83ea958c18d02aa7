"""Work that the methods of a problem share, done once per instance."""

from __future__ import annotations

import copy
import gc
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from colayer import BaseProblem, Pipeline, check_problem, evaluate
from colayer.problem import prepared
from colayer.problem.prepared import PreparedCache
from support.pick_problem import Pick, picks


class Shared(Pick, BaseProblem):
    """Features, bound, decoder and scale all look at the sorted values."""

    #: How many instances were prepared, by all objects of the class.
    done = 0

    def prepare(self, instance):
        type(self).done += 1
        return np.sort(instance[:, 0])

    def features(self, instance):
        return np.column_stack([instance[:, 0] - self.prepared(instance)[0], instance[:, 1]])

    def scale(self, instance):
        return float(np.abs(self.prepared(instance)).sum())

    def bound(self, instance):
        return float(self.prepared(instance)[: len(instance) // 2].sum()) + 100.0

    def decode(self, y, instance):
        self.prepared(instance)
        return y


@pytest.fixture
def problem() -> Any:
    Shared.done = 0
    return Shared()


def test_an_instance_is_prepared_once_by_all_methods_in_fit_and_solve(problem: Any) -> None:
    data = picks(8)
    pipeline = Pipeline(problem, [1.0, 0.0], safe=False).fit(data, evaluations=20)
    assert Shared.done == 8
    pipeline.solve_many(data, candidates=3)
    assert Shared.done == 8
    pipeline.solve(picks(9)[8])
    assert Shared.done == 9


def test_the_checks_find_nothing_wrong_with_it(problem: Any) -> None:
    check_problem(problem, picks(3)).raise_for_failures()


def test_every_contender_prepares_for_itself(problem: Any) -> None:
    """Each is timed on a copy that nobody has looked at; one more is for bounds and costs."""
    pipeline = Pipeline(problem, [1.0, 0.0], safe=False)
    evaluate(problem, picks(2), {"a": pipeline, "b": pipeline}, warm_up=False)
    assert Shared.done == 2 * 3


def test_what_is_gone_is_forgotten_and_what_stays_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "MOST", 3)
    cache = PreparedCache()
    instance = np.ones(2)
    cache.get(instance, np.sum)
    assert len(cache._kept) == 1
    del instance
    gc.collect()
    assert len(cache._kept) == 0
    lists = [[k] for k in range(5)]
    assert [cache.get(one, sum) for one in lists] == [0, 1, 2, 3, 4]
    assert [one[0]() for one in cache._kept.values()] == lists[2:]


def test_equal_instances_are_two_and_results_may_be_none() -> None:
    calls: list[Any] = []
    cache = PreparedCache()
    one, other = [1], [1]
    for instance in (one, other, one):
        assert cache.get(instance, calls.append) is None
    assert len(calls) == 2


def test_copies_and_pickles_are_empty(problem: Any) -> None:
    data = picks(1)
    problem.prepared(data[0])
    for other in (copy.deepcopy(problem), pickle.loads(pickle.dumps(problem))):
        assert other._prepared_cache._kept == {}
        other.prepared(data[0])
    assert Shared.done == 3


def test_threads_share_one_result() -> None:
    cache, data = PreparedCache(), [np.ones(3) for _ in range(50)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda k: cache.get(data[k % 50], lambda x: [x.sum()]), range(400)))
    assert all(found[k] is found[k % 50] for k in range(400))
