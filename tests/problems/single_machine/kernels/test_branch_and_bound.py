"""The search against enumeration, and its bounds when it is stopped early or short of memory."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from colayer.problems.single_machine.cost import bound as relaxed
from colayer.problems.single_machine.instance import PAPER_RHO, Instance, generate
from colayer.problems.single_machine.kernels.branch_and_bound import advance, open_root
from colayer.problems.single_machine.kernels.schedule import sequence_cost
from colayer.problems.single_machine.kernels.search_state import new_search
from support.plain_jobs import brute_force


def enumerate_all(instance: Instance) -> float:
    """The least cost over all n! sequences, in plain Python."""
    release, processing = instance.release.tolist(), instance.processing.tolist()
    least = np.inf
    for order in itertools.permutations(range(instance.jobs)):
        t = total = 0.0
        for j in order:
            t = max(t, release[j]) + processing[j]
            total += t
        least = min(least, total)
    return least


def random_instance(rng: np.random.Generator, kind: str, n: int) -> Instance:
    if kind == "ties":
        release = rng.integers(0, 1 + n * int(rng.choice([1, 3])), n)
        return Instance(release, rng.integers(1, int(rng.choice([2, 4, 8])), n, endpoint=True))
    if kind == "real":
        return Instance(rng.random(n) * n * rng.choice([0.1, 0.5, 1.0, 3.0]), rng.random(n) + 0.01)
    if kind == "decimal":  # sums that round: what is equal on paper differs in the last bit
        return Instance(rng.integers(0, 20 * n, n) / 10, rng.integers(1, 40, n) / 10)
    if kind == "two sizes":  # one long job can spoil many short ones: where waiting pays
        return Instance(rng.integers(0, 5 * n, n), rng.choice([1, 1, 2, 25], n))
    return generate(int(rng.integers(2**31)), n, float(rng.choice([0.0, *PAPER_RHO])))


def started(instance: Instance, pool: int = 1 << 16, memory: int = 1 << 20):
    """A search from release order, which is far from optimal, so that little is cut off by the start alone."""
    jobs = np.lexsort((instance.processing, instance.release))
    r, p = instance.release[jobs], instance.processing[jobs]
    order = np.arange(instance.jobs)
    tolerance = 0.0 if instance.integral else 1e-10 * float(r.max() + p.sum())
    search = new_search(r, p, order, sequence_cost(order, r, p), tolerance, pool=pool, memory=memory)
    open_root(search)
    return search


def finished(search, nodes: int = 1 << 40) -> float:
    """Run to the end; the best cost, which must be the bound and the cost of the best sequence."""
    done, bound = advance(search, nodes)
    assert done
    assert bound == search.best_cost[0]
    assert sorted(search.best) == list(range(len(search.release)))
    assert search.best_cost[0] == pytest.approx(
        sequence_cost(search.best, search.release, search.processing), rel=1e-12
    )
    return float(search.best_cost[0])


@pytest.mark.parametrize("kind", ["ties", "real", "decimal", "two sizes", "paper"])
def test_equals_enumeration_of_all_sequences(kind):
    """The ground truth that shares no idea with the search: every permutation."""
    rng = np.random.default_rng([7, len(kind)])
    for _ in range(60):
        instance = random_instance(rng, kind, int(rng.integers(1, 8)))
        optimum = enumerate_all(instance)
        assert finished(started(instance)) == pytest.approx(optimum, rel=1e-12), instance
        assert brute_force(instance)[1] == pytest.approx(optimum, rel=1e-12), instance


@pytest.mark.parametrize("kind", ["ties", "real", "decimal", "two sizes", "paper"])
def test_equals_dynamic_programming_on_more_jobs(kind):
    """Dominance rules interact over longer sequences than enumeration can reach."""
    rng = np.random.default_rng([8, len(kind)])
    for _ in range(60):
        instance = random_instance(rng, kind, int(rng.integers(8, 12)))
        assert finished(started(instance)) == pytest.approx(brute_force(instance)[1], rel=1e-12), instance


@pytest.mark.parametrize("memory", [1, 1 << 12])
def test_exact_with_almost_no_memory(memory):
    """States that are dropped from the memory cost time, never optimality (one byte still gives one hash value)."""
    rng = np.random.default_rng(9)
    for _ in range(60):
        instance = random_instance(rng, "ties", 9)
        assert finished(started(instance, memory=memory)) == brute_force(instance)[1], instance


def test_depth_first_when_the_pool_is_small():
    """The search goes deep instead of wide when slots run out: other nodes, the same optimum."""
    other = 0
    for seed in range(5):
        instance = generate(seed, 60, 0.8)
        wide, narrow = started(instance), started(instance, pool=600)
        assert finished(narrow) == finished(wide)
        other += int(narrow.counters[3] != wide.counters[3])
    assert other > 0  # else the pool was never short


def test_full_pool_stops_with_a_valid_bound():
    """A pool that cannot hold the search ends it without a proof; the node that found no room counts in the bound."""
    stopped = 0
    for seed in range(10):
        instance = generate(seed, 30, 0.6)
        optimum = finished(started(instance))
        search = started(instance, pool=34)
        done, bound = advance(search, 1 << 40)
        assert done
        assert relaxed(instance) <= bound <= optimum <= search.best_cost[0]
        stopped += bound < search.best_cost[0]
    assert stopped > 0  # else the test shows nothing


@pytest.mark.parametrize("rho", PAPER_RHO)
def test_bounds_are_valid_at_every_stop(rho):
    """Whenever it is stopped: SRPT ≤ bound ≤ optimum ≤ best; bounds never fall, best costs never rise."""
    for seed in range(3):
        instance = generate([seed, 3], 20, rho)
        optimum = finished(started(instance))
        search = started(instance)
        done, bound = advance(search, 0)
        last, best = relaxed(instance), np.inf
        while not done:
            assert last <= bound <= optimum <= search.best_cost[0] <= best
            last, best = bound, search.best_cost[0]
            done, bound = advance(search, 1)
        assert bound == optimum == search.best_cost[0]


def test_chunks_do_not_change_the_search():
    """Where the clock is looked at must not change what is found: the same nodes in chunks of 1, 7 and at once."""
    instance = generate(11, 40, 0.8)
    results = []
    for chunk in (1, 7, 1 << 40):
        search = started(instance)
        while not advance(search, chunk)[0]:
            pass
        results.append((search.best.tolist(), search.counters[3]))
    assert results[0] == results[1] == results[2]


def test_more_than_64_jobs():
    """Sets of more than 64 jobs take two key words: 60 jobs that run alone, then 10 on both sides of the border."""
    rng = np.random.default_rng(10)
    for _ in range(20):
        tail = random_instance(rng, "ties", 10)
        alone, shift = 100.0 * np.arange(60), 6000.0
        instance = Instance(np.append(alone, shift + tail.release), np.append(np.ones(60), tail.processing))
        optimum = float((alone + 1).sum()) + 10 * shift + brute_force(tail)[1]
        assert finished(started(instance)) == optimum


def test_rounding_makes_no_schedule_of_a_preemption():
    """SRPT adds pieces up and may see a job released just before it is: not a proof (five jobs, optimum 23.5)."""
    r, p = np.array([0.3, 0.4, 1.0, 3.1, 8.6]), np.array([0.9, 2.9, 1.9, 0.4, 0.7])
    search = new_search(r, p, np.arange(5), 27.0, 1e-10 * float(r.max() + p.sum()))
    open_root(search)
    assert finished(search) == pytest.approx(23.5)
