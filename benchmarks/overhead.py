"""What colayer adds to a user's problem in plain Python: `python benchmarks/overhead.py [--items N …] [--force]`.

Against a bare loop over the same five methods with the same weights, θ by numpy's product: one solve, the losses of an
evaluator, and a search of 1000 evaluations by CMA-ES, also against the loop with pycma around it. Work takes turns, the
best of the rounds counts. The goals: 0.05 ms more per solve, 1.3 times the loop for `fit`. With 100 items a solve takes
microseconds, which shows what a search costs; with 500 it takes as long as plain Python usually does.
"""

from __future__ import annotations

import argparse

import cma
import numpy as np
from measure import Bench, add_force

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


def instances(count: int, items: int) -> list[tuple[list[float], list[float]]]:
    """Lists of prices and risks, as a user without numpy would write them."""
    random = np.random.default_rng(0)
    return [tuple(random.uniform(size=(2, items)).tolist()) for _ in range(count)]


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


def measured(bench: Bench, items: int, rounds: int) -> dict[str, dict[str, float]]:
    """CPU seconds of each work, the bare loop beside ours."""
    problem, data = Choose(), instances(100, items)
    weights, W = np.array([1.0, 0.5, 0.1]), np.random.default_rng(1).normal(size=(1000, 3))
    pipeline, few = Pipeline(problem, weights, safe=False), data[:10]
    held = [(x, problem.features(x), problem.scale(x)) for x in few]
    evaluator = evaluator_for(bind(problem), few)
    options = {"method": "cma-es", "evaluations": len(W), "validation": 0.0, "portfolio": 1, "workers": 1}
    works = {
        "100 solves": {
            "bare": lambda: bare_solves(problem, weights, data),
            "colayer": lambda: [pipeline.solve(x, bound=False) for x in data],
        },
        **{
            f"losses, {rows} rows at a time": {
                "bare": lambda rows=rows: [bare_losses(problem, W[k : k + rows], held) for k in range(0, 200, rows)],
                "colayer": lambda rows=rows: [evaluator.losses(W[k : k + rows]) for k in range(0, 200, rows)],
            }
            for rows in (1, 8, 100)
        },
        "fit, 1000 evaluations": {
            "bare": lambda: [bare_losses(problem, row[None, :], held) for row in W],
            "bare, pycma": lambda: bare_search(problem, held, len(W)),
            "colayer": lambda: Pipeline(problem, safe=False).fit(few, **options),
        },
    }
    return {name: {who: time.cpu for who, time in bench.in_turns(work, rounds).items()} for name, work in works.items()}


def main() -> None:
    """Print a line for each, and write results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, nargs="*", default=[100, 500])
    parser.add_argument("--rounds", type=int, default=9)
    add_force(parser)
    arguments = parser.parse_args()
    bench = Bench("overhead", arguments.force)
    found = {f"{items} items": measured(bench, items, arguments.rounds) for items in arguments.items}
    for items, works in found.items():
        for name, times in works.items():
            others = ", ".join(f"{times['colayer'] / times[who]:.2f}× {who}" for who in times if who != "colayer")
            print(f"{items}, {name}: {1e3 * times['colayer']:.2f} ms, {others}")
    items = " ".join(map(str, arguments.items))
    command = f"python benchmarks/overhead.py --items {items} --rounds {arguments.rounds}"
    bench.write({"command": command, "cpu_seconds": found})


if __name__ == "__main__":
    main()
