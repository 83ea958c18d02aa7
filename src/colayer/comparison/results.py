"""A race as tables, as a JSON document and as an outcome for `colayer report`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from colayer._runtime.text import counted
from colayer.comparison.contender import CP_SAT, CP_SAT_HINT, HIGHS, SAFE
from colayer.comparison.paired import Difference, Verdict, seen_before, verdicts_in_words
from colayer.comparison.payback import Payback, payback
from colayer.comparison.race import Race
from colayer.comparison.standings import SHARES, Standing, reference, standings, winner
from colayer.comparison.trajectory import EQUAL
from colayer.display.outcome import Cell, Column, Conclusion, Outcome, Picture, Sheet, Value
from colayer.display.tables import Table, duration, percent, table

#: The figure of an outcome.
FIGURE = "cost_over_time.svg"
#: Its tables: standings, when learning has paid, CP-SAT with the hint. The last two are not always there.
SHEETS = STANDINGS, PAYBACK, HINT = "compare", "payback", "hint"

#: The tables in plain text are no wider.
_WIDTH = 120
#: The column of instances on which the rival ends no worse than the pipeline.
_NO_WORSE = "no worse in the end"

_TIMES = (
    "Seconds are wall-clock time on one core. What is compiled is not timed; building a model is. Gaps are to the best "
    "cost any contender found, from costs that the problem computes."
)
_HOLDS: dict[Verdict, bool | None] = {"better": True, "worse": False, "no measurable difference": None}


@dataclass(frozen=True)
class Results:
    """A race, the seconds each learned pipeline took to learn (None: unknown), and notes on what was skipped."""

    race: Race
    learning: dict[str, float | None]
    missing: tuple[str, ...] = ()
    #: How many of the instances each learned pipeline was trained on, by its own account.
    trained_on: dict[str, int] = field(default_factory=dict)

    def standings(self) -> list[Standing]:
        """Return one row per contender, in the order of the contenders."""
        return standings(self.race)

    def paybacks(self) -> list[Payback]:
        """Return every learned pipeline against every contender that did not learn."""
        kinds = zip(self.race.contenders, self.race.kinds, strict=True)
        rivals = [name for name, kind in kinds if kind != "learned" and name != CP_SAT_HINT]
        return [row for name, seconds in self.learning.items() for row in payback(self.race, name, rivals, seconds)]

    def hints(self) -> list[tuple[int, float | None, float | None, float | None]]:
        """Return (instance, cost of the pipeline, of CP-SAT, of CP-SAT with the hint), if both took part."""
        if not {CP_SAT, CP_SAT_HINT} <= set(self.race.contenders):
            return []
        columns = (self.race.of(name) for name in (next(iter(self.learning)), CP_SAT, CP_SAT_HINT))
        return [(i, a.cost, b.cost, c.cost) for i, (a, b, c) in enumerate(zip(*columns, strict=True))]

    def standing_table(self) -> Table:
        """Return a table of gaps by time, the least final gap first."""
        to = reference(self.race)
        against = () if to is None else (f"against {to}", "verdict")
        headers = ("contender", "first solution", *self._shares(), *against, "solved", "best", "proved")
        rows = []
        ranked = sorted(self.standings(), key=lambda row: math.inf if row.gaps[-1] is None else row.gaps[-1])
        for row in ranked:
            words: tuple[str, ...] = ()
            if to is not None:
                own = "reference" if row.contender == to else "-"
                words = (own, "") if row.difference is None else (row.difference.words, row.difference.verdict)
            gaps = map(percent, row.gaps)
            rows.append((row.contender, duration(row.first), *gaps, *words, row.solved, row.wins, row.proved))
        least = {k for k, row in enumerate(ranked) if row.gaps[-1] is not None and row.gaps[-1] == ranked[0].gaps[-1]}
        return table(headers, rows, best=least, width=_WIDTH)

    def payback_table(self) -> Table:
        """Return a table of the solves after which learning has paid off."""
        headers = ("pipeline", "rival", _NO_WORSE, "pipeline", "rival to that gap", "saved", "paid off after")
        rows = []
        for row in self.paybacks():
            more = "> " if row.bounded else ""
            saved = more + duration(row.saved) if row.saved > 0 else "nothing"
            reached, needed = f"{row.reached} of {row.instances}", more + duration(row.rival_seconds)
            rows.append((row.pipeline, row.rival, reached, duration(row.seconds), needed, saved, row.words))
        return table(headers, rows, width=_WIDTH)

    def text(self) -> str:
        """Return everything as plain text."""
        return "".join(part if isinstance(part, str) else part.text() for part in self.parts())

    def parts(self) -> list[str | Table]:
        """Return the sentences and tables for a terminal."""
        race = self.race
        count = f"{counted(len(race.rows), 'instance')} of {race.problem}"
        head = f"{count}, {race.time_limit:g} s each on one core; gaps to the best cost found\n\n"
        parts: list[str | Table] = [head, self.standing_table(), _block(self.verdicts())]
        if self.paybacks():
            parts += ["\nSolves after which learning has paid for itself:\n\n", self.payback_table()]
        return [*parts, _block(self.notes())]

    def verdicts(self) -> list[str]:
        """Return a sentence on each learned contender's final costs; those without gain come first."""
        rows = zip(self.standings(), self.race.kinds, strict=True)
        count = len(self.race.rows)
        return verdicts_in_words((s.contender, s.difference, count) for s, kind in rows
                                 if kind == "learned" and s.difference is not None)  # fmt: skip

    @property
    def left_out(self) -> list[str]:
        """Who did not take part, or not to the end, and why, in words."""
        return [*self.missing, *self.race.left_out]

    def warnings(self) -> list[str]:
        """Return warnings about pipelines trained on instances of the race."""
        count = len(self.race.rows)
        return [f"warning: {seen_before(name, seen, count)}" for name, seen in self.trained_on.items() if seen]

    def notes(self) -> list[str]:
        """Return notes on the tables: who found less than it could, and why."""
        said = [f"{row.contender}: {row.note}" for row in self.standings() if row.note]
        unknown = [name for name, seconds in self.learning.items() if seconds is None]
        if unknown:
            said.append(f"learning time unknown, pass --learning-seconds as train prints it ({', '.join(unknown)})")
        return said

    def document(self) -> dict[str, Any]:
        """Return the JSON object; `solves` is null if learning never pays off or its time is unknown."""
        race, rows = self.race, [asdict(row) for row in self.standings()]
        paybacks = [
            {**asdict(row), "saved": row.saved, "solves": _finite(row.solves), "payback": row.words}
            for row in self.paybacks()
        ]
        keys = ("instance", "pipeline", "cp_sat", "cp_sat_hint")
        instances = [
            {"group": group, "best": best, "trajectories": dict(zip(race.contenders, map(asdict, row), strict=True))}
            for group, best, row in zip(race.groups, race.best, race.rows, strict=True)
        ]
        return {
            "format": 1, "problem": race.problem, "time_limit": race.time_limit, "seed": race.seed,
            "contenders": list(race.contenders), "left_out": self.left_out, "shares": list(SHARES),
            "reference": reference(race), "summary": rows, "standings": rows, "payback": paybacks,
            "trained_on": self.trained_on, "hint": [dict(zip(keys, row, strict=True)) for row in self.hints()],
            "instances": instances,
        }  # fmt: skip

    def outcome(self, provenance: dict[str, Value]) -> Outcome:
        """Return the outcome for `colayer report`; the figure is expected beside it."""
        race = self.race
        sizes = "".join(f", {key} {_span([g[key] for g in race.groups])}" for key in race.groups[0])
        count = f"{len(race.rows)} instances{sizes}; {race.time_limit:g} s per contender and instance."
        hint = [self._hint_sheet()] if self.hints() else []
        paid = [self._payback_sheet()] if self.paybacks() else []
        return Outcome(
            name=f"compare-{race.problem}",
            title=f"{race.problem} at equal time",
            summary=f"{winner(self.standings(), race.time_limit)} {count} {_TIMES}",
            sheets=(self._standing_sheet(), *paid, *hint),
            pictures=(Picture(FIGURE, "Cost over time", "From when all instances have a solution."),),
            conclusions=tuple(self._conclusions()),
            differences=(*self.left_out, *self.warnings(), *self.notes()),
            provenance=provenance,
        )

    def _shares(self) -> list[str]:
        return [f"gap at {duration(share * self.race.time_limit)}" for share in SHARES]

    def _standing_sheet(self) -> Sheet:
        to = reference(self.race)
        compared = () if to is None else _compared_columns(f" to {to}")
        gaps = (Column(name, "%") for name in self._shares())
        counts = map(Column, ("solved", "best", "proved"))
        columns = (Column("contender"), Column("first solution", "s"), *gaps, *compared, *counts)
        rows = [
            (row.contender, row.first, *(None if g is None else 100 * g for g in row.gaps),
             *(() if to is None else _compared_values(row.difference)), row.solved, row.wins, row.proved)
            for row in self.standings()
        ]  # fmt: skip
        caption = (
            "solved, best, proved: instances with a solution in time, with the best known one, with a proof. "
            "Differences are means of paired, relative differences of the cost at the end, with their standard error."
        )
        return Sheet(STANDINGS, "Mean gap to the best known cost", columns, _cells(rows), caption)

    def _payback_sheet(self) -> Sheet:
        columns = (
            Column("pipeline"), Column("rival"), *_compared_columns(" to the rival"), Column(_NO_WORSE), Column("of"),
            Column("pipeline", "s"), Column("rival", "s"), Column("saved", "s"), Column("learning", "s"),
            Column("solves until paid"),
        )  # fmt: skip
        rows = [
            (r.pipeline, r.rival, *_compared_values(r.difference), r.reached, r.instances, r.seconds, r.rival_seconds,
             r.saved, r.learning, r.words)
            for r in self.paybacks()
        ]  # fmt: skip
        caption = (
            "The seconds the rival takes to the mean gap of the pipeline (the time limit if it never gets there), "
            "the seconds saved per solve, and the solves after which they add up to the time of learning. "
            f"{_NO_WORSE.capitalize()}: instances on which the rival's last cost is not above the pipeline's."
        )
        return Sheet(PAYBACK, "When learning has paid for itself", columns, _cells(rows), caption)

    def _hint_sheet(self) -> Sheet:
        names = ("instance", next(iter(self.learning)), CP_SAT, CP_SAT_HINT)
        title, columns = "CP-SAT with and without the pipeline's solution", tuple(map(Column, names))
        caption = "Cost at the time limit. With the hint, CP-SAT starts after the pipeline, whose solution it keeps."
        return Sheet(HINT, title, columns, _cells(self.hints()), caption)

    def _conclusions(self) -> list[Conclusion]:
        """Compare the costs at the end with those of the reference, the safe weights, the general solvers."""
        rows = [(row, row.difference) for row in self.standings() if row.contender in self.learning]
        found = [
            Conclusion(f"{row.contender} is better than {difference.to}", _HOLDS[difference.verdict], difference.words)
            for row, difference in rows
            if difference is not None
        ]
        for name in self.learning:
            for rival in (SAFE, HIGHS, CP_SAT):
                if rival in self.race.contenders:
                    claim = f"{name}, solved once, is never worse than {rival} after {self.race.time_limit:g} s"
                    found.append(_never_worse(claim, self.race, name, rival))
        if self.hints():
            found.append(_never_worse("CP-SAT is never worse with the hint", self.race, CP_SAT_HINT, CP_SAT))
        return found


def _never_worse(claim: str, race: Race, name: str, rival: str) -> Conclusion:
    """Conclude whether `name` ends no worse than `rival` on every instance."""
    better = worse = 0
    for ours, theirs in zip(race.of(name), race.of(rival), strict=True):
        a, b = (math.inf if t.cost is None else t.cost for t in (ours, theirs))
        if not math.isclose(a, b, rel_tol=EQUAL):
            better += a < b
            worse += a > b
    equal = len(race.rows) - better - worse
    return Conclusion(claim, worse == 0, f"better on {better}, equal on {equal}, worse on {worse} instances")


def _compared_columns(to: str) -> tuple[Column, ...]:
    return Column(f"difference{to}", "%"), Column("standard error", "%"), Column("verdict")


def _compared_values(difference: Difference | None) -> tuple[Value, ...]:
    if difference is None:
        return None, None, None
    error = difference.standard_error
    return 100 * difference.mean, None if error is None else 100 * error, difference.verdict


def _cells(rows: Sequence[Sequence[Value]]) -> tuple[tuple[Cell, ...], ...]:
    return tuple(tuple(map(Cell, row)) for row in rows)


def _block(lines: Sequence[str]) -> str:
    """Return the lines after an empty one; nothing if there are none."""
    return "".join(f"\n{line}" for line in lines) + "\n" * bool(lines)


def _finite(value: float | None) -> float | None:
    return None if value is None or math.isinf(value) else value


def _span(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
