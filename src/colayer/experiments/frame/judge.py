"""Does a claim hold in our numbers? Means of paired values, compared with what chance alone would do to them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from colayer.report.outcome import Conclusion


def less(a: ArrayLike, b: ArrayLike) -> bool | None:
    """Whether the mean of a is less than that of b, pair by pair; None within two standard errors."""
    difference = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    if len(difference) < 2:
        return None
    mean, error = float(difference.mean()), float(difference.std(ddof=1)) / math.sqrt(len(difference))
    return None if abs(mean) <= 2 * error else mean < 0


def both(*parts: bool | None) -> bool | None:
    """True where all are, False where one is, else None: the run cannot tell."""
    return False if False in parts else None if None in parts else True


def tendency(claim: str, pairs: Sequence[tuple[float, float]], words: str) -> Conclusion:
    """A claim that the first of each pair tends to be less: it holds where it is in more than half of the pairs.

    `words` say what the pairs are; the count is put before them. A tie of wins and losses cannot tell.
    """
    wins, losses = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
    holds = None if wins == losses else wins > losses
    return Conclusion(claim, holds, f"in {wins} of {len(pairs)} comparisons ({losses} the other way): {words}")
