"""Notebooks run, cell by cell in one namespace, and show what is stored in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.notebook import NOTEBOOKS, code_cells, plain, run


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_stores(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refresh it by `python tests/support/notebook.py`."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    notebook = json.loads(path.read_text("utf-8"))
    assert (notebook["nbformat"], notebook["cells"][0]["cell_type"]) == (4, "markdown")
    for cell, found in zip(code_cells(notebook), run(notebook, path.parent), strict=True):
        assert plain(found) == plain(cell["outputs"])
        assert ["image/png" in out.get("data", {}) for out in found] == [
            "image/png" in out.get("data", {}) for out in cell["outputs"]
        ]


def test_there_are_some() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["dates", "own_data"]
