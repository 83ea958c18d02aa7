"""Gaps, and contenders (learned pipelines, plain rules, solvers) compared on the same instances."""

from __future__ import annotations

import csv
import io
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

import msgspec

from colayer.errors import InputError
from colayer.problem import completed


def gap(cost: float, bound: float | None) -> float | None:
    """(cost − bound)/|bound|; 0 where they are equal; None without a bound, or where it is 0 and the cost is not."""
    if bound is None:
        return None
    if cost == bound:
        return 0.0
    return None if bound == 0 else (cost - bound) / abs(bound)


class Solver(Protocol):
    """What can be compared besides plain functions: a `Pipeline`, or anything that solves like one."""

    def solve(self, instance: Any) -> Any:
        """An object with `.cost` and `.seconds`."""
        ...


#: A contender: a solver, or a function of the instance that gives a solution (or an object with .cost and .seconds).
Contender = Solver | Callable[[Any], Any]


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


@dataclass(frozen=True)
class Comparison:
    """The results of every contender on every instance, ordered by instance, then as the contenders were given."""

    problem: str
    contenders: tuple[str, ...]
    results: tuple[Result, ...]

    def __post_init__(self) -> None:
        if not self.contenders or not self.results:
            raise InputError("nothing to compare, expected at least one contender and one instance")
        if len(set(self.contenders)) != len(self.contenders):
            raise InputError("two contenders have one name", where="contenders")
        for k, result in enumerate(self.results):
            i, c = divmod(k, len(self.contenders))
            if (result.instance, result.contender) != (i, self.contenders[c]):
                raise InputError(f"expected {self.contenders[c]!r} on instance {i}", where=f"results[{k}]")
        if len(self.results) % len(self.contenders):
            raise InputError("the last instance lacks contenders", where="results")

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
        if above is None or below is None:  # unreachable with `measure`; keeps the types honest
            return None
        if above == below:
            return 1.0
        return None if below == 0 else above / below

    def to_document(self) -> dict[str, Any]:
        """The JSON object: the results, each with its gap, and the summary for whoever reads the file."""
        return {
            "format": 1,
            "problem": self.problem,
            "contenders": list(self.contenders),
            "summary": [asdict(row) for row in self.summary()],
            "results": [{**asdict(result), "gap": result.gap} for result in self.results],
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Comparison:
        """The comparison of a `to_document` object; gaps and summary are computed afresh."""
        if document.get("format") != 1:
            raise InputError(f"{document.get('format')!r} is not a known format, expected 1", where="format")
        try:
            return msgspec.convert(document, cls)
        except msgspec.ValidationError as error:
            raise InputError(str(error), where="comparison") from None

    def to_csv(self) -> str:
        """One line per result, in full precision; group values are columns of their own."""
        keys = list(dict.fromkeys(key for result in self.results for key in result.group))
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow([*_CSV, *keys])
        for r in self.results:
            cells = [r.instance, r.contender, r.cost, r.bound, r.gap, r.scale, r.seconds]
            rows.writerow([*cells, *(r.group.get(key) for key in keys)])
        return text.getvalue()

    @classmethod
    def from_csv(cls, text: str, problem: str) -> Comparison:
        """The comparison of a `to_csv` text."""
        rows = csv.DictReader(io.StringIO(text))
        header = tuple(rows.fieldnames or ())
        if header[: len(_CSV)] != _CSV:
            raise InputError(f"expected a header that begins with {','.join(_CSV)}", where="line 1")
        results = []
        for row in rows:
            try:
                group = {key: float(row[key]) for key in header[len(_CSV) :] if row[key] != ""}
                results.append(
                    Result(
                        contender=row["contender"],
                        instance=int(row["instance"]),
                        cost=float(row["cost"]),
                        bound=float(row["bound"]) if row["bound"] else None,
                        scale=float(row["scale"]),
                        seconds=float(row["seconds"]),
                        group=group,
                    )
                )
            except (TypeError, ValueError):
                raise InputError("not a line of numbers as in the header", where=f"line {rows.line_num}") from None
        return cls(problem, tuple(dict.fromkeys(r.contender for r in results)), tuple(results))

    def _summaries(self, instances: Sequence[int], group: dict[str, float]) -> list[Summary]:
        width = len(self.contenders)
        table = [self.results[i * width : (i + 1) * width] for i in instances]
        with_gap = [row for row in table if all(result.gap is not None for result in row)]
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
                )
            )
        return summaries


_CSV = ("instance", "contender", "cost", "bound", "gap", "scale", "seconds")


def value(row: Summary, measure: Literal["gap", "cost"]) -> float | None:
    """The mean gap or the mean cost of a row."""
    return row.mean_gap if measure == "gap" else row.mean_cost


def compare(
    problem: Any,
    instances: Sequence[Any],
    contenders: Mapping[str, Contender],
    *,
    bounds: Sequence[float | None] | None = None,
    warm_up: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Run every contender on every instance, one after the other, and time each.

    Gaps are to `bounds`, one for each instance, else to the problem's cheap bound. A contender that returns an object
    with `.cost` and `.seconds` is taken at its word; anything else is a solution, costed by the problem. `warm_up` runs
    each contender once on the first instance before the clock starts, so that compilation is not timed; turn it off
    for slow contenders. `progress` is told (runs done, runs in all).
    """
    problem = completed(problem)
    if bounds is not None and len(bounds) != len(instances):
        raise InputError(f"{len(bounds)} of them, expected one for each of {len(instances)} instances", where="bounds")
    if warm_up and instances:
        for contender in contenders.values():
            _run(problem, instances[0], contender)
    results: list[Result] = []
    total = len(instances) * len(contenders)
    for i, instance in enumerate(instances):
        bound = problem.bound(instance) if bounds is None else bounds[i]
        scale, group = float(problem.scale(instance)), dict(problem.group(instance))
        for name, contender in contenders.items():
            cost, seconds = _run(problem, instance, contender)
            if not math.isfinite(cost):
                raise InputError(f"{name} has cost {cost} on instance {i}, expected a finite number")
            results.append(Result(name, i, cost, None if bound is None else float(bound), scale, seconds, group))
            if progress is not None:
                progress(len(results), total)
    return Comparison(problem.name, tuple(contenders), tuple(results))


def _run(problem: Any, instance: Any, contender: Contender) -> tuple[float, float]:
    solve: Any = getattr(contender, "solve", contender)
    start = time.perf_counter()
    outcome = solve(instance)
    seconds = time.perf_counter() - start
    if hasattr(outcome, "cost") and hasattr(outcome, "seconds"):
        return float(outcome.cost), float(outcome.seconds)
    return float(problem.cost(outcome, instance)), seconds


def _mean(values: Sequence[float]) -> float:
    # fsum is exact before its one rounding: the mean cannot depend on the order of summation
    return math.fsum(values) / len(values)
