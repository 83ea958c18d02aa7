"""Solution quality of the shipped weights on the paper's test distribution: two-stage spanning tree.

`python benchmarks/quality_spanning_tree.py`: mean and worst gap to the Lagrangian bound over 6 widths × 5 K × 4
scenario counts × PER_CELL test instances, none of which was learned on; the learned pipelines with and without the safe
weights as a fallback, the approximation algorithm, E_1 = ∅ and the certified solve beside them. Bounds are kept in
`runs/` as they come, so that a run that was stopped goes on. Writes benchmarks/results/quality_spanning_tree.json,
which `docs/_site/figures.py` draws.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec
import numpy as np
from measure import machine

from colayer import Comparison, Pipeline, __version__, evaluate
from colayer.comparison.table import Result
from colayer.display.tables import duration, percent, table
from colayer.io.hashing import content_hash
from colayer.pretrained import pretrained
from colayer.problem.bind import bind
from colayer.problem.gap import gap
from colayer.problems import SpanningTree
from colayer.problems.spanning_tree.lagrangian import lagrangian
from colayer_paper.spanning_tree.datasets import paper_set

ROOT = Path(__file__).parent.parent


class Kept:
    """What the certified solve found for each instance: cost, bound and seconds."""

    def __init__(self, problem: SpanningTree, instances: list, path: Path) -> None:
        path.parent.mkdir(exist_ok=True)
        lines = path.read_bytes().splitlines() if path.exists() else []
        known = {record["data"]: record for record in map(msgspec.json.decode, lines)}
        self.records: list[dict] = []
        lagrangian(instances[0], iterations=2)  # compile
        with path.open("ab") as log:
            for k, instance in enumerate(instances):
                data = content_hash(bind(problem), [instance])
                if data not in known:
                    found = lagrangian(instance)
                    record = {
                        "data": data,
                        "cost": found.cost,
                        "bound": found.bound,
                        "seconds": found.seconds,
                        "iterations": found.iterations,
                    }
                    log.write(msgspec.json.encode(record) + b"\n")
                    log.flush()
                    known[data] = record
                self.records.append(known[data])
                if k % 20 == 0:
                    sys.stderr.write(f"bounded {k + 1} of {len(instances)}\n")

    def beside(self, comparison: Comparison) -> Comparison:
        """The comparison with the certified solve as its last contender."""
        width, results = len(comparison.contenders), []
        for i, record in enumerate(self.records):
            others = comparison.results[i * width : (i + 1) * width]
            scale, group = others[0].scale, others[0].group
            found = Result("certified", i, record["cost"], record["bound"], scale, record["seconds"], group)
            results += [*others, found]
        return Comparison(comparison.problem, (*comparison.contenders, "certified"), tuple(results))


def contenders() -> dict:
    plain = SpanningTree()
    chosen: dict = {rule: lambda x, rule=rule: plain.baseline(rule, x) for rule in plain.baselines}
    for features in ("cost", "indicator"):
        problem = SpanningTree(features=features)
        if pretrained(problem) is not None:
            for safe in (False, True):
                chosen[f"learned, {features}" + ", safe" * safe] = Pipeline(problem, safe=safe)
    return chosen


def summarise(comparison: Comparison) -> list[dict]:
    return [
        {
            "contender": row.contender,
            "mean_gap": row.mean_gap,
            "worst_gap": row.worst_gap,
            "mean_seconds": row.mean_seconds,
        }
        for row in comparison.summary()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-cell", type=int, default=2, help="instances per cell; 2 gives 240, 5 the paper's 600")
    arguments = parser.parse_args()
    instances = paper_set("test", arguments.per_cell)
    problem = SpanningTree()
    certified = Kept(problem, instances, Path("runs") / "quality-spanning-tree.jsonl")
    bounds = [record["bound"] for record in certified.records]
    comparison = certified.beside(evaluate(problem, instances, contenders(), bounds=bounds))
    by_nodes: dict[str, dict[int, dict[str, float | None]]] = {}
    for row in comparison.by("nodes"):
        cell = {"mean_gap": row.mean_gap, "worst_gap": row.worst_gap, "mean_seconds": row.mean_seconds}
        by_nodes.setdefault(row.contender, {})[int(row.group["nodes"])] = cell
    closed = np.array([gap(record["cost"], record["bound"]) for record in certified.records])
    rows = summarise(comparison)
    document = {
        "command": f"python benchmarks/quality_spanning_tree.py --per-cell {arguments.per_cell}",
        "colayer": __version__,
        "machine": machine(),
        "instances": len(instances),
        "certified_share_within_0.01_percent": float((closed <= 1e-4).mean()),
        "certified_worst_gap": float(closed.max()),
        "rows": rows,
        "by_nodes": by_nodes,
    }
    output = ROOT / "benchmarks" / "results" / "quality_spanning_tree.json"
    output.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")
    cells = [
        [r["contender"], percent(r["mean_gap"]), percent(r["worst_gap"]), duration(r["mean_seconds"])] for r in rows
    ]
    print(table(["contender", "mean gap", "worst gap", "time"], cells).text())
    share = float((closed <= 1e-4).mean())
    print(f"bound and heuristic within 0.01 % on {share:.1%} of {len(instances)}, worst {closed.max():.4%}")


if __name__ == "__main__":
    main()
