"""How sure a comparison is: costs of two contenders on the same instances, pair by pair."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from colayer._runtime.text import counted

Verdict = Literal["better", "worse", "no measurable difference"]
EQUAL: Verdict = "no measurable difference"

#: A mean difference counts from so many standard errors on; with few instances from more, see `errors_needed`.
ERRORS = 2.0

_ROUNDING = 1e-12
#: A reference cost below this share of their mean is near 0.
_NEAR_ZERO = 0.01
_Z = 1.959963984540054  # the normal law is within ± this with probability 0.95


@dataclass(frozen=True)
class Difference:
    """The mean of (cost − reference cost)/|reference cost| over instances, with its significance (see `difference`).

    `verdict`: better or worse where the mean is more than two standard errors from 0 (see `errors_needed`), and is so
    as well relative to the mean of the two costs; else no measurable difference.
    """

    to: str
    mean: float
    #: None with a single instance, which has no spread.
    standard_error: float | None
    verdict: Verdict

    @property
    def words(self) -> str:
        """Return `−1.20 ± 0.10 %`."""
        error = "" if self.standard_error is None else f" ± {_digits(100 * self.standard_error)}"
        return f"{_digits(100 * self.mean, sign=True)}{error} %"

    def more_instances(self, instances: int) -> int | None:
        """Return how many more instances would decide it, at the same mean and spread; None if decided.

        None as well where more of the same would not: the mean is 0, or so large only because of the unit.
        """
        if self.verdict != EQUAL or not self.standard_error or self.mean == 0.0:
            return None
        ratio = instances * (self.standard_error / self.mean) ** 2
        needed = instances
        for _ in range(3):  # the threshold falls with the instances, so that the first guess is too many
            needed = max(2, math.floor(ratio * errors_needed(needed) ** 2) + 1)
        return needed - instances if needed > instances else None


def difference(costs: Sequence[float], reference: Sequence[float], to: str) -> Difference:
    """Return the difference of costs to the reference costs on the same instances.

    Where a reference cost is so near 0 that its instance alone would decide, differences are over the mean of the
    reference costs instead: their mean is then that of the ratio of the sums. Where all are 0, the difference itself is
    taken. Differences that rounding alone makes are 0.
    """
    pairs = list(zip(costs, reference, strict=True))
    typical = math.fsum(map(abs, reference)) / len(reference)
    unit = typical if typical and min(map(abs, reference)) < _NEAR_ZERO * typical else None
    mean, error = moments([relative(cost, reference_cost, unit) for cost, reference_cost in pairs])
    sign = significance(mean, error, len(pairs))
    # the ratio of two noisy costs is above 1 in the mean even of equals; relative to both, equals are 0 apart
    fair = moments(
        [
            relative(cost, reference_cost, abs(cost) + abs(reference_cost) if unit is None else unit)
            for cost, reference_cost in pairs
        ]
    )
    if sign == 0 or significance(*fair, len(pairs)) != sign:
        return Difference(to, mean, error, EQUAL)
    return Difference(to, mean, error, "better" if sign < 0 else "worse")


def loss_difference(losses: Sequence[float], reference: Sequence[float], to: str) -> Difference:
    """Return the difference of losses to the reference losses on the same instances, in units of their mean.

    It has the sign of the difference between the means, which tuning minimises; that of `difference` may be another.
    """
    unit = abs(math.fsum(reference)) / len(reference) or 1.0
    mean, error = moments([relative(loss, other, unit) for loss, other in zip(losses, reference, strict=True)])
    verdicts: dict[int, Verdict] = {-1: "better", 0: EQUAL, 1: "worse"}
    return Difference(to, mean, error, verdicts[significance(mean, error, len(reference))])


def moments(parts: Sequence[float]) -> tuple[float, float | None]:
    """Return the mean and its standard error, None for one number."""
    mean = math.fsum(parts) / len(parts)
    if len(parts) == 1:
        return mean, None
    spread = math.fsum((part - mean) ** 2 for part in parts) / (len(parts) - 1)
    return mean, math.sqrt(spread / len(parts))


def significance(mean: float, error: float | None, count: int) -> int:
    """Return −1 or 1 where the mean of so many numbers is measurably below or above 0, else 0."""
    if error is None or mean == 0.0 or abs(mean) <= errors_needed(count) * error:
        return 0
    return -1 if mean < 0 else 1


def errors_needed(count: int) -> float:
    """Return how many standard errors make a mean significant: Student's 0.975 quantile, at least 2.

    Two standard errors alone find a difference between equals in 11 of 100 comparisons on five instances, this in 5.
    The quantile is its expansion in 1/ν (Abramowitz and Stegun, 26.7.5), exact for ν = 1 and 2.
    """
    nu, z = count - 1, _Z
    if nu <= 2:
        return {1: 12.706204736, 2: 4.302652730}.get(nu, math.inf)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return max(ERRORS, z + math.fsum(term / nu ** (k + 1) for k, term in enumerate(terms)))


def relative(cost: float, reference: float, unit: float | None = None) -> float:
    """Return (cost − reference)/unit, 0 up to rounding; the unit is |reference|, or 1 where that is 0."""
    more = cost - reference
    if abs(more) <= _ROUNDING * max(abs(cost), abs(reference)):
        return 0.0
    return more / ((abs(reference) or 1.0) if unit is None else unit)


def verdicts_in_words(rows: Iterable[tuple[str, Difference, int]]) -> list[str]:
    """Return a sentence for each contender (name, difference, instances); those without gain come first."""
    said: list[tuple[int, str]] = []
    for name, found, instances in rows:
        if found.verdict == EQUAL:
            more = found.more_instances(instances)
            settle = "" if more is None else f"; about {more:,} more instance{'s' * (more > 1)} would settle it"
            said.append((0, f"no measurable difference between {name} and {found.to}: {found.words}{settle}"))
        else:
            said.append((1 + (found.verdict == "better"), f"{name} is {found.verdict} than {found.to}: {found.words}"))
    return [line for _, line in sorted(said, key=lambda pair: pair[0])]


def seen_before(pipeline: str, seen: int, instances: int) -> str:
    """Return a warning that a pipeline was trained on instances of the comparison."""
    return f"{pipeline} was trained on {seen} of these {counted(instances, 'instance')}: they say little about others"


def _digits(number: float, *, sign: bool = False) -> str:
    """Return three significant digits of a percentage, without exponent; rounding errors become 0."""
    if abs(number) <= 100 * _ROUNDING or not math.isfinite(number):
        return "0" if math.isfinite(number) else str(number)
    exponent = int(f"{abs(number):.2e}".partition("e")[2])
    return f"{number:{'+' if sign else ''}.{max(0, 2 - exponent)}f}"
