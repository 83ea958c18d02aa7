"""`colayer report`: a run as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from colayer.cli import options as arguments


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A folder that reproduce or compare wrote.")],
    output: Annotated[Path | None, arguments.out_file("The page; RUN/report.html if not given.")] = None,
) -> None:
    """Make one HTML file of the tables and figures of a run."""
    from colayer.cli.console import say
    from colayer.cli.outputs import output_file
    from colayer.display.outcome import REPORT
    from colayer_paper.report.html import write_report

    parts = [path for path in run.rglob("*") if path.suffix in (".json", ".csv", ".svg")]
    page = output_file(output, "-o", parts) or run / REPORT
    write_report(run, page)
    say(f"written to {page}\n")
