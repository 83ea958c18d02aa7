"""Losses on a GPU beside those of two processor cores: `python benchmarks/gpu.py [--quick]`.

First the bits: every loss on the GPU equals that of the processor. Then the speed, on the paper's training sets: plain
losses (one weight vector), perturbed ones (100 draws around weights), and a piece of perturbed learning with LS, from
which the time of the paper's ten runs of 2500 evaluations follows. The figures go to experiments/results/gpu.json.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from measure import Bench, add_force

from colayer import Pipeline, __version__
from colayer.evaluators.gpu import on_device
from colayer.evaluators.gpu.device import Cuda
from colayer.evaluators.statistics import moments
from colayer.learning.experience.objective import mean_loss
from colayer.learning.perturbation import draws
from colayer.problems import SingleMachine, SpanningTree
from colayer.problems.single_machine.datasets import paper_set as machine_set
from colayer.problems.spanning_tree.datasets import paper_set as tree_set

BEGIN = time.perf_counter()
SECONDS = 165.0  # what does not fit is left out
SAMPLES = 100
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


def speed(name: str, problem: Any, instances: list[Any], cpu_rows: int, device: Cuda) -> dict[str, Any]:
    """Plain and perturbed losses on both; the processor does the first `cpu_rows` of the perturbed vectors."""
    begin = time.perf_counter()
    own = problem.evaluator(instances, workers=2)
    out: dict[str, Any] = {"instances": len(instances), "features": time.perf_counter() - begin}
    begin = time.perf_counter()
    gpu = on_device(problem, instances, device)
    out["stacked on the GPU"] = time.perf_counter() - begin
    scale = moments(problem, instances, own).scale
    say(f"{name}: {len(instances)} instances are ready; {gpu.rows_at_once} vectors at once")
    for kind, weights in around(problem, scale, 1.0, SAMPLES).items():
        gpu.losses(weights[:2])
        plain, many = seconds(lambda w=weights: gpu.losses(w[:1])), seconds(lambda w=weights: gpu.losses(w), 2)
        rows = weights[:cpu_rows]
        begin = time.perf_counter()
        expected = own.losses(rows)
        cpu_many = (time.perf_counter() - begin) * len(weights) / len(rows)
        cpu_plain = seconds(lambda w=weights: own.losses(w[:1]), 2)
        different = int((gpu.losses(weights)[:cpu_rows] != expected).sum())
        out[kind] = {
            "GPU, plain": plain,
            "GPU, perturbed": many,
            "two cores, plain": cpu_plain,
            "two cores, perturbed": cpu_many,
            "two cores, vectors measured": len(rows),
            "ratio, plain": cpu_plain / plain,
            "ratio, perturbed": cpu_many / many,
            "different": different,
        }
        say(
            f"{name}, {kind} weights: plain {1e3 * plain:.1f} ms, two cores {1e3 * cpu_plain:.0f} ms "
            f"({cpu_plain / plain:.0f} times); {SAMPLES} draws {1e3 * many:.1f} ms, two cores {cpu_many:.2f} s "
            f"({cpu_many / many:.0f} times); {different} of {expected.size} losses differ"
        )
        profile(gpu, weights)
    own.close()
    gpu.close()
    return out


def profile(gpu: Any, weights: np.ndarray) -> None:
    """Where the time of a perturbed loss goes, kernel by kernel."""
    spent: dict[str, float] = {}
    launch, cupy = gpu.device.launch, gpu.device._cupy

    def timed(source: str, kernel: str, grid: Any, threads: int, shared: int, values: Any) -> None:
        cupy.cuda.runtime.deviceSynchronize()
        begin = time.perf_counter()
        launch(source, kernel, grid, threads, shared, values)
        cupy.cuda.runtime.deviceSynchronize()
        took = time.perf_counter() - begin
        spent[kernel] = spent.get(kernel, 0.0) + took
        if kernel != "thetas" and took > 1e-3:
            parts.append(f"{kernel}{grid}x{threads} {1e3 * took:.2f}")

    parts: list[str] = []
    gpu.device.launch = timed
    gpu.losses(weights)
    gpu.device.launch = launch
    print("          " + ", ".join(f"{kernel} {1e3 * took:.2f} ms" for kernel, took in spent.items()))
    print("          " + "; ".join(parts), flush=True)


def learning(instances: list[Any], evaluations: int) -> dict[str, Any]:
    """A piece of perturbed learning with LS, as a user starts it."""
    ticks: list[float] = []
    problem = SingleMachine(decoder="ls")
    Pipeline(problem, weights=problem.safe_weights).fit(
        instances, method="direct", evaluations=evaluations, sigma=1.0, samples=SAMPLES, validation=0.0, portfolio=1,
        device="cuda", workers=16, callback=lambda _: ticks.append(time.perf_counter()),
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

    def machine_bits(decoder: str) -> None:
        problem = SingleMachine(decoder=decoder)
        for data in (odd_machines(problem), machine_set("test", 1)):
            name = f"single-machine {decoder}, {len(data)} instances"
            document["bits"][name] = check(name, problem, data, vectors(problem, 20, 0), device)

    def tree_bits() -> None:
        for data in (odd_trees(tree), tree_set("test", 1, (10, 20, 30))):
            name = f"spanning-tree, {len(data)} instances"
            document["bits"][name] = check(name, tree, data, vectors(tree, 20, 0), device)

    def machine_speed(decoder: str, instances: list[Any], rows: int) -> None:
        name = f"single-machine {decoder}"
        document["speed"][name] = speed(name, SingleMachine(decoder=decoder), instances, rows, device)

    machines = machine_set("experience", 2 if arguments.quick else 20)
    machine_bits("none")
    machine_bits("ls")
    machine_speed("none", machines, 20)
    machine_speed("ls", machines, 6)
    document["learning"] = learning(machines, 20 if arguments.quick else 100)
    tree_bits()
    if time_left() > 30.0:
        trees = tree_set("training", 1 if arguments.quick else 5)
        document["speed"]["spanning-tree"] = speed("spanning-tree", tree, trees, 2, device)
    if time_left() > 30.0:
        machine_bits("rdi")
    if time_left() > 20.0:
        machine_speed("rdi", machines[::10], 4)
    say("done")
    if not arguments.quick:
        bench.write(document)


if __name__ == "__main__":
    main()
