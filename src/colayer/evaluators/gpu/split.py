"""One evaluator made of several: each holds some of the instances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer.evaluators.base import rows_at_once
from colayer.evaluators.loaded import Held

R = TypeVar("R")


class Split:
    """Evaluators of parts of the instances, `parts[k]` of those with the numbers `numbers[k]`."""

    def __init__(self, parts: Sequence[Any], numbers: Sequence[Ints]) -> None:
        self.parts, self.numbers = parts, numbers
        self.count = sum(len(part) for part in numbers)
        self.rows_at_once = max(rows_at_once(part) for part in parts)

    def losses(self, weights: Floats) -> Floats:
        """See `Evaluator.losses`."""
        out = np.empty((len(weights), self.count))
        for part, numbers in zip(self.parts, self.numbers, strict=True):
            out[:, numbers] = part.losses(weights)
        return out

    def map_features(self, work: Callable[[NDArray[Any]], R]) -> list[R]:
        """See `statistics.MapsFeatures`."""
        found: dict[int, R] = {}
        for part, numbers in zip(self.parts, self.numbers, strict=True):
            found.update(zip(numbers.tolist(), part.map_features(work), strict=True))
        return [found[x] for x in range(self.count)]

    def visit(self, work: Callable[[Held[Any, Any, Any]], R], chosen: Sequence[int]) -> list[R]:
        """See `visit.Visits`."""
        found: dict[int, R] = {}
        for part, numbers in zip(self.parts, self.numbers, strict=True):
            places = {int(x): place for place, x in enumerate(numbers)}
            share = [x for x in chosen if x in places]
            known = {places[x]: x for x in share}

            def numbered(held: Held[Any, Any, Any], known: dict[int, int] = known) -> R:
                return work(replace(held, number=known[held.number]))

            found.update(zip(share, part.visit(numbered, [places[x] for x in share]), strict=True))
        return [found[x] for x in chosen]

    def close(self) -> None:
        """Close the parts."""
        for part in self.parts:
            part.close()
