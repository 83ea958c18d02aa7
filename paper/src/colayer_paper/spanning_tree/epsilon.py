"""`tree-epsilon`: the gap on the validation set by the strength of the perturbation in learning."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.display.outcome import Cell, Conclusion, Outcome, Picture, Sheet
from colayer.problems import SpanningTree
from colayer_paper.frame.config import Config, paper_table
from colayer_paper.frame.figures import line_figure
from colayer_paper.frame.learned import Learned
from colayer_paper.frame.outcome import outcome_of, picture
from colayer_paper.frame.predict import gaps, kept_costs
from colayer_paper.frame.sheets import cells, columns
from colayer_paper.frame.store import Run
from colayer_paper.spanning_tree import learners as tree

#: Percentage points: what the paper's table, with its one decimal, does not tell apart.
RESOLUTION = 0.1
#: The perturbations that the paper finds harmless, up to here, and the one that it finds ruinous.
HARMLESS, RUINOUS = 1e-2, 3e-1


def learnings(run: Run, config: Config) -> list[tree.Tree]:
    """What is learned: a model for every ε."""
    return [tree.by_experience(config, epsilon) for epsilon in config["epsilons"]]


def experiment(run: Run, config: Config) -> Outcome:
    """Learn for every ε, cost on the validation set, set beside the paper's table."""
    validation = tree.held(config, "validation")
    bounds = np.array([row["bound"] for row in tree.bounded(run, validation)])
    learned = [learning.learn(run) for learning in learnings(run, config)]
    weights = np.array([model.linear().raw() for model in learned])
    costs = kept_costs(run, SpanningTree(config["features"]), weights, validation, what="validation set")
    found = list(gaps(costs, bounds))
    means = {epsilon: float(each.mean()) for epsilon, each in zip(config["epsilons"], found, strict=True)}
    paper = {float(row["epsilon"]): float(row["gap_percent"]) for row in paper_table("spanning_tree_epsilon")}
    return outcome_of(
        run,
        config,
        sheets=[_sheet(config, learned, found, paper, len(bounds))],
        pictures=[_picture(run, config, means, paper)],
        conclusions=conclusions(means),
        seeds="0",
        instances=f"{len(tree.training(config).values)} to learn on, {len(bounds)} to validate on",
    )


def _sheet(config: Config, learned: list[Learned], found: list[Floats], paper: dict[float, float], count: int) -> Sheet:
    head = columns("ε", "mean gap (%)", "worst gap (%)", "training loss", "learning, CPU (s)", "learning (s)")
    rows = tuple(
        (
            Cell(epsilon),
            Cell(float(gap.mean()), paper.get(epsilon)),
            *cells(float(gap.max()), model.loss, model.cpu, model.seconds),
        )
        for epsilon, model, gap in zip(config["epsilons"], learned, found, strict=True)
    )
    caption = (
        f"Gaps over {count} validation instances; {config['evaluations']} evaluations, {config['samples']} samples."
    )
    return Sheet("epsilon", "Gap by strength of the perturbation", head, rows, caption)


def _picture(run: Run, config: Config, means: dict[float, float], paper: dict[float, float]) -> Picture:
    series = {"colayer": means, "paper": paper}
    axes = line_figure(
        {name: ([e for e in found if e > 0], [g for e, g in found.items() if e > 0]) for name, found in series.items()},
        x="strength of the perturbation ε", y="mean gap to the bound (%)", log_x=True, log_y=True,
    )  # fmt: skip
    axes.set_title("Gap on the validation set")
    caption = "Both axes are logarithmic; ε = 0 is left out."
    return picture(run, config, axes, "epsilon.svg", "Gap by strength of the perturbation", caption)


def conclusions(means: dict[float, float]) -> list[Conclusion]:
    """Those of the paper about the strength of the perturbation, from the mean gap of each ε."""
    harmless = [gap for epsilon, gap in means.items() if epsilon <= HARMLESS]
    spread = max(harmless) - min(harmless)
    strong = means.get(RUINOUS)
    chosen = means.get(1e-3)
    drawn = [
        Conclusion(
            f"Perturbations up to ε = {HARMLESS:g} make no difference (to {RESOLUTION:g} of a percentage point, "
            "what the paper's table shows)",
            spread <= RESOLUTION,
            f"mean gaps from {min(harmless):.3f} % to {max(harmless):.3f} % for ε from 0 to {HARMLESS:g}",
        )
    ]
    if strong is not None and chosen is not None:
        drawn += [
            Conclusion(
                f"A strong perturbation ruins learning (ε = {RUINOUS:g})",
                strong > max(harmless) + RESOLUTION,
                f"mean gap {strong:.3f} % at ε = {RUINOUS:g}, at most {max(harmless):.3f} % up to ε = {HARMLESS:g}",
            ),
            Conclusion(
                f"ε = 0.001 is a good choice (within {RESOLUTION:g} of a percentage point of the best)",
                chosen <= min(means.values()) + RESOLUTION,
                f"mean gap {chosen:.3f} %, the least over all ε is {min(means.values()):.3f} %",
            ),
        ]
    return drawn
