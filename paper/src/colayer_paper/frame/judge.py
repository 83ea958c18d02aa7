"""Does a claim hold in our numbers? Means of paired values, compared with what chance alone would do to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from colayer.comparison.paired import moments, significance
from colayer.display.outcome import Conclusion
from colayer.display.tables import significant

#: What chance alone does with less than this probability, it did not do.
_CHANCE = 0.05


def less(a: ArrayLike, b: ArrayLike) -> bool | None:
    """Whether the mean of a is less than that of b, pair by pair; None within two standard errors.

    Of few pairs it takes more of them, see `colayer.comparison.paired.errors_needed`.
    """
    difference = (np.asarray(a, dtype=float) - np.asarray(b, dtype=float)).tolist()
    sign = significance(*moments(difference), len(difference)) if difference else 0
    return None if sign == 0 else sign < 0


def less_over_seeds(a: ArrayLike, b: ArrayLike) -> bool | None:
    """The same of learners with several seeds: rows are seeds, columns the instances, in the same order in both.

    The error is that of the instances and that of the seeds together; it must be beyond what the fewer seeds allow.
    """
    first, second = np.atleast_2d(np.asarray(a, dtype=float)), np.atleast_2d(np.asarray(b, dtype=float))
    seeded = [rows.mean(axis=1) for rows in (first, second) if len(rows) > 1]
    if not seeded or first.shape[1] < 2:
        return less(first[0], second[0])
    mean, error = moments((first.mean(axis=0) - second.mean(axis=0)).tolist())
    square = (error or 0.0) ** 2 + sum(float(means.var(ddof=1)) / len(means) for means in seeded)
    sign = significance(mean, math.sqrt(square), min(len(means) for means in seeded))
    return None if sign == 0 else sign < 0


def both(*parts: bool | None) -> bool | None:
    """True where all are, False where one is, else None: the run cannot tell."""
    return False if False in parts else None if None in parts else True


def below(a: float, b: float, printed: Callable[[float], str] = significant) -> bool | None:
    """Whether a number is less than another; None where they are printed alike."""
    return None if printed(a) == printed(b) else a < b


def sign_test(wins: int, losses: int) -> bool | None:
    """Whether wins are more than losses, None where a coin would do as well once in twenty times; ties do not count.

    Two-sided: the probability that one side has as many as the larger of the two.
    """
    count, most = wins + losses, max(wins, losses)
    chance = 2 * sum(math.comb(count, k) for k in range(most, count + 1)) / 2**count
    return None if chance > _CHANCE else wins > losses


def tendency(
    claim: str,
    pairs: Sequence[tuple[float, float]],
    words: str,
    printed: Callable[[float], str] = significant,
) -> Conclusion:
    """A claim that the first of each pair tends to be less: by a sign test, else the run cannot tell.

    What is printed alike, by `printed`, is a tie. `words` say what the pairs are; the count is put before them.
    """
    told = [below(a, b, printed) for a, b in pairs]
    wins, losses = told.count(True), told.count(False)
    counts = f"{losses} the other way" + (f", {told.count(None)} alike" if None in told else "")
    return Conclusion(claim, sign_test(wins, losses), f"in {wins} of {len(pairs)} comparisons ({counts}): {words}")
