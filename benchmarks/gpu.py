"""Losses on a GPU beside those of two processor cores: `python benchmarks/gpu.py [--quick]`.

First the bits: every loss on the GPU equals that of the processor. Then the speed, on the paper's training sets: losses
of one weight vector, of 20 (a population), of 100 draws around weights, and a piece of perturbed learning with LS, from
which the time of the paper's ten runs of 2500 evaluations follows. The processor does a share of the instances where
all of them would take too long. The figures go to benchmarks/results/gpu.json, after each step as far as they are.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from measure import Bench, add_force

from colayer import Pipeline, __version__
from colayer.evaluators.gpu import on_device
from colayer.evaluators.gpu.device import Cuda
from colayer.evaluators.statistics import moments
from colayer.learning.perturbation import draws
from colayer.learning.search.objective import mean_loss
from colayer.problems import SingleMachine, SpanningTree
from colayer_paper.single_machine.datasets import paper_set as machine_set
from colayer_paper.spanning_tree.datasets import paper_set as tree_set

BEGIN = time.perf_counter()
SECONDS = 150.0  # what does not fit is left out
LEARNING = 20.0  # seconds of it
SAMPLES, POPULATION = 100, 20
RUNS, EVALUATIONS = 10, 2500  # of the paper


def say(text: str) -> None:
    print(f"{time.perf_counter() - BEGIN:6.1f} s  {text}", flush=True)


def time_left() -> float:
    return BEGIN + SECONDS - time.perf_counter()


def seconds(work: Any, rounds: int = 3) -> float:
    """The fastest round."""
    best = np.inf
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def odd_machines(problem: SingleMachine) -> list[Any]:
    """Sizes and loads of every kind: one job, ties, whole numbers and others, times beyond 32 bits."""
    rng = np.random.default_rng(3)
    cells = [(1, 1.0), (2, 1.0), (3, 0.5), (31, 0.2), (33, 0.0), (64, 0.6), (130, 3.0), (400, 1.25), (5000, 0.8)]
    data = [problem.generate(seed=s, jobs=n, rho=rho) for s, (n, rho) in enumerate(cells)]
    whole = rng.integers(0, 9, 60).astype(float), rng.integers(1, 4, 60).astype(float)
    data.append(problem.read({"release": whole[0], "processing": whole[1]}))
    data.append(problem.read({"release": whole[0] * 1e9, "processing": whole[1] * 1e9}))
    data.append(problem.read({"release": rng.random(300) * 150, "processing": rng.random(300) + 0.1}))
    return data


def odd_trees(problem: SpanningTree) -> list[Any]:
    rng = np.random.default_rng(4)
    cells = [(2, 1, "grid"), (3, 2, "complete"), (7, 20, "grid"), (12, 4, "geometric"), (10, 3, "complete")]
    data = [problem.generate(seed=s, width=w, scenarios=k, graph=g) for s, (w, k, g) in enumerate(cells)]
    x = data[3]
    shaken = type(x)(x.nodes, x.edges, x.first + rng.random(x.first.shape), x.second + rng.random(x.second.shape))
    return [*data, shaken]


def vectors(problem: Any, rows: int, seed: int) -> np.ndarray:
    """Raw weights of every kind: random, none, one feature, the safe ones, those shipped."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(rows, len(problem.feature_names)))
    weights[0] = 0.0
    weights[1, 1:] = 0.0
    weights[2] = problem.safe_weights
    weights[3] = Pipeline(problem).model.raw()
    return weights


def check(name: str, problem: Any, instances: list[Any], weights: np.ndarray, device: Cuda) -> dict[str, Any]:
    """Compare every bit of the losses."""
    expected = problem.evaluator(instances).losses(weights)
    gpu = on_device(problem, instances, device)
    found, again = gpu.losses(weights), gpu.losses(weights[1:4])
    gpu.close()
    wrong = int((found != expected).sum()) + int((again != expected[1:4]).sum())
    say(f"bits of {name}: {wrong} of {expected.size} losses differ")
    columns = np.flatnonzero((found != expected).any(axis=0))[:10].tolist()
    return {"losses": expected.size, "different": wrong, "instances": columns}


def around(problem: Any, scale: np.ndarray, sigma: float, samples: int) -> dict[str, np.ndarray]:
    """Perturbed weight vectors, raw: around those shipped, and around some point of the search ball."""
    model = Pipeline(problem).model
    step = sigma * draws(0, samples, len(scale))
    point = np.random.default_rng(1).uniform(-problem.radius, problem.radius, len(scale))
    shipped = model.raw() * scale
    shipped *= problem.radius / 2 / np.abs(shipped).max()
    return {"shipped": (shipped + step) / scale, "random": (point + step) / scale}


def speed(name: str, problem: Any, instances: list[Any], step: int, device: Cuda, rounds: int = 2) -> dict[str, Any]:
    """Losses of one, some and many vectors on both; of many, the processor does every `step`-th instance."""
    gpu = on_device(problem, instances, device)
    own, some = problem.evaluator(instances, workers=2), problem.evaluator(instances[::step], workers=2)
    out: dict[str, Any] = {"instances": len(instances), "instances of two cores": len(instances[::step])}
    scale = moments(problem, instances, own).scale
    say(f"{name}: {len(instances)} instances are ready; {gpu.rows_at_once} vectors at once")
    for kind, weights in around(problem, scale, 1.0, SAMPLES).items():
        gpu.losses(weights[:2])
        own.losses(weights[:2])
        out[kind] = {}
        for count in (1, POPULATION, SAMPLES):
            rows = weights[:count]
            fast = seconds(lambda w=rows: gpu.losses(w), rounds if count > 1 else 5)
            cpu, share = (own, 1) if count == 1 else (some, step)
            begin = time.perf_counter()
            expected = cpu.losses(rows)
            slow = (time.perf_counter() - begin) * len(instances) / cpu.count
            found = gpu.losses(rows)[:, ::share]
            different = int((found != expected).sum())
            out[kind][f"{count} vectors"] = {
                "GPU": fast,
                "two cores": slow,
                "two cores, instances measured": cpu.count,
                "ratio": slow / fast,
                "different": different,
                "compared": found.size,
            }
            say(
                f"{name}, {kind} weights, {count} vectors: {1e3 * fast:.2f} ms, two cores {1e3 * slow:.0f} ms, from "
                f"{cpu.count} instances ({slow / fast:.0f} times); {different} of {found.size} losses differ"
            )
        if rounds > 1:
            out[kind]["kernels"] = profile(gpu, weights)
    some.close()
    own.close()
    gpu.close()
    return out


def profile(gpu: Any, weights: np.ndarray) -> dict[str, float]:
    """Where the time of a perturbed loss goes, kernel by kernel, one after the other: seconds."""
    spent: dict[str, float] = {}
    launch, cupy = gpu.device.launch, gpu.device._cupy

    def timed(source: str, kernel: str, grid: Any, threads: int, shared: int, values: Any) -> None:
        cupy.cuda.runtime.deviceSynchronize()
        begin = time.perf_counter()
        launch(source, kernel, grid, threads, shared, values)
        cupy.cuda.runtime.deviceSynchronize()
        took = time.perf_counter() - begin
        spent[kernel] = spent.get(kernel, 0.0) + took
        if took > 2e-3:
            parts.append(f"{kernel} {grid}x{threads}, {shared} bytes: {1e3 * took:.2f} ms")

    parts: list[str] = []
    gpu.device.launch = timed
    gpu.losses(weights)
    gpu.device.launch = launch
    say("   " + ", ".join(f"{kernel} {1e3 * took:.2f} ms" for kernel, took in spent.items()))
    for part in parts:
        say(f"      {part}")
    return spent


def learning(instances: list[Any], limit: float) -> dict[str, Any]:
    """A piece of perturbed learning with LS, as a user starts it."""
    ticks: list[float] = []
    problem = SingleMachine(decoder="ls")
    Pipeline(problem, weights=problem.safe_weights).fit(
        instances, method="direct", evaluations=EVALUATIONS, sigma=1.0, samples=SAMPLES, validation=0.0, portfolio=1,
        device="cuda", workers=16, time_limit=limit, callback=lambda _: ticks.append(time.perf_counter()),
    )  # fmt: skip
    each = (ticks[-1] - ticks[0]) / (len(ticks) - 1)
    hours = each * EVALUATIONS * RUNS / 3600
    values = np.random.default_rng(0).random((SAMPLES, len(instances)))
    mean = seconds(lambda: mean_loss(lambda _: values, 1.0, np.zeros((SAMPLES, 1)))(np.zeros((1, 1))))
    say(
        f"perturbed learning with LS, {len(instances)} instances, {SAMPLES} draws: {1e3 * each:.1f} ms an evaluation "
        f"over {len(ticks)}, the mean of it {1e3 * mean:.1f} ms; {RUNS} runs of {EVALUATIONS}: {hours:.2f} hours"
    )
    return {
        "instances": len(instances), "samples": SAMPLES, "evaluations": len(ticks), "each": each, "mean": mean,
        "hours_of_ten_runs": hours,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the instances; nothing is written")
    add_force(parser)
    arguments = parser.parse_args()
    bench = Bench("gpu", arguments.force)
    device = Cuda()
    say(f"{device.name}, {device.shared} bytes of shared memory a block, {device.free() / 2**30:.0f} GiB free")
    document: dict[str, Any] = {
        "command": "python benchmarks/gpu.py",
        "colayer": __version__,
        "device": device.name,
        "bits": {},
        "speed": {},
    }
    tree = SpanningTree()
    few = 10 if arguments.quick else 1
    machines = machine_set("experience", 20 // few)

    def bits(name: str, problem: Any, sets: list[list[Any]], rows: int) -> None:
        for data in sets:
            label = f"{name}, {len(data)} instances"
            document["bits"][label] = check(label, problem, data, vectors(problem, rows, 0), device)

    def machine_bits(decoder: str, rows: int, *more: list[Any]) -> None:
        problem = SingleMachine(decoder=decoder)
        bits(f"single-machine {decoder}", problem, [odd_machines(problem), *more], rows)

    def machine_speed(decoder: str, instances: list[Any], step: int, **options: int) -> None:
        name = f"single-machine {decoder}"
        document["speed"][name] = speed(name, SingleMachine(decoder=decoder), instances, step, device, **options)

    def tree_speed() -> None:
        trees = tree_set("training", 1 if arguments.quick else 5)
        document["speed"]["spanning-tree"] = speed("spanning-tree", tree, trees, 23, device)

    def learn() -> None:
        document["learning"] = learning(machines, LEARNING / few)

    test = machine_set("test", 1)
    steps: list[tuple[float, Callable[[], None]]] = [  # with the seconds that each needs, at most about
        (0.0, lambda: machine_bits("none", 20, test)),
        (0.0, lambda: machine_bits("ls", 20, test)),
        (40.0, lambda: machine_bits("rdi", 5)),
        (20.0, lambda: bits("spanning-tree", tree, [odd_trees(tree), tree_set("test", 1, (10, 20, 30))], 20)),
        (0.0, lambda: machine_speed("none", machines, 7)),
        (0.0, lambda: machine_speed("ls", machines, 19)),
        (50.0, tree_speed),
        (50.0, lambda: machine_speed("rdi", machines[::19], 7, rounds=1)),
        (LEARNING + 10.0, learn),
    ]
    for needed, step in steps:
        if time_left() < needed:
            document["left_out"] = document.get("left_out", 0) + 1
            continue
        step()
        if not arguments.quick:
            bench.write(document)
    say("done")


if __name__ == "__main__":
    main()
