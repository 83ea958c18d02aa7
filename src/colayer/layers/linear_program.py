"""Any linear or mixed-integer program as a layer: argmin of ⟨θ, y⟩ over the y that its rows and bounds allow.

HiGHS solves it. Each thread receives the model once, and only the objective changes from call to call. No call starts
from the result of the one before, because the choice among several optimal y would then depend on the history; a warm
start gains little (`benchmarks/speed_layers.py`). One thread, a fixed seed: y is a function of θ
alone. θ is scaled by a power of two first: tolerances mean the same at any size of θ, and y is the same for θ, 2θ, …

A program with integer variables is first solved without integrality: if the answer is whole anyway, as it often is for
good formulations, it is optimal, in a fraction of the time.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats
from colayer._runtime.text import short
from colayer.errors import InputError
from colayer.layers.layer import costs_of

#: Tolerance of integrality, of rows and bounds, and of optimality relative to θ.
TOLERANCE = 1e-9
_FORMS = "a LinearConstraint or a triple (A, lower, upper)"


class LinearProgram:
    """The layer of a linear or mixed-integer program: minimise ⟨θ, y⟩ subject to lower ≤ A·y ≤ upper and bounds on y.

    Parameters:
        constraints: A `LinearConstraint`, a triple (A, lower, upper) with A dense or sparse, or a list of them, as
            `scipy.optimize.milp` takes them.
        bounds: A `Bounds` or a pair (lower, upper) for y.
        integrality: 1 where y must be whole, 0 elsewhere.
        size: Length of θ, if the constraints do not say it.
        gap: How far from optimal a whole y may be, as a share of the value.

    >>> program = LinearProgram(([[1.0, 2.0, 3.0]], -np.inf, 4.0), bounds=(0.0, 1.0), integrality=1)
    >>> program([-2.0, -3.0, -4.0]).tolist()
    [1.0, 0.0, 1.0]
    """

    def __init__(
        self,
        constraints: Any = (),
        *,
        bounds: Any = (0.0, math.inf),
        integrality: ArrayLike = 0,
        size: int | None = None,
        gap: float = 0.0,
    ) -> None:
        from scipy.sparse import csc_array, vstack

        blocks = [_block(item, k) for k, item in enumerate(_as_list(constraints))]
        if size is None:
            size = blocks[0][0].shape[1] if blocks else np.size(_pair(bounds)[0])
        for k, (matrix, _, _) in enumerate(blocks):
            if matrix.shape[1] != size:
                raise InputError(f"{matrix.shape[1]} columns, expected {size}", where=f"constraints[{k}]")
        empty = (csc_array((0, size)), np.zeros(0), np.zeros(0))
        matrices, lowers, uppers = zip(empty, *blocks, strict=True)
        self._matrix = csc_array(vstack(matrices, format="csc"))
        self._rows = _limits(np.concatenate(lowers), np.concatenate(uppers), self._matrix.shape[0], "constraints")
        self._bounds = _limits(*_pair(bounds), size, "bounds")
        whole = np.asarray(integrality)
        if whole.shape not in ((), (1,), (size,)) or not np.isin(whole, (0, 1)).all():
            raise InputError(f"expected 0 or 1, once or for each of {size} columns", where="integrality")
        self._whole = np.flatnonzero(np.broadcast_to(whole, size))
        if not gap >= 0.0:
            raise InputError(f"{gap} is out of range, expected 0 or more", where="gap")
        self.gap = float(gap)
        #: Names of the columns if the model has them; an .lp file lists columns in the order of appearance.
        self.names: tuple[str, ...] = ()
        self._threads = threading.local()

    @classmethod
    def from_highs(cls, model: Any, gap: float = 0.0) -> Self:
        """Take the columns and rows of a `highspy.Highs` or `highspy.HighsLp`; its objective is ignored."""
        import highspy

        lp = model.getLp() if isinstance(model, highspy.Highs) else model
        if isinstance(model, highspy.Highs) and model.getHessianNumNz():
            raise InputError("a quadratic objective, expected a linear program", where="model")
        kinds = {highspy.HighsVarType.kContinuous: 0, highspy.HighsVarType.kInteger: 1}
        integrality = [kinds.get(kind, 2) for kind in lp.integrality_] or 0
        from scipy.sparse import csc_array, csr_array

        entries = tuple(np.array(part) for part in (lp.a_matrix_.value_, lp.a_matrix_.index_, lp.a_matrix_.start_))
        form = csc_array if lp.a_matrix_.format_ == highspy.MatrixFormat.kColwise else csr_array
        matrix = form(entries, shape=(lp.num_row_, lp.num_col_))
        rows = (matrix, np.array(lp.row_lower_), np.array(lp.row_upper_))
        columns = (np.array(lp.col_lower_), np.array(lp.col_upper_))
        program = cls(rows, bounds=columns, integrality=integrality, size=lp.num_col_, gap=gap)
        program.names = tuple(lp.col_names_)
        return program

    @classmethod
    def read(cls, path: str | Path, gap: float = 0.0) -> Self:
        """Read a model from a file that HiGHS understands, .mps or .lp (also .gz)."""
        import highspy

        if not Path(path).is_file():
            raise InputError("no such file", where=str(path))
        highs = highspy.Highs()  # type: ignore[no-untyped-call]
        highs.setOptionValue("output_flag", False)
        if highs.readModel(str(path)) == highspy.HighsStatus.kError:
            raise InputError("HiGHS cannot read it, expected a model in .mps or .lp", where=str(path))
        return cls.from_highs(highs, gap)

    @property
    def size(self) -> int:
        """Return the number of columns."""
        return int(self._matrix.shape[1])

    def __call__(self, theta: ArrayLike) -> Floats:
        """Return an optimal vertex y; integral entries are whole to the last bit."""
        costs = costs_of(theta, self.size)
        largest = float(np.abs(costs).max(initial=0.0))
        highs = self._highs()
        highs.changeColsCost(self.size, np.arange(self.size, dtype=np.int32), np.ldexp(costs, -math.frexp(largest)[1]))
        y = self._solve(highs, relaxed=True)
        if len(self._whole):
            if y is None or not (np.abs(y - np.round(y))[self._whole] <= TOLERANCE).all():
                y = self._solve(highs, relaxed=False)
            if y is not None:
                y[self._whole] = np.round(y[self._whole])
        if y is None:
            raise InputError("unbounded: ⟨θ, y⟩ has no least value", where="theta")
        return y + 0.0  # no −0

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_threads"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _threads=threading.local())

    def _solve(self, highs: Any, relaxed: bool) -> Floats | None:
        """Solve the model from scratch; return None if it is unbounded."""
        import highspy

        highs.clearSolver()
        highs.setOptionValue("solve_relaxation", relaxed)
        highs.setOptionValue("presolve", "off" if relaxed else "choose")  # see benchmarks/speed_layers.py
        if highs.run() == highspy.HighsStatus.kError:
            # HiGHS ran with another number of threads in this thread before; this is its own remedy
            highspy.Highs.resetGlobalScheduler(True)
            highs.run()
        status = highs.getModelStatus()
        if status in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kModelEmpty):
            return np.array(highs.getSolution().col_value, dtype=np.float64)
        if status == highspy.HighsModelStatus.kInfeasible:
            raise InputError("no y satisfies the rows and bounds", where="constraints")
        if status == highspy.HighsModelStatus.kUnbounded:
            return None
        if status == highspy.HighsModelStatus.kUnboundedOrInfeasible:
            highs.changeColsCost(self.size, np.arange(self.size, dtype=np.int32), np.zeros(self.size))
            self._solve(highs, relaxed)  # feasible for θ = 0, or refused there
            return None
        raise InputError(f"HiGHS stopped: {highs.modelStatusToString(status)}", where="theta")

    def _highs(self) -> Any:
        """Return this thread's solver, which holds the model."""
        import highspy

        if hasattr(self._threads, "highs"):
            return self._threads.highs
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = self._matrix.shape
        model.col_cost_ = np.zeros(self.size)
        model.col_lower_, model.col_upper_ = self._bounds
        model.row_lower_, model.row_upper_ = self._rows
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = self._matrix.indptr
        model.a_matrix_.index_ = self._matrix.indices
        model.a_matrix_.value_ = self._matrix.data
        if len(self._whole):
            kinds = np.full(self.size, highspy.HighsVarType.kContinuous, dtype=object)
            kinds[self._whole] = highspy.HighsVarType.kInteger
            model.integrality_ = kinds.tolist()
        highs = highspy.Highs()  # type: ignore[no-untyped-call]
        tolerances = ("mip_abs_gap", *(f"{kind}_feasibility_tolerance" for kind in ("mip", "primal", "dual")))
        options = {"output_flag": False, "threads": 1, "random_seed": 0, "mip_rel_gap": self.gap}
        for option, value in {**options, **dict.fromkeys(tolerances, TOLERANCE)}.items():
            highs.setOptionValue(option, value)
        if highs.passModel(model) == highspy.HighsStatus.kError:
            raise InputError("HiGHS refuses the model", where="constraints")
        self._threads.highs = highs
        return highs


def _as_list(constraints: Any) -> Sequence[Any]:
    """Return a list of constraints, also for a single triple or `LinearConstraint`."""
    if hasattr(constraints, "A"):
        return [constraints]
    if not isinstance(constraints, Sequence) or isinstance(constraints, str):
        raise InputError(f"{short(constraints)}, expected {_FORMS}, or a list of them", where="constraints")
    items = list(constraints)
    triple = len(items) == 3 and not any(hasattr(item, "A") or isinstance(item, tuple) for item in items)
    return [tuple(items)] if triple else items


def _block(item: Any, k: int) -> tuple[Any, Floats, Floats]:
    """Return (A, lower, upper) of one constraint, A sparse."""
    from scipy.sparse import csc_array, issparse

    where = f"constraints[{k}]"
    if hasattr(item, "A"):
        item = (item.A, item.lb, item.ub)
    if not isinstance(item, Sequence) or len(item) != 3:
        raise InputError(f"expected {_FORMS}", where=where)
    try:
        matrix = csc_array(item[0] if issparse(item[0]) else np.atleast_2d(np.asarray(item[0], dtype=np.float64)))
    except (TypeError, ValueError):
        raise InputError("expected a matrix of numbers for A", where=where) from None
    matrix = csc_array(matrix, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        raise InputError("a coefficient that is not finite", where=where)
    return matrix, *_limits(item[1], item[2], matrix.shape[0], where)


def _pair(bounds: Any) -> tuple[Any, Any]:
    """Return (lower, upper) of a `Bounds` or a pair."""
    if hasattr(bounds, "lb"):
        return bounds.lb, bounds.ub
    if not isinstance(bounds, Sequence | np.ndarray) or len(bounds) != 2:
        raise InputError("expected a Bounds or a pair (lower, upper)", where="bounds")
    return bounds[0], bounds[1]


def _limits(lower: ArrayLike, upper: ArrayLike, size: int, where: str) -> tuple[Floats, Floats]:
    """Check the lower and upper limits and return one of each per row or column; ±∞ means no limit."""
    try:
        low, high = (np.array(np.broadcast_to(np.asarray(values, np.float64), size)) for values in (lower, upper))
    except ValueError:
        raise InputError(f"expected one limit or {size}", where=where) from None
    wrong = ~(low <= high)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise InputError(f"limits {low[i]} and {high[i]}, expected lower ≤ upper", where=f"{where}[{i}]")
    return low, high
