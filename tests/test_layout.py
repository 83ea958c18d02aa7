"""The tree shows the data flow: imports point one way."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "colayer"

#: From the bottom up: a module imports, as it is loaded, only from its own row or from rows before it.
ROWS = (
    ("errors", "cores"),
    ("programs",),
    ("files", "npz"),
    ("layers",),
    ("models", "networks"),
    ("compose",),
    ("guarantees",),
    ("problem",),
    ("problems",),
    ("dataset", "evaluation", "evaluators"),
    ("checks",),
    ("learning",),
    ("neural",),
    ("pipeline", "pretrained"),
    ("report", "experiments", "comparison"),
    ("commands",),
    ("cli",),
)
RANK = {name: rank for rank, names in enumerate(ROWS) for name in names}
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or path.stem != "__init__")


def part(module: str) -> str:
    """`colayer.problems.single_machine` → `problems`."""
    return module.split(".")[1]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path: Path) -> None:
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("colayer."):
            assert RANK[part(node.module)] <= RANK[own], f"{own} imports {node.module}"


def test_no_module_is_longer_than_it_should_be() -> None:
    lengths = {str(path.relative_to(SOURCE)): len(path.read_text().splitlines()) for path in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines > 300} == {}
