"""Models for general solvers as plain data, as a practitioner would write them for HiGHS and for CP-SAT.

A problem gives them through the optional methods `compact` and `constraint_program`; `colayer compare` runs them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer.errors import ColayerError

#: The most nonzeros of a model that a general solver is given.
MOST = 2_000_000
#: The bounds of an unbounded row in a constraint program: the ends of CP-SAT's integers.
LEAST_INT, LARGEST_INT = -(2**63), 2**63 - 1
#: The largest number that counts as whole, and the size that others are scaled to; their sums fit into 64 bits.
_LARGEST, _SCALED = 2.0**40, 2.0**32
#: Numbers far below this become 0, because their factor would be infinite.
_TINY = 2.0**-900


class TooLargeError(ColayerError):
    """A model has more nonzeros than general solvers are given."""


def check_size(nonzeros: int) -> None:
    """Refuse a model that is too large before it is built."""
    if nonzeros > MOST:
        raise TooLargeError(f"the model has {nonzeros:,} nonzeros, at most {MOST:,} are tried")


def whole(values: ArrayLike) -> tuple[Ints, float]:
    """Return (integers, factor) with integers ≈ factor · values; values that are not whole are scaled and rounded."""
    numbers = np.asarray(values, dtype=np.float64)
    if bool(np.all(numbers == np.rint(numbers))) and bool(np.all(np.abs(numbers) <= _LARGEST)):
        return numbers.astype(np.int64), 1.0
    factor = _SCALED / max(float(np.abs(numbers).max()), _TINY)
    return np.rint(numbers * factor).astype(np.int64), factor


@dataclass
class Rows:
    """Linear constraints lower ≤ Ax ≤ upper, added block by block."""

    lower: list[NDArray[Any]] = field(default_factory=list)
    upper: list[NDArray[Any]] = field(default_factory=list)
    #: Row, column and value of each nonzero.
    triplets: list[tuple[Ints, Ints, NDArray[Any]]] = field(default_factory=list)
    count: int = 0

    def add(self, lower: ArrayLike, upper: ArrayLike, *terms: tuple[ArrayLike, ArrayLike, ArrayLike]) -> None:
        """Add a block of rows.

        Parameters:
            lower: Lower bounds of the rows; a single number holds for all.
            upper: Upper bounds of the rows; a single number holds for all.
            terms: Triples (row in the block, column, value) of nonzeros, broadcast against each other.
        """
        low, high = np.broadcast_arrays(np.atleast_1d(lower), np.atleast_1d(upper))
        self.lower.append(low)
        self.upper.append(high)
        for term in terms:
            row, column, value = (part.ravel() for part in np.broadcast_arrays(*term))
            self.triplets.append((row.astype(np.int64) + self.count, column.astype(np.int64), value))
        self.count += len(low)

    def compressed(self) -> tuple[Ints, Ints, NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return (starts, columns, values, lower, upper), with nonzeros row by row in the order they were added."""
        row, column, value = (np.concatenate(parts) for parts in zip(*self.triplets, strict=True))
        order = np.argsort(row, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=self.count))])
        return starts, column[order], value[order], np.concatenate(self.lower), np.concatenate(self.upper)


@dataclass(frozen=True, eq=False)
class CompactModel:
    """A mixed-integer program: min cost·x subject to rows, lower ≤ x ≤ upper, and x whole where `integral`."""

    cost: Floats
    rows: Rows
    lower: Floats
    upper: Floats
    integral: NDArray[np.bool_]
    #: The solution of the problem that a feasible x stands for.
    solution: Callable[[Floats], Any]
    #: Values of the integral columns for a solution of the problem, to start from; None if there is no start.
    start: Callable[[Any], Floats] | None = None


@dataclass(frozen=True, eq=False)
class ConstraintProgram:
    """A constraint program: min cost·x over whole lower ≤ x ≤ upper; literals are columns with bounds 0 and 1.

    `solution` reads the first `reported` columns.
    """

    cost: Ints
    lower: Ints
    upper: Ints
    reported: int
    #: The solution of the problem that the reported columns stand for.
    solution: Callable[[Ints], Any]
    #: Values of all columns for a solution of the problem, to start from.
    hint: Callable[[Any], Ints]
    rows: Rows = field(default_factory=Rows)
    #: The literal under which each row holds; -1 for always.
    conditions: list[NDArray[Any]] = field(default_factory=list)
    #: Sets of literals of which exactly one is true.
    exactly_one: list[list[int]] = field(default_factory=list)
    #: Sets of intervals, (column of the start, length), that do not overlap.
    no_overlap: list[list[tuple[int, int]]] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        """Return the program as a JSON object, in the form that `comparison/cpsat_child.py` reads."""
        document: dict[str, Any] = {"cost": self.cost, "lower": self.lower, "upper": self.upper}
        document |= {"reported": self.reported, "exactly_one": self.exactly_one, "no_overlap": self.no_overlap}
        if self.rows.count:
            keys = ("starts", "columns", "values", "row_lower", "row_upper")
            document |= dict(zip(keys, self.rows.compressed(), strict=True))
            document["conditions"] = np.concatenate(self.conditions)
        return {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in document.items()}
