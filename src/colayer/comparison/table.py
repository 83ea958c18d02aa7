"""The table of a comparison: what each contender reached on each instance, and means over groups of instances."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

from colayer._runtime.text import counted, duration, percent, significant
from colayer.comparison.contender import Kind
from colayer.comparison.paired import Difference, difference, verdicts_in_words
from colayer.comparison.race import Race
from colayer.display.tables import Table
from colayer.errors import InputError
from colayer.problem.feasibility import below_bound
from colayer.problem.gap import gap

#: What pictures, tables and ratios compare: mean gaps, or mean costs where no instance has gaps.
Measure = Literal["gap", "cost"]


@dataclass(frozen=True)
class Result:
    """The result of one contender on one instance."""

    contender: str
    instance: int
    cost: float
    bound: float | None
    scale: float
    seconds: float
    group: dict[str, float]
    #: The best known cost of the instance, where gaps are to it and not to the bound.
    best: float | None = None

    @property
    def gap(self) -> float | None:
        """Return the relative distance of the cost to the best known one (over the scale at 0), or to the bound."""
        if self.best is None:
            return gap(self.cost, self.bound)
        return (self.cost - self.best) / (abs(self.best) or self.scale)

    @property
    def loss(self) -> float:
        """Return cost / scale."""
        return self.cost / self.scale


@dataclass(frozen=True)
class Summary:
    """The means of one contender over a group of instances.

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


@dataclass(frozen=True, repr=False)
class Comparison:
    """The results of every contender on every instance, ordered by instance, then as the contenders were given.

    Printed, it is the table of `summary` and what it says.

    `kinds` says what each contender is. All are compared with the reference, the best of the safe weights and the
    plain rules.
    """

    problem: str
    contenders: tuple[str, ...]
    results: tuple[Result, ...]
    kinds: tuple[Kind, ...] = ()

    def __repr__(self) -> str:
        table = summary_table(self.summary(), to_best=self.to_best).text()
        return "\n".join([table, *(f"\n{line}" for line in self.conclusions())])

    @cached_property
    def rows(self) -> list[tuple[Result, ...]]:
        """By instance, then by contender."""
        width = len(self.contenders)
        return [self.results[i : i + width] for i in range(0, len(self.results), width)]

    @cached_property
    def reference(self) -> str | None:
        """The safe weights or the plain rule of least mean relative cost; None where there is neither."""
        plain = [c for c, kind in enumerate(self.kinds) if kind in ("safe", "rule")]
        best = [min(result.cost for result in row) for row in self.rows]
        means = {c: difference([row[c].cost for row in self.rows], best, "").mean for c in plain}
        return self.contenders[min(plain, key=means.__getitem__)] if plain else None

    @property
    def groups(self) -> tuple[str, ...]:
        """The keys by which instances are told apart: those with more than one value."""
        groups = [row[0].group for row in self.rows]
        keys = dict.fromkeys(key for group in groups for key in group)
        return tuple(key for key in keys if len({group[key] for group in groups if key in group}) > 1)

    @property
    def measure(self) -> Measure:
        """What pictures and ratios compare: the mean gap, or the mean cost where no instance has gaps."""
        return "gap" if any(s.gaps for s in self.summary()) else "cost"

    @property
    def to_best(self) -> bool:
        """Whether gaps are to best known costs, not to bounds."""
        return any(result.best is not None for result in self.results)

    def summary(self) -> list[Summary]:
        """Return one row per contender, over all instances."""
        return self._summaries(self.rows, {})

    def by(self, *keys: str) -> list[Summary]:
        """Return one row per group and contender; groups (`by("jobs")`, `by("jobs", "rho")`) in increasing order."""
        groups: dict[tuple[float, ...], list[tuple[Result, ...]]] = {}
        for row in self.rows:
            group = row[0].group
            for key in keys:
                if key not in group:
                    keys_present = ", ".join(group) or "nothing"
                    raise InputError(
                        f"instance {row[0].instance} has no {key!r} to group by, expected one of {keys_present}"
                    )
            groups.setdefault(tuple(group[key] for key in keys), []).append(row)
        return [
            summary
            for values in sorted(groups)
            for summary in self._summaries(groups[values], dict(zip(keys, values, strict=True)))
        ]

    def ratio(self, contender: str, reference: str) -> float | None:
        """Return a contender's mean gap (see `measure`) over another's; None if only the latter is 0."""
        rows = {row.contender: row for row in self.summary()}
        for name in (contender, reference):
            if name not in rows:
                raise InputError(f"no contender {name!r}, expected one of {', '.join(self.contenders)}")
        above, below = value(rows[contender], self.measure), value(rows[reference], self.measure)
        if above is None or below is None or above == below:
            return 1.0 if above == below else None
        return None if below == 0 else above / below

    def conclusions(self) -> list[str]:
        """Return a sentence on each learned contender, those without gain first; then who beat best known costs."""
        rows = zip(self.summary(), self.kinds, strict=False)
        said = verdicts_in_words(
            (s.contender, s.difference, s.instances) for s, kind in rows if kind == "learned" and s.difference
        )
        records = Counter(r.contender for r in self.results if r.best is not None and below_bound(r.cost, r.best))
        better = [f"{name} is better than best known on {counted(n, 'instance')}." for name, n in records.items()]
        return said + better

    def to_document(self) -> dict[str, Any]:
        """Return the JSON object: the results with their gaps, and the summary."""
        return {
            "format": 1,
            "problem": self.problem,
            "contenders": list(self.contenders),
            "reference": self.reference,
            "summary": [asdict(row) for row in self.summary()],
            "by_group": [asdict(row) for row in self.by(*self.groups)] if self.groups else [],
            "results": [{**asdict(result), "gap": result.gap} for result in self.results],
        }

    def _summaries(self, rows: Sequence[tuple[Result, ...]], group: dict[str, float]) -> list[Summary]:
        with_gap = [row for row in rows if all(result.gap is not None for result in row)]
        reference = self.reference
        reference_costs = [] if reference is None else [row[self.contenders.index(reference)].cost for row in rows]
        summaries = []
        for c, name in enumerate(self.contenders):
            costs = [row[c].cost for row in rows]
            gaps = [g for row in with_gap if (g := row[c].gap) is not None]
            against_reference = (
                None if reference in (None, name) else difference(costs, reference_costs, str(reference))
            )
            mean, worst = _mean(gaps) if gaps else None, max(gaps, default=None)
            loss, seconds = _mean([row[c].loss for row in rows]), _mean([row[c].seconds for row in rows])
            counts = len(rows), len(gaps)
            summaries.append(Summary(name, group, *counts, mean, worst, loss, _mean(costs), seconds, against_reference))
        return summaries


def value(row: Summary, measure: Measure) -> float | None:
    """Return the mean gap or the mean cost of a row."""
    return row.mean_gap if measure == "gap" else row.mean_cost


def summary_table(rows: Sequence[Summary], *, to_best: bool = False) -> Table:
    """Return the rows of `Comparison.summary` or `Comparison.by` as a table, the best of each group first.

    Costs stand in for gaps where there are none; with `to_best`, the header says that gaps are to best known costs.
    Where there is a reference, each row has its paired difference to it.
    """
    measure: Measure = "gap" if any(row.gaps for row in rows) else "cost"
    groups = list(dict.fromkeys(tuple(row.group.values()) for row in rows))

    def place(row: Summary) -> tuple[int, float]:
        mean = value(row, measure)
        return groups.index(tuple(row.group.values())), math.inf if mean is None else mean

    rows = sorted(rows, key=place)
    best = frozenset(k for k, row in enumerate(rows) if k == 0 or row.group != rows[k - 1].group)
    compared = any(row.difference is not None for row in rows)
    gaps = ("mean gap to best known", "worst") if to_best else ("mean gap", "worst gap")
    measures = gaps if measure == "gap" else ("mean cost",)
    keys = tuple(rows[0].group) if rows else ()
    headers = (*keys, "contender", *measures, "mean time", *(("difference", "verdict") if compared else ()))
    cells = []
    for row in rows:
        means = (
            (percent(row.mean_gap), percent(row.worst_gap)) if measure == "gap" else (significant(row.mean_cost, 5),)
        )
        verdict = ("reference", "") if row.difference is None else (row.difference.words, row.difference.verdict)
        group = (f"{row.group[key]:g}" for key in keys)
        cells.append((*group, row.contender, *means, duration(row.mean_seconds), *(verdict if compared else ())))
    return Table(headers, tuple(cells), best)


def comparison_of(
    race: Race, bounds: Sequence[float | None] | None = None, best: Sequence[float] | None = None
) -> Comparison:
    """Return the table of a race's final solutions; gaps are to `best` known costs, else to `bounds` or the cheap ones.

    What costs less than a bound is no solution, and is refused; a best known cost below it is none either.
    """
    results = []
    for i, row in enumerate(race.rows):
        bound = race.bounds[i] if bounds is None else bounds[i]
        known = None if best is None else best[i]
        if known is not None and bound is not None and (wrong := below_bound(known, bound)) is not None:
            raise InputError(f"the best known value is wrong: {wrong}", where=f"instance {i}")
        for name, trajectory in zip(race.contenders, row, strict=True):
            if not trajectory.points:
                raise InputError(f"{name} has no solution: {trajectory.note}", where=f"instance {i}")
            seconds, cost = trajectory.points[-1]
            said = None if bound is None else below_bound(cost, bound)
            if said is not None:
                raise InputError(f"{name} returned an infeasible solution: {said}", where=f"instance {i}")
            results.append(Result(name, i, cost, bound, race.scales[i], seconds, race.groups[i], known))
    return Comparison(race.problem, race.contenders, tuple(results), race.kinds)


def _mean(values: Sequence[float]) -> float:
    # fsum is exact before its one rounding: the mean cannot depend on the order of summation
    return math.fsum(values) / len(values)
