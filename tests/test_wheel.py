"""The wheel in an environment of its own, with what it declares and nothing else: its command, the lines of the README.

Nothing is downloaded for it: the environment has links to the packages that the wheel declares, and what these need, as
they are installed here; pip looks whether they are all there, in versions that will do.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([*PIP, "wheel", "--no-deps", "-w", str(folder), str(ROOT)], check=True)
    (built,) = folder.glob("colayer-*.whl")
    return built


@pytest.fixture(scope="module")
def place(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an environment `env` in it that has the wheel."""
    folder = tmp_path_factory.mktemp("place")
    venv.create(folder / "env", symlinks=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder / "env")}))
    (metadata,) = (name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".dist-info/METADATA"))
    declared = re.findall(r"^Requires-Dist: (.+)$", zipfile.ZipFile(wheel).read(metadata).decode(), re.MULTILINE)
    for package in needed(declared):
        for top in {file.parts[0] for file in package.files or () if file.parts[0] not in ("..", "__pycache__")}:
            if not (site / top).exists():
                (site / top).symlink_to(str(package.locate_file(top)))
    python = str(folder / "env" / "bin" / "python")
    subprocess.run([*PIP, "--python", python, "install", "--no-index", str(wheel)], check=True)
    return folder


def needed(requirements: list[str]) -> list[importlib.metadata.Distribution]:
    """The packages that are required without extras, and all that they require."""
    found: dict[str, importlib.metadata.Distribution] = {}
    while requirements:
        one = Requirement(requirements.pop())
        if (one.marker is None or one.marker.evaluate({"extra": ""})) and one.name not in found:
            found[one.name] = importlib.metadata.distribution(one.name)
            requirements += found[one.name].requires or []
    return list(found.values())


def told(place: Path, *command: str) -> str:
    """What a command prints there, where it finds the environment's programs first."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    path = f"{place / 'env' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=place,
        env={**clean, "PATH": path, "NUMBA_CACHE_DIR": str(place / "kernels")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def block(language: str) -> str:
    """The first code of a language in the README."""
    code = re.search(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert code is not None
    return code[1]


def test_the_wheel_holds_what_it_needs_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "colayer/py.typed" in names
    assert [name for name in names if name.startswith("colayer/pretrained/single-machine")]
    assert "colayer/pretrained/networks/single-machine-27-none.json" in names
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "paper", "colayer_paper"))]


def test_the_wheel_of_the_paper_holds_its_page_and_its_settings(tmp_path: Path) -> None:
    subprocess.run([*PIP, "wheel", "--no-deps", "-w", str(tmp_path), str(ROOT / "paper")], check=True)
    (built,) = tmp_path.glob("colayer_paper-*.whl")
    names = zipfile.ZipFile(built).namelist()
    assert "colayer_paper/report/templates/report.html" in names
    assert [name for name in names if name.endswith("/tree-gap.toml")]
    assert not [name for name in names if name.startswith(("tests", "colayer/"))]


def test_it_solves_and_the_lines_of_the_readme_run_as_they_are_written(place: Path) -> None:
    where = told(place, "python", "-c", "import colayer; print(colayer.__file__)")
    assert Path(where.strip()).is_relative_to(place / "env")
    other = told(place, "python", "-c", "from importlib.util import *; print(*map(find_spec, ('pytest', 'pandas')))")
    assert other == "None None\n"  # no tool of a developer is there to help
    edge = {"format": 1, "problem": "spanning-tree", "nodes": 2, "edges": [[0, 1]], "first": [3.0], "second": [[2.5]]}
    (place / "edge.json").write_text(json.dumps(edge))
    solved = json.loads(told(place, "colayer", "solve", "edge.json", "--json"))
    assert solved["cost"] == 2.5  # the edge is cheaper in the second stage
    lines = told(place, "python", "-W", "error", "-c", block("python"))
    assert re.fullmatch(r"\d\.\d % cheaper than the rule on 100 unseen days\n", lines)
    assert (place / "model.json").exists()
    (place / "model.json").unlink()
    commands = told(place, "sh", "-e", "-c", block("sh"))
    for words in ("10 instances", "prize+wait", "look-ahead", "model", "reference"):
        assert words in commands
