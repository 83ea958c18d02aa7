"""Every example runs as a user would run it, and prints what its page shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
#: Pages that show what an example prints, under "Run it".
PAGES = {
    "city_dispatch": "dynamic.md",
    "tune_insertion": "tune.md",
}


def test_there_are_examples() -> None:
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-W", "error", str(path)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    said = [line for line in done.stderr.splitlines() if not line.startswith("compiling kernels, once")]
    assert not said
    if path.stem in PAGES:
        _, _, page = (ROOT / "docs" / PAGES[path.stem]).read_text("utf-8").partition("\n## Run it\n")
        shown = re.search(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        assert shown is not None
        assert done.stdout == shown[1]
