"""Every way to learn on every problem: `python benchmarks/learners.py [--problem NAME…] [--seeds N]`.

Learning by experience, plain with each learner at 100, 300 and 1000 evaluations and perturbed at 300, and learning by
demonstration of exact solutions, on the same 30 training instances; in one more column some of them on 200 instances.
Beside them what nobody learned: safe weights, the best plain rule that does not search, and the single feature that is
best on the training instances. Gaps are to the bound of the exact solver, on 30 other instances; safe weights are not a
fallback, there is one candidate, and no portfolio is chosen. `auto` and `srl` learn on all training instances,
since they choose without validation; the others keep a fifth aside to choose on. `bayes` needs its extra, and is left
out where that is missing.
Labels and results are kept in `runs/` as they come, so that a run that was stopped goes on. Writes
benchmarks/results/learners.json.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
from measure import write_results

from colayer import Pipeline
from colayer.display.tables import duration, percent, table
from colayer.io.files import encode, read_json, write_atomic
from colayer.io.hashing import content_hash
from colayer.problem.bind import bind
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling

ROOT = Path(__file__).parent.parent
BUDGETS = (100, 300, 1000)
RUNS = Path("runs")
#: Draws and σ, as a share of the radius, of the perturbed loss.
SAMPLES, SHARE = 20, 0.02
#: Seconds of the exact solver for an instance.
LIMIT = 5.0
#: Training instances, and test instances, of every column; training instances of the one that has more.
COUNT, MANY = 30, 200
#: name → (problem, sizes of its instances).
PROBLEMS = {
    "single-machine, 27 features": (SingleMachine("27"), {"jobs": 50, "rho": 1.0}),
    "single-machine, 27 features, 200 instances": (SingleMachine("27"), {"jobs": 50, "rho": 1.0}),
    "single-machine, 66 features": (SingleMachine("66"), {"jobs": 50, "rho": 1.0}),
    "spanning-tree": (SpanningTree(), {"width": 20, "scenarios": 20, "second_max": 20}),
    "vehicle-scheduling, 23 features": (VehicleScheduling("23"), {"tasks": 50, "scenarios": 50}),
    "vehicle-scheduling, extended": (VehicleScheduling("extended"), {"tasks": 50, "scenarios": 50}),
}


def settings(name: str, problem: object) -> dict[str, dict]:
    """name of a learner → what `fit` is told beside the data and the seed."""
    chosen: dict[str, dict] = {}
    bayes = ("bayes",) if importlib.util.find_spec("botorch") else ()
    whole = {"validation": 0.0}  # nothing is chosen on what is kept aside
    if name.endswith("200 instances"):
        for method in ("cma-es", "srl", "auto"):
            chosen[f"experience, {method}, 1000"] = {"method": method, **(whole if method != "cma-es" else {})}
        return chosen
    for method in ("direct", "cma-es", "sgd", *bayes, "srl", "auto"):
        for budget in BUDGETS[:2] if method == "bayes" else BUDGETS:
            told = {"method": method, "evaluations": budget}
            chosen[f"experience, {method}, {budget}"] = {**told, **(whole if method in ("srl", "auto") else {})}
    for method in ("direct", "cma-es", "sgd", *bayes):
        chosen[f"experience, {method}, 300, perturbed"] = {
            "method": method,
            "evaluations": 300,
            "sigma": SHARE * problem.radius,
            "samples": SAMPLES,
        }
    for method in ("fenchel-young", "hinge", "crf"):
        chosen[f"demonstration, {method}, 100 passes"] = {"method": method, "solutions": True}
    return chosen


@cache
def labelled(name: str, count: int) -> list[list]:
    """(instance, exact solution, bound) of the training and of the test set of a registered problem."""
    problem, sizes = next(pair for pair in PROBLEMS.values() if pair[0].name == name)
    sets = [[problem.generate(s, **sizes) for s in np.random.SeedSequence([n]).spawn(count)] for n in (1, 2)]
    kept = RUNS / f"learners-{name}-{content_hash(bind(problem), [x for chosen in sets for x in chosen])[:16]}.json"
    if not kept.exists():
        solved = [[(x, *problem.exact(x, time_limit=LIMIT)[:2]) for x in chosen] for chosen in sets]
        labels = [[(problem.write_solution(z, x), bound) for x, z, bound in chosen] for chosen in solved]
        write_atomic(kept, encode(labels))
    return [
        [(x, problem.read_solution(document, x), bound) for x, (document, bound) in zip(chosen, labels, strict=True)]
        for chosen, labels in zip(sets, read_json(kept), strict=True)
    ]


class Data:
    """Training and test instances, exact solutions of the former and bounds of the latter."""

    def __init__(self, name: str) -> None:
        self.problem, sizes = PROBLEMS[name]
        train, test = labelled(self.problem.name, COUNT)
        self.train, self.solutions = [x for x, *_ in train], [solution for _, solution, _ in train]
        if name.endswith("200 instances"):
            self.train = [self.problem.generate(s, **sizes) for s in np.random.SeedSequence([1]).spawn(MANY)]
        self.test, self.bounds = [x for x, *_ in test], np.array([bound for *_, bound in test])

    def gap(self, pipeline: Pipeline) -> float:
        """Mean gap on the test instances."""
        return self.mean([pipeline.solve(x).cost for x in self.test])

    def mean(self, costs: list[float]) -> float:
        """The mean gap of costs of the test instances."""
        return float(((np.array(costs) - self.bounds) / np.abs(self.bounds)).mean())

    def unlearned(self) -> dict[str, float]:
        """Safe weights, best plain rule, best single feature → mean gap."""
        problem = self.problem
        plain = lambda weights: Pipeline(problem, weights, safe=False)  # noqa: E731
        found = {"safe weights": self.gap(plain(problem.safe_weights))}
        rules = {
            rule: self.mean([problem.cost(problem.baseline(rule, x), x) for x in self.test])
            for rule in problem.baselines
            if rule not in problem.searches
        }
        best = min(rules, key=rules.get)
        found[f"best plain rule ({best})"] = rules[best]
        axes = np.vstack([np.eye(len(problem.feature_names)), -np.eye(len(problem.feature_names))])
        evaluator = problem.evaluator(self.train)
        k = int(np.argmin(evaluator.losses(axes).mean(axis=1)))
        evaluator.close()
        name = problem.feature_names[k % len(problem.feature_names)]
        found[f"best single feature ({name})"] = self.gap(plain(axes[k]))
        return found

    def learn(self, told: dict, seed: int) -> tuple[float, float]:
        """Gap, and seconds of one core (the machine may be shared), of one run."""
        told = {**told, **({"solutions": self.solutions} if "solutions" in told else {})}
        pipeline = Pipeline(self.problem, self.problem.safe_weights, safe=False)
        begin = time.process_time()
        pipeline.fit(self.train, seed=seed, portfolio=1, **told)
        seconds = time.process_time() - begin
        return self.gap(pipeline), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problem", nargs="*", choices=PROBLEMS, default=list(PROBLEMS), metavar="NAME")
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    RUNS.mkdir(exist_ok=True)
    log = RUNS / "learners.jsonl"
    lines = log.read_bytes().splitlines() if log.exists() else []
    known = {(r["problem"], r["learner"], r["seed"]): r for r in map(msgspec.json.decode, lines)}
    rows = []
    with log.open("ab") as out:
        for name in arguments.problem:
            data = Data(name)
            data.learn({"method": "srl", "evaluations": 50}, seed=0)  # compiles
            for plain, gap in data.unlearned().items():
                rows.append({"problem": name, "learner": plain, "gaps": [gap], "seconds": 0.0})
            for learner, told in settings(name, data.problem).items():
                runs = []
                for seed in range(arguments.seeds):
                    if (name, learner, seed) not in known:
                        gap, seconds = data.learn(told, seed)
                        record = {"problem": name, "learner": learner, "seed": seed, "gap": gap, "seconds": seconds}
                        out.write(msgspec.json.encode(record) + b"\n")
                        out.flush()
                        known[name, learner, seed] = record
                    runs.append(known[name, learner, seed])
                gaps = [run["gap"] for run in runs]
                seconds = float(np.mean([run["seconds"] for run in runs]))
                rows.append({"problem": name, "learner": learner, "gaps": gaps, "seconds": seconds})
    sizes = {name: PROBLEMS[name][1] for name in arguments.problem}
    perturbed = {"samples": SAMPLES, "sigma": f"{SHARE} times the radius"}
    write_results("learners", {"sizes": sizes, "perturbed": perturbed, "rows": rows})
    cells = []
    for row in rows:
        gaps = row["gaps"]
        spread = float(np.std(gaps, ddof=1)) if len(gaps) > 1 else 0.0
        shown = percent(float(np.mean(gaps))), percent(spread), percent(max(gaps))
        cells.append([row["problem"], row["learner"], *shown, duration(row["seconds"])])
    print(table(["problem", "learner", "mean gap", "spread of seeds", "worst seed", "CPU time"], cells).text())


if __name__ == "__main__":
    main()
