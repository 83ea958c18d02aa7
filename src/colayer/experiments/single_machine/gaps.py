"""`scheduling-test`: mean and worst gaps on the whole test set, by learner and pipeline."""

from __future__ import annotations

from colayer.experiments.frame.config import Config, paper_table
from colayer.experiments.frame.figures import grouped_bars
from colayer.experiments.frame.judge import tendency
from colayer.experiments.frame.outcome import outcome_of, picture
from colayer.experiments.frame.sheets import beside, columns
from colayer.experiments.frame.store import Run
from colayer.experiments.single_machine.tested import PIPELINES, Tested, tested
from colayer.report.outcome import Conclusion, Outcome, Picture, Sheet

#: Columns of the paper's table for each of our pipelines.
_PAPER = dict(zip(PIPELINES, ("none", "ls", "rdi_ls", "pert_rdi_ls"), strict=True))


def experiment(run: Run, config: Config) -> Outcome:
    """Predict, set beside the paper's table, judge its conclusions."""
    results = tested(run, config)
    count = {pipeline: len(results[0].gaps[pipeline]) for pipeline in PIPELINES}
    return outcome_of(
        run,
        config,
        sheets=[_sheet(results, count)],
        pictures=[_picture(run, config, results)],
        conclusions=conclusions(results),
        seeds="0",
        instances=f"{count['none']} to test on, {count[PIPELINES[-1]]} of them for the perturbed pipeline",
    )


def _sheet(results: list[Tested], count: dict[str, int]) -> Sheet:
    paper = {(r["learner"], r["iterations"], r["learn_decoder"]): r for r in paper_table("single_machine_test")}
    head = columns(
        "learner", "iterations", *(f"{p}, {which} gap (%)" for p in PIPELINES for which in ("mean", "worst"))
    )
    rows = []
    for result in results:
        line = None if result.paper is None else paper[result.paper]
        cells = result.head(line)
        for pipeline in PIPELINES:
            gaps, key = result.gaps[pipeline], _PAPER[pipeline]
            cells += [beside(float(gaps.mean()), line, f"{key}_avg"), beside(float(gaps.max()), line, f"{key}_max")]
        rows.append(tuple(cells))
    caption = f"Gaps to the best known cost over {count['none']} instances, {count[PIPELINES[-1]]} for perturbed rdi."
    return Sheet("test", "Gaps on the test set", head, tuple(rows), caption)


def _picture(run: Run, config: Config, results: list[Tested]) -> Picture:
    series = {pipeline: [float(result.gaps[pipeline].mean()) for result in results] for pipeline in PIPELINES}
    axes = grouped_bars([result.name for result in results], series, y="mean gap to the best known solution (%)")
    caption = "The axis is logarithmic; no bar is a gap of 0."
    return picture(run, config, axes, "gaps.svg", "Mean gap by learner and pipeline", caption)


def conclusions(results: list[Tested]) -> list[Conclusion]:
    """Those of the paper about the whole test set, on the rows that it has too."""
    rows = {result.paper: result for result in results if result.paper is not None}
    imitation = rows[("fenchel_young", "0", "none")]
    experience = [result for result in results if result.row is not None and result.paper is not None]
    each = [(result, pipeline) for result in experience for pipeline in PIPELINES]
    counterparts = [
        (result, rows[(result.paper[0], result.paper[1], "none")])
        for result in experience
        if result.paper is not None and result.paper[2] == "ls"
    ]
    using = [(a, b, pipeline) for a, b in counterparts for pipeline in PIPELINES[1:]]
    found = f"every learner by experience through every pipeline; without a decoder, {_words(imitation, experience)}"
    return [
        tendency(
            "Learning by experience tends to outperform the Fenchel-Young loss on average",
            [(float(r.gaps[p].mean()), float(imitation.gaps[p].mean())) for r, p in each],
            f"mean gaps, {found}",
            "{:.3f}".format,
        ),
        tendency(
            "Learning by experience tends to have a poorer worst case than the Fenchel-Young loss",
            [(float(imitation.gaps[p].max()), float(r.gaps[p].max())) for r, p in each],
            f"worst gaps, {found}",
            "{:.2f}".format,
        ),
        tendency(
            "The local search inside the loss tends to improve the pipelines that use it",
            [(float(a.gaps[p].mean()), float(b.gaps[p].mean())) for a, b, p in using],
            "mean gaps through ls, rdi and perturbed rdi, learned with the local search against learned without: "
            + "; ".join(f"{p} {a.gaps[p].mean():.3f} % against {b.gaps[p].mean():.3f} %" for a, b, p in using),
            "{:.3f}".format,
        ),
        tendency(
            "The local search inside the loss worsens the pipeline that does not use it",
            [(float(b.gaps["none"].mean()), float(a.gaps["none"].mean())) for a, b in counterparts],
            "mean gaps without a decoder, learned with the local search against learned without: "
            + "; ".join(
                f"{a.gaps['none'].mean():.2f} % against {b.gaps['none'].mean():.2f} %" for a, b in counterparts
            ),
            "{:.2f}".format,
        ),
    ]


def _words(imitation: Tested, experience: list[Tested]) -> str:
    by_experience = [result for result in experience if result.paper is not None and result.paper[2] == "none"]
    parts = [f"{r.gaps['none'].mean():.3f} % (worst {r.gaps['none'].max():.2f} %)" for r in (imitation, *by_experience)]
    return f"by demonstration {parts[0]}, by experience {', '.join(parts[1:])}"
