"""Long work ends at its deadline, in all of its threads."""

from __future__ import annotations

import math

import numpy as np
import pytest

from colayer._runtime.clock import clock
from colayer._runtime.deadline import deadline, look, until
from colayer._runtime.threads import Threads, limited, share
from colayer.errors import TimeOver


def test_a_look_raises_where_the_time_is_over_or_would_be() -> None:
    look(1e9)  # no deadline
    now = clock()
    with until(now + 3600.0):
        look(60.0)
        with pytest.raises(TimeOver):
            look(7200.0)
    with until(now - 1.0), pytest.raises(TimeOver):
        look()


def test_of_two_deadlines_the_first_counts_and_ends_with_its_block() -> None:
    with until(10.0):
        with until(20.0):
            assert deadline() == 10.0
        with until(5.0):
            assert deadline() == 5.0
        assert deadline() == 10.0
    assert deadline() == math.inf


@pytest.mark.parametrize("threads", [1, 2])
def test_shared_work_is_given_up_at_the_deadline(threads: int) -> None:
    done: list[tuple[int, int]] = []
    with limited(threads), until(clock() + 3600.0):
        share(lambda low, high: done.append((low, high)), np.arange(101), least=10)
        assert len(done) > 8 * threads
        assert sum(high - low for low, high in done) == 100
    done.clear()
    with limited(threads), until(clock() - 1.0), pytest.raises(TimeOver):
        share(lambda low, high: done.append((low, high)), np.arange(101), least=10)
    assert done == []


def test_threads_know_the_deadline_of_the_thread_that_started_them() -> None:
    with until(clock() + 3600.0), Threads(2) as threads:
        expected = deadline()
        assert threads.map(lambda _: deadline(), range(4)) == [expected] * 4
