"""What a Ray cluster costs and when it pays: `python benchmarks/ray_cluster.py` (needs the extra `ray`).

1. One evaluation on this machine and on 1, 2 and 4 Ray nodes of one processor each, all on this machine, same data: the
   difference is the overhead.
2. The round trip of a call to 1 … 32 workers at once, with weights and losses of real sizes, and what of it is
   processor time of the caller.
3. Processor time of every instance of two training sets: features, and one weight vector.
4. From these, a model of 1 to 256 nodes, drawn as docs/images/ray_cost_model.svg.

The output, with the machine, goes to benchmarks/results/ray.json. Others may be at work on the machine: times are
processor times, or the quickest quarter of many.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

os.environ.update(RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0", RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="disabled")

import msgspec
import numpy as np
import ray
from matplotlib.figure import Figure
from measure import machine
from ray.cluster_utils import Cluster

from colayer import __version__
from colayer.display.charts import FAINT, GRID, INK, MARKERS, PALETTE, save
from colayer.display.tables import duration, table
from colayer.evaluators.base import Backend, evaluator_for
from colayer.evaluators.ray.balance import makespan, spread
from colayer.evaluators.ray.connection import connected
from colayer.problem.bind import bind
from colayer.problems import SingleMachine, VehicleScheduling
from colayer.problems.single_machine.datasets import paper_set as machine_set
from colayer.problems.vehicle_scheduling.datasets import paper_set as vehicle_set

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "ray.json"
PICTURE = ROOT / "docs" / "images" / "ray_cost_model.svg"
SMALL: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 100 << 20}
FAN_OUTS = (1, 2, 4, 8, 16, 32)
NODES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
#: Assumptions of the model, of a network and nodes that are not here.
PROCESSORS = 16
NETWORK_SECONDS = 0.0002  # a round trip
NETWORK_BYTES = 1.25e9  # a second: 10 Gbit/s
ROWS_A_PIECE = 4  # weight vectors that a thread takes at a time, see colayer.evaluators.ray.worker
EVALUATIONS = 1000


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
        local = evaluator_for(bind(problem), data, 1)
        local.losses(weights[1])  # compiled
        rows[name] = {"here": {k: quick(lambda w=w, e=local: e.losses(w), rounds[k]) for k, w in weights.items()}}
    cluster = Cluster(initialize_head=True, head_node_args={**SMALL, "include_dashboard": False})
    try:
        for nodes in (1, 2, 4):
            while len(cluster.worker_nodes) + 1 < nodes:
                cluster.add_node(**SMALL)
            with connected(cluster.address):
                for name, data in sets.items():
                    with Backend(cluster=cluster.address).evaluators(problem, len(data)) as evaluator_of:
                        there = evaluator_of(data)
                        for _ in range(5):
                            there.losses(weights[1])  # compiled, and balanced
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


def instance_times(problem: Any, instances: Iterable[Any], rows: int) -> dict[str, list[float]]:
    """Processor seconds of each instance: its features, and one weight vector (the best of two times `rows`)."""
    weights = np.vstack(
        [problem.safe_weights, np.random.default_rng(0).normal(size=(rows - 1, len(problem.feature_names)))]
    )
    building, evaluating = [], []
    for instance in instances:
        begin = time.process_time()
        evaluator = problem.evaluator([instance], workers=1)
        building.append(time.process_time() - begin)
        times = []
        for _ in range(2):
            begin = time.process_time()
            evaluator.losses(weights)
            times.append((time.process_time() - begin) / rows)
        evaluating.append(min(times))
        evaluator.close()
    return {"features": building, "evaluation": evaluating}


def node_seconds(costs: np.ndarray, pieces: int) -> float:
    """How long the processors of a node take for instances that can be cut into so many pieces."""
    if not len(costs):
        return 0.0
    cut = np.repeat(costs / pieces, pieces)
    return makespan(cut, np.ones(PROCESSORS), spread(cut, np.ones(PROCESSORS), np.full(len(cut), -1)))


def model(times: dict[str, list[float]], samples: int, trip: tuple[float, float]) -> dict[int, Any]:
    """nodes → seconds of the start and of an evaluation."""
    building, evaluating = np.array(times["features"]), samples * np.array(times["evaluation"])
    found = {}
    for nodes in NODES:
        owner = spread(evaluating, np.full(nodes, float(PROCESSORS)), np.full(len(evaluating), -1))
        shares = [owner == node for node in range(nodes)]
        compute = max(node_seconds(evaluating[share], -(-samples // ROWS_A_PIECE)) for share in shares)
        start = max(node_seconds(building[share], 1) for share in shares)
        traffic = 8 * samples * (len(evaluating) + 66 * nodes) / NETWORK_BYTES
        ray_seconds = trip[0] + trip[1] * (nodes - 1) + NETWORK_SECONDS + traffic
        found[nodes] = {"start": start, "compute": compute, "ray": ray_seconds, "evaluation": compute + ray_seconds}
    return found


def trip(times: dict[int, dict[str, float]]) -> tuple[float, float]:
    """(seconds of a call to one worker, and for each further one): what the caller's processors have to do for it.

    The workers of the measurement share two processors with the caller, those of a cluster have their own.
    """
    slope = np.polyfit(list(times), [t["own"] for t in times.values()], 1)[0]
    return times[1]["quartile"], float(slope)


def picture(models: dict[str, dict[int, Any]]) -> None:
    """Seconds of an evaluation, and how much sooner a whole run is done, by nodes."""
    figure = Figure(figsize=(9.0, 3.9), layout="constrained")
    left, right = figure.subplots(1, 2)
    for k, (name, rows) in enumerate(models.items()):
        style: dict[str, Any] = {"color": PALETTE[k], "marker": MARKERS[k], "ms": 4, "lw": 1.6, "label": name}
        left.plot(NODES, [rows[n]["evaluation"] for n in NODES], **style)
        whole = [rows[n]["start"] + EVALUATIONS * rows[n]["evaluation"] for n in NODES]
        right.plot(NODES, [whole[0] / seconds for seconds in whole], **style)
    right.plot(NODES, NODES, "--", color=FAINT, lw=1, label="as many times as nodes")
    for ax in (left, right):
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        ax.set_xticks(NODES, [str(n) for n in NODES])
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set_color(FAINT)
        ax.tick_params(color=FAINT, labelcolor=INK, labelsize=9)
        ax.grid(visible=True, color=GRID, lw=0.7)
        ax.set_xlabel(f"nodes of {PROCESSORS} processors", color=INK)
    left.set_title("One evaluation (seconds)", color=INK, fontsize=11)
    right.set_title(f"{EVALUATIONS} evaluations: speed-up over one node", color=INK, fontsize=11)
    handles, labels = right.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize="small")
    save(figure, PICTURE)


def main() -> None:
    overhead = overheads()
    trips = round_trips()
    plain, perturbed = trip(trips["K = 1"]), trip(trips["K = 100"])
    vehicles = instance_times(VehicleScheduling("23"), vehicle_set("train-all"), 4)
    machines = instance_times(SingleMachine(decoder="none"), machine_set("experience"), 2)
    searched = instance_times(SingleMachine(decoder="ls"), machine_set("experience"), 2)
    models = {
        "vehicle train-all (35 instances), plain": model(vehicles, 1, plain),
        "vehicle train-all, perturbed (K = 100)": model(vehicles, 100, perturbed),
        "single machine (2400), plain": model(machines, 1, plain),
        "single machine (2400), local search, K = 100": model(searched, 100, perturbed),
    }
    picture(models)
    document = {
        "command": "python benchmarks/ray_cluster.py",
        "colayer": __version__,
        "ray": ray.__version__,
        "machine": machine(),
        "load": os.getloadavg()[0],
        "one evaluation, seconds": overhead,
        "round trip, seconds by workers": trips,
        "round trip, one worker and each further one": {"K = 1": plain, "K = 100": perturbed},
        "assumed": {
            "processors a node": PROCESSORS,
            "network round trip, seconds": NETWORK_SECONDS,
            "network bytes a second": NETWORK_BYTES,
        },
        "processor seconds of all instances, one weight vector": {
            name: {"features": sum(times["features"]), "evaluation": sum(times["evaluation"]),
                   "largest": max(times["evaluation"])}
            for name, times in (("vehicle train-all", vehicles), ("single machine", machines),
                                ("single machine, local search", searched))
        },
        "model, by nodes": models,
    }  # fmt: skip
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
    for name, by in models.items():
        lines = [[n, duration(r["start"]), duration(r["compute"]), duration(r["ray"])] for n, r in by.items()]
        print(name + "\n\n" + table(["nodes", "start", "compute", "Ray"], lines).text())


if __name__ == "__main__":
    main()
