"""What a Ray cluster costs and when it pays: `python benchmarks/ray_cluster.py` (needs the extra `ray`).

1. One evaluation on this machine and on 1, 2 and 4 Ray nodes of one processor each, all on this machine, same data: the
   difference is the overhead.
2. The round trip of a call to 1 … 32 workers at once, with weights and losses of real sizes, and what of it is
   processor time of the caller.
The output, with the machine, goes to benchmarks/results/ray.json. Others may be at work on the machine: times are
processor times, or the quickest quarter of many.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.update(RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0", RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="disabled")

import msgspec
import numpy as np
import ray
from measure import machine
from ray.cluster_utils import Cluster

from colayer import __version__
from colayer.display.tables import duration, table
from colayer.evaluators.base import Backend, evaluator_for
from colayer.evaluators.ray.connection import connected
from colayer.problems import SingleMachine
from colayer.problems.single_machine.datasets import paper_set as machine_set

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "experiments" / "results" / "ray.json"
SMALL: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 100 << 20}
FAN_OUTS = (1, 2, 4, 8, 16, 32)


def quick(work: Callable[[], object], rounds: int) -> dict[str, float]:
    """Seconds of the first quartile and of the median, and of this process's own processors on average."""
    times = []
    busy = time.process_time()
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    busy = (time.process_time() - busy) / rounds
    return {"quartile": float(np.quantile(times, 0.25)), "median": float(np.median(times)), "own": busy}


def overheads() -> dict[str, Any]:
    """One evaluation here and on nodes of one processor: small and real instances, one and a hundred weight vectors."""
    problem = SingleMachine(decoder="none")
    sets = {
        "64 instances of 1 job": [problem.generate(seed=s, jobs=1) for s in range(64)],
        "240 instances of 50 to 3000 jobs": machine_set("experience", per_cell=2),
    }
    weights = {k: np.random.default_rng(0).normal(size=(k, 66)) for k in (1, 100)}
    rounds = {1: 60, 100: 5}
    rows: dict[str, Any] = {}
    for name, data in sets.items():
        local = evaluator_for(problem, data, 1)
        local.losses(weights[1])  # compiled
        rows[name] = {"here": {k: quick(lambda w=w, e=local: e.losses(w), rounds[k]) for k, w in weights.items()}}
    cluster = Cluster(initialize_head=True, head_node_args={**SMALL, "include_dashboard": False})
    try:
        for nodes in (1, 2, 4):
            while len(cluster.worker_nodes) + 1 < nodes:
                cluster.add_node(**SMALL)
            with connected(cluster.address):
                for name, data in sets.items():
                    with Backend(cluster=cluster.address).evaluators(problem) as evaluator_of:
                        there = evaluator_of(data)
                        for _ in range(5):
                            there.losses(weights[1])  # compiled
                        rows[name][f"{nodes} node{'s' * (nodes > 1)}"] = {
                            k: quick(lambda w=w, e=there: e.losses(w), rounds[k]) for k, w in weights.items()
                        }
    finally:
        cluster.shutdown()
    return rows


class Echo:
    """A worker that computes nothing: what is left is Ray."""

    def ask(self, weights: np.ndarray, columns: int) -> np.ndarray:
        return np.zeros((len(weights), columns))


def round_trips() -> dict[str, dict[int, dict[str, float]]]:
    """Seconds until all of n workers have answered, with weights and with losses of 2400 instances shared by them."""
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        actors = [ray.remote(Echo).options(num_cpus=0).remote() for _ in range(max(FAN_OUTS))]
        ray.get([actor.ask.remote(np.zeros((1, 1)), 1) for actor in actors])
        found: dict[str, dict[int, dict[str, float]]] = {}
        for rows in (1, 100):
            weights = np.zeros((rows, 66))

            def call(count: int, weights: np.ndarray = weights) -> None:
                ray.get([actor.ask.remote(weights, 2400 // count) for actor in actors[:count]])

            found[f"K = {rows}"] = {n: quick(lambda n=n, c=call: c(n), 100) for n in FAN_OUTS}
        return found
    finally:
        ray.shutdown()


def trip(times: dict[int, dict[str, float]]) -> tuple[float, float]:
    """(seconds of a call to one worker, and for each further one): what the caller's processors have to do for it.

    The workers of the measurement share two processors with the caller, those of a cluster have their own.
    """
    slope = np.polyfit(list(times), [t["own"] for t in times.values()], 1)[0]
    return times[1]["quartile"], float(slope)


def main() -> None:
    overhead = overheads()
    trips = round_trips()
    plain, perturbed = trip(trips["K = 1"]), trip(trips["K = 100"])
    document = {
        "command": "python benchmarks/ray_cluster.py",
        "colayer": __version__,
        "ray": ray.__version__,
        "machine": machine(),
        "load": os.getloadavg()[0],
        "one evaluation, seconds": overhead,
        "round trip, seconds by workers": trips,
        "round trip, one worker and each further one": {"K = 1": plain, "K = 100": perturbed},
    }
    RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
    for name, rows in overhead.items():
        lines = [
            [where, *(duration(by[k]["quartile"]) for k in (1, 100)), *(duration(by[k]["own"]) for k in (1, 100))]
            for where, by in rows.items()
        ]
        print(name + "\n\n" + table(["where", "K = 1", "K = 100", "caller, K = 1", "K = 100"], lines).text())
    for name, by in trips.items():
        print(
            f"round trip, {name}\n\n"
            + table(
                ["workers", "whole", "caller"],
                [[n, duration(t["quartile"]), duration(t["own"])] for n, t in by.items()],
            ).text()
        )


if __name__ == "__main__":
    main()
