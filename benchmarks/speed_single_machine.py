"""Speed of the single machine pipeline: `python benchmarks/speed_single_machine.py [--learn]`.

Times are best of several, ratios are measured side by side in one run. The output, with the machine, also goes to
experiments/results/speed_single_machine.json.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
from measure import best_of, machine

from colayer import Pipeline, __version__
from colayer.layers.sorting import sort
from colayer.models import thetas
from colayer.problems import SingleMachine
from colayer.problems.single_machine import PAPER_RHO
from colayer.problems.single_machine.datasets import paper_set
from colayer.report.tables import duration, table

RESULTS = Path(__file__).parent.parent / "experiments" / "results" / "speed_single_machine.json"


def pipeline_times() -> dict[str, list[float]]:
    """Seconds at n = 3000, one entry per ρ: best of three each."""
    rows: dict[str, list[float]] = {}
    instances = [SingleMachine().generate(seed=7, jobs=3000, rho=rho) for rho in PAPER_RHO]
    for name, decoder, samples in (
        ("features + theta + sort", "none", 0),
        ("with LS", "ls", 0),
        ("RDI after LS", "rdi", 0),
        ("150 perturbed RDI after LS", "rdi", 150),
    ):
        pipeline = Pipeline(SingleMachine(decoder=decoder), safe=False)
        pipeline.solve(instances[0], samples=min(samples, 2))  # compile
        rows[name] = [best_of(partial(pipeline.solve, x, samples=samples), 3) for x in instances]
    return rows


def loss_times(instances: list) -> dict[str, float]:
    """Seconds of a loss evaluation over all instances, beside what it is made of."""
    rng = np.random.default_rng(0)
    evaluator = SingleMachine().evaluator(instances, workers=2)
    weights = rng.normal(size=(100, 66))
    out = {}
    for round_ in range(2):  # the first compiles
        rounds = 5 if round_ else 1
        segments = [thetas(evaluator._matrix(x).T, weights[:1])[0] for x in range(len(instances))]
        out["argsort, one thread"] = best_of(lambda s=segments: [np.argsort(x, kind="stable") for x in s], rounds)
        out["one weight vector"] = best_of(lambda: evaluator.losses(weights[:1]), rounds)
        out["each of 100 at once"] = best_of(lambda: evaluator.losses(weights), 1) / 100
        out["theta alone, one thread"] = best_of(
            lambda: [thetas(evaluator._matrix(x).T, weights[:1]) for x in range(len(instances))], rounds
        )
        out["our sort alone, one thread"] = best_of(lambda s=segments: [sort(x) for x in s], rounds)
        ls = SingleMachine(decoder="ls").evaluator(instances[:1], workers=2)
        ls.losses(weights[:1])
    evaluator.decoder = "ls"
    shipped = Pipeline(SingleMachine(decoder="ls")).model.raw()[None, :]
    out["one weight vector, LS, shipped weights"] = best_of(lambda: evaluator.losses(shipped), 3)
    out["one weight vector, LS, random weights"] = best_of(lambda: evaluator.losses(weights[:1]), 3)
    evaluator.close()
    return out


def help_times() -> tuple[float, float]:
    """Seconds of `colayer --help` and of `python -c pass`."""
    command = Path(sys.executable).with_name("colayer")
    return (
        best_of(lambda: subprocess.run([command, "--help"], capture_output=True, check=True), 10),
        best_of(lambda: subprocess.run([sys.executable, "-c", "pass"], capture_output=True, check=True), 10),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learn", action="store_true", help="also time 1000 evaluations of learning with LS")
    arguments = parser.parse_args()
    document: dict[str, object] = {
        "command": "python benchmarks/speed_single_machine.py" + (" --learn" if arguments.learn else ""),
        "colayer": __version__,
        "machine": machine(),
    }

    solving = pipeline_times()
    document["solve_3000_jobs_by_rho"] = solving
    rows = [[name, duration(float(np.mean(t))), duration(max(t))] for name, t in solving.items()]
    print(table(["n = 3000, over the ten rho", "mean", "worst"], rows).text())

    instances = paper_set("experience")
    losses = loss_times(instances)
    document["loss_2400_instances"] = losses
    reference = losses["argsort, one thread"]
    rows = [[name, duration(t), f"{t / reference:.2f}"] for name, t in losses.items()]
    print(table(["loss over 2400 instances, 1.9 M jobs, 66 features", "time", "x argsort"], rows).text())

    if Path(sys.executable).with_name("colayer").exists():
        ours, plain = help_times()
        document["help"] = {"colayer --help": ours, "python -c pass": plain}
        print(f"colayer --help {duration(ours)}, python -c pass {duration(plain)}: {ours / plain:.1f} times\n")

    if arguments.learn:
        problem = SingleMachine(decoder="ls")
        begin = time.perf_counter()
        Pipeline(problem, weights=problem.safe_weights).fit(instances, evaluations=1000, workers=2, validation=0.0)
        document["learn_1000_evaluations_ls"] = time.perf_counter() - begin
        print(f"learning with LS, 1000 evaluations, 2400 instances: {duration(document['learn_1000_evaluations_ls'])}")

    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")


if __name__ == "__main__":
    main()
