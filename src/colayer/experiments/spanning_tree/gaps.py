"""`tree-gap`: gaps on the test set by number of vertices, learned pipelines beside the benchmarks of the paper."""

from __future__ import annotations

from typing import Any

import numpy as np

from colayer.experiments.frame.config import Config
from colayer.experiments.frame.judge import both, less
from colayer.experiments.frame.learned import learn
from colayer.experiments.frame.outcome import outcome_of
from colayer.experiments.frame.predict import Predicted, predict
from colayer.experiments.frame.store import Run
from colayer.experiments.spanning_tree import learners as tree
from colayer.learning.demonstration.fenchel_young import FenchelYoung
from colayer.learning.experience.auto import Auto
from colayer.models import Model
from colayer.pipeline import Pipeline
from colayer.pretrained import pretrained
from colayer.problems import SpanningTree
from colayer.report.outcome import Cell, Column, Conclusion, Outcome, Picture, Sheet

APPROXIMATION, HEURISTIC = "approximation algorithm", "Lagrangian heuristic"
DEMONSTRATION, EXPERIENCE = "by demonstration (Fenchel-Young)", "by experience (DIRECT, ε = 0.001)"
AUTO, SHIPPED = "by experience, colayer's default", "shipped with colayer"
#: Percentage points within which the paper's figure shows two gaps as equal.
RESOLUTION = 0.1


def experiment(run: Run, config: Config) -> Outcome:
    """Learn, predict on the test set, group by number of vertices."""
    test = tree.held(config, "test")
    known = tree.bounded(run, test)
    bounds = np.array([row["bound"] for row in known])
    found: dict[str, Predicted] = {
        HEURISTIC: Predicted(np.array([row["cost"] for row in known]), np.array([row["cpu"] for row in known]))
    }
    for name, (problem, model) in _models(run, config).items():
        found[name] = predict(run, problem, model, test, what=f"test set, {name}")
    nodes = np.array([instance.nodes for instance in test.values])
    gaps = {name: tree.gaps(result.costs, bounds) for name, result in found.items()}
    return outcome_of(
        run,
        config,
        sheets=[_summary(found, gaps), _by_nodes(gaps, nodes)],
        pictures=[_picture(run, config, gaps, nodes)],
        conclusions=_conclusions(found, gaps),
        seeds="0",
        instances=f"{len(bounds)} to test on",
    )


def _models(run: Run, config: Config) -> dict[str, tuple[SpanningTree, Model]]:
    paper, ours = SpanningTree(config["features"]), SpanningTree()
    safe = Pipeline(paper, paper.safe_weights).model  # the approximation algorithm is the pipeline of these
    data = tree.training(config, "demonstration_per_cell")
    method = FenchelYoung(epsilon=config["demonstration_epsilon"], samples=config["demonstration_samples"])
    demonstrated = learn(
        run, paper, data, what="train: by demonstration", method=method, evaluations=config["passes"],
        solutions=tree.labels(run, data),
    )  # fmt: skip
    auto = learn(
        run, ours, tree.training(config, "auto_per_cell"), what=f"train: {AUTO}", method=Auto(),
        evaluations=config["auto_evaluations"], validation=0.2,
    )  # fmt: skip
    models: dict[str, tuple[SpanningTree, Model]] = {
        APPROXIMATION: (paper, safe),
        DEMONSTRATION: (paper, demonstrated.linear()),
        EXPERIENCE: (paper, tree.experienced(run, config, config["chosen"]).linear()),
        AUTO: (ours, auto.linear()),
    }
    shipped = pretrained(ours)
    return models if shipped is None else models | {SHIPPED: (ours, shipped)}


def _summary(found: dict[str, Predicted], gaps: dict[str, Any]) -> Sheet:
    columns = (Column("algorithm"), Column("mean gap", "%"), Column("worst gap", "%"), Column("CPU time", "s"))
    rows = tuple(
        (Cell(name), Cell(float(g.mean())), Cell(float(g.max())), Cell(float(found[name].cpu.mean())))
        for name, g in gaps.items()
    )
    return Sheet("summary", "Gaps over the whole test set", columns, rows, "CPU time of one prediction, mean.")


def _by_nodes(gaps: dict[str, Any], nodes: Any) -> Sheet:
    sizes = np.unique(nodes).tolist()
    columns = [Column("algorithm")]
    for n in sizes:
        columns += [Column(f"|V| = {n}, mean gap", "%"), Column(f"|V| = {n}, worst gap", "%")]
    rows = []
    for name, g in gaps.items():
        cells = [Cell(name)]
        for n in sizes:
            cells += [Cell(float(g[nodes == n].mean())), Cell(float(g[nodes == n].max()))]
        rows.append(tuple(cells))
    return Sheet("by_nodes", "Gaps by number of vertices", tuple(columns), tuple(rows))


def _picture(run: Run, config: Config, gaps: dict[str, Any], nodes: Any) -> Picture:
    from colayer.experiments.frame.figures import line_figure, new_axes
    from colayer.report.figures import save

    run.report("figures", 0, 1)
    sizes = np.unique(nodes).tolist()
    series = {}
    for name, g in gaps.items():
        series[name] = (sizes, [float(g[nodes == n].mean()) for n in sizes])
        series[f"{name}, worst"] = (sizes, [float(g[nodes == n].max()) for n in sizes])
    dashed = [name for name in series if name.endswith(", worst")]
    axes = new_axes((8.6, 4.2))[0]
    y = "gap to the Lagrangian bound (%)"
    line_figure(series, x="number of vertices |V|", y=y, ax=axes, log_y=True, ticks=sizes, dashed=dashed)
    axes.set_title("Gap on the test set")
    save(axes, run.folder / config.name / "gaps.svg")
    return Picture(
        "gaps.svg", "Gap by number of vertices", "Solid: mean; dashed: worst. The axis of gaps is logarithmic."
    )


def _conclusions(found: dict[str, Predicted], gaps: dict[str, Any]) -> list[Conclusion]:
    mean = {name: float(g.mean()) for name, g in gaps.items()}
    seconds = {name: float(result.cpu.mean()) for name, result in found.items()}
    learned = (DEMONSTRATION, EXPERIENCE)
    ratio = seconds[HEURISTIC] / seconds[EXPERIENCE]
    words = ", ".join(f"{name} {value:.3f} %" for name, value in mean.items())
    return [
        Conclusion(
            "The pipelines learned by imitation and by experience match the Lagrangian heuristic "
            f"(to {RESOLUTION:g} of a percentage point of the mean gap)",
            all(mean[name] <= mean[HEURISTIC] + RESOLUTION for name in learned),
            f"mean gaps: {words}",
        ),
        Conclusion(
            "The learned pipelines and the Lagrangian heuristic clearly outperform the approximation algorithm",
            both(*(less(gaps[name], gaps[APPROXIMATION]) for name in (*learned, HEURISTIC))),
            f"mean gaps: {words}",
        ),
        Conclusion(
            "The learned pipeline is four orders of magnitude faster than the Lagrangian heuristic",
            ratio >= 10**3.5,
            f"{seconds[EXPERIENCE] * 1e3:.2f} ms against {seconds[HEURISTIC] * 1e3:.2f} ms of CPU, a factor of "
            f"{ratio:.3g}: our Lagrangian heuristic needs tens of iterations, the paper's 50,000",
        ),
    ]
