"""Bayesian optimisation against DIRECT, at 100, 300 and 1000 evaluations: `python benchmarks/bayes_against_direct.py`.

Needs the extra `bayes`. Both search the whole ball, as in the paper; `bayes` also from the safe weights, as `fit` runs
it, and beside it `cma-es` and `auto` with the same start. Gaps are to the cheap bound, on the training instances and on
as many others; safe weights are not a fallback. Times are seconds of one core. Runs are kept in `runs/` as they come:
started again, the benchmark goes on. Writes benchmarks/results/bayes_against_direct.json.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
from measure import machine

from colayer import __version__
from colayer.display.tables import duration, percent, table
from colayer.evaluators.base import evaluator_for
from colayer.evaluators.statistics import moments
from colayer.learning.run import Run
from colayer.learning.search.auto import Auto
from colayer.learning.search.bayes import Bayes
from colayer.learning.search.cma_es import CmaEs
from colayer.learning.search.direct import Direct
from colayer.learning.search.objective import mean_loss
from colayer.learning.search.optimizer import Task
from colayer.learning.search.search import SearchRun
from colayer.problem.bind import bind
from colayer.problems import SingleMachine, VehicleScheduling

ROOT = Path(__file__).parent.parent
BUDGETS = (100, 300, 1000)
#: name → (method, whether it starts from the safe weights)
METHODS = {
    "direct": (Direct(), False),
    "bayes": (Bayes(), False),
    "bayes, from safe weights": (Bayes(), True),
    "cma-es, from safe weights": (CmaEs(), True),
    "auto, from safe weights": (Auto(), True),
}


def problems() -> dict:
    def jobs(problem: SingleMachine, seed: int) -> list:
        cells = [(n, rho) for n in (20, 50, 100) for rho in (0.3, 1.0, 2.0)]
        return [
            problem.generate(np.random.SeedSequence([seed, n, int(10 * rho), k]), jobs=n, rho=rho)
            for n, rho in cells
            for k in range(5)
        ]

    def tasks(problem: VehicleScheduling, seed: int) -> list:
        return [problem.generate(np.random.SeedSequence([seed, k]), tasks=50, scenarios=20) for k in range(20)]

    return {
        "single-machine, 66 features": (SingleMachine("66", "none"), jobs),
        "vehicle-scheduling, 23 features": (VehicleScheduling("23", "none"), tasks),
    }


class Data:
    """Training and test instances of one problem, and the gaps of weights on them."""

    def __init__(self, problem: object, generate: object) -> None:
        self.sets = [generate(problem, seed) for seed in (1, 2)]
        self.evaluators = [evaluator_for(bind(problem), instances) for instances in self.sets]
        self.scale = moments(problem, self.sets[0], self.evaluators[0]).scale
        self.bounds = [np.array([problem.bound(x) / problem.scale(x) for x in instances]) for instances in self.sets]
        safe = np.array(problem.safe_weights) * self.scale
        self.safe = safe * (problem.radius / 2 / np.abs(safe).max()) if problem.homogeneous else safe
        self.radius = problem.radius

    def objective(self, weights: np.ndarray) -> np.ndarray:
        return mean_loss(lambda W: self.evaluators[0].losses(W / self.scale))(weights)

    def gaps(self, weights: np.ndarray) -> list[float]:
        return [
            float(((evaluator.losses(weights[None, :] / self.scale)[0] - bound) / np.abs(bound)).mean())
            for evaluator, bound in zip(self.evaluators, self.bounds, strict=True)
        ]


class Log:
    """The runs that are known, one JSON line each."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(exist_ok=True)
        self._path = path
        lines = path.read_bytes().splitlines() if path.exists() else []
        self._known = {tuple(key): result for key, result in map(msgspec.json.decode, lines)}

    def result(self, key: tuple, run: Callable[[], list[float]]) -> list[float]:
        """What `run` gave for the key, now or earlier."""
        if key not in self._known:
            self._known[key] = run()
            with self._path.open("ab") as out:
                out.write(msgspec.json.encode((key, self._known[key])) + b"\n")
        return self._known[key]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    log = Log(Path("runs") / "bayes_against_direct.jsonl")
    rows = []
    for name, (problem, generate) in problems().items():
        data = Data(problem, generate)
        data.objective(data.safe[None, :])  # compiles

        def run(method: object, from_safe: bool, evaluations: int, seed: int, data: Data = data) -> list[float]:
            task = Task(len(data.scale), data.radius, evaluations, seed, data.safe if from_safe else None)
            begin, searched = time.process_time(), Run(evaluations)
            losses = SearchRun(searched, data.objective).losses
            weights = searched.conduct(partial(method.minimize, losses, task), method.name)
            seconds = time.process_time() - begin
            return [*data.gaps(weights), seconds]

        for method_name, (method, from_safe) in METHODS.items():
            for evaluations in BUDGETS:
                runs = []
                for seed in range(1 if method_name == "direct" else arguments.seeds):
                    key = (name, method_name, evaluations, seed)
                    runs.append(log.result(key, partial(run, method, from_safe, evaluations, seed)))
                training, test, seconds = np.mean(runs, axis=0).tolist()
                rows.append(
                    {
                        "problem": name,
                        "method": method_name,
                        "evaluations": evaluations,
                        "seeds": len(runs),
                        "training_gap": training,
                        "test_gap": test,
                        "test_gaps": [gap for _, gap, _ in runs],
                        "seconds": seconds,
                    }
                )
                print(name, method_name, evaluations, percent(training), percent(test), duration(seconds), flush=True)
        training, test = data.gaps(data.safe)
        rows.append({"problem": name, "method": "safe weights", "training_gap": training, "test_gap": test})
    document = {
        "command": f"python benchmarks/bayes_against_direct.py --seeds {arguments.seeds}",
        "colayer": __version__,
        "machine": machine(),
        "rows": rows,
    }
    output = ROOT / "benchmarks" / "results" / "bayes_against_direct.json"
    output.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")
    cells = [
        [
            row["problem"],
            row["method"],
            str(row.get("evaluations", "")),
            percent(row["training_gap"]),
            percent(row["test_gap"]),
            duration(row["seconds"]) if "seconds" in row else "",
        ]
        for row in rows
    ]
    print(table(["problem", "method", "evaluations", "training gap", "test gap", "CPU time"], cells).text())


if __name__ == "__main__":
    main()
