"""The tree shows the data flow: imports point one way, modules are short, and the test of a module has its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "colayer"

#: From the bottom up: a module imports, as it is loaded, only from its own row or from rows before it.
ROWS = (
    ("arrays", "errors", "json_places", "seeds", "text", "threads"),
    ("clock",),
    ("compiled",),
    ("answers", "sizes", "snapshot", "fields", "files", "npz", "tables", "faults", "processes", "programs"),
    ("csv_tables",),
    ("layers", "structure"),
    ("models",),
    ("attributes",),
    ("problem",),
    ("capabilities",),
    ("compose",),
    ("networks", "rounds"),
    ("documents", "tabular"),
    ("csv_instances",),
    ("content", "dataset", "guarantees"),
    ("problems", "evaluators"),
    ("checks",),
    ("learning",),
    ("neural",),
    ("pretrained", "candidates", "loss_profile", "solved"),
    ("matching",),
    ("pipeline",),
    ("certification", "explanation", "labels", "warm"),
    ("report", "comparison"),
    ("experiments",),
    ("commands",),
    ("cli",),
    ("__main__",),
)
RANK = {name: rank for rank, names in enumerate(ROWS) for name in names}
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or path.stem != "__init__")
#: Those whose tests are found by their name; kernels may be tested with what calls them.
NAMED = [path for path in MODULES if path.stem != "__init__" and "kernels" not in path.parts]


def part(path: Path) -> str:
    """`problems/single_machine/cost.py` → `problems`."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    """The parts of colayer that a module imports as it is loaded."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("colayer."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.ImportFrom) and node.module == "colayer":
            yield from (alias.name for alias in node.names if alias.name != "__version__")
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("colayer."))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path: Path) -> None:
    own = part(path)
    for other in imported(path):
        assert RANK[other] <= RANK[own], f"{own} imports {other}"


def test_every_part_has_a_row() -> None:
    assert sorted(RANK) == sorted({part(path) for path in MODULES})


def test_no_module_is_longer_than_it_should_be() -> None:
    lengths = {str(path.relative_to(SOURCE)): len(path.read_text().splitlines()) for path in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines > 300} == {}


@pytest.mark.parametrize("path", NAMED, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_has_a_test_of_its_name(path: Path) -> None:
    """`A/b.py` is tested by `tests/A/test_b.py`, or by `tests/extras/A/test_b.py` where that takes an extra."""
    name = path.relative_to(SOURCE).with_name(f"test_{path.name}")
    found = [folder for folder in (TESTS, TESTS / "extras") if (folder / name).is_file()]
    assert found, f"there is no tests/{name}"
