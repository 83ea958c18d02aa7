"""`scheduling-learning`: the training losses that learning by experience reaches, and how long it takes."""

from __future__ import annotations

import numpy as np

from colayer.display.outcome import Cell, Conclusion, Outcome, Picture, Sheet
from colayer_paper.frame.config import Config, paper_seconds, paper_table
from colayer_paper.frame.figures import curves, new_axes
from colayer_paper.frame.judge import apart_by_seed
from colayer_paper.frame.outcome import outcome_of, picture
from colayer_paper.frame.sheets import beside, columns, devices, processor_seconds, spread
from colayer_paper.frame.store import Run
from colayer_paper.single_machine import learners as scheduling
from colayer_paper.single_machine.learners import Row

#: What the rows of the paper's table have in common and it does not print: 66 features, ten seeds, 2400 instances.
PAPER = {"features": "66", "seeds": "10", "instances": "2400"}


def experiment(run: Run, config: Config) -> Outcome:
    """Learn all rows, take their losses on the whole training set."""
    rows = scheduling.rows(run, config)
    losses = [scheduling.losses(run, config, row) for row in rows]
    return outcome_of(
        run,
        config,
        sheets=[_sheet(config, rows, losses)],
        pictures=[_picture(run, config, rows)],
        conclusions=conclusions(rows, losses),
        seeds=f"{max(row.learner.seeds for row in rows)} of DIRECT, spawned from seed 0",
        instances=f"{len(scheduling.training(config).values)} in the training set",
    )


def _sheet(config: Config, rows: list[Row], losses: list[list[float]]) -> Sheet:
    lines = paper_table("single_machine_learning")
    paper = {(line["loss"], line["iterations"], line["decoder"]): {**line, **PAPER} for line in lines}
    head = columns(
        "loss", "decoder in the loss", "features", "method", "σ", "iterations", "samples", "seeds", "instances",
        "mean loss over seeds", "spread over seeds", "best loss", "CPU time, all seeds (s)", "wall time, all seeds (s)",
        "device",
    )  # fmt: skip
    cells = []
    for row, found in zip(rows, losses, strict=True):
        learner = row.learner
        line = None if row.paper is None else paper[row.paper]
        instances = len(scheduling.training(config, learner.per_cell).values)
        cells.append(
            (
                Cell(learner.loss),
                Cell(learner.decoder),
                beside(learner.named, line, "features", str),
                Cell(learner.method),
                Cell(learner.sigma or None),
                beside(row.iterations, line, "iterations", int),
                beside(learner.samples, line, "samples", int),
                beside(learner.seeds, line, "seeds", int),
                beside(instances, line, "instances", int),
                beside(float(np.mean(found)), line, "loss_avg"),
                Cell(spread(found)),
                beside(min(found), line, "loss_best"),
                beside(processor_seconds(row.learned, row.share), line, "total_time_10_seeds", paper_seconds),
                Cell(row.seconds),
                Cell(devices(row.learned)),
            )
        )
    caption = f"Losses on {len(scheduling.training(config).values)} training instances."
    return Sheet("learning", "Training losses", head, tuple(cells), caption)


def _picture(run: Run, config: Config, rows: list[Row]) -> Picture:
    drawn: dict[str, Row] = {}
    for row in rows:
        if row.paper is not None:
            drawn.setdefault(f"{row.learner.loss} loss, decoder {row.learner.decoder}", row)
    axes = new_axes((3.4 * len(drawn), 3.2), columns=len(drawn))
    for ax, (title, row) in zip(axes, drawn.items(), strict=True):
        curves(ax, [learned.losses for learned in row.learned], title=title)
    caption = "Best training loss so far of randomised DIRECT, on the instances that were learned on."
    return picture(run, config, axes[0], "curves.svg", "Learning curves by seed", caption)


def conclusions(rows: list[Row], losses: list[list[float]]) -> list[Conclusion]:
    """Those of the paper about seeds, iterations and the local search, from the losses of each row's seeds."""
    found = {row.paper: values for row, values in zip(rows, losses, strict=True) if row.paper is not None}
    plain, searched = found[("plain", "1000", "none")], found[("plain", "1000", "ls")]
    longer = found[("plain", "2500", "none")]
    mean, more, least = float(np.mean(plain)), float(np.mean(longer)), min(plain)
    few, many = (row.iterations for row in rows if row.paper in {("plain", "1000", "none"), ("plain", "2500", "none")})
    iterations, search = apart_by_seed([least], longer), apart_by_seed(searched, plain)
    return [
        Conclusion(
            "Optimising on the seed is a good idea: the best seed gains more than 2.5 times the iterations do",
            iterations.less,
            f"plain loss, no decoder, {len(plain)} seeds: {mean:.3f} on average and {least:.3f} at best after {few} "
            f"iterations, {more:.3f} on average after {many}",
            test=f"difference {iterations.words}: the best against {len(longer)} seeds",
        ),
        Conclusion(
            "More iterations do not necessarily make up for a bad seed",
            least < max(longer),
            f"the worst seed has loss {max(longer):.3f} after {many} iterations, the best one {least:.3f} after {few}",
            test=f"{len(longer)} seeds, of which one is enough",
        ),
        Conclusion(
            "The loss after the local search is smaller",
            search.less,
            f"{np.mean(searched):.3f} on average and {min(searched):.3f} at best with it, {mean:.3f} and {least:.3f} "
            f"without, after {few} iterations",
            test=f"difference {search.words}: {search.test}",
        ),
    ]
