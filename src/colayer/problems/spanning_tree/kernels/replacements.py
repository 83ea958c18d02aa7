"""The savings of each edge of a first stage while all others stay."""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import njit


@njit(cache=True, nogil=True)
def replacements(u, v, forest, completed, trees, second):  # type: ignore[no-untyped-def]
    """Return R (S, |F|), what scenario s pays more in the second stage if edge j of the forest F is not bought.

    `completed` (S, n − 1 − |F|) are the completions of F and `trees` (S, n − 1) the scenarios' own trees, by increasing
    cost. F without j is completed by the same edges and one more of the tree of s, the cheapest that joins the two
    parts: the first edge f, by cost, whose path in F and its completion goes through j (f may be j itself). Edges that
    have been met are contracted, so each is met once: O(S n α(n)).
    """
    scenarios, nodes, bought = trees.shape[0], trees.shape[1] + 1, forest.shape[0]
    out = np.zeros((scenarios, bought))
    first, following = np.empty(nodes, np.int32), np.empty(2 * (nodes - 1), np.int32)
    to = np.empty(2 * (nodes - 1), np.int32)
    parent, above, depth = np.empty(nodes, np.int32), np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    up, stack = np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    used = np.zeros(u.shape[0], np.int32)  # scenario + 1 whose completion holds the edge
    for s in range(scenarios):
        first[:] = -1
        for k in range(nodes - 1):
            e = forest[k] if k < bought else completed[s, k - bought]
            if k >= bought:
                used[e] = s + 1
            for half in range(2):
                a, b = (u[e], v[e]) if half == 0 else (v[e], u[e])
                place = 2 * k + half
                to[place], following[place] = b, first[a]
                first[a] = place
        parent[:] = -1
        parent[0], above[0], depth[0], stack[0] = 0, -1, 0, 0
        count = 1
        while count > 0:
            count -= 1
            a = stack[count]
            place = first[a]
            while place >= 0:
                b = to[place]
                if parent[b] < 0:
                    parent[b], above[b], depth[b] = a, place // 2, depth[a] + 1
                    stack[count] = b
                    count += 1
                place = following[place]
        for i in range(nodes):
            up[i] = i
        for k in range(nodes - 1):
            f = trees[s, k]
            if used[f] == s + 1:
                continue
            a, b = u[f], v[f]
            while True:
                while up[a] != a:
                    up[a] = up[up[a]]
                    a = up[a]
                while up[b] != b:
                    up[b] = up[up[b]]
                    b = up[b]
                if a == b:
                    break
                if depth[a] < depth[b]:
                    a, b = b, a
                if above[a] < bought:
                    out[s, above[a]] = second[s, f]
                up[a] = parent[a]
    return out
