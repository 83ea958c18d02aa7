"""What colayer adds to a user's problem in plain Python: `python benchmarks/overhead.py`.

Against a bare loop over the same five methods with the same weights, θ by numpy's product: one solve, the losses of an
evaluator, and a search of 1000 evaluations by CMA-ES, also against the loop with pycma around it, which takes as long
as the loop. The goals: 0.05 ms more per solve, 1.3 times the time per loss.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import cma
import numpy as np

from colayer import Pipeline
from colayer.evaluators.base import evaluator_for
from colayer.problem.bind import bind


class Choose:
    """Choose 10 of the items: the least sum of their prices, plus the squared sum of their risks."""

    name = "choose"
    feature_names = ("price", "risk", "product")

    def features(self, instance):
        price, risk = instance
        return np.array([price, risk, np.multiply(price, risk)]).T

    def layer(self, theta, instance):
        values = theta.tolist()
        return sorted(range(len(values)), key=values.__getitem__)[:10]

    def decode(self, y, instance):
        return y

    def cost(self, solution, instance):
        price, risk = instance
        return sum(price[i] for i in solution) + sum(risk[i] for i in solution) ** 2

    def scale(self, instance):
        return 10.0


def instances(count: int, items: int = 100) -> list[tuple[list[float], list[float]]]:
    """Lists of prices and risks, as a user without numpy would write them."""
    random = np.random.default_rng(0)
    return [tuple(random.uniform(size=(2, items)).tolist()) for _ in range(count)]


def best(work: Callable[[], object], repeats: int) -> float:
    """The least of the times of some runs, in seconds."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def bare_solves(problem: Choose, weights: np.ndarray, data: list) -> None:
    """x → θ → y → z → cost, as a plain loop."""
    for x in data:
        y = problem.layer(problem.features(x) @ weights, x)
        problem.cost(problem.decode(y, x), x)


def bare_losses(problem: Choose, weights: np.ndarray, held: list) -> list[list[float]]:
    """The losses of each row of weights on instances whose features and scales are known."""
    return [
        [
            problem.cost(problem.decode(problem.layer(theta, x), x), x) / scale
            for theta in weights @ features.T
        ]
        for x, features, scale in held
    ]  # fmt: skip


def bare_search(problem: Choose, held: list, evaluations: int) -> None:
    """CMA-ES as one would write it without colayer."""
    search = cma.CMAEvolutionStrategy([0.0] * 3, 0.3, {"bounds": [-10.0, 10.0], "seed": 1, "verbose": -9})
    while search.countevals < evaluations:
        asked = search.ask()
        search.tell(asked, np.mean(bare_losses(problem, np.array(asked), held), axis=0).tolist())


def main() -> None:
    """Print a line for each of the three."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    repeats = parser.parse_args().repeats
    problem, data = Choose(), instances(100)
    weights = np.array([1.0, 0.5, 0.1])
    pipeline = Pipeline(problem, weights, safe=False)
    pipeline.solve(data[0])
    plain = best(lambda: bare_solves(problem, weights, data), repeats) / len(data)
    ours = best(lambda: [pipeline.solve(x, bound=False) for x in data], repeats) / len(data)
    print(f"solve: bare {plain * 1e6:.1f} µs, ours {ours * 1e6:.1f} µs: {(ours - plain) * 1e6:+.1f} µs")
    few = data[:10]
    held = [(x, problem.features(x), problem.scale(x)) for x in few]
    evaluator = evaluator_for(bind(problem), few)
    for rows in (1, 8, 100):
        W = np.random.default_rng(1).normal(size=(rows, 3))
        plain = best(lambda W=W: bare_losses(problem, W, held), repeats) / (rows * len(few))
        ours = best(lambda W=W: evaluator.losses(W), repeats) / (rows * len(few))
        said = f"bare {plain * 1e6:.1f} µs, ours {ours * 1e6:.1f} µs: {ours / plain:.2f} times"
        print(f"loss, {rows} rows of weights: {said}")
    W = np.random.default_rng(1).normal(size=(1000, 3))
    plain = best(lambda: [bare_losses(problem, row[None, :], held) for row in W], 3)
    options = {"method": "cma-es", "evaluations": 1000, "validation": 0.0, "portfolio": 1, "workers": 1}
    ours = best(lambda: Pipeline(problem, safe=False).fit(few, **options), 3)
    print(f"fit, 1000 evaluations: bare {plain:.3f} s, ours {ours:.3f} s: {ours / plain:.2f} times")
    plain = best(lambda: bare_search(problem, held, 1000), 3)
    print(f"fit, 1000 evaluations: bare with pycma {plain:.3f} s: {ours / plain:.2f} times")


if __name__ == "__main__":
    main()
