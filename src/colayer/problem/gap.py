"""The gap between a cost and a lower bound."""

from __future__ import annotations

#: The relative gap up to which a solution is proved optimal, for every problem and solver.
PROVED = 1e-9
#: Relative: what rounding, or the tolerance of a general solver, makes of equal numbers.
ROUNDING = 1e-6


def gap(cost: float, bound: float | None) -> float | None:
    """Return (cost − bound)/|bound|; 0 if they are equal; None without a bound, or if only the bound is 0."""
    if bound is None:
        return None
    if cost == bound:
        return 0.0
    return None if bound == 0 else (cost - bound) / abs(bound)


def proves(cost: float, bound: float | None) -> bool:
    """Tell whether a lower bound proves a cost optimal: a relative gap of at most 1e-9, to allow for rounding."""
    return bound is not None and cost - bound <= PROVED * max(abs(cost), abs(bound))
