"""The kernels of the GPU on the processor: the same source, built by g++ with the emulation in CUDA's place."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer.evaluators.gpu.device import text

COMPILER = shutil.which("g++")


class HostArrays:
    """A device whose arrays are those of this side."""

    shared = 232448  # of an H100 or H200
    memory = 1 << 22

    def free(self) -> int:
        return self.memory

    def upload(self, values: NDArray[Any]) -> Any:
        return np.array(values, order="C")

    def empty(self, shape: tuple[int, ...], kind: Any) -> Any:
        return np.full(shape, 77, kind)

    def put(self, array: Any, begin: int, columns: NDArray[Any]) -> None:
        array[:, begin : begin + columns.shape[1]] = columns

    def download(self, array: Any) -> NDArray[Any]:
        return np.array(array)

    def side_by_side(self, works: Sequence[Callable[[], None]]) -> None:
        for work in reversed(works):  # no work needs another
            work()


class Emulated(HostArrays):
    """Runs the kernels, built in `folder`; `backwards`: the threads of a block in the other order."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._libraries: dict[str, ctypes.CDLL] = {}
        self.backwards = False

    def launch(
        self, source: str, kernel: str, grid: tuple[int, int], threads: int, shared: int, values: Sequence[Any]
    ) -> None:
        assert shared <= self.shared
        assert threads <= 1024
        assert 1 <= grid[1] <= 65535
        if source not in self._libraries:
            self._libraries[source] = ctypes.CDLL(str(self._built(source)))
        held = [np.array(value) if np.isscalar(value) else value for value in values]
        for value in held:
            assert value.flags.c_contiguous
        places = [ctypes.c_void_p(value.ctypes.data) for value in held]
        cells = [place if value.ndim == 0 else ctypes.pointer(place) for place, value in zip(places, held, strict=True)]
        pointers = (ctypes.c_void_p * len(cells))(*(ctypes.cast(cell, ctypes.c_void_p) for cell in cells))
        run = getattr(self._libraries[source], f"run_{kernel}")
        run.argtypes = [ctypes.c_uint, ctypes.c_uint, ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int]
        run(*grid, threads, shared, pointers, int(self.backwards))

    def _built(self, source: str) -> Path:
        whole = text(source)
        names = re.findall(r'extern "C" __global__ void (\w+)', whole)
        path = self._folder / f"{source}.cpp"
        header = Path(__file__).with_name("emulation.hpp")
        exports = "\n".join(f"EXPORT({name})" for name in names)
        path.write_text(f'#include "{header}"\n{whole}\n{exports}\n', "utf-8")
        library = path.with_suffix(".so")
        options = ["-O1", "-std=c++17", "-shared", "-fPIC", "-ffp-contract=off", "-Wall", "-Wno-unknown-pragmas"]
        subprocess.run([str(COMPILER), *options, "-o", str(library), str(path)], check=True)
        return library
