"""From config and run to the outcome: the words and figures that every experiment shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
from matplotlib.axes import Axes

from colayer._runtime.text import counted
from colayer.display.charts import save
from colayer.display.outcome import Conclusion, Outcome, Picture, Sheet, provenance
from colayer_paper.frame.config import Config
from colayer_paper.frame.store import Run


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
    """The outcome of an experiment: title, source and differences of its config, provenance with the times.

    At scale smoke the claims stand with their numbers and without a verdict.
    """
    if config.scale == "smoke":
        drop = {"holds": None, "moot": False, "reason": "", "test": "no verdict at this scale"}
        conclusions = [msgspec.structs.replace(drawn, **drop) for drawn in conclusions]
    learned = Counter(run.devices.values())
    if learned:
        more["learned_on"] = ", ".join(f"{device} ({counted(count, 'stage')})" for device, count in learned.items())
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


def picture(run: Run, config: Config, axes: Axes, file: str, title: str, caption: str) -> Picture:
    """The figure of these axes, written into the folder of the experiment."""
    run.report("figures", 0, 1)
    save(axes, run.folder / config.name / file)
    return Picture(file, title, caption)
