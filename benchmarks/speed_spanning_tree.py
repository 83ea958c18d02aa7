"""Speed of the two-stage spanning tree: `python benchmarks/speed_spanning_tree.py`.

Kruskal beside scipy and networkx on the same costs, without and with the checks of its input, then the pipeline by
width and one loss evaluation over the training set. Times are best of several, as many for all that are compared. The
output, with the machine, also goes to benchmarks/results/speed_spanning_tree.json, if the machine was quiet or with
--force.
"""

from __future__ import annotations

import argparse

import networkx
import numpy as np
from measure import Bench, Time, add_force
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree as scipy_tree

from colayer import Pipeline, __version__
from colayer.display.tables import duration, table
from colayer.layers.spanning_tree import kruskal_into, minimum_spanning_tree, order_of
from colayer.models import thetas
from colayer.problems import SpanningTree
from colayer.problems.spanning_tree.lagrangian import lagrangian
from colayer_paper.spanning_tree.datasets import PAPER_WIDTHS, paper_set

#: Costs of a tree in a round, and rounds of everyone who finds trees.
COSTS, ROUNDS = 20, 10


def tree_times(bench: Bench, width: int = 60) -> dict[str, Time]:
    """The time of one minimum spanning tree, by who finds it; the trees cost the same, or this fails.

    scipy reads a zero as "no edge", so costs are drawn from the reals. Graphs are built before the clock starts. Each
    round goes through several costs: one alone would teach the branch predictor its order.
    """
    instance = SpanningTree().generate(seed=7, width=width)
    u, v, _, _ = instance.arrays
    costs = np.random.default_rng(7).uniform(-20.0, -1.0, (COSTS, len(u)))
    matrices = [csr_array((c, (u, v)), shape=(instance.nodes, instance.nodes)) for c in costs]
    graphs = [networkx.Graph() for _ in costs]
    for graph, c in zip(graphs, costs, strict=True):
        graph.add_weighted_edges_from(zip(u.tolist(), v.tolist(), c.tolist(), strict=True))

    def kernel(c: np.ndarray) -> np.ndarray:
        tree = np.empty(instance.nodes - 1, dtype=np.int64)
        kruskal_into(u, v, order_of(c), np.full(instance.nodes, -1, dtype=np.int32), tree)
        return tree

    def checked(c: np.ndarray) -> np.ndarray:
        return minimum_spanning_tree(instance.nodes, instance.edges, c)

    for c, matrix, graph in zip(costs, matrices, graphs, strict=True):
        found = [c[kernel(c)].sum(), c[checked(c)].sum(), scipy_tree(matrix).sum()]
        found.append(sum(d["weight"] for *_, d in networkx.minimum_spanning_edges(graph)))
        if not np.allclose(found, found[0], rtol=1e-12):
            raise SystemExit(f"trees of different costs: {found}")
    works = {
        "colayer, without checks": lambda: [kernel(c) for c in costs],
        "colayer, with checks": lambda: [checked(c) for c in costs],
        "scipy.sparse.csgraph": lambda: [scipy_tree(matrix) for matrix in matrices],
        "networkx": lambda: [list(networkx.minimum_spanning_edges(graph, data=False)) for graph in graphs],
    }
    return {name: time / COSTS for name, time in bench.in_turns(works, ROUNDS).items()}


def pipeline_times(bench: Bench, widths: list[int]) -> dict[int, dict[str, Time | int]]:
    """Seconds by width, 20 scenarios: each arrow, the whole pipeline, and the certified solve."""
    pipeline = Pipeline(SpanningTree(), safe=False)
    problem, raw = pipeline.problem, pipeline.model.raw()[None, :]
    rows = {}
    for width in widths:
        instance = problem.generate(seed=7, width=width, scenarios=20)
        pipeline.solve(instance)  # compile, and sort the scenarios
        lagrangian(instance, iterations=2)
        features = problem.features(instance)
        theta = thetas(features, raw)[0]
        y = problem.layer(theta, instance)
        certified = lagrangian(instance).iterations
        works = {
            "features": lambda i=instance: problem.features(i),
            "theta": lambda f=features: thetas(f, raw),
            "layer": lambda t=theta, i=instance: problem.layer(t, i),
            "layer from features": lambda f=features, i=instance: problem.layer(thetas(f, raw)[0], i),
            "decoder": lambda s=y, i=instance: problem.decode(s, i),
            "pipeline": lambda i=instance: pipeline.solve(i),
            "certified": lambda i=instance: lagrangian(i),
        }
        rows[width] = {name: bench.best_of(work) for name, work in works.items()} | {"certified iterations": certified}
    return rows


def loss_times(bench: Bench, per_cell: int) -> dict[str, Time | int]:
    """Seconds of one loss evaluation over the training set."""
    instances = paper_set("training", per_cell)
    evaluator = SpanningTree().evaluator(instances, workers=2)
    weights = np.random.default_rng(0).normal(size=(20, len(SpanningTree().feature_names)))
    evaluator.losses(weights[:1])
    works = {
        "one weight vector": lambda: evaluator.losses(weights[:1]),
        "each of 20 at once": lambda: evaluator.losses(weights),
    }
    out = bench.in_turns(works, 3, alone=False)  # two threads
    out["each of 20 at once"] /= 20
    evaluator.close()
    return {"instances": len(instances), **out}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-cell", type=int, default=5, help="training instances per cell; 5 gives the paper's 600")
    parser.add_argument("--widths", type=int, nargs="*", default=list(PAPER_WIDTHS), help="of the pipeline")
    add_force(parser)
    arguments = parser.parse_args()
    bench = Bench("speed_spanning_tree", arguments.force)
    trees, pipeline = tree_times(bench), pipeline_times(bench, arguments.widths)
    loss = loss_times(bench, arguments.per_cell)
    document = {
        "command": f"python benchmarks/speed_spanning_tree.py --per-cell {arguments.per_cell}",
        "colayer": __version__,
        "tree_width_60": trees,
        "pipeline_by_width_20_scenarios": pipeline,
        "loss_training_set": loss,
    }

    plain, checked = trees["colayer, without checks"].cpu, trees["colayer, with checks"].cpu
    rows = [
        [name, duration(t.cpu), duration(t.wall), f"{t.cpu / plain:.1f}", f"{t.cpu / checked:.1f}"]
        for name, t in trees.items()
    ]
    headers = ["spanning tree, 3600 nodes, 7080 edges", "CPU time", "wall time", "x without checks", "x with checks"]
    print(table(headers, rows).text())
    arrows = [name for name in pipeline[arguments.widths[0]] if name != "certified iterations"]
    rows = [
        [width, *(duration(row[name].wall) for name in arrows), f"{row['certified'].wall / row['pipeline'].wall:.0f}"]
        for width, row in pipeline.items()
    ]
    print(table(["width", *arrows, "times faster"], rows).text())
    print(
        f"one loss evaluation over {loss['instances']} training instances: {duration(loss['one weight vector'].wall)}, "
        f"{duration(loss['each of 20 at once'].wall)} for each of 20 at once"
    )
    bench.write(document)


if __name__ == "__main__":
    main()
