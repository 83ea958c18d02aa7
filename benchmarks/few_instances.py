"""When `auto` may take what it learned from few instances: `python benchmarks/few_instances.py [--seeds N]`.

From 4, 5, 10 and 20 training instances of one size or of several, `auto` makes three candidates: the simple answer,
what it imitated, and what CMA-ES made of that. Four ways to choose among them by their training losses are compared:
never a learned one; always the one of least mean loss; by 2 standard errors of the paired difference alone; and as
`auto` does (`measurable` in `learning/search/simple.py`). Gaps are to the cheap bound, on other instances. Every
seed has its own training set, and differences are paired over the seeds. Writes
benchmarks/results/few_instances.json.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
from measure import write_results

from colayer import Pipeline
from colayer.comparison.paired import moments
from colayer.display.tables import percent, table
from colayer.learning.search import auto
from colayer.learning.search.simple import by_errors, measurable
from colayer.problem.bind import bind
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from colayer.problems.single_machine.instance import PAPER_RHO
from colayer.problems.spanning_tree.instance import PAPER_SCENARIOS, PAPER_SECOND_MAX

COUNTS, EVALUATIONS, TEST = (4, 5, 10, 20), 600, 40
#: Entropy of the seeds of training sets and of the test set.
TRAIN_ENTROPY, TEST_ENTROPY = 11, 12

RULES: dict[str, Callable[[Any, Any], bool]] = {
    "never": lambda _learned, _simple: False,
    "always": lambda learned, simple: bool(learned.mean() < simple.mean()),
    "2 standard errors": lambda learned, simple: by_errors(learned - simple),
    "auto": measurable,
}


def jobs(seed: np.random.SeedSequence, size: int) -> Any:
    """Of any ρ of the paper."""
    return SingleMachine.generate(seed, jobs=size, rho=float(np.random.default_rng(seed).choice(PAPER_RHO)))


def tree(seed: np.random.SeedSequence, size: int) -> Any:
    """Of any cost range of the paper, with its numbers of scenarios."""
    random = np.random.default_rng(seed)
    scenarios, most = int(random.choice(PAPER_SCENARIOS)), int(random.choice(PAPER_SECOND_MAX))
    return SpanningTree.generate(seed, width=size, scenarios=scenarios, second_max=most)


def vehicles(seed: np.random.SeedSequence, size: int) -> Any:
    """With 20 scenarios."""
    return VehicleScheduling.generate(seed, tasks=size, scenarios=20)


#: name → (problem, instance of a size, sizes).
CASES: dict[str, tuple[Any, Callable[[np.random.SeedSequence, int], Any], Sequence[int]]] = {
    "jobs, 27 features": (SingleMachine("27"), jobs, (50,)),
    "jobs, 27 features, mixed": (SingleMachine("27"), jobs, (20, 50, 100, 200)),
    "jobs, 66 features": (SingleMachine("66"), jobs, (50,)),
    "jobs, 66 features, mixed": (SingleMachine("66"), jobs, (20, 50, 100, 200)),
    "tree": (SpanningTree(), tree, (10,)),
    "tree, mixed": (SpanningTree(), tree, (5, 10, 20)),
    "vehicles, 23 features": (VehicleScheduling("23"), vehicles, (50,)),
    "vehicles, 23 features, mixed": (VehicleScheduling("23"), vehicles, (50, 100, 200, 400)),
    "vehicles, extended": (VehicleScheduling("extended"), vehicles, (50,)),
    "vehicles, extended, mixed": (VehicleScheduling("extended"), vehicles, (50, 100, 200, 400)),
}


def instances(make: Callable[[np.random.SeedSequence, int], Any], sizes: Sequence[int], count: int, *key: int) -> Any:
    """`count` instances, of the sizes in turn."""
    return [make(seed, sizes[k % len(sizes)]) for k, seed in enumerate(np.random.SeedSequence(key).spawn(count))]


def candidates(problem: Any, train: list[Any], seed: int, workers: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Raw weights of the simple answer, the imitated and the finished ones, and their losses on each instance."""
    seen: list[tuple[Any, Any, Any]] = []

    def watched(search: Any, learned: Any, simple: Any) -> Any:
        seen.append((search, learned, simple))
        return simple

    pipeline = Pipeline(problem, problem.safe_weights, safe=False)
    with mock.patch.object(auto, "measured", watched):
        pipeline.fit(train, evaluations=EVALUATIONS, seed=seed, validation=0.0, portfolio=1, workers=workers)
    (search, imitated, simple), (_, finished, _) = seen
    rows = np.array([simple, imitated, finished])
    return pipeline.model.raw(rows), np.array([search.each(row) for row in rows])


def chosen(rule: Callable[[Any, Any], bool], losses: np.ndarray) -> int:
    """Which of the candidates, each against the one taken so far."""
    answer = 0
    for k in range(1, len(losses)):
        if rule(losses[k], losses[answer]):
            answer = k
    return answer


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", nargs="*", choices=CASES, default=list(CASES), metavar="NAME")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--workers", type=int)
    arguments = parser.parse_args()
    rows, cells = [], []
    for name in arguments.case:
        problem, make, sizes = CASES[name]
        drawn = partial(instances, make, sizes)
        test = drawn(TEST, TEST_ENTROPY)
        bounds = np.array([bind(problem).lower_bound(x) for x in test], dtype=float)
        scales = np.array([problem.scale(x) for x in test])
        evaluator = problem.evaluator(test, workers=arguments.workers)
        for count in COUNTS:
            gaps: dict[str, list[float]] = {rule: [] for rule in RULES}
            for seed in range(arguments.seeds):
                train = drawn(count, TRAIN_ENTROPY, count, seed)
                raw, losses = candidates(problem, train, seed, arguments.workers)
                mean = ((evaluator.losses(raw) * scales - bounds) / np.abs(bounds)).mean(axis=1)
                for rule, taken in RULES.items():
                    gaps[rule].append(float(mean[chosen(taken, losses)]))
            row: dict[str, Any] = {"case": name, "sizes": list(sizes), "instances": count, "gaps": gaps, "to_auto": {}}
            shown = []
            for rule, found in gaps.items():
                apart, error = moments([a - b for a, b in zip(found, gaps["auto"], strict=True)])
                row["to_auto"][rule] = {"mean": apart, "standard_error": error}
                beside = "" if rule == "auto" else f" ({100 * apart:+.3f} ± {100 * (error or 0.0):.3f})"
                shown.append(percent(math.fsum(found) / len(found)) + beside)
            rows.append(row)
            cells.append([name, str(count), *shown])
            print(*cells[-1], flush=True)
        evaluator.close()
    write_results("few_instances", {"evaluations": EVALUATIONS, "seeds": arguments.seeds, "test": TEST, "rows": rows})
    print(table(["case", "instances", *RULES], cells).text())


if __name__ == "__main__":
    main()
