"""Threads: how many there may be, work in order, and no threads within threads."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colayer._runtime.threads import Threads, allowed, cores, even_cuts, limited, share


def test_all_cores_are_allowed_at_first() -> None:
    assert cores() >= 1
    assert allowed() == cores()


def test_limits_nest_and_are_put_back() -> None:
    """Also by an exception; None changes nothing."""
    with limited(3):
        assert allowed() == 3
        with limited(None):
            assert allowed() == 3
        with pytest.raises(ZeroDivisionError, match="2 allowed"), limited(2):
            raise ZeroDivisionError(f"{allowed()} allowed")
        assert allowed() == 3
    assert allowed() == cores()


def test_a_limit_is_that_of_its_thread() -> None:
    seen = []
    with limited(1):
        other = threading.Thread(target=lambda: seen.append(allowed()))
        other.start()
        other.join()
    assert seen == [cores()]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_work_in_threads_may_start_none(workers: int) -> None:
    """Kernels that share their own work between threads do not multiply, whatever the number of workers."""
    with Threads(workers) as threads:
        assert threads.map(lambda _: allowed(), range(5)) == [1] * 5
        assert threads.map(lambda _: Threads().workers, range(2)) == [1, 1]
    assert allowed() == cores()


def test_as_many_threads_as_are_allowed() -> None:
    with limited(2), Threads() as threads:
        assert threads.workers == 2
    with Threads(5) as threads:
        assert threads.workers == 5


@pytest.mark.parametrize("workers", [1, 3])
def test_map_keeps_the_order(workers: int) -> None:
    with Threads(workers) as threads:
        assert threads.map(lambda k: k * k, range(20)) == [k * k for k in range(20)]
        assert threads.map(lambda k: k, []) == []


def test_items_run_side_by_side() -> None:
    """Two of them wait for each other."""
    barrier = threading.Barrier(2, timeout=30)
    with Threads(2) as threads:
        threads.map(lambda _: barrier.wait(), range(2))
    assert not barrier.broken


@pytest.mark.parametrize("workers", [1, 2])
def test_an_exception_is_raised_and_the_threads_serve_on(workers: int) -> None:
    def fail(k: int) -> int:
        if k == 1:
            raise KeyError(k)
        return k

    with Threads(workers) as threads:
        with pytest.raises(KeyError):
            threads.map(fail, range(3))
        assert threads.map(abs, [-1, -2]) == [1, 2]


def test_spans_cover_the_cuts() -> None:
    seen: list[tuple[int, int]] = []
    with Threads(2) as threads:
        threads.spans(lambda low, high: seen.append((low, high)), [0, 2, 3, 7])
    assert sorted(seen) == [(0, 2), (2, 3), (3, 7)]


def test_closing_may_be_repeated() -> None:
    threads = Threads(2)
    threads.close()
    threads.close()
    assert threads.map(abs, [-3]) == [3]  # in this thread then


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.integers(1, 12))
def test_even_cuts_put_every_item_in_one_span(work: list[int], parts: int) -> None:
    """And no span has more than its share and the largest item together."""
    before = np.concatenate([[0], np.cumsum(work)]).astype(np.int64)
    cuts = even_cuts(before, parts)
    assert (cuts[0], cuts[-1]) == (0, len(work))
    assert all(low < high for low, high in itertools.pairwise(cuts))
    assert len(cuts) <= parts + 2
    spans = [before[high] - before[low] for low, high in itertools.pairwise(cuts)]
    assert max(spans) <= before[-1] / parts + max(work)


def test_even_cuts_by_hand() -> None:
    assert even_cuts(np.array([0, 1, 2, 3, 4, 5, 6]), 3) == [0, 2, 4, 6]
    assert even_cuts(np.array([0, 90, 91, 92, 93]), 2) == [0, 1, 4]


#: The work before each of five items: none, much, little, none, some.
BEFORE = np.array([0, 0, 10, 11, 11, 14])


@pytest.mark.parametrize(("workers", "least"), [(1, 0), (2, 15)])
def test_little_work_and_one_thread_is_done_here_at_once(workers: int, least: int) -> None:
    seen = []
    share(lambda *span: seen.append((*span, threading.current_thread())), BEFORE, least=least, workers=workers)
    assert seen == [(0, 5, threading.current_thread())]


def test_much_work_is_shared_so_that_every_item_comes_once() -> None:
    seen = []
    with limited(2):
        share(lambda *span: seen.append((*span, threading.current_thread())), BEFORE, least=14)
    assert sorted(i for low, high, _ in seen for i in range(low, high)) == [0, 1, 2, 3, 4]
    assert len(seen) > 1
    assert threading.current_thread() not in {thread for *_, thread in seen}


def test_without_work_all_items_are_one_span() -> None:
    seen: list[tuple[int, int]] = []
    share(lambda low, high: seen.append((low, high)), np.zeros(4, dtype=np.int64), least=1)
    assert seen == [(0, 3)]
