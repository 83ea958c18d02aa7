"""The state of the exact search: a pool of nodes, a heap of the open ones, a memory of visited sets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit

#: Slots of the pool of nodes (52 bytes each), and bytes of the memory of visited sets.
POOL = 1 << 21
MEMORY = 1 << 27
#: Slots that one set may occupy in the memory; the oldest is dropped when they are taken.
WAYS = 8

# Indices of Search.counters.
USED, HEAP, STACK, EXPANDED, OVERFLOW = range(5)


class Search(NamedTuple):
    """The whole state of a search. Jobs are numbered in the order of (release, processing, index)."""

    release: Floats
    processing: Floats
    tolerance: float  # by how much "strictly" must hold: 0 for integral data, where sums are exact
    # The pool of nodes.
    parent: NDArray[np.int32]
    job: NDArray[np.int32]
    depth: NDArray[np.int32]
    children: NDArray[np.int32]  # how many are still in the pool: a node is freed after its last child
    time: Floats
    cost: Floats
    bound: Floats
    free: NDArray[np.int32]
    heap: NDArray[np.int32]  # open nodes, least (bound, -depth, slot) first
    stack: NDArray[np.int32]  # open nodes that go before the heap
    # The memory of visited sets: WAYS neighbouring slots per hash value, exact keys; cost 0 is an empty slot.
    hashes: NDArray[np.uint64]
    keys: NDArray[np.uint64]
    seen_time: Floats
    seen_cost: Floats
    counters: Ints
    best_cost: Floats
    best: Ints


def new_search(
    release: Floats,
    processing: Floats,
    start: Ints,
    start_cost: float,
    tolerance: float,
    pool: int = POOL,
    memory: int = MEMORY,
) -> Search:
    """Return a search with no open node and `start` as the best known sequence; jobs are numbered as in `Search`.

    Arrays are allocated in full here, but the system provides their pages only as the search reaches them.
    """
    n = len(release)
    words = (n + 63) // 64
    sets = 1 << int(np.log2(max(memory // (WAYS * (8 * words + 16)), 1)))
    return Search(
        release=release,
        processing=processing,
        tolerance=tolerance,
        parent=np.empty(pool, np.int32),
        job=np.empty(pool, np.int32),
        depth=np.empty(pool, np.int32),
        children=np.empty(pool, np.int32),
        time=np.empty(pool),
        cost=np.empty(pool),
        bound=np.empty(pool),
        free=np.arange(pool - 1, -1, -1, dtype=np.int32),
        heap=np.empty(pool, np.int32),
        stack=np.empty(pool, np.int32),
        hashes=np.random.default_rng(0).integers(0, 2**64, size=n, dtype=np.uint64),
        keys=np.zeros((sets * WAYS, words), np.uint64),
        seen_time=np.zeros(sets * WAYS),
        seen_cost=np.zeros(sets * WAYS),
        counters=np.zeros(5, np.int64),
        best_cost=np.array([start_cost]),
        best=start.copy(),
    )


@njit(cache=True, nogil=True)
def expands_before(s: Search, a: int, b: int) -> bool:
    """Return whether node a is expanded before node b: least bound, then deepest, then lowest slot."""
    if s.bound[a] != s.bound[b]:
        return bool(s.bound[a] < s.bound[b])
    if s.depth[a] != s.depth[b]:
        return bool(s.depth[a] > s.depth[b])
    return a < b


@njit(cache=True, nogil=True)
def push_node(s: Search, node: int) -> None:
    """Put an open node into the heap."""
    k = s.counters[HEAP]
    s.counters[HEAP] += 1
    while k > 0:
        up = (k - 1) >> 1
        if expands_before(s, s.heap[up], node):
            break
        s.heap[k] = s.heap[up]
        k = up
    s.heap[k] = node


@njit(cache=True, nogil=True)
def pop_node(s: Search) -> int:
    """Take the open node that is expanded next."""
    top = s.heap[0]
    s.counters[HEAP] -= 1
    size = s.counters[HEAP]
    node = s.heap[size]
    k = 0
    while 2 * k + 1 < size:
        down = 2 * k + 1
        if down + 1 < size and expands_before(s, s.heap[down + 1], s.heap[down]):
            down += 1
        if expands_before(s, node, s.heap[down]):
            break
        s.heap[k] = s.heap[down]
        k = down
    s.heap[k] = node
    return int(top)


@njit(cache=True, nogil=True)
def add_node(s: Search, parent: int, job: int, depth: int, time: float, cost: float, bound: float) -> int:
    """Take a slot of the pool for a new node."""
    node = s.free[len(s.free) - 1 - s.counters[USED]]
    s.counters[USED] += 1
    s.parent[node], s.job[node], s.depth[node], s.children[node] = parent, job, depth, 0
    s.time[node], s.cost[node], s.bound[node] = time, cost, bound
    if parent >= 0:
        s.children[parent] += 1
    return int(node)


@njit(cache=True, nogil=True)
def close_node(s: Search, node: int) -> None:
    """Free the expanded node and those of its ancestors that have no children left."""
    while node >= 0 and s.children[node] == 0:
        s.counters[USED] -= 1
        s.free[len(s.free) - 1 - s.counters[USED]] = node
        node = s.parent[node]
        if node >= 0:
            s.children[node] -= 1


@njit(cache=True, nogil=True)
def dominated(s: Search, m: int, t1: float, c1: float, t: float, c: float, strict: bool) -> bool:
    """Return whether (t1, c1) dominates (t, c), both of one set with m jobs left (rule 5)."""
    if t1 <= t:
        return c1 <= c and (not strict or t1 < t or c1 < c)
    return c1 + m * (t1 - t) < c - s.tolerance


@njit(cache=True, nogil=True)
def dominated_in_memory(
    s: Search, key: NDArray[np.uint64], code: np.uint64, m: int, t: float, c: float, strict: bool
) -> bool:
    """Return whether the memory holds a state of the set `key` that dominates (t, c)."""
    first = np.int64(code & np.uint64(len(s.seen_cost) // WAYS - 1)) * WAYS
    for slot in range(first, first + WAYS):
        if s.seen_cost[slot] == 0.0:
            return False
        same = True
        for w in range(len(key)):
            same &= s.keys[slot, w] == key[w]
        if same and dominated(s, m, s.seen_time[slot], s.seen_cost[slot], t, c, strict):
            return True
    return False


@njit(cache=True, nogil=True)
def remember(s: Search, key: NDArray[np.uint64], code: np.uint64, m: int, t: float, c: float) -> None:
    """Put a state first among the slots of its hash value, in place of one it dominates, an empty or the oldest one."""
    first = np.int64(code & np.uint64(len(s.seen_cost) // WAYS - 1)) * WAYS
    slot = first
    while slot < first + WAYS - 1 and s.seen_cost[slot] != 0.0:
        same = True
        for w in range(len(key)):
            same &= s.keys[slot, w] == key[w]
        if same and dominated(s, m, t, c, s.seen_time[slot], s.seen_cost[slot], False):
            break
        slot += 1
    while slot > first:
        s.keys[slot] = s.keys[slot - 1]
        s.seen_time[slot], s.seen_cost[slot] = s.seen_time[slot - 1], s.seen_cost[slot - 1]
        slot -= 1
    s.keys[first] = key
    s.seen_time[first], s.seen_cost[first] = t, c
