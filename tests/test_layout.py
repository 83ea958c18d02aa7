"""The tree shows the data flow: imports point one way, modules are short, and the test of a module has its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "colayer"

#: From the bottom up: a module imports, when it is loaded or later, only from its own rank or from ranks before it.
RANKS = (
    ("errors", "_runtime", "io.files", "io.npz", "io.validate"),
    ("layers", "models", "problem.guard", "problem.structure"),
    ("problem", "dynamic"),
    ("io", "evaluators", "problems", "display"),
    ("analysis", "learning", "neural"),
    ("solving", "pipeline", "pretrained"),
    ("comparison", "problem.check"),
    ("cli", "__main__"),
)
RANK = {name: rank for rank, names in enumerate(RANKS) for name in names}
MOST_IN_ROOT = 8
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or path.stem != "__init__")
#: Those whose tests are found by their name; kernels may be tested with what calls them.
NAMED = [path for path in MODULES if path.stem != "__init__" and "kernels" not in path.parts]


def module_name(path: Path) -> str:
    """`problems/single_machine/cost.py` → `problems.single_machine.cost`."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def rank(module: str) -> int:
    """The rank of the longest part of a dotted name that has one."""
    while module not in RANK:
        module = module.rpartition(".")[0]
        assert module, "no rank"
    return RANK[module]


def imported(path: Path) -> Iterator[str]:
    """The modules of colayer that a module imports: as it is loaded, for types, or inside its functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "colayer":
            yield from (alias.name for alias in node.names if (SOURCE / alias.name).with_suffix(".py").exists())
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("colayer."):
            base = node.module.removeprefix("colayer.")
            for alias in node.names:
                inner = SOURCE.joinpath(*base.split("."), alias.name)
                yield f"{base}.{alias.name}" if inner.with_suffix(".py").exists() or inner.is_dir() else base
        elif isinstance(node, ast.Import):
            yield from (alias.name[8:] for alias in node.names if alias.name.startswith("colayer."))


def test_all_imports_point_one_way() -> None:
    wrong = [
        f"{own} imports {other}"
        for path in MODULES
        for other in imported(path)
        if rank(other) > rank(own := module_name(path))
    ]
    assert wrong == []


def test_the_root_holds_few_modules() -> None:
    assert len(list(SOURCE.glob("*.py"))) <= MOST_IN_ROOT


def test_no_module_is_longer_than_it_should_be() -> None:
    lengths = {str(path.relative_to(SOURCE)): len(path.read_text().splitlines()) for path in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines > 300} == {}


@pytest.mark.parametrize("folder", sorted({path.parent for path in NAMED}), ids=lambda path: str(path.name))
def test_every_module_of_a_folder_has_a_test_of_its_name(folder: Path) -> None:
    """`A/b.py` is tested by `tests/A/test_b.py`, or by `tests/extras/A/test_b.py` where that takes an extra."""
    names = [path.relative_to(SOURCE).with_name(f"test_{path.name}") for path in NAMED if path.parent == folder]
    missing = [str(name) for name in names if not any((top / name).is_file() for top in (TESTS, TESTS / "extras"))]
    assert missing == []
