"""What a contender found by when, on one instance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Generic

from colayer._runtime.text import first_line
from colayer.errors import InputError
from colayer.problem.protocol import Z

#: Solvers look at the clock now and then: what comes this much late, relatively, counts as found at the limit.
GRACE = 0.1
#: Costs that differ by so little, relatively, are equal.
EQUAL = 1e-9


@dataclass
class Attempt(Generic[Z]):
    """The solutions of a contender with the seconds at which it had them."""

    solutions: list[tuple[float, Z]] = field(default_factory=list)
    #: Costs reported on the way to the last solution, where the solutions themselves were not.
    costs: list[tuple[float, float]] = field(default_factory=list)
    proved: bool = False
    note: str = ""


@dataclass(frozen=True)
class Trajectory:
    """The improvements (seconds, cost) within the time limit: seconds do not decrease, costs decrease strictly."""

    points: tuple[tuple[float, float], ...]
    #: The contender says that its last solution is optimal, and had it within the limit.
    proved: bool = False
    #: Why there is nothing, or less than there could be.
    note: str = ""

    @property
    def first(self) -> float | None:
        """Return the seconds to the first solution; None where there is none."""
        return self.points[0][0] if self.points else None

    @property
    def cost(self) -> float | None:
        """Return the cost at the end; None without a solution."""
        return self.points[-1][1] if self.points else None

    def at(self, seconds: float) -> float | None:
        """Return the cost of the best solution so far; None if there is none yet."""
        return next((cost for when, cost in reversed(self.points) if when <= seconds), None)

    def reaches(self, cost: float) -> float | None:
        """Return when the cost first is at most `cost`; None if never."""
        enough = cost + EQUAL * abs(cost)
        return next((when for when, reached in self.points if reached <= enough), None)


def trajectory(
    attempt: Attempt[Z],
    cost: Callable[[Z], float],
    limit: float,
    refusal: Callable[[Z], str | None] = lambda _: None,
) -> Trajectory:
    """Return the improvements of an attempt up to the limit, each solution costed by `cost`.

    A cost that was reported counts only if the solution at the end is as good. A solution that `cost` refuses, as
    rounding in a general solver may leave it, does not count, nor does an improvement that `refusal` objects to.
    """
    found: list[tuple[float, float]] = []
    refused = ""
    sound = False
    for when, solution in sorted(attempt.solutions, key=itemgetter(0)):
        said, value = None, math.inf
        try:
            value = float(cost(solution))
        except InputError as error:
            said = first_line(error)
        sound = math.isfinite(value)
        if sound and (not found or value < found[-1][1]):
            said = refusal(solution)
            sound = said is None
            if sound:
                found.append((when, value))
        if said is not None:
            refused = f"a solution was not feasible ({said})"
    if attempt.costs and found:
        least = min(value for _, value in found)
        found += [(when, value) for when, value in attempt.costs if value >= least - EQUAL * abs(least)]
    points = _improvements(found, limit)
    if not points:
        return Trajectory((), note=attempt.note or refused or "no solution in time")
    return Trajectory(points, attempt.proved and sound, attempt.note or refused)


def _improvements(found: Sequence[tuple[float, float]], limit: float) -> tuple[tuple[float, float], ...]:
    points: list[tuple[float, float]] = []
    for when, value in sorted(found):
        if when > limit * (1.0 + GRACE):
            break
        if not points or value < points[-1][1]:
            points.append((min(when, limit), value))
    return tuple(points)
