"""`auto` and `srl` against CMA-ES on problems written as a user would: `python benchmarks/own_problems.py [--seeds 5]`.

Three problems that are nowhere else in this repository, a few features each, none of them tuned: a knapsack of five
dimensions filled in the order of θ; a set cover taken in the order of θ and pruned; a spanning tree whose nodes of many
edges cost more. Each learner gets the same 30 instances and 1000 evaluations; the weights of every seed are compared on
the same 200 other instances, paired. Writes benchmarks/results/own_problems.json. About five minutes on one core.
"""

from __future__ import annotations

import argparse
import time

import msgspec
import numpy as np
from measure import write_results

from colayer import BaseProblem, Pipeline, check_problem
from colayer.comparison.paired import difference
from colayer.display.tables import duration, percent, table
from colayer.layers import sorting
from colayer.layers.spanning_tree import minimum_spanning_tree

TRAIN, TEST, EVALUATIONS = 30, 200, 1000
METHODS = ("cma-es", "srl", "auto")


class KnapsackOfFive(BaseProblem):
    """Choose items of most value within five capacities; items are taken in the order of θ while they fit."""

    name = "knapsack-of-five"
    rows = 5
    feature_names = (
        "value", *(f"weight {k}" for k in range(rows)), *(f"weight {k} over value" for k in range(rows)),
        "total weight over value", "largest weight over value",
    )  # fmt: skip
    homogeneous = True
    safe_weights = np.array([0.0] * (1 + 2 * rows) + [1.0, 0.0])

    def features(self, instance):
        values, weights, capacities = instance
        shares = weights / capacities
        dear = shares / values[:, None] * values.mean()
        return np.column_stack([-values / values.mean(), shares, dear, dear.sum(axis=1), dear.max(axis=1)])

    def layer(self, theta, instance):
        return sorting.sort(theta)

    def decode(self, y, instance):
        _, weights, capacities = instance
        left, chosen = capacities.copy(), []
        for item in y:
            if (weights[item] <= left).all():
                left -= weights[item]
                chosen.append(int(item))
        return chosen

    def cost(self, solution, instance):
        return -float(instance[0][solution].sum())

    def scale(self, instance):
        return float(instance[0].sum())

    def embed(self, y, instance):
        return sorting.embed(y)

    def generate(self, seed, items=60):
        rng = np.random.default_rng(seed)
        weights = rng.integers(1, 1000, (items, self.rows)).astype(float)
        values = np.round(weights.mean(axis=1) + 500.0 * rng.random(items))
        return values, weights, np.floor(weights.sum(axis=0) * rng.uniform(0.2, 0.5, self.rows))


class SetCover(BaseProblem):
    """Cover all elements by sets of least cost: in the order of θ, sets that cover something new; then those go that
    are needed no more, the last first."""

    name = "set-cover"
    feature_names = (
        "cost", "size", "cost over size", "cost over rare size", "rarest element", "cost less the elements' cheapest",
        "cost over size squared", "elements that are cheapest here",
    )  # fmt: skip
    homogeneous = True
    safe_weights = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0])

    def features(self, instance):
        costs, member = instance
        size, often = member.sum(axis=1), member.sum(axis=0)
        rare = (member / often).sum(axis=1)
        cheapest = np.where(member, (costs / size)[:, None], np.inf).min(axis=0)
        first = (np.where(member, (costs / size)[:, None], np.inf) <= cheapest) & member
        mean = costs.mean()
        return np.column_stack([
            costs / mean, size / size.mean(), costs / size / mean * size.mean(), costs / rare / mean * rare.mean(),
            np.where(member, often, np.inf).min(axis=1) / often.mean(),
            (costs - (member * cheapest).sum(axis=1)) / mean,
            costs / size**2 / mean * size.mean() ** 2, -first.sum(axis=1) / size,
        ])  # fmt: skip

    def layer(self, theta, instance):
        return sorting.sort(theta)

    def decode(self, y, instance):
        _, member = instance
        covered, chosen = np.zeros(member.shape[1], dtype=np.int64), []
        for k in y:
            if (covered[member[k]] == 0).any():
                covered += member[k]
                chosen.append(int(k))
                if covered.all():
                    break
        for k in reversed(chosen[:]):
            if (covered[member[k]] > 1).all():
                covered -= member[k]
                chosen.remove(k)
        return chosen

    def cost(self, solution, instance):
        return float(instance[0][solution].sum())

    def scale(self, instance):
        return float(instance[0].mean())

    def embed(self, y, instance):
        return sorting.embed(y)

    def generate(self, seed, sets=80, elements=60):
        rng = np.random.default_rng(seed)
        member = rng.random((sets, elements)) < rng.uniform(0.03, 0.2, sets)[:, None]
        member[rng.integers(0, sets, elements), np.arange(elements)] = True  # every element is somewhere
        member[np.arange(sets), rng.integers(0, elements, sets)] = True  # no set is empty
        return np.round(10.0 + 90.0 * rng.random(sets) + 3.0 * member.sum(axis=1)), member


class BranchingTree(BaseProblem):
    """A spanning tree of least length plus a price for every node, that of the square of its edges above two."""

    name = "branching-tree"
    feature_names = (
        "length", "ends' degree", "largest degree", "length over the ends' mean", "rank at the ends", "smaller rank",
    )  # fmt: skip
    homogeneous = True
    safe_weights = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])

    def features(self, instance):
        nodes, edges, lengths = instance
        tail, head = edges.T
        degree = np.bincount(edges.ravel(), minlength=nodes)
        total = np.bincount(edges.ravel(), weights=np.repeat(lengths, 2), minlength=nodes)
        ranks = np.empty((len(edges), 2))
        for node in range(nodes):
            at = np.flatnonzero((edges == node).any(axis=1))
            rank = np.argsort(np.argsort(lengths[at], kind="stable"), kind="stable")
            ranks[at, (edges[at, 1] == node).astype(int)] = rank
        both = np.column_stack([degree[tail], degree[head]])
        mean = (total / degree)[edges].mean(axis=1)
        return np.column_stack([
            lengths / lengths.mean(), both.sum(axis=1) / 10.0, both.max(axis=1) / 10.0, lengths / mean,
            ranks.sum(axis=1) / 5.0, ranks.min(axis=1) / 5.0,
        ])  # fmt: skip

    def layer(self, theta, instance):
        nodes, edges, _ = instance
        return minimum_spanning_tree(nodes, edges, theta)

    def cost(self, solution, instance):
        nodes, edges, lengths = instance
        degree = np.bincount(edges[solution].ravel(), minlength=nodes)
        return float(lengths[solution].sum() + 30.0 * (np.maximum(degree - 2, 0) ** 2).sum())

    def scale(self, instance):
        return float(instance[2].mean() * instance[0])

    def embed(self, y, instance):
        vector = np.zeros(len(instance[1]))
        vector[y] = 1.0
        return vector

    def generate(self, seed, nodes=60):
        rng = np.random.default_rng(seed)
        place = 100.0 * rng.random((nodes, 2))
        apart = np.sqrt(((place[:, None] - place) ** 2).sum(axis=2))
        near = np.argsort(apart, axis=1, kind="stable")[:, 1:8]
        pairs = {(min(i, j), max(i, j)) for i in range(nodes) for j in near[i].tolist()}
        pairs |= {(k, k + 1) for k in range(nodes - 1)}  # connected
        edges = np.array(sorted(pairs))
        return nodes, edges, apart[edges[:, 0], edges[:, 1]]


PROBLEMS = (KnapsackOfFive(), SetCover(), BranchingTree())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    seeds = range(parser.parse_args().seeds)
    rows, cells = [], []
    for problem in PROBLEMS:
        check_problem(problem, [problem.generate(seed) for seed in range(3)]).raise_for_failures()
        train = [problem.generate(seed) for seed in np.random.SeedSequence([1]).spawn(TRAIN)]
        test = [problem.generate(seed) for seed in np.random.SeedSequence([2]).spawn(TEST)]
        solved = lambda weights: np.array(  # noqa: E731
            [pipeline.solve(x).cost for x in test for pipeline in [Pipeline(problem, weights, safe=False)]]  # noqa: B023
        )
        safe = solved(problem.safe_weights)
        costs: dict[str, list[np.ndarray]] = {}
        for method in METHODS:
            begin = time.process_time()
            fitted = [
                Pipeline(problem, problem.safe_weights, safe=False).fit(
                    train, method=method, evaluations=EVALUATIONS, seed=seed, portfolio=1
                )
                for seed in seeds
            ]
            seconds = (time.process_time() - begin) / len(seeds)
            costs[method] = [solved(pipeline.model.raw()) for pipeline in fitted]
            mean = np.mean(costs[method], axis=0)
            gains = [float(((c - safe) / np.abs(safe)).mean()) for c in costs[method]]
            reference = np.mean(costs["cma-es"], axis=0)
            apart = None if method == "cma-es" else difference(mean.tolist(), reference.tolist(), "cma-es")
            rows.append({
                "problem": problem.name, "method": method, "against_safe_weights": gains, "seconds": seconds,
                "difference": None if apart is None else msgspec.to_builtins(apart),
            })  # fmt: skip
            spread = float(np.std(gains, ddof=1)) if len(gains) > 1 else 0.0
            shown = percent(float(np.mean(gains)), 3), percent(spread, 3), duration(seconds)
            cells.append([problem.name, method, *shown, "" if apart is None else apart.words])
            print(*cells[-1], flush=True)
    write_results("own_problems", {"rows": rows})
    columns = ["problem", "learner", "against safe weights", "spread of seeds", "CPU time", "against cma-es"]
    print(table(columns, cells).text())


if __name__ == "__main__":
    main()
