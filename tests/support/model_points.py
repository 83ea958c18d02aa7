"""Models for general solvers, seen from outside: the least point of a program, and whether a point is one of it."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from colayer.problem.programs import CompactModel, ConstraintProgram

_SLACK = 1e-9


def least(model: CompactModel) -> tuple[np.ndarray, float]:
    """(point, value) of the least point of a mixed-integer program, found by SciPy."""
    bounds = Bounds(model.lower, model.upper)
    found = milp(model.cost, constraints=_rows(model), bounds=bounds, integrality=model.integral)
    assert found.success, found.message
    return found.x, float(found.fun)


def inside(model: CompactModel, point: np.ndarray) -> bool:
    """Whether a point keeps all rows and bounds of a mixed-integer program."""
    rows = _rows(model)
    value = rows.A @ point
    kept = np.all((value >= rows.lb - _SLACK) & (value <= rows.ub + _SLACK))
    return bool(kept and np.all((point >= model.lower - _SLACK) & (point <= model.upper + _SLACK)))


def satisfied(program: ConstraintProgram, x: np.ndarray) -> bool:
    """Whether whole numbers keep everything that a constraint program says."""
    if not np.all((program.lower <= x) & (x <= program.upper)):
        return False
    if program.rows.count:
        starts, columns, values, lower, upper = program.rows.compressed()
        conditions = np.concatenate(program.conditions)
        for row in range(len(lower)):
            part = slice(starts[row], starts[row + 1])
            holds = lower[row] <= values[part] @ x[columns[part]] <= upper[row]
            if not holds and (conditions[row] < 0 or x[conditions[row]] == 1):
                return False
    if any(x[literals].sum() != 1 for literals in program.exactly_one):
        return False
    for intervals in program.no_overlap:
        busy = sorted((int(x[start]), int(x[start]) + length) for start, length in intervals)
        if any(end > begin for (_, end), (begin, _) in itertools.pairwise(busy)):
            return False
    return True


def _rows(model: CompactModel) -> LinearConstraint:
    starts, columns, values, lower, upper = model.rows.compressed()
    return LinearConstraint(csr_array((values, columns, starts), shape=(len(lower), len(model.cost))), lower, upper)
