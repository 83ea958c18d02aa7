"""CP-SAT in a process of its own: a program on stdin, better solutions on stdout, both JSON.

OR-Tools and highspy cannot live in one process: this file imports nothing of colayer and is run by its path.
The clock starts when the program is read, before the model is built. One line a solution: `{"seconds", "values"}`, the
reported columns; the last line is `{"status", "seconds"}`.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any


def build(cp_model: Any, program: dict[str, Any]) -> tuple[Any, list[Any]]:
    """Return the model of a program, and its variables."""
    model = cp_model.CpModel()
    bounds = zip(program["lower"], program["upper"], strict=True)
    columns = [model.new_int_var(low, high, "") for low, high in bounds]
    for literals in program["exactly_one"]:
        model.add_exactly_one(columns[k] for k in literals)
    for intervals in program["no_overlap"]:
        model.add_no_overlap(model.new_fixed_size_interval_var(columns[k], size, "") for k, size in intervals)
    if "starts" in program:
        starts, index, values = program["starts"], program["columns"], program["values"]
        rows = zip(program["row_lower"], program["row_upper"], program["conditions"], strict=True)
        for row, (low, high, condition) in enumerate(rows):
            part = slice(starts[row], starts[row + 1])
            terms = cp_model.LinearExpr.weighted_sum([columns[k] for k in index[part]], values[part])
            constraint = model.add_linear_constraint(terms, low, high)
            if condition >= 0:
                constraint.only_enforce_if(columns[condition])
    costly = [k for k, cost in enumerate(program["cost"]) if cost]
    costs = [program["cost"][k] for k in costly]
    model.minimize(cp_model.LinearExpr.weighted_sum([columns[k] for k in costly], costs))
    return model, columns


def main() -> None:
    """Read the program, build the model, solve it, and report solutions."""
    from ortools.sat.python import cp_model

    task = json.load(sys.stdin)
    begin = time.perf_counter()
    model, columns = build(cp_model, task["program"])
    for column, value in zip(columns, task.get("hint") or (), strict=False):
        model.add_hint(column, value)
    reported = columns[: task["program"]["reported"]]

    class Report(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            seconds = time.perf_counter() - begin
            report({"seconds": seconds, "values": [self.value(column) for column in reported]})

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = task["workers"]
    solver.parameters.random_seed = task["seed"]
    left = task["time_limit"] - (time.perf_counter() - begin)
    status = "UNKNOWN"
    if left > 0.0:
        solver.parameters.max_time_in_seconds = left
        status = solver.status_name(solver.solve(model, Report()))
    report({"status": status, "seconds": time.perf_counter() - begin})


def report(message: dict[str, Any]) -> None:
    """Write one line, at once."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
