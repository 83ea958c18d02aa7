"""Speed of the path cover layer beside general solvers: `python benchmarks/speed_path_cover.py [--ortools PYTHON]`.

The same costs for all, in one run: scipy's sparse matching, OR-Tools' linear sum assignment and min-cost flow and, up
to 1000 tasks, HiGHS on the linear program with x ≥ 0, and with x ≤ 1 too, which changes nothing but its time. Costs are
whole multiples of 1/1024, since OR-Tools takes integers; the optimal values must be equal. Times are CPU seconds, wall
seconds beside, best of as many rounds for every solver, all on one thread, from arrays of arcs and costs to successors:
they include what each solver needs to build its model, and ours the check of its input. OR-Tools cannot share a process
with HiGHS, and runs in one of its own, which may be another interpreter's; where it is missing it is left out, and the
output says so. The output, with the machine, also goes to benchmarks/results/speed_path_cover.json, if the machine was
quiet or with --force.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from measure import Bench, Time, add_force

SEED, SCENARIOS, UNIT = 7, 50, 1024
SIZES, HIGHS_UP_TO = (200, 500, 1000, 2000, 5000), 1000
#: Of every solver.
ROUNDS = 3
MISSING = 3  # exit status of the child process where there is no OR-Tools

#: indptr, heads, arc costs, origin costs, destination costs
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def timed(bench: Bench, solvers: dict[str, Callable[[], np.ndarray]]) -> dict[str, tuple[Time, np.ndarray]]:
    """By solver: the time, and the successors it returned before, in a run that is not timed and that compiles."""
    found = {name: solve() for name, solve in solvers.items()}
    return {name: (time, found[name]) for name, time in bench.in_turns(solvers, ROUNDS).items()}


def costs_of(tasks: int) -> dict[str, Arrays]:
    """θ of the safe weights, 0 on most arcs, and a generic one: three times the delay, every arc perturbed."""
    from colayer.problems.vehicle_scheduling.generator import generate
    from colayer.problems.vehicle_scheduling.layer import safe_theta

    instance = generate(SEED, tasks=tasks, scenarios=SCENARIOS)
    indptr, heads = instance.arcs
    safe = safe_theta(instance)
    perturbed = safe + np.random.default_rng(SEED).normal(0.0, 5.0, len(safe))
    perturbed[: len(heads)] += 2.0 * safe[: len(heads)]
    rounded = {"safe": np.round(safe * UNIT) / UNIT, "perturbed": np.round(perturbed * UNIT) / UNIT}
    cut = [len(heads), len(heads) + tasks]
    return {name: (indptr, heads, *np.split(theta, cut)) for name, theta in rounded.items()}


def value(successor: np.ndarray, arrays: Arrays) -> float:
    """Cost of a cover: all numbers are multiples of 1/1024, so the sum is exact."""
    from colayer.layers.path_cover import embed

    return float(np.concatenate(arrays[2:]) @ embed(successor, *arrays[:2]))


def by_scipy(arrays: Arrays) -> np.ndarray:
    """Full matching of the rows: with a column, or with an own node that stands for staying alone."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    indptr, heads, costs, origin, destination = arrays
    n = len(origin)
    rows = np.repeat(np.arange(n, dtype=np.int32), np.diff(indptr))
    reduced = costs - origin[heads] - destination[rows]
    useful = reduced < 0
    shift = 1.0 - reduced.min(initial=0.0)  # every row takes one entry, and entries must not be 0
    values = np.concatenate([reduced[useful] + shift, np.full(n, shift)])
    own = np.arange(n, dtype=np.int32)
    coordinates = np.concatenate([rows[useful], own]), np.concatenate([heads[useful], n + own])
    matrix = csr_array((values, coordinates), shape=(n, 2 * n))
    columns = min_weight_full_bipartite_matching(matrix)[1].astype(np.int64)
    return np.where(columns < n, columns, -1)


def by_highs(arrays: Arrays, upper: float) -> np.ndarray:
    """The linear program: one out-arc and one in-arc for each task, 0 ≤ x ≤ upper."""
    import highspy

    indptr, heads, costs, origin, destination = arrays
    n, arcs = len(origin), len(heads)
    rows = np.repeat(np.arange(n), np.diff(indptr))
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = arcs + 2 * n, 2 * n
    lp.col_cost_ = np.concatenate([costs, origin, destination])
    lp.col_lower_, lp.col_upper_ = np.zeros(arcs + 2 * n), np.full(arcs + 2 * n, upper)
    lp.row_lower_ = lp.row_upper_ = np.ones(2 * n)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = np.concatenate([np.arange(0, 2 * arcs, 2), np.arange(2 * arcs, 2 * arcs + 2 * n + 1)])
    inside = np.column_stack([rows, n + heads]).ravel()
    lp.a_matrix_.index_ = np.concatenate([inside, n + np.arange(n), np.arange(n)])
    lp.a_matrix_.value_ = np.ones(2 * arcs + 2 * n)
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.passModel(lp)
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise SystemExit(f"HiGHS: {highs.modelStatusToString(highs.getModelStatus())}")
    used = np.flatnonzero(np.array(highs.getSolution().col_value)[:arcs] > 0.5)
    successor = np.full(n, -1)
    successor[rows[used]] = heads[used]
    return successor


def by_assignment(arrays: Arrays) -> np.ndarray:
    """OR-Tools matches all of both sides: a copy of the graph, turned round, takes in what stays alone.

    Rows and the copies of columns are on the left. An arc (u, v) and its copy (v', u') cost the same, and who stays
    alone is matched with the own copy: graph and copy each have a least cover.
    """
    from ortools.graph.python import linear_sum_assignment

    indptr, heads, costs, origin, destination = arrays
    n = len(origin)
    rows = np.repeat(np.arange(n, dtype=np.int32), np.diff(indptr))
    reduced = costs - origin[heads] - destination[rows]
    useful = reduced < 0
    u, v, own = rows[useful], heads[useful].astype(np.int32), np.arange(n, dtype=np.int32)
    left, right = np.concatenate([u, n + v, own, n + own]), np.concatenate([v, n + u, n + own, own])
    units = np.round(reduced[useful] * UNIT).astype(np.int64)
    units = np.concatenate([units, units, np.zeros(2 * n, dtype=np.int64)])
    assignment = linear_sum_assignment.SimpleLinearSumAssignment()
    assignment.add_arcs_with_cost(left, right, units)
    status = assignment.solve()
    if status != assignment.OPTIMAL:
        raise SystemExit(f"OR-Tools: status {status}")
    mates = np.array([assignment.right_mate(k) for k in range(n)])
    return np.where(mates < n, mates, -1)


def by_flow(arrays: Arrays) -> np.ndarray:
    """A flow: supply 1 at each row, demand 1 at each column, and what stays alone passes through d → o."""
    from ortools.graph.python import min_cost_flow

    indptr, heads, costs, origin, destination = arrays
    n = len(origin)
    rows = np.repeat(np.arange(n, dtype=np.int32), np.diff(indptr))
    own = np.arange(n, dtype=np.int32)
    o, d = np.full(n, 2 * n, dtype=np.int32), np.full(n, 2 * n + 1, dtype=np.int32)
    tails = np.concatenate([rows, o, own, d[:1]])
    ends = np.concatenate([n + heads, n + own, d, o[:1]])
    units = np.concatenate([costs, origin, destination, [0.0]])
    capacity = np.ones(len(tails), dtype=np.int64)
    capacity[-1] = n
    flow = min_cost_flow.SimpleMinCostFlow()
    flow.add_arcs_with_capacity_and_unit_cost(tails, ends, capacity, np.round(units * UNIT).astype(np.int64))
    flow.set_nodes_supplies(np.arange(2 * n), np.repeat([1, -1], n))
    status = flow.solve()
    if status != flow.OPTIMAL:
        raise SystemExit(f"OR-Tools: status {status}")
    used = np.flatnonzero(flow.flows(np.arange(len(heads))) > 0)
    successor = np.full(n, -1)
    successor[rows[used]] = heads[used]
    return successor


def ortools_child(path: Path) -> None:
    """What the other process does: the arrays of a file in; times and successors by solver out, and the core it had."""
    if importlib.util.find_spec("ortools") is None:
        raise SystemExit(MISSING)
    with np.load(path) as file:
        arrays = tuple(file[f"arr_{i}"] for i in range(5))
    bench = Bench("")
    solvers = {"ortools, assignment": partial(by_assignment, arrays), "ortools, flow": partial(by_flow, arrays)}
    found = timed(bench, solvers)
    rows = {name: (time.wall, time.cpu, successor.tolist()) for name, (time, successor) in found.items()}
    print(json.dumps([bench.share(), rows]))


def ortools_times(interpreter: str, arrays: Arrays) -> tuple[float, dict[str, tuple[Time, np.ndarray]]]:
    """The core that the child had, and what it found; nothing where its interpreter has no OR-Tools."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "arrays.npz")
        np.savez(path, *arrays)
        command = [interpreter, __file__, "--child", str(path)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == MISSING:
        return 1.0, {}
    if done.returncode:
        raise SystemExit(f"{interpreter}: OR-Tools failed with status {done.returncode}")
    share, rows = json.loads(done.stdout)
    found = {name: (Time(wall, cpu, ROUNDS), np.array(successor)) for name, (wall, cpu, successor) in rows.items()}
    return share, found


def measure(bench: Bench, tasks: int, interpreter: str) -> Iterable[dict[str, Any]]:
    """One row of the result for each θ."""
    from colayer.layers.path_cover import path_cover

    for name, arrays in costs_of(tasks).items():
        solvers = {"colayer": partial(path_cover, *arrays), "scipy": partial(by_scipy, arrays)}
        if tasks <= HIGHS_UP_TO:
            solvers |= {"highs": partial(by_highs, arrays, np.inf), "highs, x <= 1": partial(by_highs, arrays, 1.0)}
        runs = timed(bench, solvers)
        share, theirs = ortools_times(interpreter, arrays)
        runs |= theirs
        values = {solver: value(successor, arrays) for solver, (_, successor) in runs.items()}
        if len(set(values.values())) > 1:
            raise SystemExit(f"{tasks} tasks, {name}: optimal values differ: {values}")
        ours = runs["colayer"][0].cpu
        yield {
            "tasks": tasks,
            "arcs": len(arrays[1]),
            "theta": name,
            "value": values["colayer"],
            "rounds": ROUNDS,
            "cpu_seconds": {solver: time.cpu for solver, (time, _) in runs.items()},
            "wall_seconds": {solver: time.wall for solver, (time, _) in runs.items()},
            "times_slower": {solver: time.cpu / ours for solver, (time, _) in runs.items() if solver != "colayer"},
            "core_share_ortools": share,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ortools", default=sys.executable, metavar="PYTHON", help="the interpreter with OR-Tools")
    parser.add_argument("--tasks", type=int, nargs="*", default=SIZES, help="other sizes; then nothing is written")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    add_force(parser)
    arguments = parser.parse_args()
    if arguments.child is not None:  # in an interpreter that may know nothing but OR-Tools and numpy
        ortools_child(arguments.child)
        return

    from colayer import __version__
    from colayer.display.tables import duration, significant, table

    bench = Bench("speed_path_cover", arguments.force)
    rows = [row for tasks in arguments.tasks for row in measure(bench, tasks, arguments.ortools)]
    solvers = list(dict.fromkeys(solver for row in rows for solver in row["cpu_seconds"]))
    headers = ["tasks", "arcs", "theta", *solvers, *(f"x {solver}" for solver in solvers[1:])]
    cells = [
        [
            *(str(row[key]) for key in headers[:3]),
            *(duration(row["cpu_seconds"].get(solver)) for solver in solvers),
            *(significant(row["times_slower"].get(solver)) for solver in solvers[1:]),
        ]
        for row in rows
    ]
    print(table(headers, cells).text())
    left_out = (
        "" if any("ortools" in solver for solver in solvers) else "OR-Tools is left out: --ortools PYTHON has none"
    )
    if left_out:
        print(f"{left_out}; pip install ortools there, or name another interpreter")
    if tuple(arguments.tasks) == SIZES:
        bench.add_share(*(row["core_share_ortools"] for row in rows))
        document = {"command": "python benchmarks/speed_path_cover.py --ortools PYTHON", "colayer": __version__}
        bench.write({**document, "seed": SEED, "scenarios": SCENARIOS, "left_out": left_out, "rows": rows})


if __name__ == "__main__":
    main()
