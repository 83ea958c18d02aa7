"""Solved: a solution, what it costs and how good it is known to be, in the forms that users look at."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Generic

import msgspec

from colayer._runtime.text import MISSING, duration, percent
from colayer.errors import ColayerError, InputError
from colayer.io.files import plain
from colayer.io.frames import frame_of
from colayer.problem.bind import BoundProblem
from colayer.problem.gap import PROVED
from colayer.problem.guard import own_fault
from colayer.problem.protocol import X, Y, Z

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Rows of the solution that a notebook shows.
_SHOWN = 10


@dataclass(frozen=True, eq=False)
class Origin:
    """The problem and instance of a solve, kept as references."""

    problem: BoundProblem[Any, Any, Any]
    instance: Any


@dataclass(frozen=True, repr=False)
class Solved(Generic[Z]):
    """A solution with its cost and quality."""

    solution: Z
    cost: float
    #: A lower bound on the optimal cost; None where the problem has none. See `bound_kind`.
    bound: float | None
    #: (cost − bound)/|bound|: the cost is at most so much above the optimal one; None where it is not defined.
    gap: float | None
    seconds: float
    #: Which weights found it: "learned", "member K" (of the portfolio, K = 2, 3, …), "sample K" (perturbed weights,
    #: K = 1, 2, …), "draw K" (around members that did well, while there is time), "combined" (parts of several of
    #: these), "safe", "linear" (beside a network), "quick" (the problem's quickest rule, under a time limit), or
    #: "exact".
    source: str
    #: Whether the solution is proved optimal; None where no exact solver was asked (see `colayer.certify`).
    certified: bool | None = None
    #: How many weight vectors were tried.
    candidates: int = 1
    #: In how many rounds, each at features that see the solution of the round before.
    rounds: int = 1
    #: Seconds after which there was a first solution, where there was a time limit.
    first_seconds: float | None = None
    #: The problem and the instance, where they are known: tables, pictures and documents need them.
    origin: Origin | None = field(default=None, compare=False)

    @property
    def bound_kind(self) -> str | None:
        """The kind of the bound: "cheap" (quick, often far below), "exact" (the exact solver's); None without."""
        if self.bound is None:
            return None
        return "cheap" if self.certified is None else "exact"

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, words and lists, as `colayer solve --json` prints them, with the user's names."""
        origin = self._origin("a dict")
        return document(origin.problem, origin.instance, self)

    def to_frame(self) -> pandas.DataFrame:
        """Return the solution as a pandas DataFrame, with the user's names."""
        return frame_of(self.to_columns())

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame` as a dict of lists: one row per job, edge or task."""
        origin = self._origin("a table")
        columns: dict[str, list[Any]] = origin.problem.need("table")(self.solution, origin.instance)
        return columns

    def plot(self, ax: Axes | None = None) -> Figure:
        """Return a figure with the problem's picture of the solution, in `ax` if given; notebooks show it."""
        from matplotlib.figure import Figure

        from colayer.display.charts import picture

        origin = self._origin("a picture")
        drawn = origin.problem.need("plot")(self.solution, origin.instance, ax=ax)
        figure: Figure = drawn if isinstance(drawn, Figure) else drawn.figure
        # without pyplot they would show its name
        figure._repr_png_ = partial(picture, figure, "solution.png")  # type: ignore[attr-defined]
        return figure

    def __repr__(self) -> str:
        return f"Solved(cost={_number(self.cost)}, {self._quality}, {duration(self.seconds)}, {self.source})"

    @property
    def _quality(self) -> str:
        """The gap, by the bound it is to."""
        if self.certified or (self.gap is not None and self.gap <= PROVED):
            return "optimal"
        if self.bound is None:
            return "no bound"
        kind = "exact solver's" if self.bound_kind == "exact" else self.bound_kind
        return f"gap={percent(self.gap)} to the {kind} bound"

    def _repr_html_(self) -> str:
        summary = {
            "cost": _number(self.cost),
            "bound": MISSING if self.bound is None else f"{_number(self.bound)} ({self.bound_kind})",
            "gap": percent(self.gap),
            "time": duration(self.seconds),
            "source": self.source,
        }
        parts = [_html_table([summary])]
        if self.origin is not None and self.origin.problem.table is not None:
            columns = self._columns_shown()
            rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
            parts.append(_html_table(rows[:_SHOWN]))
            if len(rows) > _SHOWN:
                parts.append(f"<p>… {len(rows)} rows: <code>to_frame()</code> gives them all</p>")
        return "\n".join(parts)

    def _columns_shown(self) -> dict[str, list[Any]]:
        """Return the columns, or none if they cannot be made: a notebook then shows the rest."""
        try:
            return self.to_columns()
        except ColayerError:
            return {}
        except Exception as error:
            if own_fault(error) is None:  # not of a method of the user's
                raise
            return {}

    def _origin(self, what: str) -> Origin:
        if self.origin is None:
            raise InputError(f"no instance to make {what} from, expected a Solved returned by Pipeline.solve")
        return self.origin


def document(problem: BoundProblem[X, Y, Z], instance: X, solved: Solved[Z]) -> dict[str, Any]:
    """Return the object of one solve."""
    return {
        "problem": problem.name,
        "cost": solved.cost,
        "bound": solved.bound,
        "gap": solved.gap,
        "seconds": solved.seconds,
        "source": solved.source,
        "solution": written(problem, instance, solved.solution),
        **({} if solved.first_seconds is None else {"first_seconds": solved.first_seconds}),
        **({} if solved.certified is None else {"certified": solved.certified}),
    }


def written(problem: BoundProblem[X, Y, Z], instance: X, solution: Z) -> Any:
    """Return a solution by `write_solution`, else the plain numbers, words and lists it is made of, else None."""
    if problem.write_solution is not None:
        return problem.write_solution(solution, instance)
    try:
        return msgspec.json.decode(msgspec.json.encode(solution, enc_hook=plain))
    except (TypeError, ValueError):  # it has no JSON form of its own
        return None


def _number(value: float) -> str:
    """Return a cost as text: whole numbers whole, others with six digits."""
    return f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def _html_table(rows: list[dict[str, Any]]) -> str:
    """Return rows of equal keys as an HTML table, with names escaped."""
    if not rows:
        return ""
    head = "".join(f"<th>{html.escape(str(key))}</th>" for key in rows[0])
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(_cell(v))}</td>' for v in row.values())}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    return MISSING if value is None else _number(value) if isinstance(value, float) else str(value)
