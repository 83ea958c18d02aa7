"""Assignment: match rows and columns one to one at least cost, all of the smaller side.

scipy's `linear_sum_assignment` does the work (shortest augmenting paths, compiled: Crouse, "On implementing 2D
rectangular assignment algorithms", 2016). The kernel of `path_cover`,
with a high cost of staying unmatched, was measured beside it (`benchmarks/speed_layers.py`): it is slower up to 50
rows, level at 100, several times faster at 500 with random costs, and slower again if costs are products. For large
matrices use it as `partial_assignment`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats, Ints
from colayer.errors import InputError
from colayer.layers.layer import costs_of, whole


def assignment(costs: ArrayLike) -> Ints:
    """Return the column assigned to each row at least total cost.

    Parameters:
        costs: Matrix of shape (rows, columns), of any sign.

    Returns:
        The column of each row, −1 for rows left over where there are more rows than columns.

    >>> assignment([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0]]).tolist()
    [1, 0]
    """
    from scipy.optimize import linear_sum_assignment

    matrix = np.asarray(costs, dtype=np.float64)
    if matrix.ndim != 2:
        raise InputError(f"an array of {matrix.ndim} dimensions, expected two", where="costs")
    costs_of(matrix.ravel(), where="costs")
    partner = np.full(len(matrix), -1, dtype=np.int64)
    rows, columns = linear_sum_assignment(matrix)
    partner[rows] = columns
    return partner


def embed(partner: Ints, columns: int) -> Floats:
    """Return y as a 0/1 vector, one row of the cost matrix after the other."""
    vector = np.zeros((len(partner), columns))
    matched = np.flatnonzero(partner >= 0)
    vector[matched, partner[matched]] = 1.0
    return vector.ravel()


@dataclass(frozen=True)
class Assignment:
    """The layer of assignments: θ is the cost matrix, row after row, and y is 1 for the pairs chosen.

    Parameters:
        rows: Number of rows, at least 1.
        columns: Number of columns, at least 1.

    >>> Assignment(2, 3)([4.0, 1.0, 3.0, 2.0, 0.0, 5.0]).tolist()
    [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]
    """

    rows: int
    columns: int

    def __post_init__(self) -> None:
        for name in ("rows", "columns"):
            object.__setattr__(self, name, whole(getattr(self, name), name, 1))

    @property
    def size(self) -> int:
        """Return rows × columns."""
        return self.rows * self.columns

    def __call__(self, theta: ArrayLike) -> Floats:
        """Return the assignment of least cost."""
        matrix = costs_of(theta, self.size).reshape(self.rows, self.columns)
        return embed(assignment(matrix), self.columns)
