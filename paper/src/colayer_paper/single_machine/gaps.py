"""`scheduling-test`: mean and worst gaps on the whole test set, by learner and pipeline."""

from __future__ import annotations

from colayer.display.outcome import Cell, Conclusion, Outcome, Picture, Sheet
from colayer_paper.frame.config import Config, paper_table
from colayer_paper.frame.figures import grouped_bars
from colayer_paper.frame.judge import apart, both
from colayer_paper.frame.outcome import outcome_of, picture
from colayer_paper.frame.sheets import against, beside, cells, columns, compared_unless, spread
from colayer_paper.frame.store import Run
from colayer_paper.single_machine.tested import LOOK_AHEAD, PIPELINES, SEEDED, Tested, tested

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
    """One of ours, about the given weights; the paper's, about learners, are judged in `seeds`."""
    rule = next(result for result in results if result.name == LOOK_AHEAD)
    learned = [r for r in results if r.row is not None and r.row.learner.without]
    told = [apart(rule.gaps["none"], result.gaps["none"]) for result in learned]
    least = min((float(r.gaps["none"].mean()) for r in learned), default=float("nan"))
    return [
        Conclusion(
            "Without a decoder, the rule look-ahead alone has a smaller gap than every learner that may not use it",
            both(*(one.less for one in told)) if told else None,
            f"mean gap {rule.gaps['none'].mean():.3f} % against {least:.3f} % of the best of {len(learned)} learners",
            of="colayer",
            test=told[0].test if told else "",
        )
    ]
