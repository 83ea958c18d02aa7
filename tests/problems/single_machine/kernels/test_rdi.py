"""RDI on release dates: the dates that make a sequence, and what raising them never does."""

from __future__ import annotations

import numpy as np

from colayer.problems.single_machine.kernels.descent import descend
from colayer.problems.single_machine.kernels.rdi import by_priority, rdi, reproduce
from colayer.problems.single_machine.kernels.schedule import sequence_cost
from support.plain_jobs import small_instances


def dispatch(dates, r, p):
    """The schedule of dates, as the module's head defines it, without heaps."""
    left, order, now = set(range(len(r))), [], 0.0
    while left:
        available = [j for j in left if dates[j] <= now]
        j = min(available or left, key=lambda j: ((0.0 if available else dates[j]), p[j], r[j], j))
        now = max(now, r[j]) + p[j]
        order.append(j)
        left.remove(j)
    return order


def dates_of(order, r, p):
    """What `reproduce` makes of a sequence of jobs, which it takes numbered by priority."""
    jobs = by_priority(r, p)
    number = np.empty(len(r), dtype=np.int64)
    number[jobs] = np.arange(len(r))
    dates = np.empty(len(r))
    reproduce(number[order], r[jobs], p[jobs], dates)
    return dates[number]


def test_dates_reproduce_any_sequence():
    """Dispatching under `reproduce`'s dates gives the sequence back, whole and fractional data."""
    for instance, start in small_instances(300, 12):
        r, p = instance.arrays
        for ls in (False, True):
            order = start.copy()
            if ls:
                descend(order, r, p, instance.integral)
            dates = dates_of(order, r, p)
            assert np.all(dates >= r)
            assert dispatch(dates, r, p) == order.tolist()


def test_rdi_is_never_above_its_start():
    """A permutation, no dearer than the dispatch it starts from, also under jittered dates; dates are not changed."""
    rng = np.random.default_rng(2)
    for instance, _ in small_instances(300, 40):
        r, p = instance.arrays
        for jitter in (0.0, 1.0, 30.0):
            dates = r + jitter * rng.random(len(r))
            before = dates.copy()
            order = rdi(dates, r, p)
            np.testing.assert_array_equal(dates, before)
            assert sorted(order) == list(range(len(r)))
            start = sequence_cost(np.array(dispatch(dates, r, p)), r, p)
            assert sequence_cost(order, r, p) <= start * (1 + 1e-12)


def test_priority_breaks_ties_by_release_then_index():
    """Equal processing times: the earlier release first, then the smaller index."""
    r, p = np.array([3.0, 1.0, 3.0, 0.0]), np.array([2.0, 2.0, 2.0, 5.0])
    assert by_priority(r, p).tolist() == [1, 0, 2, 3]
