"""The look-ahead rule against its definition in plain Python, and what it is for."""

import numpy as np
import pytest

from colayer.problems.single_machine.instance import generate
from colayer.problems.single_machine.kernels.dispatch import dispatch_shortest
from colayer.problems.single_machine.kernels.lookahead import dispatch_lookahead
from colayer.problems.single_machine.kernels.schedule import sequence_cost


def shortest_first(jobs, r, p, t):
    """Total completion time and end of `jobs` from t, by the definition of the rule."""
    left, total = list(jobs), 0.0
    while left:
        now = max(t, min(r[j] for j in left))
        job = min((j for j in left if r[j] <= now), key=lambda j: (p[j], r[j], j))
        left.remove(job)
        t = now + p[job]
        total += t
    return total, t


def plain(r, p):
    """Sets and sorts in place of heaps and positions."""
    n = len(r)
    by_release = sorted(range(n), key=lambda j: (r[j], j))
    blocks, ends, t = [], [], 0.0  # of a schedule that never waits
    for j in by_release:
        if r[j] > t or not blocks:
            ends.append(t)
            blocks.append([])
            t = max(t, r[j])
        blocks[-1].append(j)
        t += p[j]
    left, sequence, t = set(range(n)), [], 0.0
    while left:
        t = max(t, min(r[j] for j in left))
        ready = [j for j in left if r[j] <= t]
        a = min(ready, key=lambda j: (p[j], r[j], j))
        last = max((j for j in range(n) if r[j] <= t), key=lambda j: (r[j], j))
        k = next(k for k, block in enumerate(blocks) if last in block)
        later = sum(r[j] > t for j in blocks[k])
        following = blocks[k + 1] if k + 1 < len(blocks) else []
        gap = r[following[0]] - ends[k + 1] if following else 0.0
        shorter = [j for j in by_release if t < r[j] < t + p[a] and p[j] < p[a]][:16]
        for c in range(1, len(shorter) + 1):
            total, end = shortest_first(shorter[:c], r, p, t)
            total_after, end_after = shortest_first(shorter[:c], r, p, t + p[a])
            change = total + end + p[a] - (total_after + t + p[a])
            idle = end + p[a] - end_after
            change += (len(ready) - 1 + 0.5 * max(0, later - c)) * idle
            if change + len(following) * max(0.0, idle - gap) < 0:
                t = r[shorter[0]]
                break
        else:
            sequence.append(a)
            left.remove(a)
            t += p[a]
    return sequence


@pytest.mark.parametrize("ties", [True, False])
def test_is_its_definition(ties):
    rng = np.random.default_rng(8)
    waits = 0
    for _ in range(300):
        n = int(rng.integers(1, 25))
        high = 6 if ties else 100
        p = rng.integers(1, high, n).astype(float)
        r = rng.integers(0, max(1, int(n * high * rng.choice([0.2, 0.5, 1.0]))), n).astype(float)
        assert dispatch_lookahead(r, p).tolist() == plain(r, p)
        waits += plain(r, p) != dispatch_shortest(r, p).tolist()
    assert waits > 30


def test_waits_for_a_short_job_and_not_for_one_that_comes_late():
    assert dispatch_lookahead(np.array([0.0, 1.0]), np.array([9.0, 1.0])).tolist() == [1, 0]
    assert dispatch_lookahead(np.array([0.0, 5.0]), np.array([9.0, 1.0])).tolist() == [0, 1]


def test_beats_the_shortest_available_job_on_average():
    """What it is for: over many random instances the mean cost is lower."""
    gain = []
    for seed in range(150):
        r, p = generate(seed, jobs=60, rho=(0.4, 1.0, 1.5)[seed % 3]).arrays
        short = sequence_cost(dispatch_shortest(r, p), r, p)
        gain.append((short - sequence_cost(dispatch_lookahead(r, p), r, p)) / short)
    assert np.mean(gain) > 0.0002
