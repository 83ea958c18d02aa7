"""A binary heap of (key, node), in arrays: compiled, without allocation."""

from __future__ import annotations

from colayer._runtime.compiled import inner


@inner(cache=True, nogil=True)
def push(keys, nodes, size, key, node):  # type: ignore[no-untyped-def]
    """Put (key, node) into a heap of `size` entries, least key first; return the new size. O(log size)."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if keys[parent] <= key:
            break
        keys[i] = keys[parent]
        nodes[i] = nodes[parent]
        i = parent
    keys[i] = key
    nodes[i] = node
    return size + 1


@inner(cache=True, nogil=True)
def drop(keys, nodes, size):  # type: ignore[no-untyped-def]
    """Take the least entry, (keys[0], nodes[0]), out of a heap that is not empty; return the new size. O(log size)."""
    size -= 1
    key = keys[size]
    node = nodes[size]
    i = 0
    child = 1
    while child < size:
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if key <= keys[child]:
            break
        keys[i] = keys[child]
        nodes[i] = nodes[child]
        i = child
        child = 2 * i + 1
    keys[i] = key
    nodes[i] = node
    return size
