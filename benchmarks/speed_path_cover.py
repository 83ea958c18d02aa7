"""Speed of the path cover layer beside general solvers: `python benchmarks/speed_path_cover.py [--ortools PYTHON]`.

The same costs for all, in one run: scipy's sparse matching, OR-Tools' min-cost flow and, up to 1000 tasks,
HiGHS on the linear program with x ≥ 0, and with x ≤ 1 as well, which changes nothing but its time. Costs are whole
multiples of 1/1024, since OR-Tools takes integers; the optimal values must be equal. Times are CPU seconds, best of
several, all solvers on one thread, from arrays of arcs and costs to the successors: they include what each solver needs
to build its model, and ours the check of its input. OR-Tools runs in a process of its own, which may be another
interpreter's. The output, with the machine, also goes to experiments/results/speed_path_cover.json.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).parent.parent / "experiments" / "results" / "speed_path_cover.json"
SEED, SCENARIOS, UNIT = 7, 50, 1024
SIZES, HIGHS_UP_TO = (200, 1000, 2000, 5000), 1000
MISSING = 3  # exit status of the child process where there is no OR-Tools

#: indptr, heads, arc costs, origin costs, destination costs
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def best_of(work: Callable[[], np.ndarray], rounds: int) -> tuple[float, np.ndarray]:
    """CPU seconds, and the successors it returned."""
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        successor = work()
        times.append(time.process_time() - begin)
    return min(times), successor


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


def by_ortools(arrays: Arrays) -> np.ndarray:
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
    """What the other process does: the arrays of a file in, seconds and successors out, as JSON."""
    if importlib.util.find_spec("ortools") is None:
        raise SystemExit(MISSING)
    with np.load(path) as file:
        arrays = tuple(file[f"arr_{i}"] for i in range(5))
    seconds, successor = best_of(partial(by_ortools, arrays), 2)
    print(json.dumps([seconds, successor.tolist()]))


def ortools_times(interpreter: str, arrays: Arrays) -> tuple[float, np.ndarray] | None:
    """Run the child; None where its interpreter has no OR-Tools."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "arrays.npz")
        np.savez(path, *arrays)
        command = [interpreter, __file__, "--child", str(path)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == MISSING:
        return None
    if done.returncode:
        raise SystemExit(f"{interpreter}: OR-Tools failed with status {done.returncode}")
    seconds, successor = json.loads(done.stdout)
    return seconds, np.array(successor)


def measure(tasks: int, interpreter: str) -> list[dict[str, object]]:
    """One row of the result for each θ."""
    from colayer.layers.path_cover import path_cover

    rows = []
    for name, arrays in costs_of(tasks).items():
        rounds = 2 if tasks > 2000 else 3
        path_cover(*arrays)  # compile
        runs = {
            "colayer": best_of(partial(path_cover, *arrays), 20 if tasks <= 1000 else 7),
            "scipy": best_of(partial(by_scipy, arrays), rounds),
            "ortools": ortools_times(interpreter, arrays),
            "highs": best_of(partial(by_highs, arrays, np.inf), 1) if tasks <= HIGHS_UP_TO else None,
            "highs, x <= 1": best_of(partial(by_highs, arrays, 1.0), 1) if tasks <= HIGHS_UP_TO else None,
        }
        values = {solver: value(run[1], arrays) for solver, run in runs.items() if run is not None}
        if len(set(values.values())) > 1:
            raise SystemExit(f"{tasks} tasks, {name}: optimal values differ: {values}")
        seconds = {solver: run and run[0] for solver, run in runs.items()}
        row = {
            "tasks": tasks,
            "arcs": len(arrays[1]),
            "theta": name,
            "value": values["colayer"],
            "cpu_seconds": seconds,
        }
        ratios = {s: t / seconds["colayer"] for s, t in seconds.items() if t is not None and s != "colayer"}
        rows.append({**row, "times_slower": ratios})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ortools", default=sys.executable, metavar="PYTHON", help="the interpreter with OR-Tools")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:  # in an interpreter that may know nothing but OR-Tools and numpy
        ortools_child(arguments.child)
        return

    import msgspec

    from colayer import __version__
    from colayer.report.tables import duration, significant, table

    rows = [row for tasks in SIZES for row in measure(tasks, arguments.ortools)]
    if any(row["cpu_seconds"]["ortools"] is None for row in rows):
        print("no OR-Tools: pip install ortools, or --ortools PYTHON, an interpreter that has it\n", file=sys.stderr)
    solvers = list(rows[0]["cpu_seconds"])
    headers = ["tasks", "arcs", "theta", *solvers, *(f"x {solver}" for solver in solvers[1:])]
    cells = [
        [
            *(str(row[key]) for key in headers[:3]),
            *(duration(row["cpu_seconds"][solver]) for solver in solvers),
            *(significant(row["times_slower"].get(solver)) for solver in solvers[1:]),
        ]
        for row in rows
    ]
    print(table(headers, cells).text())
    document = {
        "command": "python benchmarks/speed_path_cover.py --ortools PYTHON",
        "colayer": __version__,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "seed": SEED,
        "scenarios": SCENARIOS,
        "rows": rows,
    }
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")


if __name__ == "__main__":
    main()
