"""What commands give back: tables and JSON on stdout, progress on stderr, files whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from colayer.files import encode, write_atomic


def emit(document: Any, text: str, *, as_json: bool, out: Path | None) -> None:
    """Write the document to `out` where it is given; print it with `--json`, else print the text."""
    data = encode(document)
    if out is not None:
        write_atomic(out, data)
    say(data.decode() if as_json else text)


def say(text: str) -> None:
    """Print on stdout; a reader that has gone away (`| head`) is no fault."""
    if sys.stdout is None:  # closed by the caller
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the flush at exit complains


def note(text: str) -> None:
    """Print a line on stderr."""
    if sys.stderr is not None:
        print(text, file=sys.stderr, flush=True)


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr, told (done, in all); None where stderr is not a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
