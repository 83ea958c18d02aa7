"""Many weight vectors for one instance: members of a portfolio, draws around them, and the best solution of all.

Features are computed once. θ go to the problem in blocks, so that a compiled problem shares work between them.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from colayer.compose import best_of, theta_blocks
from colayer.learning.perturbation import draws
from colayer.models import Model
from colayer.problem import Floats, Problem, X, Y, Z

#: The most candidates between two looks at the clock.
_BLOCK = 32
#: Members that draws go around once all members were tried, and draws of a wave.
_WINNERS, _WAVE = 4, 16
_SPAWN_KEY = (0xA7,)


@dataclass(frozen=True)
class Found(Generic[Z]):
    """The best solution so far, what it came from, and how many weight vectors were tried."""

    solution: Z
    cost: float
    source: str
    tried: int

    def after(self, tried: int) -> Found[Z]:
        """The same, after more weight vectors were tried."""
        return Found(self.solution, self.cost, self.source, tried)


def fixed_rows(model: Model, candidates: int, samples: int, sigma: float | None, seed: int) -> tuple[Floats, list[str]]:
    """The weights, more members of the portfolio up to `candidates` in all, and `samples` draws; with their names.

    Where the portfolio has fewer members, draws around the weights stand in for them.
    """
    members = (model.portfolio if len(model.portfolio) else model.weights[None, :])[:candidates]
    count = samples + candidates - len(members)
    names = ["learned", *(f"member {k}" for k in range(2, len(members) + 1))]
    if count == 0:
        return members, names
    width = model.default_sigma if sigma is None else sigma
    drawn = model.weights + width * draws(seed, count, len(model.weights))
    return np.vstack([members, drawn]), names + [f"sample {k}" for k in range(1, count + 1)]


@dataclass(frozen=True, eq=False)
class Candidates(Generic[X, Y, Z]):
    """Weight vectors of one model, in model units, tried on one instance. Of equal costs the first counts."""

    problem: Problem[X, Y, Z]
    model: Model
    instance: X
    features: NDArray[Any]
    seed: int = 0

    def best(self, rows: Floats, names: list[str]) -> Found[Z]:
        """The best of these rows, of equals the first."""
        raw, correction = self.model.raw(rows), self.model.correction(self.features)
        found = (
            (first, *best_of(self.problem, block, self.instance, self.seed))
            for first, block in theta_blocks(self.features, raw, correction)
        )
        first, row, solution, cost = min(found, key=lambda block: block[3])
        return Found(solution, cost, "combined" if row < 0 else names[first + row], len(rows))

    def until(self, deadline: float, rows: Floats, names: list[str], sigma: float | None) -> Iterator[Found[Z]]:
        """What is known after each block: these rows in order, then draws around those that did best, for ever.

        It ends where the next one would not be done by `deadline`, a time of `time.monotonic`; one is always done.
        """
        clock = _Clock(deadline)
        best: Found[Z] | None = None
        good: list[tuple[float, int, Floats]] = []  # cost, number, weights
        for pool, labels in self._waves(rows, names, good, sigma):
            first = 0
            while first < len(pool):
                count = clock.affordable(len(pool) - first)
                if count == 0:
                    return
                found = self.best(pool[first : first + count], labels[first : first + count])
                clock.tick(count)
                place = labels.index(found.source) if found.source in labels else first  # parts of several: any of them
                good.append((found.cost, len(good), pool[place]))
                best = (found if best is None or found.cost < best.cost else best).after(clock.done)
                yield best
                first += count

    def _waves(
        self, rows: Floats, names: list[str], good: list[tuple[float, int, Floats]], sigma: float | None
    ) -> Iterator[tuple[Floats, list[str]]]:
        """The rows, then wave after wave of draws around the best of `good`, at σ, σ/2, σ/4, σ/8 in turn."""
        yield rows, names
        base = self.model.default_sigma if sigma is None else sigma
        for wave in itertools.count():
            centres = [weights for *_, weights in sorted(good, key=lambda one: one[:2])[:_WINNERS]]
            sequence = np.random.SeedSequence(self.seed, spawn_key=(*_SPAWN_KEY, wave))
            drawn = np.random.default_rng(sequence).standard_normal((_WAVE, rows.shape[1]))
            around = np.array([centres[k % len(centres)] for k in range(_WAVE)])
            yield around + base * 0.5 ** (wave % 4) * drawn, [f"draw {wave * _WAVE + k + 1}" for k in range(_WAVE)]


class _Clock:
    """How many candidates may be tried before a deadline, by their mean time so far."""

    def __init__(self, deadline: float) -> None:
        self._deadline, self._begin, self.done = deadline, time.monotonic(), 0

    def tick(self, count: int) -> None:
        """So many more are done."""
        self.done += count

    def affordable(self, most: int) -> int:
        """1 the first time, then at most as many as were done, and no more than fit in half of the time left."""
        now = time.monotonic()
        if self.done == 0:
            return 1
        each = max((now - self._begin) / self.done, 1e-9)
        fit = (self._deadline - now) / each
        return 0 if fit < 1.0 else min(most, self.done, _BLOCK, max(1, int(fit / 2)))
