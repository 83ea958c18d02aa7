"""The table of a comparison: what each contender reached on each instance, and means over groups of instances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

from colayer.comparison.contender import Kind
from colayer.comparison.feasibility import below
from colayer.comparison.paired import Difference, concluded, difference
from colayer.comparison.race import Race
from colayer.errors import InputError
from colayer.problem.gap import gap


@dataclass(frozen=True)
class Result:
    """What one contender reached on one instance."""

    contender: str
    instance: int
    cost: float
    bound: float | None
    scale: float
    seconds: float
    group: dict[str, float]

    @property
    def gap(self) -> float | None:
        """Relative distance of the cost to the bound."""
        return gap(self.cost, self.bound)

    @property
    def loss(self) -> float:
        """cost / scale."""
        return self.cost / self.scale


@dataclass(frozen=True)
class Summary:
    """Means of one contender over a group of instances.

    Gaps are taken over the `gaps` instances on which every contender has one, so that contenders stay comparable.
    """

    contender: str
    group: dict[str, float]
    instances: int
    gaps: int
    mean_gap: float | None
    worst_gap: float | None
    mean_loss: float
    mean_cost: float
    mean_seconds: float
    #: Paired, to the reference of the comparison; None of the reference itself, or where there is none.
    difference: Difference | None = None


@dataclass(frozen=True)
class Comparison:
    """The results of every contender on every instance, ordered by instance, then as the contenders were given.

    `kinds` says what each contender stands for. The reference that all are compared with is the best of the safe
    weights and the plain rules.
    """

    problem: str
    contenders: tuple[str, ...]
    results: tuple[Result, ...]
    kinds: tuple[Kind, ...] = ()

    @cached_property
    def reference(self) -> str | None:
        """The safe weights or the plain rule of least mean relative cost; None where there is neither."""
        plain = [name for name, kind in zip(self.contenders, self.kinds, strict=False) if kind in ("safe", "rule")]
        best = [min(row[c] for c in range(len(row))) for row in self._costs()]
        columns = {name: [row[self.contenders.index(name)] for row in self._costs()] for name in plain}
        return min(plain, key=lambda name: difference(columns[name], best, "").mean) if plain else None

    def _costs(self) -> list[list[float]]:
        """By instance, then by contender."""
        width = len(self.contenders)
        costs = [result.cost for result in self.results]
        return [costs[i : i + width] for i in range(0, len(costs), width)]

    @property
    def groups(self) -> tuple[str, ...]:
        """The keys by which instances are told apart: those with more than one value."""
        known: dict[str, set[float]] = {}
        for result in self.results[:: len(self.contenders)]:
            for key, value in result.group.items():
                known.setdefault(key, set()).add(value)
        return tuple(key for key, values in known.items() if len(values) > 1)

    @property
    def measure(self) -> Literal["gap", "cost"]:
        """What pictures and ratios compare: the mean gap, or the mean cost where no instance has gaps."""
        return "gap" if any(s.gaps for s in self.summary()) else "cost"

    def summary(self) -> list[Summary]:
        """One row per contender, over all instances."""
        return self._summaries(range(len(self.results) // len(self.contenders)), {})

    def by(self, *keys: str) -> list[Summary]:
        """One row per group and contender; groups (`by("jobs")`, `by("jobs", "rho")`) in increasing order."""
        groups: dict[tuple[float, ...], list[int]] = {}
        for result in self.results[:: len(self.contenders)]:
            for key in keys:
                if key not in result.group:
                    known = ", ".join(result.group) or "nothing"
                    raise InputError(f"instance {result.instance} has no {key!r} to group by, it has {known}")
            groups.setdefault(tuple(result.group[key] for key in keys), []).append(result.instance)
        return [
            row
            for values in sorted(groups)
            for row in self._summaries(groups[values], dict(zip(keys, values, strict=True)))
        ]

    def ratio(self, contender: str, reference: str) -> float | None:
        """Mean gap (see `measure`) of a contender over that of the reference; None where only the latter is 0."""
        rows = {row.contender: row for row in self.summary()}
        for name in (contender, reference):
            if name not in rows:
                raise InputError(f"no contender {name!r}, expected one of {', '.join(self.contenders)}")
        above, below = value(rows[contender], self.measure), value(rows[reference], self.measure)
        if above is None or below is None or above == below:
            return 1.0 if above == below else None
        return None if below == 0 else above / below

    def conclusions(self) -> list[str]:
        """What the comparison says of each learned contender, in words; those that gain nothing come first."""
        rows = zip(self.summary(), self.kinds, strict=False)
        return concluded(
            (s.contender, s.difference, s.instances) for s, kind in rows if kind == "learned" and s.difference
        )

    def to_document(self) -> dict[str, Any]:
        """The JSON object: the results, each with its gap, and the summary for whoever reads the file."""
        return {
            "format": 1,
            "problem": self.problem,
            "contenders": list(self.contenders),
            "reference": self.reference,
            "summary": [asdict(row) for row in self.summary()],
            "by_group": [asdict(row) for row in self.by(*self.groups)] if self.groups else [],
            "results": [{**asdict(result), "gap": result.gap} for result in self.results],
        }

    def _summaries(self, instances: Sequence[int], group: dict[str, float]) -> list[Summary]:
        width = len(self.contenders)
        table = [self.results[i * width : (i + 1) * width] for i in instances]
        with_gap = [row for row in table if all(result.gap is not None for result in row)]
        reference = self.reference
        known = [] if reference is None else [row[self.contenders.index(reference)].cost for row in table]
        summaries = []
        for c, name in enumerate(self.contenders):
            mine = [row[c] for row in table]
            gaps = [g for row in with_gap if (g := row[c].gap) is not None]
            summaries.append(
                Summary(
                    contender=name,
                    group=group,
                    instances=len(mine),
                    gaps=len(gaps),
                    mean_gap=_mean(gaps) if gaps else None,
                    worst_gap=max(gaps) if gaps else None,
                    mean_loss=_mean([r.loss for r in mine]),
                    mean_cost=_mean([r.cost for r in mine]),
                    mean_seconds=_mean([r.seconds for r in mine]),
                    difference=None
                    if reference in (None, name)
                    else difference([r.cost for r in mine], known, str(reference)),
                )
            )
        return summaries


def value(row: Summary, measure: Literal["gap", "cost"]) -> float | None:
    """The mean gap or the mean cost of a row."""
    return row.mean_gap if measure == "gap" else row.mean_cost


def joined(parts: Sequence[Comparison]) -> Comparison:
    """Comparisons on the same instances as one: every contender once, as it was first compared."""
    first = {name: (k, c) for k, part in reversed(list(enumerate(parts))) for c, name in enumerate(part.contenders)}
    names = tuple(dict.fromkeys(name for part in parts for name in part.contenders))
    count = len(parts[0].results) // len(parts[0].contenders)
    results = [parts[k].results[i * len(parts[k].contenders) + c] for i in range(count)
               for k, c in (first[name] for name in names)]  # fmt: skip
    kinds = tuple(parts[k].kinds[c] for k, c in (first[name] for name in names))
    return Comparison(parts[0].problem, names, tuple(results), kinds)


def tabled(found: Race, bounds: Sequence[float | None] | None = None) -> Comparison:
    """The table of a race: the last solution of every contender; gaps to `bounds`, else to the cheap ones.

    What costs less than a bound is no solution, and is refused.
    """
    results = []
    for i, row in enumerate(found.rows):
        bound = found.bounds[i] if bounds is None else bounds[i]
        for name, trajectory in zip(found.contenders, row, strict=True):
            if not trajectory.points:
                raise InputError(f"{name} has no solution: {trajectory.note}", where=f"instance {i}")
            seconds, cost = trajectory.points[-1]
            if bound is not None and below(cost, bound):
                said = f"it costs {cost:.10g}, less than the lower bound {bound:.10g}"
                raise InputError(f"{name} returned an infeasible solution: {said}", where=f"instance {i}")
            results.append(Result(name, i, cost, bound, found.scales[i], seconds, found.groups[i]))
    return Comparison(found.problem, found.contenders, tuple(results), found.kinds)


def _mean(values: Sequence[float]) -> float:
    # fsum is exact before its one rounding: the mean cannot depend on the order of summation
    return math.fsum(values) / len(values)
