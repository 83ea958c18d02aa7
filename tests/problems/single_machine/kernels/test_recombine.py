"""Two sequences joined where they have done the same jobs: the best stretches of both."""

from __future__ import annotations

import numpy as np

from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.recombine import combine, combine_rows
from colayer.problems.single_machine.kernels.schedule import sequence_cost
from support.plain_jobs import small_instances


def arrays(instance):
    return np.array(instance.release), np.array(instance.processing)


def cost(order, instance):
    return sequence_cost(np.asarray(order), *arrays(instance))


def test_combine_takes_the_best_stretches():
    """Two copies of WAIT far apart; each sequence has one right. Together both are."""
    instance = Instance([0.0, 1.0, 1000.0, 1001.0], [10.0, 1.0, 10.0, 1.0])
    r, p = arrays(instance)
    order, other = np.array([1, 0, 2, 3]), np.array([0, 1, 3, 2])
    assert combine(order, other, r, p) == cost([1, 0, 3, 2], instance)
    assert order.tolist() == [1, 0, 3, 2]
    assert other.tolist() == [0, 1, 3, 2]


def test_combine_is_never_above_either():
    """Exactly, on random pairs, with a cost that is that of the sequence."""
    rng = np.random.default_rng(8)
    for instance, first in small_instances(400, 15):
        r, p = arrays(instance)
        # a neighbour by few exchanges, so that there are stretches
        second = first.copy()
        for i in rng.integers(0, max(instance.jobs - 1, 1), 4):
            second[i : i + 2] = second[i : i + 2][::-1]
        limit = min(cost(first, instance), cost(second, instance))
        value = combine(first, second, r, p)
        assert sorted(first) == list(range(instance.jobs))
        assert value == cost(first, instance) <= limit


def test_combine_rows_takes_what_no_row_has():
    """Three copies of the same choice, far apart; each row has one of them right."""
    instance = Instance([0.0, 1.0, 1000.0, 1001.0, 2000.0, 2001.0], [10.0, 1.0] * 3)
    rows = np.array([[1, 0, 2, 3, 4, 5], [0, 1, 3, 2, 4, 5], [0, 1, 2, 3, 5, 4]])
    before = rows.copy()
    assert combine_rows(rows, *arrays(instance)).tolist() == [1, 0, 3, 2, 5, 4]
    np.testing.assert_array_equal(rows, before)
