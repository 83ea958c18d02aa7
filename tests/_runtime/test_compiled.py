"""Kernels are kept on disk where there is a folder for them, and compiled for all constants at once."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pytest

from colayer._runtime import compiled

SOURCE = """
from colayer._runtime.compiled import njit

@njit(cache=True, nogil=True)
def double(x):
    return 2 * x
"""


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for compiled kernels."""
    folder = tmp_path / "kept"
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(folder))
    compiled._warn_once.cache_clear()
    return folder


@pytest.fixture
def kernel(tmp_path: Path) -> Callable[[], Any]:
    """The kernel as a process finds it that has just been started: what it compiled before is on disk alone."""
    path = tmp_path / "code" / "doubles.py"
    path.parent.mkdir()
    path.write_text(SOURCE)

    def fresh() -> Any:
        spec = importlib.util.spec_from_file_location("doubles", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.double

    return fresh


def cached(folder: Path, suffix: str) -> list[Path]:
    """The files of the cache: an index (nbi) and one file per signature (nbc)."""
    return sorted(folder.rglob(f"*.{suffix}"))


def loaded(double: Any) -> bool:
    """Whether a kernel came from the disk when it was called."""
    return bool(double.stats.cache_hits) and not double.stats.cache_misses


def test_what_was_compiled_is_kept(kept: Path, kernel: Callable[[], Any], caplog: pytest.LogCaptureFixture) -> None:
    first, second = kernel(), kernel()
    assert (first(3), loaded(first)) == (6, False)
    assert (len(cached(kept, "nbi")), len(cached(kept, "nbc"))) == (1, 1)
    assert (second(3), loaded(second)) == (6, True)
    assert [record for record in caplog.records if record.name == compiled.__name__] == []


def test_without_any_folder_kernels_are_compiled_and_the_variable_is_named(
    kept: Path,
    kernel: Callable[[], Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A package that cannot be written to, of a user without a home: files stand where the folders would be made."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    (tmp_path / "code" / "__pycache__").touch()
    (tmp_path / "no-home").touch()
    for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "no-home"))
    double = kernel()
    assert (double(3), double(1.5)) == (6, 3.0)
    (record,) = (record for record in caplog.records if record.name == compiled.__name__)
    assert "Set NUMBA_CACHE_DIR to a folder that can be written to" in record.getMessage()
    assert cached(tmp_path, "nbi") == []


def test_other_options_are_numbas(kept: Path) -> None:
    """Without a cache none is made; a mistake in the options is not taken for a missing folder."""

    @compiled.njit(nogil=True)
    def triple(x: int) -> int:
        return 3 * x

    assert triple(2) == 6
    assert triple.targetoptions["nogil"] is True
    assert not kept.exists()
    with pytest.raises(KeyError, match="no_such_option"):
        compiled.njit(no_such_option=True)(lambda x: x)(1)


def test_one_kernel_for_all_constants_and_no_entry_where_kernels_alone_call() -> None:
    @compiled.inner(nogil=True)
    def scaled(x: float, factor: int, down: bool) -> float:
        return x / factor if down else x * factor

    @compiled.njit(nogil=True)
    def both(x: float) -> float:
        return float(scaled(x, 2, down=True) + scaled(x, 3, down=False) + scaled(x, 4, down=False))

    assert both(2.0) == 15.0
    assert len(scaled.kernel.signatures) == 1
    assert scaled(2.0, 3, False) == 6.0  # Python calls it too
    assert scaled.py_func(2.0, 4, True) == 0.5
