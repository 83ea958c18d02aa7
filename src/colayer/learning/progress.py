"""A bar on stderr that shows how learning goes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from colayer.learning.run import Evaluation


@contextmanager
def progress_bar(evaluations: int) -> Iterator[Callable[[Evaluation], None]]:
    """A callback that moves the bar; nothing is drawn where stderr is not a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _evaluation: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("learning"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]}{task.fields[validation]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        row = bar.add_task("learning", total=evaluations, loss="–", validation="")

        def show(evaluation: Evaluation) -> None:
            if evaluation.validation is not None:
                bar.update(row, validation=f", validation {evaluation.validation:.6g}")
            bar.update(row, completed=evaluation.number, loss=f"{evaluation.best:.6g}")

        yield show
