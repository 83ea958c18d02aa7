"""One shortest augmenting path of a bipartite matching whose nodes may stay unmatched."""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import inner
from colayer.layers.kernels.heap import drop, push


@inner(cache=True, nogil=True)
def workspace(size):  # type: ignore[no-untyped-def]
    """Return scratch arrays for `augment` and sides of at most `size` nodes; distances are infinite between calls."""
    distance = np.empty(size)
    for v in range(size):
        distance[v] = np.inf
    parent = np.empty(size, np.int64)
    reached = np.empty(size, np.int64)
    ready = np.empty(size, np.int64)
    tree = np.empty(size, np.int64)
    return distance, parent, reached, ready, tree


@inner(cache=True, nogil=True)
def augment(root, firsts, lasts, ends, costs, limits, near, far, mate, owner, work, keys, nodes):  # type: ignore[no-untyped-def]
    """Match the unmatched node `root`, or unmatch the node of its side for which that costs least.

    The near side is that of the root: node u has the arcs firsts[u] … lasts[u] − 1, to `ends` at `costs`, the dual
    near[u] ≤ limits[u], and its mate on the far side or −1. The far side has the duals `far`, and owners or −1. Either
    side may be the rows. Invariant, before and after: near[u] + far[v] ≤ cost, with equality on matched arcs.

    The algorithm is Dijkstra's over alternating paths, lengths cost − near − far ≥ 0. A path ends at a far node without
    an owner, or at a near node w of the tree that gives up its mate, at the extra length limits[w] − near[w]. `best` is
    the length of the shortest path found; only shorter ones enter the heap. Far nodes at the current distance (`level`)
    wait in `ready`, so ties never touch the heap. At the end the duals of all nodes nearer than `best` move by the
    difference: near ones up, far ones down. O(m log m) for m arcs scanned; `keys` and `nodes` need room for all arcs,
    because each is pushed at most once.
    """
    distance, parent, reached, ready, tree = work
    n_reached = n_ready = n_tree = size = 0
    level = 0.0
    best = limits[root] - near[root]
    last_near = root
    last_far = np.int64(-1)
    u = root
    while True:
        offset = level - near[u]
        for k in range(firsts[u], lasts[u]):
            v = ends[k]
            d = max(costs[k] - far[v] + offset, level)  # not below `level`: rounding
            if d < best and d < distance[v]:
                if distance[v] == np.inf:
                    reached[n_reached] = v
                    n_reached += 1
                distance[v] = d
                parent[v] = u
                if owner[v] < 0:
                    best = d
                    last_far = np.int64(v)
                elif d <= level:
                    ready[n_ready] = v
                    n_ready += 1
                else:
                    size = push(keys, nodes, size, d, v)
        while n_ready == 0 and size > 0 and keys[0] < best:
            level = keys[0]
            v = nodes[0]
            size = drop(keys, nodes, size)
            if distance[v] == level:  # otherwise a shorter path has reached it since
                ready[0] = v
                n_ready = 1
        if n_ready == 0 or best <= level:
            break
        n_ready -= 1
        end = ready[n_ready]
        tree[n_tree] = end
        n_tree += 1
        u = owner[end]
        d = level + (limits[u] - near[u])
        if d < best:
            best = d
            last_near = u
            last_far = np.int64(-1)

    near[root] += best
    for i in range(n_tree):
        end = tree[i]
        step = best - distance[end]
        far[end] -= step
        near[owner[end]] += step
    if last_far < 0:  # last_near gives up its mate, which is for the one before it on the path
        last_far = mate[last_near]
        mate[last_near] = -1
        near[last_near] = limits[last_near]
    end = last_far
    while end >= 0:
        u = parent[end]
        before = mate[u]
        mate[u] = end
        owner[end] = u
        end = before
    for i in range(n_reached):
        distance[reached[i]] = np.inf
