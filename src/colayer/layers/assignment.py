"""Assignment: match rows and columns one to one at least cost, all of the smaller side.

scipy's `linear_sum_assignment` does the work (shortest augmenting paths, compiled: Crouse, "On implementing 2D
rectangular assignment algorithms", 2016). The kernel of `path_cover`, with staying alone made dear, was measured beside
it (`benchmarks/speed_layers.py`): slower up to 50 rows, level at 100, several times faster at 500 and random costs,
slower again on costs that are products. For large matrices it is there, as `partial_assignment`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats, Ints
from colayer.errors import InputError
from colayer.layers.layer import costs_of, whole


def assignment(costs: ArrayLike) -> Ints:
    """Column of each row in an assignment of least cost; −1 for rows left over where there are more rows than columns.

    `costs` is (rows, columns), of any sign.

    >>> assignment([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0]]).tolist()
    [1, 0]
    """
    matrix = np.asarray(costs, dtype=np.float64)
    if matrix.ndim != 2:
        raise InputError(f"an array of {matrix.ndim} dimensions, expected two", where="costs")
    finite = np.isfinite(matrix)
    if not finite.all():
        i, j = np.argwhere(~finite)[0].tolist()
        raise InputError(f"{matrix[i, j]}, expected a finite number", where=f"costs[{i}, {j}]")
    return _solved(matrix)


def _solved(matrix: Floats) -> Ints:
    """`assignment` of a matrix that is known to be one."""
    from scipy.optimize import linear_sum_assignment

    partner = np.full(len(matrix), -1, dtype=np.int64)
    rows, columns = linear_sum_assignment(matrix)
    partner[rows] = columns
    return partner


def embed(partner: Ints, columns: int) -> Floats:
    """y as a 0/1 vector, row after row of the cost matrix."""
    vector = np.zeros((len(partner), columns))
    matched = np.flatnonzero(partner >= 0)
    vector[matched, partner[matched]] = 1.0
    return vector.ravel()


@dataclass(frozen=True)
class Assignment:
    """Assignments of `rows` to `columns`: θ is the cost matrix, row after row, and y = 1 on the pairs chosen.

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
        """rows × columns."""
        return self.rows * self.columns

    def __call__(self, theta: ArrayLike) -> Floats:
        """The assignment of least cost."""
        matrix = costs_of(theta, self.size).reshape(self.rows, self.columns)
        return embed(_solved(matrix), self.columns)
