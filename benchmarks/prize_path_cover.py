"""The prize-collecting path cover beside general solvers: `python benchmarks/prize_path_cover.py [--requests N …]`.

Requests of one epoch in a city of the generator: travel times as costs, 0.5 × trip as prize, one request in ten must
go. scipy gets the same graph as a sparse matching with loops, OR-Tools (in a process of its own) as an assignment of
both sides; all must find the same value. Costs are whole multiples of 1/1024. Times are CPU seconds, best of three
rounds, of one from 5000 requests on, from arrays to successors; OR-Tools is stopped after ten minutes of CPU. The
output also goes to benchmarks/results/prize_path_cover.json, if the machine was quiet or with --force.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import signal
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from measure import Bench, add_force

from colayer.layers.prize_path_cover import prize_path_cover, served_cost

SEED, UNIT, ROUNDS, MISSING = 7, 1024, 3, 3
SIZES, ONE_ROUND, LIMIT = (50, 500, 5000), 5000, 600

#: indptr, heads, arc, origin and destination costs, prizes, required
Arrays = tuple[np.ndarray, ...]


def case(requests: int) -> Arrays:
    """Requests at random places of a disc half an hour wide, over eight hours, by start."""
    rng = np.random.default_rng(SEED)
    points = 1800.0 * rng.uniform(-0.7, 0.7, (requests + 1, 2))
    start = np.sort(rng.uniform(0.0, 8 * 3600.0, requests))
    travel = np.round(np.hypot(*(points[:, None] - points).transpose(2, 0, 1)) * UNIT) / UNIT
    mask = start[:, None] + 300.0 + travel[1:, 1:] <= start
    indptr, heads = np.concatenate([[0], np.cumsum(mask.sum(axis=1))]), np.nonzero(mask)[1].astype(np.int32)
    prizes = np.round((travel[0, 1:] + travel[1:, 0]) * UNIT / 2) / UNIT
    return indptr, heads, travel[1:, 1:][mask], travel[0, 1:], travel[1:, 0], prizes, rng.random(requests) < 0.1


def pairs(arrays: Arrays) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, columns and costs of a full matching: request or origin, with a request or a destination of its own."""
    indptr, heads, costs, origin, destination, prizes, required = arrays
    n = len(prizes)
    own, free = np.arange(n, dtype=np.int32), np.flatnonzero(~required).astype(np.int32)
    tails = np.repeat(own, np.diff(indptr))
    # origin v' and destination u'' meet where u → v is used or v is left out
    rows = np.concatenate([tails, free, own, n + own, n + heads, n + free])
    columns = np.concatenate([heads, free, n + own, own, n + tails, n + free])
    zeros = [np.zeros(len(heads)), np.zeros(len(free))]
    values = np.concatenate([costs - prizes[heads], np.zeros(len(free)), destination, origin - prizes, *zeros])
    return rows.astype(np.int32), columns.astype(np.int32), values


def by_scipy(arrays: Arrays) -> np.ndarray:
    """scipy's sparse matching."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    rows, columns, values = pairs(arrays)
    n = len(arrays[5])
    shift = 1.0 - values.min()  # entries must not be 0
    found = min_weight_full_bipartite_matching(csr_array((values + shift, (rows, columns)), shape=(2 * n, 2 * n)))[1]
    return np.where(found[:n] < n, found[:n], -1)


def by_ortools(arrays: Arrays) -> np.ndarray:
    """OR-Tools' linear sum assignment."""
    from ortools.graph.python import linear_sum_assignment

    rows, columns, values = pairs(arrays)
    n = len(arrays[5])
    assignment = linear_sum_assignment.SimpleLinearSumAssignment()
    assignment.add_arcs_with_cost(rows, columns, np.round(values * UNIT).astype(np.int64))
    if assignment.solve() != assignment.OPTIMAL:
        raise SystemExit("OR-Tools: not optimal")
    mates = np.array([assignment.right_mate(k) for k in range(n)])
    return np.where(mates < n, mates, -1)


def value(successor: np.ndarray, arrays: Arrays) -> float:
    """Travel less prizes; exact, since all numbers are multiples of 1/1024."""
    return served_cost(successor, *arrays[:5]) - float(arrays[5][successor != np.arange(len(successor))].sum())


def child(path: Path) -> None:
    """What the other process does: arrays in; time and successors out."""
    if importlib.util.find_spec("ortools") is None:
        raise SystemExit(MISSING)
    with np.load(path) as file:
        arrays = tuple(file[f"arr_{i}"] for i in range(7))
    if len(arrays[5]) >= ONE_ROUND:  # under a limit, the kernel counts in ticks
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
    bench = Bench("")
    found: list[np.ndarray] = []
    time = bench.best_of(lambda: found.append(by_ortools(arrays)), rounds(len(arrays[5])))
    print(json.dumps([bench.share(), time.cpu, found[0].tolist()]))


def rounds(requests: int) -> int:
    """How often each solver runs."""
    return ROUNDS if requests < ONE_ROUND else 1


def ortools(bench: Bench, interpreter: str, arrays: Arrays) -> tuple[float, np.ndarray] | None:
    """Time and successors of OR-Tools; None where there is none, or where it is stopped."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "arrays.npz")
        np.savez(path, *arrays)
        command = [interpreter, __file__, "--child", str(path)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode in (MISSING, -signal.SIGXCPU, -signal.SIGKILL):
        return None
    if done.returncode:
        raise SystemExit(f"{interpreter}: OR-Tools failed with status {done.returncode}")
    share, cpu, found = json.loads(done.stdout)
    bench.add_share(share)
    return cpu, np.array(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ortools", default=sys.executable, metavar="PYTHON", help="the interpreter with OR-Tools")
    parser.add_argument(
        "--requests", type=int, nargs="+", default=SIZES, help="these alone; other rows stay as they are"
    )
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    add_force(parser)
    arguments = parser.parse_args()
    if arguments.child is not None:
        child(arguments.child)
        return
    bench = Bench("prize_path_cover", force=arguments.force)
    kept = json.loads(bench.results.read_text())["results"] if bench.results.exists() else []
    rows: dict[int, dict[str, Any]] = {row["requests"]: row for row in kept}
    for requests in arguments.requests:
        arrays = case(requests)
        solvers = {"colayer": partial(prize_path_cover, *arrays), "scipy": partial(by_scipy, arrays)}
        found = {name: solve() for name, solve in solvers.items()}
        seconds = {name: time.cpu for name, time in bench.in_turns(solvers, rounds(requests)).items()}
        theirs = ortools(bench, arguments.ortools, arrays)
        if theirs is not None:
            seconds["ortools"], found["ortools"] = theirs
        values = {name: value(successor, arrays) for name, successor in found.items()}
        if len(set(values.values())) > 1:
            raise SystemExit(f"{requests} requests: optimal values differ: {values}")
        rows[requests] = {"requests": requests, "arcs": len(arrays[1]), "cpu_seconds": seconds}
        print(f"{requests:>5} requests, {len(arrays[1]):>9} arcs: " + ", ".join(
            f"{name} {1e3 * one:.2f} ms" for name, one in seconds.items()), flush=True)  # fmt: skip
    bench.write({"seed": SEED, "rounds": ROUNDS, "results": [rows[requests] for requests in sorted(rows)]})


if __name__ == "__main__":
    main()
