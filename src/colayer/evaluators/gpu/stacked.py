"""What the evaluators on a GPU share: instances stacked there by size, weight vectors in chunks that fit its memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer.evaluators.gpu.device import MOST_Y, Device
from colayer.evaluators.visit import LoadedInstance
from colayer.problems.stacked import StackedEvaluator

R = TypeVar("R")

_SHARE = 0.5  # of the free memory, for what lies between features and losses
_MOST = 16 << 30  # bytes of it: more brings no more speed
_PUT = 1 << 26  # bytes of features that are sent at a time
_TILE, _ROWS = 256, 8  # of the kernel `thetas`
_SPREAD = 0.8  # sizes of one launch: the smallest over the largest
_BARE = 1024  # bytes of shared memory beside those per row


class Span(NamedTuple):
    """Instances low..high − 1 of the device's order: of one kind, of at most `most` rows each."""

    low: int
    high: int
    most: int
    kind: int


class Stacked(ABC):
    """Losses on a GPU of the instances that an evaluator of this machine holds, bit for bit those of that evaluator.

    Instances lie on the device in an order of their own, `order`: by kind, then by falling size, so that one launch
    has instances of about one size. A subclass says how many rows of features each has, and launches the kernels.
    """

    source: str
    #: Bytes on the device per row of features and weight vector, between features and losses.
    per_row: int

    def __init__(self, own: StackedEvaluator[Any, Any, Any], device: Device, sizes: Ints, kinds: Ints) -> None:
        self.own, self.device = own, device
        self.order = np.lexsort((-sizes, kinds))
        self.sizes = sizes[self.order]
        self.first = np.concatenate([[0], np.cumsum(self.sizes)])
        self.total = int(self.first[-1])
        self.spans = list(_spans(self.sizes, kinds[self.order]))
        self._scratch: dict[str, Any] = {}
        self._rows = 0
        self._alone = Lock()

    @property
    def rows_at_once(self) -> int:
        """As many weight vectors as fit the memory."""
        if self._rows == 0:
            room = min(_MOST, int(self.device.free() * _SHARE))
            self._rows = max(1, min(MOST_Y, room // (self.per_row * self.total + 8 * self.own.count)))
        return self._rows

    def losses(self, weights: Floats) -> Floats:
        """See `Evaluator.losses`."""
        rows = self.own.checked(weights)
        out = np.empty((len(rows), self.own.count))
        for top in range(0, len(rows), self.rows_at_once):
            part = rows[top : top + self.rows_at_once]
            with self._alone:
                found = self.array("losses", (len(part), self.own.count), np.float64)
                self._launch(part, found)
                out[top : top + len(part), self.order] = self.device.download(found)
        return out

    def map_features(self, work: Callable[[NDArray[Any]], R]) -> list[R]:
        """See `statistics.MapsFeatures`."""
        return self.own.map_features(work)

    def visit(self, work: Callable[[LoadedInstance[Any, Any, Any]], R], chosen: Sequence[int]) -> list[R]:
        """See `visit.Visits`."""
        return self.own.visit(work, chosen)

    def close(self) -> None:
        """Give back the memory of the device, and what the evaluator of this machine holds."""
        self._scratch.clear()
        self.own.close()

    @abstractmethod
    def _launch(self, weights: Floats, out: Any) -> None:
        """Start what fills `out`, the losses by row and instance, in the device's order."""

    def array(self, name: str, shape: tuple[int, ...], kind: Any) -> Any:
        """An array on the device that is used again by the next call of the same shape."""
        held = self._scratch.get(name)
        if held is None or held.shape != shape:
            self._scratch.pop(name, None)
            held = self._scratch[name] = self.device.empty(shape, kind)
        return held

    def stacked(self, matrices: Callable[[int], NDArray[np.float32]], features: int) -> Any:
        """The (features, all rows) matrix on the device, of `matrices` of each instance of this machine's order."""
        out = self.device.empty((features, self.total), np.float32)
        low = 0
        while low < len(self.order):
            high = low + 1
            while high < len(self.order) and 4 * features * (self.first[high + 1] - self.first[low]) <= _PUT:
                high += 1
            block = np.concatenate([matrices(int(x)) for x in self.order[low:high]], axis=1)
            self.device.put(out, int(self.first[low]), np.ascontiguousarray(block))
            low = high
        return out

    def thetas(self, features: Any, weights: Floats, name: str) -> Any:
        """θ of each row of features under each weight vector, on the device."""
        rows, d = weights.shape
        out = self.array(name, (rows, self.total), np.float64)
        held = self.device.upload(np.ascontiguousarray(weights))
        grid = (-(-self.total // _TILE), -(-rows // _ROWS))
        values = [features, held, out, np.int32(d), np.int32(rows), np.int64(self.total)]
        self.device.launch(self.source, "thetas", grid, _TILE, 8 * _ROWS * d, values)
        return out


def sorting(most: int) -> tuple[int, int]:
    """Threads, and bytes of shared memory, of a block that sorts up to `most` keys."""
    threads = 64
    while threads < 512 and threads * 6 < most:
        threads *= 2
    return threads, 16 * most + _BARE


def largest(shared: int) -> int:
    """How many keys a block can sort at most."""
    return min((shared - _BARE) // 16, 65535)


def _spans(sizes: Ints, kinds: Ints) -> Iterator[Span]:
    low = 0
    for high in range(1, len(sizes) + 1):
        last = high == len(sizes)
        if last or kinds[high] != kinds[low] or sizes[high] < _SPREAD * sizes[low] or high - low == MOST_Y:
            yield Span(low, high, int(sizes[low]), int(kinds[low]))
            low = high
