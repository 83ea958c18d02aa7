"""Speed of the single machine pipeline: `python benchmarks/speed_single_machine.py [--learn]`.

Times are best of several, as many for all that are compared, in turns, in one run; tables show wall times. The output,
with CPU times and the machine, also goes to benchmarks/results/speed_single_machine.json, if the machine was quiet or
with --force.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
from measure import Bench, Time, add_force

from colayer import Pipeline, __version__
from colayer.display.tables import duration, table
from colayer.layers.sorting import sort
from colayer.models import thetas
from colayer.problems import SingleMachine
from colayer.problems.single_machine import PAPER_RHO
from colayer_paper.single_machine.datasets import paper_set


def pipeline_times(bench: Bench, jobs: int) -> dict[str, list[Time]]:
    """One entry per ρ: best of three each."""
    instances = [SingleMachine().generate(seed=7, jobs=jobs, rho=rho) for rho in PAPER_RHO]
    pipelines = {}
    for name, decoder, samples in (
        ("features + theta + sort", "none", 0),
        ("with LS", "ls", 0),
        ("RDI after LS", "rdi", 0),
        ("150 perturbed RDI after LS", "rdi", 150),
    ):
        pipeline = Pipeline(SingleMachine(decoder=decoder), safe=False)
        pipeline.solve(instances[0], samples=min(samples, 2))  # compile
        pipelines[name] = partial(pipeline.solve, samples=samples)
    found = [bench.in_turns({name: partial(f, x) for name, f in pipelines.items()}, 3, alone=False) for x in instances]
    return {name: [times[name] for times in found] for name in pipelines}


def loss_times(bench: Bench, instances: list) -> dict[str, Time]:
    """The time of a loss evaluation over all instances, beside what it is made of."""
    rng = np.random.default_rng(0)
    evaluator = SingleMachine().evaluator(instances, workers=2)
    weights = rng.normal(size=(100, 66))
    segments = [thetas(evaluator._matrix(x).T, weights[:1])[0] for x in range(len(instances))]
    local = SingleMachine(decoder="ls").evaluator(instances, workers=2)
    shipped = Pipeline(SingleMachine(decoder="ls")).model.raw()[None, :]
    one_thread = {
        "argsort, one thread": lambda: [np.argsort(x, kind="stable") for x in segments],
        "theta alone, one thread": lambda: [thetas(evaluator._matrix(x).T, weights[:1]) for x in range(len(instances))],
        "our sort alone, one thread": lambda: [sort(x) for x in segments],
    }
    two_threads = {
        "one weight vector": lambda: evaluator.losses(weights[:1]),
        "each of 100 at once": lambda: evaluator.losses(weights),
        "one weight vector, LS, shipped weights": lambda: local.losses(shipped),
        "one weight vector, LS, random weights": lambda: local.losses(weights[:1]),
    }
    for work in (*one_thread.values(), *two_threads.values()):
        work()  # compiles
    out = bench.in_turns(one_thread, 3) | bench.in_turns(two_threads, 3, alone=False)
    out["each of 100 at once"] /= 100
    evaluator.close()
    local.close()
    return out


def help_times(bench: Bench) -> dict[str, Time]:
    """The wall time of `colayer --help` and of `python -c pass`."""
    command = Path(sys.executable).with_name("colayer")
    works = {
        "colayer --help": lambda: subprocess.run([command, "--help"], capture_output=True, check=True),
        "python -c pass": lambda: subprocess.run([sys.executable, "-c", "pass"], capture_output=True, check=True),
    }
    return bench.in_turns(works, 10, alone=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learn", action="store_true", help="also time 1000 evaluations of learning with LS")
    parser.add_argument("--jobs", type=int, default=3000, help="of an instance that is solved")
    parser.add_argument("--instances", type=int, default=2400, help="of the loss")
    add_force(parser)
    arguments = parser.parse_args()
    bench = Bench("speed_single_machine", arguments.force)
    document: dict[str, object] = {
        "command": "python benchmarks/speed_single_machine.py" + (" --learn" if arguments.learn else ""),
        "colayer": __version__,
    }

    solving = pipeline_times(bench, arguments.jobs)
    document[f"solve_{arguments.jobs}_jobs_by_rho"] = solving
    walls = {name: [time.wall for time in times] for name, times in solving.items()}
    rows = [[name, duration(float(np.mean(t))), duration(max(t))] for name, t in walls.items()]
    print(table([f"n = {arguments.jobs}, over the ten rho", "mean", "worst"], rows).text())

    instances = list(paper_set("experience"))[: arguments.instances]
    losses = loss_times(bench, instances)
    document[f"loss_{len(instances)}_instances"] = losses
    reference = losses["argsort, one thread"].wall
    rows = [[name, duration(t.wall), duration(t.cpu), f"{t.wall / reference:.2f}"] for name, t in losses.items()]
    jobs = sum(instance.jobs for instance in instances) / 1e6
    headers = [f"loss over {len(instances)} instances, {jobs:.1f} M jobs, 66 features", "wall time", "CPU time"]
    print(table([*headers, "x argsort"], rows).text())

    if Path(sys.executable).with_name("colayer").exists():
        document["help"] = helps = help_times(bench)
        ours, plain = (time.wall for time in helps.values())
        print(f"colayer --help {duration(ours)}, python -c pass {duration(plain)}: {ours / plain:.1f} times\n")

    if arguments.learn:
        problem = SingleMachine(decoder="ls")
        start = Pipeline(problem, weights=problem.safe_weights)
        learn = partial(start.fit, instances, evaluations=1000, workers=2, validation=0.0)
        document["learn_1000_evaluations_ls"] = took = bench.best_of(learn, 1, alone=False)
        print(f"learning with LS, 1000 evaluations, {len(instances)} instances: {duration(took.wall)}")
    if (arguments.jobs, arguments.instances) == (3000, 2400):
        bench.write(document)


if __name__ == "__main__":
    main()
