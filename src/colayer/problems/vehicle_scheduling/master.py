"""The set-partitioning master of the column generation, by HiGHS: linear and warm, or integer over given routes."""

from __future__ import annotations

import math

import highspy
import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints

Columns = tuple[Floats, Ints, NDArray[np.int32]]


class Master:
    """The master problem: min Σ c_P x_P such that every task lies on exactly one route; routes are added one by one."""

    def __init__(self, tasks: int) -> None:
        self._tasks = tasks
        self._solver = _silent()
        nothing = np.empty(0, dtype=np.int32), np.empty(0)
        for _ in range(tasks):
            self._solver.addRow(1.0, 1.0, 0, *nothing)
        self._costs: dict[bytes, float] = {}
        self._routes: list[Ints] = []

    def add(self, route: Ints, cost: float) -> bool:
        """Add a route; False if it is there already."""
        key = route.tobytes()
        if key in self._costs:
            return False
        self._costs[key] = cost
        self._routes.append(route)
        entries = route.astype(np.int32), np.ones(len(route))
        self._solver.addCol(cost, 0.0, highspy.kHighsInf, len(route), *entries)
        return True

    def columns(self) -> Columns:
        """Return the costs, starts and tasks of all routes."""
        indptr = np.concatenate([[0], np.cumsum([len(route) for route in self._routes])])
        costs = np.array(list(self._costs.values()))
        return costs, indptr.astype(np.int64), np.concatenate(self._routes).astype(np.int32)

    def relax(self, seconds: float) -> tuple[float, Floats, list[Ints] | None]:
        """Return value and duals of the linear relaxation, and its routes if integral; ∞ when the time is over."""
        self._solver.setOptionValue("time_limit", self._solver.getRunTime() + max(seconds, 0.0))
        self._solver.run()
        solution = self._solver.getSolution()
        duals = np.array(solution.row_dual)
        if self._solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return math.inf, duals, None
        x = np.array(solution.col_value)
        chosen = np.flatnonzero(x > 0.5)
        integral = bool(np.all(np.minimum(x, np.abs(1.0 - x)) < 1e-6))
        value = float(self._solver.getInfo().objective_function_value)
        return value, duals, [self._routes[k] for k in chosen] if integral else None

    def integer(self, columns: Columns, cutoff: float, seconds: float) -> tuple[list[Ints] | None, float]:
        """Return the best choice among the columns below `cutoff` (None: none found) and a lower bound on them all."""
        costs, indptr, tasks = columns
        if len(costs) == 0:
            return None, math.inf
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = len(costs), self._tasks
        model.col_cost_ = costs
        model.col_lower_, model.col_upper_ = np.zeros(len(costs)), np.ones(len(costs))
        model.row_lower_ = model.row_upper_ = np.ones(self._tasks)
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_, model.a_matrix_.index_ = indptr, tasks
        model.a_matrix_.value_ = np.ones(len(tasks))
        model.integrality_ = [highspy.HighsVarType.kInteger] * len(costs)
        solver = _silent()
        for option, setting in (("mip_rel_gap", 0.0), ("mip_abs_gap", 1e-9 * max(abs(cutoff), 1.0))):
            solver.setOptionValue(option, setting)
        solver.setOptionValue("time_limit", max(seconds, 0.0))
        solver.passModel(model)
        solver.run()
        status, info = solver.getModelStatus(), solver.getInfo()
        if status == highspy.HighsModelStatus.kInfeasible:
            return None, math.inf
        bound = float(info.mip_dual_bound)
        if status == highspy.HighsModelStatus.kOptimal:
            bound = float(info.objective_function_value)
        if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
            return None, bound
        chosen = np.flatnonzero(np.array(solver.getSolution().col_value) > 0.5)
        return [tasks[indptr[k] : indptr[k + 1]].astype(np.int64) for k in chosen], bound


def _silent() -> highspy.Highs:
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("random_seed", 0)
    return solver
