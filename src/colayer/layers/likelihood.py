"""Negative log-likelihoods of the layers' solutions under P(y) ∝ e^{−⟨θ, y⟩}, with gradients, on plain arrays.

Each function returns (value, gradient with respect to θ). `matrix_tree` is exact, its gradient ȳ − E[Y]. The exact
normalisers of path covers and permutations are permanents, so the others are surrogates: `path_cover` is a composite
likelihood, of exact conditional probabilities; `plackett_luce` is another distribution with the same mode.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit
from colayer.errors import InputError

#: e^{−38} is below half a unit in the last place of 1: what is that much smaller adds nothing.
_NEGLIGIBLE = 38.0


@dataclass(frozen=True, eq=False)
class Elimination:
    """An order in which to eliminate the nodes of a graph, with the place of every edge among the later nodes.

    Nodes are numbered by their turn. `later[start[k] : start[k + 1]]` are the neighbours of node k at its turn, all of
    them later, in increasing order; `slot[e]` is the position of edge e in `later`. The order depends on the graph
    alone, so compute it once per graph.
    """

    nodes: int
    start: Ints
    later: Ints
    slot: Ints

    @classmethod
    def of(cls, nodes: int, edges: NDArray[np.int64]) -> Self:
        """Choose the order by least degree, ties by node: little fill on sparse graphs, O(n log n) on a grid.

        Eliminating a node joins its neighbours pairwise. Once all that remain are joined, their order does not matter.
        """
        around: list[set[int]] = [set() for _ in range(nodes)]
        for u, v in edges.tolist():
            around[u].add(v)
            around[v].add(u)
        turn = np.full(nodes, -1, dtype=np.int64)
        columns: list[set[int]] = []
        queue = [(len(neighbours), node) for node, neighbours in enumerate(around)]
        heapq.heapify(queue)
        while len(columns) < nodes:
            degree, node = heapq.heappop(queue)
            if turn[node] >= 0 or degree != len(around[node]):
                continue
            left = nodes - len(columns)
            if degree == left - 1:
                for rank, other in enumerate(sorted({node, *around[node]}), start=len(columns)):
                    turn[other] = rank
                    columns.append(around[other])
                break
            if degree == 0:
                raise InputError("the graph is not connected, expected a path between any two nodes", where="edges")
            turn[node] = len(columns)
            neighbours = around[node]
            columns.append(neighbours)
            for other in neighbours:
                around[other] |= neighbours
                around[other] -= {node, other}
                heapq.heappush(queue, (len(around[other]), other))
        later = [np.sort(turn[list(column)]) for column in columns]
        later = [column[column > k] for k, column in enumerate(later)]
        start = np.concatenate([[0], np.cumsum([len(column) for column in later])]).astype(np.int64)
        flat = np.concatenate(later).astype(np.int64)
        low, high = np.sort(turn[edges], axis=1).T
        slot = np.array([start[k] + np.searchsorted(later[k], j) for k, j in zip(low, high, strict=True)])
        return cls(nodes, start, flat, slot.astype(np.int64))


def matrix_tree(
    nodes: int, edges: NDArray[np.int64], theta: Floats, target: Floats, elimination: Elimination | None = None
) -> tuple[float, Floats]:
    """Return ⟨θ, ȳ⟩ + log Σ_y e^{−⟨θ, y⟩}, exact for two-stage spanning trees, and its gradient in θ, ȳ − E[Y].

    By Kirchhoff's matrix-tree theorem the sum is the determinant of the reduced Laplacian with the edge weights
    e^{−θ_e} + e^{−θ_{m+e}} (for learning: Koo, Globerson, Carreras and Collins, 2007). θ and the target ȳ, which may be
    fractional, hold the m edges in the first stage, then in the second: (2m,). Pass `Elimination.of(nodes, edges)` as
    `elimination` if you use the graph more than once.

    >>> edges = np.array([[0, 1], [1, 2], [0, 2]])
    >>> value, _ = matrix_tree(3, edges, np.zeros(6), np.array([1.0, 1, 0, 0, 0, 0]))
    >>> round(float(np.exp(value)), 12)  # 3 trees, 4 ways to give their edges a stage
    12.0
    """
    m = len(edges)
    _check(theta, target, 2 * m)
    plan = Elimination.of(nodes, edges) if elimination is None else elimination
    shift = float(theta.min())
    first, second = shift - theta[:m], shift - theta[m:]
    edge = np.logaddexp(first, second)
    weight = np.full(len(plan.later), -np.inf)
    np.logaddexp.at(weight, plan.slot, edge)
    total = np.empty(nodes)
    log_sum = _eliminate(plan.start, plan.later, weight, total) - shift * (nodes - 1)
    inside = np.zeros(len(plan.later))
    _marginals(plan.start, plan.later, weight, total, inside)
    chosen = inside[plan.slot] * np.exp(edge - weight[plan.slot])
    expected = np.concatenate([chosen * np.exp(first - edge), chosen * np.exp(second - edge)])
    return float((theta * target).sum()) + log_sum, target - expected


@njit(cache=True, nogil=True)
def _eliminate(start, later, weight, total):  # type: ignore[no-untyped-def]
    """Return the log of the sum over spanning trees of the product of edge weights; all weights are logarithms.

    Let node k have the neighbours i with weights w_ki and the total D_k = Σ_i w_ki. The sum over trees is D_k times
    that of the graph without k in which w_ij has grown by w_ki·w_kj/D_k (Gaussian elimination of the Laplacian).
    Nothing is ever subtracted, and logarithms neither over- nor underflow, so the result is accurate for any spread of
    the weights. `weight` holds the original weights by slot (−inf for none) and, at the end, those with which each node
    was eliminated; `total` receives log D. O(Σ_k deg²) for the degrees at elimination.
    """
    n = start.shape[0] - 1
    result = 0.0
    for k in range(n - 1):
        a, b = start[k], start[k + 1]
        high = -np.inf
        for p in range(a, b):
            high = max(high, weight[p])
        share = 0.0
        for p in range(a, b):
            share += np.exp(weight[p] - high)
        total[k] = high + np.log(share)
        result += total[k]
        for p in range(a, b - 1):
            q = start[later[p]]
            part = weight[p] - total[k]
            for r in range(p + 1, b):
                while later[q] != later[r]:
                    q += 1
                more = part + weight[r]
                gap = weight[q] - more
                if gap < -_NEGLIGIBLE:
                    weight[q] = more
                elif gap < 0.0:
                    weight[q] = more + np.log1p(np.exp(gap))
                elif gap <= _NEGLIGIBLE:
                    weight[q] += np.log1p(np.exp(-gap))
    return result


@njit(cache=True, nogil=True)
def _marginals(start, later, weight, total, inside):  # type: ignore[no-untyped-def]
    """Compute the probability that a random tree uses each slot, d(log sum)/d(log weight); `inside` comes in as zeros.

    This is `_eliminate` backwards, from its final weights: a slot hands its probability on to the weights it was summed
    from, to each its share; log D_k receives 1 for its place in the sum, less what its pairs hand on. The cost is the
    same. Terms are at most the degree, so errors stay of the order of rounding; they are clipped to [0, 1].
    """
    n = start.shape[0] - 1
    for k in range(n - 2, -1, -1):
        a, b = start[k], start[k + 1]
        rest = 1.0
        for p in range(a, b - 1):
            q = start[later[p]]
            part = weight[p] - total[k]
            for r in range(p + 1, b):
                while later[q] != later[r]:
                    q += 1
                gap = part + weight[r] - weight[q]
                if gap > -_NEGLIGIBLE and inside[q] > 0.0:
                    passed = inside[q] * np.exp(gap)
                    inside[p] += passed
                    inside[r] += passed
                    rest -= passed
        for p in range(a, b):
            inside[p] = min(max(inside[p] + rest * np.exp(weight[p] - total[k]), 0.0), 1.0)


def path_cover(indptr: Ints, heads: NDArray[np.integer], theta: Floats, target: Floats) -> tuple[float, Floats]:
    """Return the composite negative log-likelihood of a path cover ȳ against its exchanges, and its gradient in θ.

    θ and ȳ hold the arcs in compressed rows, then the n origin arcs, then the n destination arcs. There is one term per
    arc between tasks. The exchanges by an arc (u, w) that ȳ does not use are the covers that use it and otherwise agree
    with ȳ: the successor v of u and the predecessor t of w in ȳ, where they exist, lose their partners; they are joined
    if (t, v) is an arc, or given to the origin and the destination. The exchange by an arc that ȳ uses removes it and
    uses the origin and the destination instead.

        value = −Σ_a log P(Y = ȳ | Y is ȳ or one of its exchanges by a),  P(y) ∝ e^{−⟨θ, y⟩}

    The exact normaliser, a permanent, cancels in each term (Besag, 1975; Lindsay, 1988). The value is convex in θ; the
    gradient is Σ_a (ȳ − the mean of Y in term a). O(arcs · log n).
    """
    n, arcs = len(indptr) - 1, len(heads)
    _check(theta, target, arcs + 2 * n)
    used = np.flatnonzero(target[:arcs])
    tails, tasks = np.repeat(np.arange(n), np.diff(indptr)), np.arange(n)
    arc_in, arc_out, predecessor = arcs + tasks, arcs + n + tasks, np.full(n, -1)
    arc_in[heads[used]] = arc_out[tails[used]] = used
    predecessor[heads[used]] = tails[used]
    cover = np.zeros(len(theta))
    cover[arc_in] = cover[arc_out] = 1.0
    if not np.array_equal(cover, target):
        wrong = "not a path cover, expected 1 on one arc into and one out of every task, else 0"
        raise InputError(wrong, where="target")
    gradient = np.zeros(len(theta))
    graph = np.array(indptr, dtype=np.int64), np.array(heads, dtype=np.int32)
    value = _exchanges(*graph, np.array(theta), arc_in, arc_out, predecessor, gradient)
    return value, gradient


@njit(cache=True, nogil=True)
def _exchanges(indptr, heads, theta, arc_in, arc_out, predecessor, gradient):  # type: ignore[no-untyped-def]
    """Return the value of `path_cover` and add its gradient to `gradient`. Arcs are indices into θ.

    For each arc, compute by how much the exchanges raise ⟨θ, y⟩, unjoined (origin and destination) and joined, and the
    log of the sum of e^{−rise} over these and ȳ itself, whose rise is 0.
    """
    n, arcs = indptr.shape[0] - 1, heads.shape[0]
    value = 0.0
    for u in range(n):
        left = arc_out[u]
        v = heads[left] if left < arcs else -1
        for a in range(indptr[u], indptr[u + 1]):
            joint = -1
            if a == left:
                entered, t = left, u
                base = -theta[a]
            else:
                entered = arc_in[heads[a]]
                t = predecessor[heads[a]]
                base = theta[a] - theta[left] - theta[entered]
                if v >= 0 and t >= 0:
                    low, high = indptr[t], indptr[t + 1]
                    while low < high:  # the first arc of t whose head is v or later
                        middle = (low + high) // 2
                        if heads[middle] < v:
                            low = middle + 1
                        else:
                            high = middle
                    if low < indptr[t + 1] and heads[low] == v:
                        joint = low
            apart = base + (theta[arcs + v] if v >= 0 else 0.0) + (theta[arcs + n + t] if t >= 0 else 0.0)
            joined = base + theta[joint] if joint >= 0 else np.inf
            least = min(0.0, apart, joined)
            weight_apart, weight_joined = np.exp(least - apart), np.exp(least - joined)
            total = np.exp(least) + weight_apart + weight_joined
            value += np.log(total) - least
            p, q = weight_apart / total, weight_joined / total
            if v >= 0:
                gradient[arcs + v] -= p
            if t >= 0:
                gradient[arcs + n + t] -= p
            if joint >= 0:
                gradient[joint] -= q
            gradient[left] += p + q
            if a != left:
                gradient[entered] += p + q
                gradient[a] -= p + q
    return value


def plackett_luce(theta: Floats, order: Ints) -> tuple[float, Floats]:
    """Return −log Π_i e^{−θ_{σ_i}} / Σ_{k ≥ i} e^{−θ_{σ_k}} of a permutation σ, and its gradient in θ.

    The distribution fills positions one after the other. Its mode is the solution of the sorting layer, but it is not
    P(y) ∝ e^{−⟨θ, y⟩}, whose normaliser is a permanent. The gradient by index is 1 − Σ_{i ≤ position} P(chosen at i).
    Sums are of logarithms, accurate for any spread. O(n). Luce (1959), Plackett (1975).

    >>> value, gradient = plackett_luce(np.array([0.0, np.log(2.0)]), np.array([1, 0]))
    >>> round(float(np.exp(-value)), 12), np.round(gradient, 12).tolist()
    (0.333333333333, [-0.666666666667, 0.666666666667])
    """
    _check(theta, theta, len(order))
    chosen = theta[order]
    left = np.logaddexp.accumulate(-chosen[::-1])[::-1]  # log Σ_{k ≥ i} e^{−θ}
    times = np.logaddexp.accumulate(-left)  # log Σ_{i ≤ position} 1/Σ
    gradient = np.empty(len(theta))
    gradient[order] = 1.0 - np.exp(times - chosen)
    return float((chosen + left).sum()), gradient


def _check(theta: Floats, target: Floats, length: int) -> None:
    for name, vector in (("theta", theta), ("target", target)):
        if vector.shape != (length,):
            raise InputError(f"an array of shape {vector.shape}, expected ({length},)", where=name)
        if not np.isfinite(vector).all():
            raise InputError("not finite", where=f"{name}[{int(np.argmin(np.isfinite(vector)))}]")
