"""What commands give back: tables and JSON on stdout, progress on stderr, files whole or not at all."""

from __future__ import annotations

import io
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

from colayer._runtime.text import one_line
from colayer.errors import OptionError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from colayer.display.tables import Table


def emit(
    document: Any,
    text: str | Sequence[str | Table],
    *,
    as_json: bool,
    out: Path | None,
    plot: Path | None = None,
    draw: Callable[[], Axes | Figure] | None = None,
    table: bytes | None = None,
) -> None:
    """Write the document to `out` and the picture of `draw` to `plot`, if given: both or neither.

    `out` holds the `table` instead where there is one. Then print the document with `--json`, else the text. A picture
    that cannot be drawn loses no results: they are written and printed, then the fault is raised.
    """
    from colayer.io.files import encode, write_all

    data = encode(document)
    files = {} if out is None else {out: data if table is None else table}
    fault: Exception | None = None
    if plot is not None and draw is not None:
        from colayer.display.charts import picture

        try:
            files[plot] = picture(draw(), plot)
        except Exception as error:
            fault = error
    write_all(files)
    _print(data.decode()) if as_json else say(*([text] if isinstance(text, str) else text))
    if fault is not None:
        raise fault


def exact_limit(seconds: float | None, needed: str, given: bool) -> float | None:
    """Return `--time-limit` of the exact solver, 60 s by default; it needs the flag `needed`."""
    if seconds is not None and not given:
        raise OptionError(f"needs {needed}", where="--time-limit")
    return (60.0 if seconds is None else seconds) if given else None


def say(*parts: str | Table) -> None:
    """Print on stdout with control characters removed; fit tables to the terminal, if there is one."""
    _print("".join(_set(part) for part in parts))


def _set(part: str | Table) -> str:
    if isinstance(part, str):
        return "\n".join(map(one_line, part.split("\n")))
    stream = _results or sys.stdout
    return terminal_text(part) if stream is not None and stream.isatty() else part.text()


def terminal_text(table: Table, width: int | None = None) -> str:
    """Return the table fitted to the terminal: numbers whole, words wrapped, the best rows marked.

    Columns that find no room go into a table of their own below, which begins with the first column again.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    console = Console(file=io.StringIO(), force_terminal=True, width=width, color_system="standard", highlight=False)
    rows = [[_glued(one_line(cell)) for cell in row] for row in (table.headers, *table.cells)]
    columns = [[row[c] for row in rows] for c in range(len(table.headers))]
    words = [[word for cell in column for word in cell.split(" ")] for column in columns]
    whole = [max(map(len, own)) for own in words]
    least = [max(len(word) if _GLUE in word else min(len(word), _WORD) for word in own) for own in words]
    blocks = [[0]]
    for c in range(1, len(columns)):
        if len(blocks[-1]) > 1 and sum(least[k] + _APART for k in blocks[-1]) + least[c] > console.width:
            blocks.append([0])
        blocks[-1].append(c)
    for number, block in enumerate(blocks):
        widths = {c: max(map(len, columns[c])) for c in block}
        while sum(widths.values()) + _APART * (len(block) - 1) > console.width and max(widths.values()) > 1:
            spare = [c for c in block if widths[c] > whole[c]] or [c for c in block if widths[c] > least[c]] or block
            widths[max(spare, key=widths.__getitem__)] -= 1
        grid = Grid(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
        for c in block:
            justify: Literal["left", "right"] = "right" if table.numeric[c] else "left"
            grid.add_column(Text(rows[0][c]), justify=justify, width=widths[c], overflow="fold")
        for k, row in enumerate(rows[1:]):
            grid.add_row(*(Text(row[c]) for c in block), style="bold green" if k in table.best else None)
        console.print(*([""] if number else []), grid, sep="\n")
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text.replace(_GLUE, " ")


def _glued(cell: str) -> str:
    """Return the cell with non-breaking blanks inside a number with its unit or error."""
    return cell.replace(" ", _GLUE) if len(cell) <= _SHORT else _IN_NUMBERS.sub(_GLUE, cell)


def _print(text: str) -> None:
    """Print on stdout; a closed pipe (`| head`) is no error, a full disk is one."""
    stream = _results or sys.stdout
    if stream is None:  # closed by the caller
        return
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        with suppress(OSError, ValueError):  # else the flush at exit complains
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if not isinstance(error, BrokenPipeError):
            from colayer.io.files import unwritable

            raise unwritable("standard output", error) from None


@contextmanager
def verbosity(quiet: bool, verbose: bool) -> Iterator[None]:
    """Hide progress and notes in the block if `quiet`; show the library's log if `verbose`."""
    global _quiet
    if quiet and verbose:
        raise OptionError("pass either --quiet or --verbose, not both", where="--verbose")
    log, compiling = logging.getLogger("colayer"), logging.getLogger("colayer.compiling")
    before = _quiet, log.level, compiling.disabled
    handler = _Lines()
    _quiet = quiet
    log.setLevel(logging.ERROR if quiet else logging.INFO if verbose else logging.WARNING)
    compiling.disabled = quiet
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
        _quiet, log.level, compiling.disabled = before


class _Lines(logging.Handler):
    """What is logged, a line each on the stderr of the moment: above a bar, where one is shown."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the message."""
        _complain(self.format(record))


def note(text: str) -> None:
    """Print a line on stderr, if it can be written; nothing with `--quiet`."""
    if not _quiet:
        _complain(text)


def _complain(text: str) -> None:
    if sys.stderr is not None:
        with suppress(OSError):
            print("\n".join(map(one_line, text.split("\n"))), file=sys.stderr, flush=True)


#: A blank at which no line is broken: to rich, all that Unicode has for it are blanks like others.
_GLUE = "\ue000"
_IN_NUMBERS = re.compile(r"(?<=[\d%>≤±]) (?=±|%|\d|(ms|s|min|h)\b)")
#: Cells of so many characters are not broken, words of more are; blanks between columns.
_SHORT, _WORD, _APART = 7, 16, 2
#: Whether progress and notes are left out.
_quiet = False
#: Where results go while everything else that is printed goes elsewhere.
_results: TextIO | None = None


@contextmanager
def results_of(stream: TextIO | None) -> Iterator[None]:
    """Send results in the block to this stream, whatever `sys.stdout` is."""
    global _results
    before, _results = _results, stream
    try:
        yield
    finally:
        _results = before


@contextmanager
def results_alone() -> Iterator[None]:
    """Send what a user's problem prints to stderr, since stdout is for results."""
    with redirect_stdout(sys.stderr if sys.stderr is not None else io.StringIO()):
        yield


def make_streams_writable() -> None:
    """Replace closed standard streams, and escape text that the terminal cannot encode."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # else the next file that is opened would be taken for it
            os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Return a progress bar on stderr, called with (done, total); None if stderr is not a terminal."""
    if not on_terminal():
        yield None
        return
    with bar(label) as (shown, task):
        yield lambda done, total: shown.update(task, completed=done, total=total)


@contextmanager
def bar(label: str) -> Iterator[tuple[Any, Any]]:
    """Show a bar on the terminal until the block ends; yield rich's display and its task."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        yield shown, shown.add_task(label, total=None)


class SearchProgress:
    """The progress line of an exact search over several instances: how many are done, current bound and best cost."""

    def __init__(self, bar: Any, task: Any) -> None:
        self._bar, self._task = bar, task

    @property
    def progress(self) -> Callable[[float, float], None] | None:
        """The function the search calls with (bound, best cost); None if stderr is not a terminal."""
        return None if self._bar is None else self._show

    def next(self) -> None:
        """Count one more instance as done."""
        if self._bar is not None:
            self._bar.update(self._task, advance=1, state="")

    def _show(self, bound: float, cost: float) -> None:
        from colayer.problem.gap import gap as gap_of

        gap_text = f", gap {gap:.4%}" if (gap := gap_of(cost, bound)) is not None else ""
        self._bar.update(self._task, state=f"bound {bound:.8g}, best {cost:.8g}{gap_text}")


@contextmanager
def search(label: str, total: int) -> Iterator[SearchProgress]:
    """Show the bounds of the running search on stderr; nothing if it is not a terminal."""
    if not on_terminal():
        yield SearchProgress(None, None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[state]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield SearchProgress(bar, bar.add_task(label, total=total, state=""))


def on_terminal() -> bool:
    """Tell whether stderr is a terminal that shows progress."""
    return not _quiet and sys.stderr is not None and sys.stderr.isatty()
