"""HiGHS on a compact model: every better solution it finds, with the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from colayer.comparison.trajectory import Attempt
from colayer.problem.bind import BoundProblem
from colayer.problem.gap import proves
from colayer.problem.programs import CompactModel, TooLargeError
from colayer.problem.protocol import X, Y, Z


def solve_compact(
    problem: BoundProblem[X, Y, Z], instance: X, limit: float, seed: int = 0, start: Callable[[X], Z] | None = None
) -> Attempt[Z]:
    """Build the compact model within the time limit, and run HiGHS on it for the rest, on one thread.

    `start` finds a solution to start from, within the time as well, where the model has a `start`; that solution
    counts. HiGHS gets its integral columns, and finds the others.
    """
    import highspy

    begin = time.perf_counter()
    try:
        model = problem.need("compact")(instance)
    except TooLargeError as error:
        return Attempt(note=str(error))
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    options = {"output_flag": False, "threads": 1, "random_seed": seed % 2**31, "mip_rel_gap": 0.0, "mip_abs_gap": 1e-9}
    for option, value in options.items():
        highs.setOptionValue(option, value)
    highs.passModel(_program(model))
    first: list[tuple[float, Z]] = []
    if start is not None and model.start is not None:
        solution = start(instance)
        first.append((time.perf_counter() - begin, solution))
        columns = np.flatnonzero(model.integral).astype(np.int32)
        highs.setSolution(len(columns), columns, np.asarray(model.start(solution), dtype=np.float64))
    found: list[tuple[float, Any]] = []

    def improved(event: Any) -> None:
        found.append((time.perf_counter() - begin, np.array(event.data_out.mip_solution)))

    highs.cbMipImprovingSolution.subscribe(improved)
    left = limit - (time.perf_counter() - begin)
    if left <= 0.0:
        return Attempt(first, note="building the model took all the time")
    highs.setOptionValue("time_limit", left)
    highs.run()
    seconds = time.perf_counter() - begin
    ended = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    information = highs.getInfo()
    bound = information.mip_dual_bound if model.integral.any() else information.objective_function_value
    if ended:  # a model without integers, or one that presolve solves, may end without a call
        found.append((seconds, np.array(highs.getSolution().col_value)))
    proved = ended and proves(information.objective_function_value, bound)
    return Attempt([*first, *((when, model.solution(values)) for when, values in found)], proved=proved)


def _program(model: CompactModel) -> Any:
    import highspy

    program = highspy.HighsLp()
    starts, columns, values, lower, upper = model.rows.compressed()
    program.num_col_, program.num_row_ = len(model.cost), len(lower)
    program.col_cost_, program.col_lower_, program.col_upper_ = model.cost, model.lower, model.upper
    program.row_lower_, program.row_upper_ = lower, upper
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_, program.a_matrix_.index_ = starts.astype(np.int32), columns.astype(np.int32)
    program.a_matrix_.value_ = values
    kinds = highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger
    program.integrality_ = [kinds[whole] for whole in model.integral.tolist()]
    return program
