"""Problems as bytes: what is the user's own travels by value, and what cannot travel is refused by name."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from colayer.errors import InputError
from colayer.evaluators.ray.shipping import Shipper
from colayer.problems import SingleMachine

SOURCE = """
import numpy as np
FACTOR = {factor}

class Own:
    name = "own"
    def scale(self, instance): return FACTOR * instance
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which modules are looked for, and forgotten afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("shipped_alone", "shipped_package", "shipped_package.problem"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def scale_elsewhere(data: bytes, instance: int) -> str:
    """What `scale` of the pickled problem gives in a process that does not have its module."""
    code = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()).scale(int(sys.argv[1])))"
    done = subprocess.run([sys.executable, "-c", code, str(instance)], input=data, capture_output=True, check=True)
    return done.stdout.decode().strip()


def test_a_module_of_the_users_travels_with_the_problem(folder: Path) -> None:
    (folder / "shipped_alone.py").write_text(SOURCE.format(factor=3))
    problem = importlib.import_module("shipped_alone").Own()
    assert scale_elsewhere(Shipper(problem, []).pickled(problem), 7) == "21"


@pytest.mark.parametrize("initial", [True, False])
def test_so_does_a_package_also_a_folder_without_init(folder: Path, initial: bool) -> None:
    (folder / "shipped_package").mkdir()
    (folder / "shipped_package/problem.py").write_text(SOURCE.format(factor=5))
    if initial:
        (folder / "shipped_package/__init__.py").touch()
    importlib.invalidate_caches()
    problem = importlib.import_module("shipped_package.problem").Own()
    assert scale_elsewhere(Shipper(problem, []).pickled(problem), 7) == "35"


def test_what_is_installed_is_named_and_not_copied() -> None:
    """The nodes have it; their versions are compared."""
    problem = SingleMachine()
    data = Shipper(problem, [problem.generate(0, jobs=3)]).pickled(problem)
    assert data == pickle.dumps(problem, protocol=5)
    assert b"colayer.problems.single_machine" in data


def test_what_cannot_be_copied_must_be_imported_there(folder: Path) -> None:
    """A lock among the globals of a module: its classes travel by their name."""
    (folder / "shipped_alone.py").write_text(
        "import threading\nLOCK = threading.Lock()\nclass Own:\n    def scale(self, x):\n        with LOCK: return x\n"
    )
    problem = importlib.import_module("shipped_alone").Own()
    data = Shipper(problem, []).pickled(problem)
    assert b"shipped_alone" in data
    with pytest.raises(subprocess.CalledProcessError) as failed:
        scale_elsewhere(data, 1)
    assert b"No module named 'shipped_alone'" in failed.value.stderr


def test_what_cannot_travel_at_all_is_refused_by_name() -> None:
    class Tied:
        def __reduce__(self) -> Any:
            raise TypeError("tied to this machine")

    with pytest.raises(InputError, match=r"Tied cannot travel to other machines \(tied to this machine\)"):
        Shipper(Tied(), []).pickled(Tied())
