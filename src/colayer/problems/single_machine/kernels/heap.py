"""Binary heaps in arrays: of bare values, and of items that are compared by a key. The caller counts the size."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import inner


@inner(cache=True, nogil=True)
def push(heap: NDArray[Any], size: int, value: Any) -> None:
    """Add `value` to the heap heap[:size]; O(log n)."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if heap[parent] <= value:
            break
        heap[i] = heap[parent]
        i = parent
    heap[i] = value


@inner(cache=True, nogil=True)
def pop(heap: NDArray[Any], size: int) -> Any:
    """Remove and return the least value of heap[:size]; O(log n)."""
    least = heap[0]
    last = size - 1  # the size after removal
    value = heap[last]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        if child + 1 < last and heap[child + 1] < heap[child]:
            child += 1
        if value <= heap[child]:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = value
    return least


@inner(cache=True, nogil=True)
def push_by_key(heap: Ints, size: int, item: int, key: Floats) -> None:
    """Add `item` to the binary heap heap[:size], ordered by (key[item], item); O(log n)."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        other = heap[parent]
        if key[other] < key[item] or (key[other] == key[item] and other < item):
            break
        heap[i] = other
        i = parent
    heap[i] = item


@inner(cache=True, nogil=True)
def pop_by_key(heap: Ints, size: int, key: Floats) -> int:
    """Remove and return the least item of heap[:size]; O(log n)."""
    least = int(heap[0])
    item = heap[size - 1]
    last = size - 1  # the size after removal
    i = 0
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        low = heap[child]
        if child + 1 < last:
            right = heap[child + 1]
            if key[right] < key[low] or (key[right] == key[low] and right < low):
                child += 1
                low = right
        if key[item] < key[low] or (key[item] == key[low] and item < low):
            break
        heap[i] = low
        i = child
    heap[i] = item
    return least
