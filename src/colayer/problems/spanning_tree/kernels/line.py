"""The cost of the layer's tree along a line of θ = (c̄, d̄): edges are exchanged, a pair at a time; the cost follows.

Take every edge twice, once per stage, as two parallel elements with weights that are linear in t: the layer is the
minimum spanning tree of these 2m elements. Elements 2e and 2e + 1 are the stages of edge e, so that ties by index are
those of the layer: by edge first, and the first stage first.

Kruskal's algorithm looks at the order of the elements alone, and the order changes by swaps of neighbours (`kinetic`).
Let i come before j until they cross. The tree changes iff i is in it, j is not, and i lies on the tree's path between
the ends of j: then j takes the place of i.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.compiled import njit
from colayer.layers.kernels.kinetic import next_place, swap, sweep_from
from colayer.layers.spanning_tree import find, join, kruskal_into
from colayer.problems.spanning_tree.kernels.losses import completed_cost

Floats = NDArray[np.float64]


@njit(cache=True, nogil=True)
def costs_along(  # type: ignore[no-untyped-def]
    a, b, u, v, first, ends, costs, nodes, nothing, low, high
):  # fmt: skip
    """The decoded cost of the layer at a + t·b for t from low to high: (moments, costs), costs[k] between k − 1 and k.

    a and b hold a pair of numbers per edge, those of the stages. `ends`, `costs` and `nothing` are as in `losses_into`.
    Whether i lies on the path of j is asked of a numbering of the rooted tree, in O(1): exactly one end of j is below
    i. An exchange numbers the tree anew, O(n), and where it touches the first stage its cost is computed anew,
    O(S n α(n)). Swaps take O(log m).
    """
    order, coming = sweep_from(a, b, low)
    ends_u, ends_v = np.repeat(u, 2), np.repeat(v, 2)
    parent, tree = np.full(nodes, -1, np.int32), np.empty(nodes - 1, np.int64)
    kruskal_into(ends_u, ends_v, order, parent, tree)
    place = np.full(len(a), -1, np.int64)  # in `tree`; −1 outside it
    for k in range(nodes - 1):
        place[tree[k]] = k
    enter, leave, below = _numbered(ends_u, ends_v, tree, nodes)
    room = 64
    moments, found = np.empty(room), np.empty(room + 1)
    count = 0
    stale = True  # whether the cost of the tree is still to be computed
    since, last = low, 0.0
    while True:
        now = min(coming[1], high)
        i = j = -1
        if now < high:
            k = next_place(coming)
            i, j = order[k], order[k + 1]
            swap(a, b, order, coming, k)
            if place[i] < 0 or place[j] >= 0:
                continue
            child = below[place[i]]
            inside_u = enter[child] <= enter[ends_u[j]] < leave[child]
            inside_v = enter[child] <= enter[ends_v[j]] < leave[child]
            if inside_u == inside_v:
                continue
        if stale and (now > since or now == high):
            cost = _cost(tree, first, u, v, ends, costs, nodes, nothing)
            if count == 0 and since == low:
                found[0], last = cost, cost
                count = 1
            elif cost != last:
                if count == room:
                    moments, found = np.append(moments, np.empty(room)), np.append(found, np.empty(room))
                    room *= 2
                moments[count - 1], found[count], last = since, cost, cost
                count += 1
            stale = False
        if now == high:
            return moments[: count - 1].copy(), found[:count].copy()
        tree[place[i]] = j
        place[j], place[i] = place[i], -1
        enter, leave, below = _numbered(ends_u, ends_v, tree, nodes)
        if i % 2 == 0 or j % 2 == 0:
            stale, since = True, now


@njit(cache=True, nogil=True)
def _numbered(u, v, tree, nodes):  # type: ignore[no-untyped-def]
    """Node 0 is the root: enter[x] ≤ enter[y] < leave[x] iff y is x or below it; below[k]: the lower end of tree[k]."""
    head, after = np.full(nodes, -1, np.int64), np.empty(2 * len(tree), np.int64)
    for k in range(len(tree)):
        for side in range(2):
            node = u[tree[k]] if side == 0 else v[tree[k]]
            after[2 * k + side] = head[node]
            head[node] = 2 * k + side
    enter, leave, below = np.full(nodes, -1, np.int64), np.empty(nodes, np.int64), np.empty(len(tree), np.int64)
    stack = np.empty(nodes, np.int64)
    stack[0], depth, number = 0, 1, 1
    enter[0] = 0
    while depth > 0:
        node = stack[depth - 1]
        link = head[node]
        if link < 0:
            leave[node] = number
            depth -= 1
            continue
        head[node] = after[link]
        k = link // 2
        other = v[tree[k]] if link % 2 == 0 else u[tree[k]]
        if enter[other] < 0:
            enter[other] = number
            number += 1
            below[k] = other
            stack[depth] = other
            depth += 1
    return enter, leave, below


@njit(cache=True, nogil=True)
def _cost(tree, first, u, v, ends, costs, nodes, nothing):  # type: ignore[no-untyped-def]
    """As `costs_into` has it: the better of the first stage of the tree, completed, and of an empty one."""
    forest, label = np.full(nodes, -1, np.int32), np.empty(nodes, np.int32)
    bought = np.zeros(len(first), np.bool_)
    for element in tree:
        if element % 2 == 0:
            e = element // 2
            bought[e] = True
            join(forest, find(forest, u[e]), find(forest, v[e]))
    total = 0.0
    for e in range(len(first)):
        if bought[e]:
            total += first[e]
    components = 0
    for node in range(nodes):
        if forest[node] < 0:
            label[node] = components
            components += 1
    if components == nodes:
        return nothing
    for node in range(nodes):
        label[node] = label[find(forest, node)]
    parent, kept = np.empty(nodes, np.int32), np.empty((nodes, 2), np.int32)
    return min(nothing, completed_cost(total, components, ends, costs, label, parent, kept, np.empty(nodes)))
