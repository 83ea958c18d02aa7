"""`colayer report`: a run as one HTML file."""

from __future__ import annotations

from pathlib import Path

from colayer.commands import options
from colayer.commands.output import say

#: The page of a run, where nothing else is said.
REPORT = "report.html"


def run(run: str, *, output: str | None) -> None:
    """Write the page; never over a file that the run is made of."""
    from colayer.report.html import write_report

    folder = Path(run)
    parts = [path for path in folder.rglob("*") if path.suffix in (".json", ".csv", ".svg")]
    page = options.output(output, "-o", parts) or folder / REPORT
    write_report(folder, page)
    say(f"written to {page}\n")
