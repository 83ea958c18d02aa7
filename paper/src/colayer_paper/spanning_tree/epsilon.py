"""`tree-epsilon`: the gap on the validation set by the strength of the perturbation in learning."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.display.outcome import Cell, Conclusion, Outcome, Picture, Sheet
from colayer.problems import SpanningTree
from colayer_paper.frame.config import Config, paper_table
from colayer_paper.frame.figures import line_figure
from colayer_paper.frame.judge import Apart, apart, both
from colayer_paper.frame.learned import Learned
from colayer_paper.frame.outcome import outcome_of, picture
from colayer_paper.frame.predict import gaps, kept_costs
from colayer_paper.frame.sheets import cells, columns, devices, processor_seconds, spread
from colayer_paper.frame.store import Run
from colayer_paper.spanning_tree import learners as tree

#: Mean gaps that differ by less than this part of the least one are alike; ours are a twentieth of the paper's.
ALIKE = 0.1
#: Learning is ruined where the mean gap is so many times as large; in the paper it was 21 times.
RUIN = 2.0
#: The perturbations that the paper finds harmless, up to here, the one that it chooses, and the one that is ruinous.
HARMLESS, CHOSEN, RUINOUS = 1e-2, 1e-3, 3e-1
#: Below so many seeds of the draws nothing is said.
_SEEDS = 3

#: ε → gaps in percent: rows are seeds, columns instances.
Gaps = dict[float, Floats]


def learnings(run: Run, config: Config) -> list[tree.Tree]:
    """What is learned: a model for every ε, for some with several seeds of the draws."""
    return [learning for by_seed in _learnings(config).values() for learning in by_seed]


def _learnings(config: Config) -> dict[float, list[tree.Tree]]:
    seeds = {epsilon: config["seeds"] if epsilon in config["seeded"] else 1 for epsilon in config["epsilons"]}
    return {e: [tree.by_experience(config, e, seed) for seed in range(count)] for e, count in seeds.items()}


def experiment(run: Run, config: Config) -> Outcome:
    """Learn for every ε, cost on the validation set, set beside the paper's table."""
    validation = tree.held(config, "validation")
    bounds = np.array([row["bound"] for row in tree.bounded(run, validation)])
    learned = {e: [learning.learn(run) for learning in by_seed] for e, by_seed in _learnings(config).items()}
    weights = np.array([model.linear().raw() for by_seed in learned.values() for model in by_seed])
    costs = kept_costs(run, SpanningTree(config["features"]), weights, validation, what="validation set")
    rows = iter(gaps(costs, bounds))
    found = {e: np.array([next(rows) for _ in by_seed]) for e, by_seed in learned.items()}
    paper = {float(row["epsilon"]): float(row["gap_percent"]) for row in paper_table("spanning_tree_epsilon")}
    return outcome_of(
        run,
        config,
        sheets=[_sheet(config, learned, found, paper, len(bounds))],
        pictures=[_picture(run, config, {e: float(each.mean()) for e, each in found.items()}, paper)],
        conclusions=conclusions(found),
        seeds=f"{config['seeds']} for ε = {', '.join(f'{e:g}' for e in config['seeded'])}, 0 for the others",
        instances=f"{len(tree.training(config).values)} to learn on, {len(bounds)} to validate on",
    )


def _sheet(
    config: Config, learned: dict[float, list[Learned]], found: Gaps, paper: dict[float, float], count: int
) -> Sheet:
    head = columns("ε", "mean gap (%)", "worst gap (%)", "training loss", "learning, CPU (s)", "learning (s)", "device",
                   "seeds", "spread over seeds (%)")  # fmt: skip
    rows = tuple(
        (
            Cell(epsilon),
            Cell(float(found[epsilon].mean()), paper.get(epsilon)),
            *cells(float(found[epsilon].max()), _mean(by_seed, "loss")),
            *cells(processor_seconds(by_seed, 1 / len(by_seed)), _mean(by_seed, "seconds"), devices(by_seed)),
            *cells(len(by_seed), spread(found[epsilon].mean(axis=1))),
        )
        for epsilon, by_seed in learned.items()
    )
    caption = (
        f"Gaps over {count} validation instances; {config['evaluations']} evaluations, {config['samples']} samples; "
        "means over seeds."
    )
    return Sheet("epsilon", "Gap by strength of the perturbation", head, rows, caption)


def _mean(by_seed: list[Learned], name: str) -> float:
    return float(np.mean([getattr(one, name) for one in by_seed]))


def _picture(run: Run, config: Config, means: dict[float, float], paper: dict[float, float]) -> Picture:
    series = {"colayer": means, "paper": paper}
    axes = line_figure(
        {name: ([e for e in found if e > 0], [g for e, g in found.items() if e > 0]) for name, found in series.items()},
        x="strength of the perturbation ε", y="mean gap to the bound (%)", log_x=True, log_y=True,
    )  # fmt: skip
    axes.set_title("Gap on the validation set")
    caption = "Both axes are logarithmic; ε = 0 is left out."
    return picture(run, config, axes, "epsilon.svg", "Gap by strength of the perturbation", caption)


def conclusions(found: Gaps) -> list[Conclusion]:
    """Those of the paper about the strength of the perturbation, from the gaps of each ε (seeds × instances).

    That gaps are alike is shown where the larger is measurably less than the smaller and a tenth, over three seeds or
    more; the loss without perturbation has one.
    """
    mean = {epsilon: float(gap.mean()) for epsilon, gap in found.items()}
    harmless = [epsilon for epsilon in found if epsilon <= HARMLESS]
    best, worst = min(mean, key=mean.__getitem__), max(harmless, key=mean.__getitem__)

    def alike(epsilon: float, other: float) -> Apart:
        return apart(found[epsilon], (1 + ALIKE) * found[other])

    def drawn(claim: str, told: list[Apart], numbers: str) -> Conclusion:
        seeds = min(max(one.seeds) for one in told)
        holds = both(*(one.less for one in told)) if seeds >= _SEEDS else None
        return Conclusion(claim, holds, numbers, test="; ".join(dict.fromkeys(one.test for one in told)))

    least = min(harmless, key=mean.__getitem__)
    several = [epsilon for epsilon in harmless if len(found[epsilon]) > 1 and epsilon != least] or [worst]
    claims = [
        drawn(
            f"Perturbations up to ε = {HARMLESS:g} make no difference (of {100 * ALIKE:g} % of the mean gap)",
            [alike(epsilon, least) for epsilon in several],
            f"mean gaps from {mean[least]:.4f} % to {mean[worst]:.4f} % for ε from 0 to {HARMLESS:g}",
        )
    ]
    if RUINOUS in found and CHOSEN in found:
        claims += [
            drawn(
                f"A strong perturbation ruins learning (ε = {RUINOUS:g}: {RUIN:g} times the mean gap)",
                [apart(RUIN * found[worst], found[RUINOUS])],
                f"mean gap {mean[RUINOUS]:.4f} % there, at most {mean[worst]:.4f} % up to ε = {HARMLESS:g}",
            ),
            drawn(
                f"ε = {CHOSEN:g} is a good choice (within {100 * ALIKE:g} % of the best mean gap)",
                [alike(CHOSEN, best)],
                f"mean gap {mean[CHOSEN]:.4f} %, the least over all ε is {mean[best]:.4f} %",
            ),
        ]
    return claims
