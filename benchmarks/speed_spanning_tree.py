"""Speed of the two-stage spanning tree: `python benchmarks/speed_spanning_tree.py`.

Kruskal beside scipy and networkx on the same costs, then the pipeline by width and one loss evaluation over the
training set. Times are best of several, ratios are measured side by side in one run. The output, with the machine, also
goes to experiments/results/speed_spanning_tree.json.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec
import networkx
import numpy as np
from measure import best_of, machine
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree as scipy_tree

from colayer import Pipeline, __version__
from colayer.compose import features_of
from colayer.layers.spanning_tree import kruskal_into, minimum_spanning_tree, order_of
from colayer.models import thetas
from colayer.problems import SpanningTree
from colayer.problems.spanning_tree.datasets import PAPER_WIDTHS, paper_set
from colayer.problems.spanning_tree.lagrangian import lagrangian
from colayer.report.tables import duration, table

RESULTS = Path(__file__).parent.parent / "experiments" / "results" / "speed_spanning_tree.json"


def tree_times(width: int = 60) -> dict[str, float]:
    """Seconds of one minimum spanning tree, by who finds it; the trees cost the same, or this fails.

    scipy reads a zero as "no edge", so costs are drawn from the reals. Graphs are built before the clock starts.
    """
    instance = SpanningTree().generate(seed=7, width=width)
    u, v, _, _ = instance.arrays
    costs = np.random.default_rng(7).uniform(-20.0, -1.0, len(u))
    matrix = csr_array((costs, (u, v)), shape=(instance.nodes, instance.nodes))
    graph = networkx.Graph()
    graph.add_weighted_edges_from(zip(u.tolist(), v.tolist(), costs.tolist(), strict=True))
    tree = np.empty(instance.nodes - 1, dtype=np.int64)

    def kernel() -> None:
        kruskal_into(u, v, order_of(costs), np.full(instance.nodes, -1, dtype=np.int32), tree)

    kernel()
    ours = costs[tree].sum()
    theirs = [scipy_tree(matrix).sum(), sum(d["weight"] for *_, d in networkx.minimum_spanning_edges(graph))]
    if not np.allclose(theirs, ours, rtol=1e-12):
        raise SystemExit(f"trees of different costs: {ours}, {theirs}")
    return {
        "colayer, kernel": best_of(kernel, 200),
        "colayer, with checks": best_of(lambda: minimum_spanning_tree(instance.nodes, instance.edges, costs), 50),
        "scipy.sparse.csgraph": best_of(lambda: scipy_tree(matrix), 200),
        "networkx": best_of(lambda: list(networkx.minimum_spanning_edges(graph, data=False)), 5),
    }


def pipeline_times() -> dict[int, dict[str, float]]:
    """Seconds by width, 20 scenarios: each arrow, the whole pipeline, and the certified solve."""
    pipeline = Pipeline(SpanningTree(), safe=False)
    problem, raw = pipeline.problem, pipeline.model.raw()[None, :]
    rows = {}
    for width in PAPER_WIDTHS:
        instance = problem.generate(seed=7, width=width, scenarios=20)
        pipeline.solve(instance)  # compile, and sort the scenarios
        lagrangian(instance, iterations=2)
        features = features_of(problem, instance)
        theta = thetas(features, raw)[0]
        y = problem.layer(theta, instance)
        certified = lagrangian(instance)
        rows[width] = {
            "features": best_of(lambda i=instance: features_of(problem, i)),
            "theta": best_of(lambda f=features: thetas(f, raw)),
            "layer": best_of(lambda t=theta, i=instance: problem.layer(t, i), 20),
            "layer from features": best_of(lambda f=features, i=instance: problem.layer(thetas(f, raw)[0], i), 20),
            "decoder": best_of(lambda s=y, i=instance: problem.decode(s, i)),
            "pipeline": best_of(lambda i=instance: pipeline.solve(i)),
            "certified": certified.seconds,
            "certified iterations": certified.iterations,
        }
    return rows


def loss_times(per_cell: int) -> dict[str, float]:
    """Seconds of one loss evaluation over the training set."""
    instances = paper_set("training", per_cell)
    evaluator = SpanningTree().evaluator(instances, workers=2)
    weights = np.random.default_rng(0).normal(size=(20, len(SpanningTree().feature_names)))
    evaluator.losses(weights[:1])
    out = {
        "instances": len(instances),
        "one weight vector": best_of(lambda: evaluator.losses(weights[:1])),
        "each of 20 at once": best_of(lambda: evaluator.losses(weights), 2) / 20,
    }
    evaluator.close()
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-cell", type=int, default=5, help="training instances per cell; 5 gives the paper's 600")
    arguments = parser.parse_args()
    trees, pipeline, loss = tree_times(), pipeline_times(), loss_times(arguments.per_cell)
    document = {
        "command": f"python benchmarks/speed_spanning_tree.py --per-cell {arguments.per_cell}",
        "colayer": __version__,
        "machine": machine(),
        "tree_width_60": trees,
        "pipeline_by_width_20_scenarios": pipeline,
        "loss_training_set": loss,
    }
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")

    ours = trees["colayer, kernel"]
    rows = [[name, duration(t), f"{t / ours:.1f}"] for name, t in trees.items()]
    print(table(["spanning tree, 3600 nodes, 7080 edges", "time", "x kernel"], rows).text())
    arrows = [name for name in pipeline[PAPER_WIDTHS[0]] if name != "certified iterations"]
    rows = [
        [width, *(duration(row[name]) for name in arrows), f"{row['certified'] / row['pipeline']:.0f}"]
        for width, row in pipeline.items()
    ]
    print(table(["width", *arrows, "times faster"], rows).text())
    print(
        f"one loss evaluation over {loss['instances']} training instances: {duration(loss['one weight vector'])}, "
        f"{duration(loss['each of 20 at once'])} for each of 20 at once"
    )


if __name__ == "__main__":
    main()
