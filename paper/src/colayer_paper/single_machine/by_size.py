"""`scheduling-size`: times and gaps of the fastest and of the most accurate pipeline by size of the instances.

What the paper concludes from them is judged in `seeds`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer.display.outcome import Outcome, Picture, Sheet
from colayer_paper.frame.config import Config, paper_table
from colayer_paper.frame.figures import line_figure, new_axes
from colayer_paper.frame.outcome import outcome_of, picture
from colayer_paper.frame.sheets import beside, columns
from colayer_paper.frame.store import Run
from colayer_paper.single_machine.tested import PIPELINES, Tested, tested

#: Subsets of the test set (Table 5 of the paper): the largest number of jobs of each.
SUBSETS = {"moderate": 150, "large": 750, "huge": 3000}
#: The pipelines of the table, with their names in the paper's.
_SHOWN = {PIPELINES[0]: "none", PIPELINES[-1]: "pert_rdi_ls"}


def experiment(run: Run, config: Config) -> Outcome:
    """The results of `scheduling-test`, by subset."""
    results = tested(run, config)
    return outcome_of(
        run,
        config,
        sheets=[_sheet(results, pipeline) for pipeline in _SHOWN],
        pictures=[_picture(run, config, results)],
        seeds="0",
        instances=", ".join(
            f"{int(subset(results[0].jobs[pipeline], size).sum())} {size} for {pipeline}"
            for pipeline in _SHOWN
            for size in SUBSETS
        ),
    )


def subset(jobs: NDArray[np.int64], size: str) -> NDArray[np.bool_]:
    """Which instances belong to a subset."""
    below = [0, *SUBSETS.values()][list(SUBSETS).index(size)]
    return (jobs > below) & (jobs <= SUBSETS[size])


def _sheet(results: list[Tested], pipeline: str) -> Sheet:
    paper = {
        (row["decoder"], row["learner"], row["iterations"], row["learn_decoder"]): row
        for row in paper_table("single_machine_by_size")
    }
    head = columns(
        "learner",
        "iterations",
        *(f"{size}, {what}" for size in SUBSETS for what in ("time (s)", "mean gap (%)", "worst gap (%)")),
    )
    rows = []
    for result in results:
        if pipeline not in result.gaps:
            continue  # a rule is not perturbed
        line = None if result.paper is None else paper[(_SHOWN[pipeline], *result.paper)]
        cells = result.head(line)
        for size in SUBSETS:
            inside = subset(result.jobs[pipeline], size)
            gaps, cpu = result.gaps[pipeline][inside], result.cpu[pipeline][inside]
            for value, end in ((cpu.mean(), "t"), (gaps.mean(), "avg"), (gaps.max(), "max")):
                cells.append(beside(float(value), line, f"{size}_{end}"))
        rows.append(tuple(cells))
    name = pipeline.replace(" ", "_")
    title = "No decoder" if pipeline == "none" else "Best of perturbed weights through rdi"
    return Sheet(name, title, head, tuple(rows), "Times are CPU seconds of one prediction, mean.")


def _picture(run: Run, config: Config, results: list[Tested]) -> Picture:
    drawn = [r for r in results if not r.plain and (r.row is None or r.row.iterations == max(r.row.learner.iterations))]
    axes = new_axes((11.0, 3.8), columns=len(_SHOWN))
    for ax, pipeline in zip(axes, _SHOWN, strict=True):
        sizes = np.unique(results[0].jobs[pipeline]).tolist()
        series = {
            result.name: (sizes, [float(result.gaps[pipeline][result.jobs[pipeline] == n].mean()) for n in sizes])
            for result in drawn
            if pipeline in result.gaps
        }
        last = pipeline == list(_SHOWN)[-1]
        line_figure(series, x="jobs", y="mean gap (%)", ax=ax, log_x=True, log_y=True, ticks=sizes, legend=last)
        ax.set_title("no decoder" if pipeline == "none" else pipeline)
    caption = "After the most iterations of each learner. Both axes are logarithmic, down to gaps of 0."
    return picture(run, config, axes[0], "sizes.svg", "Mean gap by number of jobs", caption)
