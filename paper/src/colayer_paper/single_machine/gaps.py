"""`scheduling-test`: mean and worst gaps on the whole test set, by learner and pipeline."""

from __future__ import annotations

from colayer.display.outcome import Cell, Conclusion, Outcome, Picture, Sheet
from colayer_paper.frame.config import Config, paper_table
from colayer_paper.frame.figures import grouped_bars
from colayer_paper.frame.judge import tendency
from colayer_paper.frame.outcome import outcome_of, picture
from colayer_paper.frame.sheets import against, beside, cells, columns, compared_unless, spread
from colayer_paper.frame.store import Run
from colayer_paper.single_machine.tested import PIPELINES, SEEDED, Tested, tested

_WHICH, _SPREAD = ("mean gap", "worst gap"), ("spread over seeds",)
#: Columns of the paper's table for each of our pipelines.
_PAPER = dict(zip(PIPELINES, ("none", "ls", "rdi_ls", "pert_rdi_ls"), strict=True))


def experiment(run: Run, config: Config) -> Outcome:
    """Predict, set beside the paper's table, judge its conclusions."""
    results = tested(run, config)
    count = {pipeline: len(results[0].gaps[pipeline]) for pipeline in PIPELINES}
    return outcome_of(
        run,
        config,
        sheets=[_sheet(results, count), _differences(results)],
        pictures=[_picture(run, config, results)],
        conclusions=conclusions(results),
        seeds="0",
        instances=f"{count['none']} to test on, {count[PIPELINES[-1]]} of them for the perturbed pipeline",
    )


def _sheet(results: list[Tested], count: dict[str, int]) -> Sheet:
    paper = {(r["learner"], r["iterations"], r["learn_decoder"]): r for r in paper_table("single_machine_test")}
    head = columns(
        "learner",
        "iterations",
        *(f"{p}, {which} (%)" for p in PIPELINES for which in (*_WHICH, *_SPREAD[: p in SEEDED])),
    )
    rows = []
    for result in results:
        line = None if result.paper is None else paper[result.paper]
        row = result.head(line)
        for pipeline in PIPELINES:
            gaps, key = result.gaps.get(pipeline), _PAPER[pipeline]
            mean, worst = (None, None) if gaps is None else (float(gaps.mean()), float(gaps.max()))
            row += [beside(mean, line, f"{key}_avg"), beside(worst, line, f"{key}_max")]
            if pipeline in SEEDED:
                row.append(Cell(spread(result.seeds.get(pipeline, ()))))
        rows.append(tuple(row))
    caption = f"Gaps to the best known cost over {count['none']} instances, {count[PIPELINES[-1]]} for perturbed rdi."
    return Sheet("test", "Gaps on the test set", head, tuple(rows), caption)


def _differences(results: list[Tested]) -> Sheet:
    """Paired differences to the best of the rules and the safe weights, through the same pipeline."""
    head, known = ["learner"], {}
    for pipeline in PIPELINES[:-1]:
        to = min((r for r in results if r.plain), key=lambda r: float(r.gaps[pipeline].mean()))
        known[pipeline] = to
        head += [f"{pipeline}, {label}" for label in against(to.name)]
    rows = []
    for result in results:
        row: list[Cell] = [Cell(result.name)]
        for pipeline, to in known.items():
            row += cells(*compared_unless(result is to, result.costs[pipeline], to.costs[pipeline], to.name))
        rows.append(tuple(row))
    caption = (
        "Means of paired, relative differences of the cost to the best rule (or the safe weights) through the same "
        "pipeline. Of a learner with several seeds, the one with the least training loss."
    )
    return Sheet("differences", "Against the best rule", columns(*head), tuple(rows), caption)


def _picture(run: Run, config: Config, results: list[Tested]) -> Picture:
    series = {p: [float(r.gaps[p].mean()) if p in r.gaps else 0.0 for r in results] for p in PIPELINES}
    axes = grouped_bars([result.name for result in results], series, y="mean gap to the best known solution (%)")
    caption = "The axis is logarithmic; no bar is a gap of 0, or a rule that is not perturbed."
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
