"""`tree-gap`: gaps on the test set by number of vertices, learned pipelines beside the benchmarks of the paper."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer.display.outcome import Conclusion, Outcome, Picture, Sheet
from colayer.models import Model
from colayer.pipeline import Pipeline
from colayer.pretrained import pretrained
from colayer.problems import SpanningTree
from colayer_paper.frame.config import Config
from colayer_paper.frame.figures import line_figure, new_axes
from colayer_paper.frame.judge import apart, both, less
from colayer_paper.frame.outcome import outcome_of, picture
from colayer_paper.frame.predict import Predicted, gaps, predict, prediction
from colayer_paper.frame.sheets import against, cells, columns, compared_unless
from colayer_paper.frame.store import Run
from colayer_paper.spanning_tree import learners as tree

Gaps = dict[str, Floats]

APPROXIMATION, HEURISTIC = "approximation algorithm", "Lagrangian heuristic"
DEMONSTRATION, EXPERIENCE = "by demonstration (Fenchel-Young)", "by experience (DIRECT, ε = 0.001)"
AUTO, SHIPPED = "by experience, colayer's default", "shipped with colayer"
#: Percentage points within which the paper's figure shows two gaps as equal.
RESOLUTION = 0.1


def learnings(run: Run, config: Config) -> list[tree.Tree]:
    """What is learned: by demonstration, by experience at the ε that the paper chose, and by default."""
    chosen = tree.by_experience(config, config["chosen"])
    return [tree.by_demonstration(run, config), chosen, tree.by_default(config)]


def experiment(run: Run, config: Config) -> Outcome:
    """Learn, predict on the test set, group by number of vertices."""
    test = tree.held(config, "test")
    known = tree.bounded(run, test)
    bounds = np.array([row["bound"] for row in known])
    found: dict[str, Predicted] = {
        HEURISTIC: Predicted(np.array([row["cost"] for row in known]), np.array([row["cpu"] for row in known]))
    }
    models = _models(run, config)
    stages = [prediction(problem, model, test, what=f"test set, {name}") for name, (problem, model) in models.items()]
    found |= dict(zip(models, predict(run, stages), strict=True))
    nodes = np.array([instance.nodes for instance in test.values])
    by_name = {name: gaps(result.costs, bounds) for name, result in found.items()}
    return outcome_of(
        run,
        config,
        sheets=[_summary(found, by_name), _by_nodes(by_name, nodes)],
        pictures=[_picture(run, config, by_name, nodes)],
        conclusions=conclusions(found, by_name),
        seeds="0",
        instances=f"{len(bounds)} to test on",
    )


def _models(run: Run, config: Config) -> dict[str, tuple[SpanningTree, Model]]:
    paper, ours = SpanningTree(config["features"]), SpanningTree()
    safe = Pipeline(paper, paper.safe_weights).model  # the approximation algorithm is the pipeline of these
    demonstrated, experienced, auto = (learning.learn(run) for learning in learnings(run, config))
    models: dict[str, tuple[SpanningTree, Model]] = {
        APPROXIMATION: (paper, safe),
        DEMONSTRATION: (paper, demonstrated.linear()),
        EXPERIENCE: (paper, experienced.linear()),
        AUTO: (ours, auto.linear()),
    }
    shipped = pretrained(ours)
    return models if shipped is None else models | {SHIPPED: (ours, shipped)}


def _summary(found: dict[str, Predicted], by_name: Gaps) -> Sheet:
    head = columns("algorithm", "mean gap (%)", "worst gap (%)", "CPU time (s)", *against(APPROXIMATION))
    known = found[APPROXIMATION].costs
    rows = tuple(
        cells(
            name,
            *_both(g),
            float(found[name].cpu.mean()),
            *compared_unless(name == APPROXIMATION, found[name].costs, known, APPROXIMATION),
        )
        for name, g in by_name.items()
    )
    caption = "CPU time of one prediction, mean. Differences are means of paired, relative differences of the cost."
    return Sheet("summary", "Gaps over the whole test set", head, rows, caption)


def _by_nodes(by_name: Gaps, nodes: NDArray[np.int64]) -> Sheet:
    sizes = np.unique(nodes).tolist()
    head = columns("algorithm", *(f"|V| = {n}, {which} gap (%)" for n in sizes for which in ("mean", "worst")))
    rows = tuple(cells(name, *(v for n in sizes for v in _both(g[nodes == n]))) for name, g in by_name.items())
    return Sheet("by_nodes", "Gaps by number of vertices", head, rows)


def _both(found: Floats) -> tuple[float, float]:
    """The mean gap and the worst."""
    return float(found.mean()), float(found.max())


def _picture(run: Run, config: Config, by_name: Gaps, nodes: NDArray[np.int64]) -> Picture:
    sizes = np.unique(nodes).tolist()
    series = {}
    for name, g in by_name.items():
        series[name] = (sizes, [float(g[nodes == n].mean()) for n in sizes])
        series[f"{name}, worst"] = (sizes, [float(g[nodes == n].max()) for n in sizes])
    dashed = [name for name in series if name.endswith(", worst")]
    axes = new_axes((8.6, 4.2))[0]
    y = "gap to the Lagrangian bound (%)"
    line_figure(series, x="number of vertices |V|", y=y, ax=axes, log_y=True, ticks=sizes, dashed=dashed)
    axes.set_title("Gap on the test set")
    caption = "Solid: mean; dashed: worst. The axis of gaps is logarithmic."
    return picture(run, config, axes, "gaps.svg", "Gap by number of vertices", caption)


def conclusions(found: dict[str, Predicted], by_name: Gaps) -> list[Conclusion]:
    """Those of the paper about the test set, from costs, times and gaps of every algorithm."""
    mean = {name: float(g.mean()) for name, g in by_name.items()}
    seconds = {name: float(result.cpu.mean()) for name, result in found.items()}
    learned = (DEMONSTRATION, EXPERIENCE)
    ratio = seconds[HEURISTIC] / seconds[EXPERIENCE]
    closed = mean[HEURISTIC] < RESOLUTION
    words = ", ".join(f"{name} {value:.3f} %" for name, value in mean.items())
    return [
        Conclusion(
            "The pipelines learned by imitation and by experience match the Lagrangian heuristic "
            f"(to {RESOLUTION:g} of a percentage point of the mean gap)",
            all(mean[name] <= mean[HEURISTIC] + RESOLUTION for name in learned),
            f"mean gaps: {words}; the paper's gap is 2.7 % on its validation set, to a looser bound",
            moot=closed,
            reason="Our Lagrangian heuristic closes the gap to its bound: the one that the paper's left is not there."
            if closed
            else "",
        ),
        Conclusion(
            "The learned pipelines and the Lagrangian heuristic clearly outperform the approximation algorithm",
            both(*(less(by_name[name], by_name[APPROXIMATION]) for name in (*learned, HEURISTIC))),
            f"mean gaps: {words}",
            test=apart(by_name[HEURISTIC], by_name[APPROXIMATION]).test,
        ),
        Conclusion(
            "The learned pipeline is four orders of magnitude faster than the Lagrangian heuristic",
            ratio >= 10**3.5,
            f"{seconds[EXPERIENCE] * 1e3:.2f} ms against {seconds[HEURISTIC] * 1e3:.2f} ms of CPU, a factor of "
            f"{ratio:.3g}: our Lagrangian heuristic needs tens of iterations, the paper's 50,000",
            moot=ratio < 10**3.5,
            reason=""
            if ratio >= 10**3.5
            else "The heuristic of the paper is slow, ours is not: the claim is about it.",
        ),
    ]
