"""Small instances of single machine scheduling, whole and fractional, each with a sequence to start from."""

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
