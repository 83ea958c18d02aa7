"""Single machine scheduling: small instances, each with a sequence to start from, and their optima by enumeration."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from colayer.problems.single_machine.instance import PAPER_RHO, Instance, generate


def small_instances(count: int, largest: int) -> Iterator[tuple[Instance, np.ndarray]]:
    """Instances of 1 to `largest` jobs at every load, every other one with fractions whose sums round."""
    rng = np.random.default_rng(largest)
    for k in range(count):
        n = int(rng.integers(1, largest + 1))
        instance = generate(k, n, PAPER_RHO[k % len(PAPER_RHO)])
        if k % 2:
            instance = Instance(instance.release / 7, instance.processing / 3)
        yield instance, rng.permutation(n)


def brute_force(instance: Instance) -> tuple[np.ndarray, float]:
    """Return an optimal sequence and its cost for a few jobs, by dynamic programming over sets.

    It keeps, for every set of jobs that go first, the Pareto front of (completion time, cost), which is exact because
    the rest costs no less when it starts later. It uses neither bounds nor dominance rules, so it is an independent
    reference for the branch and bound.
    """
    n = instance.jobs
    release, processing = instance.release.tolist(), instance.processing.tolist()
    fronts: list[list[tuple[float, float, tuple[int, ...]]]] = [[] for _ in range(1 << n)]
    fronts[0] = [(0.0, 0.0, ())]
    for done in range((1 << n) - 1):  # supersets have larger numbers
        front: list[tuple[float, float, tuple[int, ...]]] = []
        for state in sorted(fronts[done]):
            if not front or state[1] < front[-1][1]:
                front.append(state)
        fronts[done] = []
        for t, cost, sequence in front:
            for j in range(n):
                if not done >> j & 1:
                    end = max(t, release[j]) + processing[j]
                    fronts[done | 1 << j].append((end, cost + end, (*sequence, j)))
    _, cost, sequence = min(fronts[-1], key=lambda state: state[1])
    return np.array(sequence, dtype=np.int64), cost
