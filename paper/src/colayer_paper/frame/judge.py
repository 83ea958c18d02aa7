"""Does a claim hold in our numbers? Means of paired, unrounded values, compared with what chance would do to them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.text import counted
from colayer.comparison.paired import errors_needed, moments, significance
from colayer.display.tables import significant

#: More seeds than this nobody runs.
_MOST = 100_000


@dataclass(frozen=True)
class Apart:
    """The mean of a over that of b, paired by instances: its standard error is that of instances and of seeds together.

    `seeds` are those of a and of b; with one of each, as where weights are given, the instances alone decide.
    """

    mean: float
    instances: int
    seeds: tuple[int, int]
    #: Of the instances; 0 where they do not count, None of a single one.
    instance_error: float | None
    #: Variances of the seeds' means of a and of b; 0 of one seed.
    variances: tuple[float, float]

    @property
    def error(self) -> float | None:
        """The standard error; None where there is nothing to take it from."""
        if self.instance_error is None:
            return None
        return math.sqrt(self.instance_error**2 + sum(v / n for v, n in zip(self.variances, self.seeds, strict=True)))

    @property
    def _count(self) -> int:
        several = [n for n in self.seeds if n > 1]
        return min(several) if several else self.instances

    @property
    def less(self) -> bool | None:
        """Whether a is less than b; None within two standard errors, of few seeds or instances within more of them."""
        sign = significance(self.mean, self.error, self._count)
        return None if sign == 0 else sign < 0

    def seeds_needed(self) -> int | None:
        """How many seeds of each would tell, at these means and spreads; None where no number of them would."""
        if self.less is not None or self.mean == 0.0 or self.instance_error is None or not any(self.variances):
            return None
        if abs(self.mean) <= errors_needed(_MOST) * self.instance_error:
            return None
        count = 2
        while count < _MOST:
            error = math.sqrt(self.instance_error**2 + sum(self.variances) / count)
            if abs(self.mean) > errors_needed(count) * error:
                return count
            count += max(1, count // 20)
        return None

    @property
    def words(self) -> str:
        """`−6.83 ± 1.39`, and how many seeds would tell where these do not."""
        error = "" if self.error is None else f" ± {significant(self.error)}"
        said = f"{significant(self.mean)}{error}"
        if self.less is not None:
            return said
        needed = self.seeds_needed()
        return f"{said}, {'no number of seeds would tell' if needed is None else f'about {needed} seeds would tell'}"

    @property
    def test(self) -> str:
        """What decides, in words."""
        over = counted(self.instances, "instance")
        if self.seeds == (1, 1):
            return f"paired, {over}"
        of_each = f"{self.seeds[0]} and {self.seeds[1]} seeds"
        return f"{of_each}, {over}" if self.instances else of_each


def apart(a: ArrayLike, b: ArrayLike) -> Apart:
    """Compare learners on the same instances: rows are seeds, columns the instances, in the same order in both."""
    first, second = np.atleast_2d(np.asarray(a, dtype=float)), np.atleast_2d(np.asarray(b, dtype=float))
    mean, error = moments((first.mean(axis=0) - second.mean(axis=0)).tolist())
    variances = tuple(float(m.mean(axis=1).var(ddof=1)) if len(m) > 1 else 0.0 for m in (first, second))
    return Apart(mean, first.shape[1], (len(first), len(second)), error, (variances[0], variances[1]))


def apart_by_seed(a: ArrayLike, b: ArrayLike) -> Apart:
    """Compare what is one number a seed, such as the training loss or a quantile: the seeds alone decide."""
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    variances = tuple(float(m.var(ddof=1)) if len(m) > 1 else 0.0 for m in (first, second))
    known = 0.0 if max(len(first), len(second)) > 1 else None
    return Apart(float(first.mean() - second.mean()), 0, (len(first), len(second)), known, (variances[0], variances[1]))


def less(a: ArrayLike, b: ArrayLike) -> bool | None:
    """Whether the mean of a is measurably less than that of b, see `apart`; None where it cannot be told."""
    return None if np.size(a) == 0 else apart(a, b).less


def both(*parts: bool | None) -> bool | None:
    """True where all are, False where one is, else None: the run cannot tell."""
    return False if False in parts else None if None in parts else True


def tends(*parts: bool | None) -> bool | None:
    """A tendency: True where some are and none is False, False where some are and none is True, else None."""
    told = {part for part in parts if part is not None}
    return told.pop() if len(told) == 1 else None
