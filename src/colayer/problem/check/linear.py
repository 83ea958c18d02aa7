"""Small models for general solvers, solved by HiGHS; constraint programs are written as mixed-integer ones for that."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from colayer.problem.programs import LARGEST_INT, LEAST_INT, CompactModel, ConstraintProgram, Rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Seconds that HiGHS gets for one model.
SECONDS = 1.0
#: A column with more values than this is continuous for HiGHS, and scaled down to this size.
_MOST_VALUES = 1000


@dataclass(frozen=True, eq=False)
class Solution:
    """A solution of a model, its value, and whether it is optimal."""

    values: Floats
    value: float
    proved: bool


def minimised(model: CompactModel) -> Solution | None:
    """The optimum, or the best solution in the time there is; None where none was found. An infeasible model raises."""
    cost = np.asarray(model.cost, dtype=np.float64)
    size = float(np.abs(cost).max(initial=0.0)) or 1.0
    constraints = []
    if model.rows.count:
        matrix, lower, upper = _matrix(model.rows, len(cost))
        constraints.append(LinearConstraint(matrix, lower, upper))
    found = milp(
        cost / size,
        integrality=np.asarray(model.integral).astype(int),
        bounds=Bounds(model.lower, model.upper),
        constraints=constraints,
        options={"time_limit": SECONDS, "mip_rel_gap": 0.0},
    )
    if found.status in (2, 3, 4):
        raise ValueError(f"HiGHS says: {found.message}")
    if found.x is None:
        return None
    return Solution(np.asarray(found.x), float(cost @ found.x), found.status == 0)


def as_mixed_integer(program: ConstraintProgram) -> CompactModel:
    """The program with big numbers for conditions, and an order of each two intervals that do not overlap."""
    n = len(program.cost)
    pairs = [pair for group in program.no_overlap for pair in itertools.combinations(group, 2)]
    lower = np.concatenate([program.lower, np.zeros(len(pairs))]).astype(np.float64)
    upper = np.concatenate([program.upper, np.ones(len(pairs))]).astype(np.float64)
    units = np.where(upper - lower > _MOST_VALUES, np.maximum(np.abs(lower), np.abs(upper)) / _MOST_VALUES, 1.0)
    rows = _Scaled(Rows(), units)
    if program.rows.count:
        matrix, least, most = _matrix(program.rows, n)
        conditions = np.concatenate(program.conditions)
        for row in range(program.rows.count):
            part = slice(int(matrix.indptr[row]), int(matrix.indptr[row + 1]))
            columns, values = matrix.indices[part], matrix.data[part]
            rows.add(columns, values, least[row], most[row], int(conditions[row]), lower, upper)
    for group in program.exactly_one:
        rows.add(group, np.ones(len(group)), 1.0, 1.0, -1, lower, upper)
    for k, ((i, length_i), (j, length_j)) in enumerate(pairs):  # one after the other: the new literal says which
        first = n + k
        before = float(upper[i] + length_i - lower[j])
        after = float(upper[j] + length_j - lower[i])
        rows.add([j, i, first], [1.0, -1.0, -before], length_i - before, np.inf, -1, lower, upper)
        rows.add([i, j, first], [1.0, -1.0, after], length_j, np.inf, -1, lower, upper)
    cost = np.concatenate([program.cost, np.zeros(len(pairs))]).astype(np.float64)
    return CompactModel(
        cost=cost * units,
        rows=rows.rows,
        lower=lower / units,
        upper=upper / units,
        integral=units == 1.0,
        solution=lambda values: values * units,
    )


@dataclass
class _Scaled:
    """Rows of a model whose columns have units."""

    rows: Rows
    units: Floats

    def add(
        self, columns: Any, values: Any, least: float, most: float, condition: int, lower: Floats, upper: Floats
    ) -> None:
        """least ≤ Σ values·columns ≤ most, where the literal `condition` is 1 (-1: always)."""
        columns, values = np.asarray(columns, dtype=np.int64), np.asarray(values, dtype=np.float64)
        if condition < 0:
            self._add(columns, values, least, most)
            return
        ends = values * lower[columns], values * upper[columns]
        short = least - float(np.minimum(*ends).sum())
        over = float(np.maximum(*ends).sum()) - most
        if np.isfinite(least) and short > 0:
            self._add(np.append(columns, condition), np.append(values, -short), least - short, np.inf)
        if np.isfinite(most) and over > 0:
            self._add(np.append(columns, condition), np.append(values, over), -np.inf, most + over)

    def _add(self, columns: Ints, values: Floats, least: float, most: float) -> None:
        scaled = values * self.units[columns]
        size = float(np.abs(scaled).max(initial=0.0)) or 1.0
        self.rows.add([least / size], most / size, (0, columns, scaled / size))


def broken(program: ConstraintProgram, values: Ints) -> str | None:
    """What whole values of all columns do not keep, in words; None where they keep all."""
    outside = np.flatnonzero((values < program.lower) | (values > program.upper))
    if len(outside):
        at = int(outside[0])
        return f"column {at} is {values[at]}, beyond {program.lower[at]}..{program.upper[at]}"
    if program.rows.count:
        starts, columns, factors, lower, upper = program.rows.compressed()
        conditions = np.concatenate(program.conditions)
        for row in range(program.rows.count):
            part = slice(int(starts[row]), int(starts[row + 1]))
            total = sum(int(a) * int(x) for a, x in zip(factors[part], values[columns[part]], strict=True))
            active = conditions[row] < 0 or values[conditions[row]] == 1
            if active and not lower[row] <= total <= upper[row]:
                return f"row {row} is {total}, beyond {lower[row]}..{upper[row]}"
    for group in program.exactly_one:
        if values[group].sum() != 1:
            return f"{values[group].sum()} of the literals {group} are true, not exactly one"
    for intervals in program.no_overlap:
        for (i, length_i), (j, length_j) in itertools.combinations(intervals, 2):
            if values[i] < values[j] + length_j and values[j] < values[i] + length_i:
                return f"the intervals that begin at the columns {i} and {j} overlap"
    return None


def _matrix(rows: Rows, columns: int) -> tuple[Any, Floats, Floats]:
    starts, places, values, lower, upper = rows.compressed()
    matrix = csr_array((values.astype(np.float64), places, starts), shape=(rows.count, columns))
    return matrix, _limits(lower, LEAST_INT, -np.inf), _limits(upper, LARGEST_INT, np.inf)


def _limits(values: ArrayLike, none: int, infinite: float) -> Floats:
    """Bounds of rows as real numbers, those that are none as infinite."""
    given = np.asarray(values)
    whole = given.astype(np.float64)
    return np.where(whole == float(none), infinite, whole)
