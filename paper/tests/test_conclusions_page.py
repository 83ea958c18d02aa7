"""The page of the paper's conclusions is made from the outcomes of the run that is kept."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def test_the_page_of_conclusions_is_made_from_the_outcomes() -> None:
    """Nobody writes a verdict, or a number of it, by hand."""
    module = runpy.run_path(str(DOCS / "conclusions.py"))
    assert (DOCS / "conclusions.md").read_text("utf-8") == module["page"](module["RESULTS"])
