"""`colayer reproduce`: the paper's experiments, each written to its folder of the run, and one report of them all."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from colayer._runtime.text import one_of, short
from colayer.cli import options as arguments
from colayer.errors import InputError, OptionError

if TYPE_CHECKING:
    from colayer.display.outcome import Outcome
    from colayer.display.tables import Table
    from colayer_paper.frame.config import Config
    from colayer_paper.frame.store import Report, Run

#: Seconds between two lines about the same stage where nobody watches a bar.
_EVERY = 30.0


def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", show_default=False, help="Experiments; all if not given.")
    ] = None,
    scale: Annotated[
        Literal["smoke", "small", "paper"], typer.Option(metavar="smoke|small|paper", help="How large.")
    ] = "small",
    output: Annotated[Path | None, arguments.out_folder("The run; reproduce-SCALE if not given.")] = None,
    workers: arguments.Workers = None,
    device: Annotated[
        Literal["cpu", "cuda", "auto"], typer.Option(metavar="cpu|cuda|auto", help="Where losses are computed.")
    ] = "cpu",
    list_names: Annotated[bool, typer.Option("--list", help="Show the experiments and what is done, no more.")] = False,
    as_json: arguments.Json = False,
) -> None:
    """Run the paper's experiments.

    The same command goes on with a run that was stopped.
    """
    from colayer.cli.console import emit, note
    from colayer.cli.outputs import output_folder
    from colayer.evaluators.gpu.device import Cuda
    from colayer_paper.frame.config import read_config
    from colayer_paper.frame.store import Run
    from colayer_paper.registry import EXPERIMENTS, conduct

    for name in names or ():
        if name not in EXPERIMENTS:
            known = one_of(name, tuple(EXPERIMENTS))
            raise OptionError(f"no experiment {short(name)}, expected {known}", where="NAME")
    chosen = [name for name in EXPERIMENTS if not names or name in names]
    given = output or Path(f"reproduce-{scale}")
    if list_names:
        _list([read_config(name, scale) for name in chosen], Run(given, scale), as_json)
        return
    if device == "cuda":
        Cuda()  # refused before anything is made
    folder = output_folder(given)
    place = Run(folder, scale, workers, device=device)
    try:
        other = place.open()
    except InputError as error:
        raise error.at("-o") from None
    if other is not None:
        note(f"{folder} was made by colayer {other}: what it kept is not used, everything is run again")
    _check_others(folder, chosen)
    outcomes: list[Outcome] = []
    try:
        for k, name in enumerate(chosen, start=1):
            begin, before = time.monotonic(), place.made
            with _progress(f"{name} ({k} of {len(chosen)})") as place.report:
                outcomes.append(conduct(place, name))
            note(f"{name}: {time.monotonic() - begin:.1f} s" + ("" if place.made > before else ", all of it kept"))
    except KeyboardInterrupt:
        note(f"what is done is kept in {folder}: the same command goes on")
        raise
    page = _report(folder)
    document = {"run": str(folder), "scale": scale, "report": str(page), "experiments": outcomes}
    emit(document, _parts(outcomes, folder, page), as_json=as_json, out=None)


def _check_others(folder: Path, chosen: Sequence[str]) -> None:
    """What else the report will show must be readable: better said now than after the work."""
    from colayer.display.outcome import OUTCOME, read_outcomes

    for path in sorted(folder.glob(f"*/{OUTCOME}")):
        other = path.parent.name
        if other not in chosen:
            try:
                read_outcomes(path.parent)
            except InputError as error:
                raise InputError(f"{error.message}; remove it, or run {other} as well", where=error.where) from None


def _list(configs: Sequence[Config], run: Run, as_json: bool) -> None:
    """The experiments, and for each what is learned, how far that is in the run, and how long it takes."""
    from colayer.cli.console import emit
    from colayer.display.tables import duration, table
    from colayer_paper.frame.times import expected_seconds
    from colayer_paper.registry import learnings

    documents, rows = [], []
    for config in configs:
        states = [learning.state(run) for learning in learnings(run, config.name)]
        stages = [{**asdict(state), "expected": expected_seconds(state, run.scale)} for state in states]
        documents.append({"name": config.name, "source": config.source, "title": config.title, "stages": stages})
        whole = sum(state.done == state.total for state in states)
        rows.append((config.name, config.source, config.title, f"{whole} of {len(states)}" if states else "-", "", ""))
        for state, stage in zip(states, stages, strict=True):
            took = duration(state.seconds) if state.done == state.total else ""
            left = "" if stage["expected"] is None else duration(stage["expected"])
            rows.append(("", "", f"  {state.what}", f"{state.done} of {state.total}", took, left))
    head = ("name", "source", "title", "done", "took", "expected")
    emit(documents, [table(head, rows)], as_json=as_json, out=None)


def _report(folder: Path) -> Path:
    from colayer.display.outcome import REPORT
    from colayer_paper.report.html import write_report

    write_report(folder, folder / REPORT)
    return folder / REPORT


def _parts(outcomes: Sequence[Outcome], folder: Path, report: Path) -> list[str | Table]:
    from colayer.display.outcome import CAVEATS, concludes, scale_of
    from colayer.display.tables import table

    rows: list[tuple[str, ...]] = [
        (
            outcome.name,
            outcome.source,
            conclusion.of,
            conclusion.verdict if concludes(outcome) else "-",
            conclusion.claim,
        )
        for outcome in outcomes
        for conclusion in outcome.conclusions
    ]
    rows += [
        (outcome.name, outcome.source, "-", "-", "no conclusion: data alone")
        for outcome in outcomes
        if not outcome.conclusions
    ]
    verdicts = table(("experiment", "beside", "claim of", "here", "conclusion"), rows)
    caveats = dict.fromkeys(CAVEATS[scale] for scale in map(scale_of, outcomes) if scale in CAVEATS)
    said = "".join(f"\n{caveat}" for caveat in caveats)
    return [verdicts, f"{said}\ntables and figures in {folder}, all in one page: {report}\n"]


@contextmanager
def _progress(label: str) -> Iterator[Report]:
    """How far the stages of one experiment are: a bar on a terminal, else a line now and then."""
    from colayer.cli.console import bar, on_terminal

    if not on_terminal():
        yield _Lines(label)
        return
    with bar(label) as (shown, task):
        current = [""]

        def report(what: str, done: int, total: int) -> None:
            if what != current[0]:
                current[0] = what
                shown.reset(task, description=f"{label} {what}", total=total, completed=done)
            else:
                shown.update(task, completed=done, total=total)

        yield report


class _Lines:
    """A line on stderr when a stage begins, and one every half minute while it lasts."""

    def __init__(self, label: str) -> None:
        self._label, self._what, self._last = label, "", 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        from colayer.cli.console import note

        now = time.monotonic()
        if what != self._what or now - self._last >= _EVERY:
            count = f", {done} of {total}" if what == self._what else ""
            self._what, self._last = what, now
            note(f"{self._label} {what}{count}")
