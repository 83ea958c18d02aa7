"""Schedules against unit-time simulation, plain list dispatching and brute force."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from colayer.layers.sorting import sort
from colayer.problems.single_machine.cost import bound, cost
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.dispatch import aprtf, dispatch_ect, dispatch_shortest
from colayer.problems.single_machine.kernels.schedule import (
    completion_times,
    sequence_cost,
    srpt,
    srpt_pieces,
)


def random_jobs(rng, n, kind):
    """Integers with many ties, or multiples of 1/8 (no sum is rounded), or two far apart processing times."""
    if kind == "integers":
        return rng.integers(0, 12, n).astype(float), rng.integers(1, 7, n).astype(float)
    if kind == "eighths":
        return rng.integers(0, 200, n) / 8, rng.integers(1, 60, n) / 8
    return rng.integers(0, 40, n).astype(float), rng.choice([1.0, 10.0, 11.0], n)


KINDS = ("integers", "eighths", "contrast")


def unit_time_srpt(r, p):
    """SRPT on integer data, one unit of time after the other: the job run in each unit."""
    left = [int(x) for x in p]
    last = None
    runs = []
    t = 0
    while any(left):
        ready = [j for j in range(len(r)) if r[j] <= t and left[j] > 0]
        job = min(ready, key=lambda j: (left[j], r[j], j), default=None)
        if job is not None and last in ready and left[last] <= left[job]:
            job = last  # only a strictly shorter job preempts
        runs.append(job)
        if job is not None:
            left[job] -= 1
        last = job
        t += 1
    return runs


def plain_dispatch(r, p, c, look_ahead):
    """The rules as their definition says: argmin c·max(t, r) + p, with Chu's test in full."""
    left = set(range(len(r)))
    t = 0.0
    sequence = []
    while left:
        start = {j: max(t, r[j]) for j in left}
        alpha = min(left, key=lambda j: (c * start[j] + p[j], r[j], j))
        beta = min(left, key=lambda j: (start[j], p[j], r[j], j))
        job = alpha
        others = left - {alpha, beta}
        if look_ahead and start[alpha] > start[beta] and others:
            end_alpha = start[alpha] + p[alpha]
            end_both = max(end_alpha, r[beta]) + p[beta]
            end_beta = start[beta] + p[beta]
            gain = (end_beta + max(end_beta, r[alpha]) + p[alpha]) - (end_alpha + end_both)
            loss = min(start[alpha] - start[beta], end_both - min(r[j] for j in others))
            if gain < len(others) * loss:
                job = beta
        sequence.append(job)
        left.remove(job)
        t = max(t, r[job]) + p[job]
    return sequence


def plain_shortest(r, p):
    left = set(range(len(r)))
    t = 0.0
    sequence = []
    while left:
        t = max(t, min(r[j] for j in left))
        job = min((j for j in left if r[j] <= t), key=lambda j: (p[j], r[j], j))
        sequence.append(job)
        left.remove(job)
        t += p[job]
    return sequence


def test_srpt_is_the_unit_time_simulation():
    """Pieces and statistics follow from which job runs in each unit of time."""
    rng = np.random.default_rng(1)
    preempted = 0
    for _ in range(400):
        n = int(rng.integers(1, 10))
        r, p = random_jobs(rng, n, "integers")
        runs = unit_time_srpt(r, p)
        start, completion, mean_busy, left, preemptor, preemptions = srpt(r, p)
        for j in range(n):
            units = [t for t, job in enumerate(runs) if job == j]
            breaks = [t + 1 for t in units[:-1] if t + 1 not in units]
            assert start[j] == units[0]
            assert completion[j] == units[-1] + 1
            assert mean_busy[j] == pytest.approx(sum(t + 0.5 for t in units) / p[j], rel=1e-14)
            assert preemptions[j] == len(breaks)
            assert left[j] == (sum(t >= breaks[0] for t in units) if breaks else 0)
            assert preemptor[j] == (runs[breaks[0]] if breaks else -1)
            preempted += len(breaks)
    assert preempted > 100


def test_srpt_pieces_are_a_schedule():
    """On data that are not integers: pieces do not overlap, respect releases, and add up to the processing times."""
    rng = np.random.default_rng(2)
    for _ in range(100):
        n = int(rng.integers(1, 30))
        r, p = rng.random(n) * n * 0.5, rng.random(n) + 1e-3
        job, begin, end, left = srpt_pieces(r, p)
        assert np.all(end > begin)
        assert np.all(begin[1:] >= end[:-1])
        assert np.all(begin >= r[job])
        np.testing.assert_allclose(np.bincount(job, weights=end - begin, minlength=n), p, rtol=1e-9)
        assert np.count_nonzero(left == 0.0) == n


@pytest.mark.parametrize("kind", KINDS)
def test_bound_optimum_rules(kind):
    """Sandwich: SRPT ≤ optimum ≤ every rule; SRPT completion order ≤ 2 · optimum."""
    rng = np.random.default_rng(4)
    strict = 0
    for _ in range(25):
        n = int(rng.integers(1, 7))
        r, p = random_jobs(rng, n, kind)
        instance = Instance(r, p)
        optimum = min(cost(np.array(order), instance) for order in permutations(range(n)))
        assert bound(instance) <= optimum
        strict += bound(instance) < optimum
        for rule in (dispatch_shortest, dispatch_ect, aprtf):
            assert optimum <= cost(rule(r, p), instance)
        assert cost(sort(srpt(r, p)[1]), instance) <= 2 * optimum
    assert strict > 0


@pytest.mark.parametrize("kind", KINDS)
def test_dispatch_rules_are_their_definitions(kind):
    """Heaps and fixed orders pick the same jobs as a search over all of them."""
    rng = np.random.default_rng(5)
    by_look_ahead = 0
    for _ in range(400):
        r, p = random_jobs(rng, int(rng.integers(1, 14)), kind)
        assert dispatch_shortest(r, p).tolist() == plain_shortest(r, p)
        assert dispatch_ect(r, p).tolist() == plain_dispatch(r, p, 1, look_ahead=False)
        assert aprtf(r, p).tolist() == plain_dispatch(r, p, 2, look_ahead=True)
        by_look_ahead += plain_dispatch(r, p, 2, look_ahead=True) != plain_dispatch(r, p, 2, look_ahead=False)
    assert by_look_ahead > 10


def test_by_hand():
    """Job 0 runs in [0, 1) and [2, 5), job 1 in [1, 2), job 2 in [5, 7)."""
    r, p = np.array([0.0, 1.0, 5.0]), np.array([4.0, 1.0, 2.0])
    start, completion, mean_busy, left, preemptor, preemptions = srpt(r, p)
    assert start.tolist() == [0, 1, 5]
    assert completion.tolist() == [5, 2, 7]
    assert mean_busy.tolist() == [2.75, 1.5, 6]
    assert left.tolist() == [3, 0, 0]
    assert preemptor.tolist() == [1, -1, -1]
    assert preemptions.tolist() == [1, 0, 0]
    order = np.array([1, 0, 2])
    assert completion_times(order, r, p).tolist() == [6, 2, 8]
    assert sequence_cost(order, r, p) == 16
    assert dispatch_shortest(r, p).tolist() == [0, 1, 2]
    assert dispatch_ect(r, p).tolist() == [1, 0, 2]


def test_equal_remaining_work_does_not_preempt():
    """At r = 2 job 0 has 3 units left, as many as job 1 needs: it runs on."""
    assert srpt(np.array([0.0, 2.0]), np.array([5.0, 3.0]))[1].tolist() == [5, 8]


def test_ties_go_to_smaller_release_then_index():
    """Three equal jobs wait behind a long one; the last two are alike."""
    r, p = np.array([0.0, 3.0, 2.0, 3.0]), np.array([4.0, 2.0, 2.0, 2.0])
    assert srpt(r, p)[1].tolist() == [4, 8, 6, 10]
    assert dispatch_shortest(r, p).tolist() == [0, 2, 1, 3]
