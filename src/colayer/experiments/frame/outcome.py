"""From config and run to the outcome: the words that every experiment shares."""

from __future__ import annotations

from collections.abc import Sequence

from colayer.experiments.frame.config import Config
from colayer.experiments.frame.store import Run
from colayer.report.outcome import Conclusion, Outcome, Picture, Sheet, provenance


def outcome_of(
    run: Run,
    config: Config,
    *,
    sheets: Sequence[Sheet],
    pictures: Sequence[Picture] = (),
    conclusions: Sequence[Conclusion] = (),
    differences: Sequence[str] = (),
    **more: float | int | str | None,
) -> Outcome:
    """The outcome of an experiment: title, source and differences of its config, provenance with the times."""
    command = f"colayer reproduce {config.name} --scale {config.scale}"
    return Outcome(
        name=config.name,
        title=config.title,
        source=config.source,
        summary=config.summary,
        sheets=tuple(sheets),
        pictures=tuple(pictures),
        conclusions=tuple(conclusions),
        differences=(*config.differences, *differences),
        provenance=provenance(
            command, scale=config.scale, seconds=round(run.seconds, 1), cpu_seconds=round(run.cpu, 1), **more
        ),
    )
