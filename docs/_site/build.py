"""The site: `python docs/_site/build.py [FOLDER]` writes FOLDER/site (build/site), strictly: a warning is an error.

The pages, those of colayer-paper too, are copied to FOLDER/docs, where the reference of the command line is put in its
place.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import measured
import reference

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


def build(folder: Path) -> int:
    """Stage, generate, and let Zensical build; its exit status."""
    pages = folder / "docs"
    for old in (pages, folder / "site", folder / ".cache"):
        shutil.rmtree(old, ignore_errors=True)
    shutil.copytree(HERE.parent, pages, ignore=shutil.ignore_patterns("_site"))
    for page in sorted((ROOT / "paper/docs").glob("*.md")):
        shutil.copy(page, pages)
    for page in pages.glob("*.md"):  # in the site they lie side by side
        text = page.read_text("utf-8").replace("](../paper/docs/", "](").replace("](../../docs/", "](")
        page.write_text(measured.plain(text), "utf-8")
    for page in (pages / "api").glob("*.md"):
        page.write_text(page.read_text("utf-8").replace("](../../paper/docs/", "](../"), "utf-8")
    shutil.copy(ROOT / "mkdocs.yml", folder)
    reference.fill(pages / "cli.md")
    found = os.pathsep.join(filter(None, [str(HERE), str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    return subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": found}).returncode


if __name__ == "__main__":
    to = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
    to.mkdir(parents=True, exist_ok=True)
    sys.exit(build(to))
