"""The GPU as the evaluators see it: arrays that lie there, and kernels that are launched on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.text import typed_line
from colayer.errors import OptionError, need_extra

_SOURCES = Path(__file__).parent / "sources"
#: name of some kernels → the files that they are made of.
PARTS = {
    "single_machine": ("common", "single_machine"),
    "rdi": ("common", "single_machine", "rdi"),
    "spanning_tree": ("common", "spanning_tree"),
    "moves": ("moves",),
}
#: Most blocks in the second dimension of a grid.
MOST_Y = 65535


class Device(Protocol):
    """What an evaluator needs of a GPU. An array on the device is whatever `upload` and `empty` return."""

    #: Bytes of shared memory that a block may ask for.
    shared: int

    def free(self) -> int:
        """Bytes of memory that can be had."""

    def upload(self, values: NDArray[Any]) -> Any:
        """A copy on the device."""

    def empty(self, shape: tuple[int, ...], kind: Any) -> Any:
        """An array on the device, not filled."""

    def put(self, array: Any, begin: int, columns: NDArray[Any]) -> None:
        """Fill columns of an array of two dimensions on the device, from column `begin` on."""

    def download(self, array: Any) -> NDArray[Any]:
        """A copy on this side, when all that was launched before is done."""

    def launch(
        self, source: str, kernel: str, grid: tuple[int, int], threads: int, shared: int, values: Sequence[Any]
    ) -> None:
        """Start a kernel of `source` (see PARTS); `values`: arrays on the device, numpy numbers of its types."""

    def side_by_side(self, works: Sequence[Callable[[], None]]) -> None:
        """Do works whose launches need not wait for those of the others; what is launched later waits for all."""


class Cuda:
    """The current CUDA device, by CuPy."""

    def __init__(self) -> None:
        need_extra("cupy", "a GPU needs CuPy", "gpu", where="--device")
        self._cupy = cupy = _working()
        about = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
        self.name = about["name"].decode()
        self.shared = int(about["sharedMemPerBlockOptin"])
        self._kernels: dict[tuple[str, str], Any] = {}
        self._streams: list[Any] = []

    def free(self) -> int:
        """See `Device.free`."""
        self._cupy.get_default_memory_pool().free_all_blocks()
        return int(self._cupy.cuda.runtime.memGetInfo()[0])

    def upload(self, values: NDArray[Any]) -> Any:
        """See `Device.upload`."""
        return self._cupy.asarray(values)

    def empty(self, shape: tuple[int, ...], kind: Any) -> Any:
        """See `Device.empty`."""
        return self._cupy.empty(shape, dtype=kind)

    def put(self, array: Any, begin: int, columns: NDArray[Any]) -> None:
        """See `Device.put`."""
        array[:, begin : begin + columns.shape[1]] = self._cupy.asarray(columns)

    def download(self, array: Any) -> NDArray[Any]:
        """See `Device.download`."""
        return np.asarray(self._cupy.asnumpy(array))

    def launch(
        self, source: str, kernel: str, grid: tuple[int, int], threads: int, shared: int, values: Sequence[Any]
    ) -> None:
        """See `Device.launch`."""
        key = (source, kernel)
        if key not in self._kernels:
            function = _module(source).get_function(kernel)
            function.max_dynamic_shared_size_bytes = self.shared
            if shared > 0:
                function.preferred_shared_memory_carveout = 100  # per cent: as many blocks side by side as fit
            self._kernels[key] = function
        self._kernels[key](grid, (threads,), tuple(values), shared_mem=shared)

    def side_by_side(self, works: Sequence[Callable[[], None]]) -> None:
        """See `Device.side_by_side`: each work has a stream."""
        while len(self._streams) < len(works):
            self._streams.append(self._cupy.cuda.Stream(non_blocking=True))
        main = self._cupy.cuda.get_current_stream()
        ready = main.record()
        for stream, work in zip(self._streams, works, strict=False):
            stream.wait_event(ready)
            with stream:
                work()
            main.wait_event(stream.record())


@cache
def _module(source: str) -> Any:
    """Some kernels, compiled without fused multiply-add: products are rounded as the processor rounds them."""
    import cupy

    code = text(source).encode("ascii", "replace").decode()  # the letters of the comments are not for compilers
    return cupy.RawModule(code=code, options=("--fmad=false",))


def text(source: str) -> str:
    """What is compiled for some kernels."""
    return "\n".join((_SOURCES / f"{part}.cu").read_text("utf-8") for part in PARTS[source])


def _working() -> Any:
    """CuPy, refused in a line where it finds no GPU."""
    try:
        import cupy

        if cupy.cuda.runtime.getDeviceCount() > 0:
            return cupy
        why = ""
    except Exception as error:  # no driver, or one that is too old
        why = f" ({typed_line(error)})"
    raise OptionError(f"there is no GPU that CUDA can use{why}, expected cpu", where="--device")
