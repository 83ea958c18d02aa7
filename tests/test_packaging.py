"""What an index of packages and a reference manager are told agrees with the package."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import colayer

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CITATION = (ROOT / "CITATION.cff").read_text("utf-8")


def test_versions_agree() -> None:
    assert PROJECT["version"] == colayer.__version__
    assert f"\nversion: {colayer.__version__}\n" in CITATION


def test_every_python_from_the_oldest_on_has_its_classifier() -> None:
    prefix = "Programming Language :: Python :: 3."
    named = sorted(int(line.removeprefix(prefix)) for line in PROJECT["classifiers"] if line.startswith(prefix))
    oldest = int(re.fullmatch(r">=3\.(\d+)", PROJECT["requires-python"])[1])  # type: ignore[index]
    assert named == list(range(oldest, oldest + len(named)))
    assert len(named) >= 3


def test_the_paper_is_cited_by_its_address() -> None:
    doi = re.search(r"^    doi: (\S+)$", CITATION, re.MULTILINE)
    assert doi is not None
    assert PROJECT["urls"]["Paper"] == f"https://doi.org/{doi[1]}"


def test_what_tests_import_is_in_the_extra_for_developers() -> None:
    extra = {re.split(r"[>\[]", line)[0] for line in PROJECT["optional-dependencies"]["dev"]}
    assert {"pandas", "mypy", "pytest", "hypothesis", "networkx"} <= extra
    assert "pandas" not in {re.split(r"[>\[]", line)[0] for line in PROJECT["dependencies"]}
