"""What an exact line costs, in evaluations of the compiled evaluator: `python benchmarks/line.py`.

Single-machine instances, lines as far as the learner `line` goes; CPU time of one core, medians of lines at weights
near the safe ones, side by side with a batch of evaluations at such weights.
"""

from __future__ import annotations

import math
import time

import numpy as np

from colayer import Line
from colayer.display.tables import table
from colayer.evaluators.along import Along
from colayer.evaluators.statistics import moments
from colayer.models import thetas
from colayer.problems import SingleMachine

INSTANCES, LINES, BATCH = 20, 9, 200
JOBS = (20, 50, 100, 200, 500)


def seconds(work, times: int) -> list[float]:
    """CPU seconds of `work(k)` for k in order."""
    spent = []
    for k in range(times):
        begin = time.process_time()
        work(k)
        spent.append(time.process_time() - begin)
    return spent


def price(features: str, jobs: int) -> tuple[float, float]:
    """Evaluations that a line takes as long as: the kernel alone, and as the learner calls it."""
    problem = SingleMachine(features)
    data = [problem.generate(seed, jobs=jobs) for seed in range(INSTANCES)]
    evaluator = problem.evaluator(data, 1)
    scale = moments(problem, data, evaluator).scale
    rng = np.random.default_rng(0)
    safe = problem.safe_weights * scale / np.linalg.norm(problem.safe_weights * scale)
    near = safe + 0.15 * rng.standard_normal((BATCH, len(safe))) / math.sqrt(len(safe))
    directions = rng.standard_normal((LINES, len(safe)))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    reach = Line().reach
    lines = [Along(near[k] / scale, directions[k] / scale, -reach, reach) for k in range(LINES)]
    theta = [
        [
            thetas(evaluator.map_features(lambda m: m)[x].T, np.vstack([line.weights, line.direction]))
            for x in range(INSTANCES)
        ]
        for line in lines
    ]

    def kernel(k: int) -> None:
        for x, (a, b) in enumerate(theta[k]):
            problem.along(a, b, data[x], -reach, reach)

    evaluator.losses(near / scale)
    kernel(0)
    evaluation = min(seconds(lambda _: evaluator.losses(near / scale), 5)) / BATCH
    alone = float(np.median(seconds(kernel, LINES)))
    called = float(np.median(seconds(lambda k: evaluator.visit(lines[k], range(INSTANCES)), LINES)))
    evaluator.close()
    return alone / evaluation, called / evaluation


def main() -> None:
    rows = []
    for features in ("27", "66"):
        found = [price(features, jobs) for jobs in JOBS]
        rows.append([f"kernel alone, {features} features", *(f"{alone:.0f}" for alone, _ in found)])
        rows.append([f"as called, {features} features", *(f"{called:.0f}" for _, called in found)])
    rows.append(["charged", *(1 + math.ceil(jobs / 3) for jobs in JOBS)])
    print(table(["jobs", *map(str, JOBS)], rows).text())


if __name__ == "__main__":
    main()
