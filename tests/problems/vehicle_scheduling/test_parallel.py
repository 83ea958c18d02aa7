"""Passes over the tails of all arcs: every tail once, in threads only where there is enough to do."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from colayer._runtime.threads import limited
from colayer.problems.vehicle_scheduling import parallel
from colayer.problems.vehicle_scheduling.parallel import run_over_tails

#: Where the arcs of five tails begin: none, many, one, none, a few.
INDPTR = np.array([0, 0, 10, 11, 11, 14])


def spans(scenarios: int) -> tuple[list[tuple[int, int]], set[str]]:
    """(spans of tails, names of the threads) of one pass."""
    found: list[tuple[int, int]] = []
    names: set[str] = set()
    lock = threading.Lock()

    def work(low: int, high: int) -> None:
        with lock:
            found.append((low, high))
            names.add(threading.current_thread().name)

    run_over_tails(work, INDPTR, scenarios)
    return sorted(found), names


def test_little_work_is_done_here_at_once() -> None:
    assert spans(1) == ([(0, 5)], {threading.current_thread().name})


def test_much_work_is_cut_so_that_every_tail_comes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_SMALL", 14 * 3)
    with limited(2):
        assert spans(2) == ([(0, 5)], {threading.current_thread().name})
        found, names = spans(3)
    assert [u for low, high in found for u in range(low, high)] == [0, 1, 2, 3, 4]
    assert len(found) > 1
    assert threading.current_thread().name not in names


def test_one_thread_is_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_SMALL", 0)
    with limited(1):
        assert spans(1000) == ([(0, 5)], {threading.current_thread().name})


def test_without_tasks_or_arcs_there_is_nothing_to_cover() -> None:
    seen: list[tuple[int, int]] = []
    run_over_tails(lambda low, high: seen.append((low, high)), np.zeros(4, dtype=np.int64), 10)
    assert seen == [(0, 3)]
