"""Each kernel of the GPU in plain Python, as a device: what the kernels must compute, and no more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from colayer.problems.single_machine.kernels.rdi import rdi
from colayer.problems.single_machine.kernels.recombine import decode_rdi
from support.gpu.emulated import HostArrays


class Reference(HostArrays):
    """Launches are calls of the functions below."""

    def launch(
        self, source: str, kernel: str, grid: tuple[int, int], threads: int, shared: int, values: Sequence[Any]
    ) -> None:
        assert shared <= self.shared
        globals()[kernel](grid, *values)


def thetas(grid: tuple[int, int], features: Any, weights: Any, out: Any, d: int, rows: int, total: int) -> None:
    for row in range(rows):
        for g in range(total):
            theta = 0.0
            for k in range(d):
                theta += float(weights[row, k]) * float(features[k, g])
            out[row, g] = theta


def increasing(values: Any) -> list[int]:
    """Indices, ties by index."""
    return sorted(range(len(values)), key=lambda i: (values[i], i))


def sort_rows(
    grid: tuple[int, int], theta: Any, orders: Any, first: Any, number: Any, x0: int, total: int, most: int
) -> None:
    for row in range(grid[0]):
        for x in range(x0, x0 + grid[1]):
            part = slice(first[x], first[x + 1])
            orders[row, part] = number[part][increasing(theta[row, part])]


def sorted_costs(
    grid: tuple[int, int], theta: Any, first: Any, number: Any, r: Any, p: Any, scale: Any, x0: int, total: int,
    most: int, out: Any, columns: int,
) -> None:  # fmt: skip
    for row in range(grid[0]):
        for x in range(x0, x0 + grid[1]):
            part = slice(first[x], first[x + 1])
            order = number[part][increasing(theta[row, part])].tolist()
            out[row, x] = cost(order, r[part], p[part]) / scale[x]


def descended(order: list[int], r: Any, p: Any) -> list[int]:
    """LS: the leftmost pair that may be exchanged, again and again."""
    order = list(order)
    while True:
        now = 0.0
        for i in range(len(order) - 1):
            a, b = order[i], order[i + 1]
            start = max(now, r[a])
            if r[b] <= start and (p[b], r[b]) < (p[a], r[a]):
                order[i : i + 2] = b, a
                break
            now = start + p[a]
        else:
            return order


def cost(order: list[int], r: Any, p: Any) -> float:
    now = total = 0.0
    for j in order:
        now = max(now, float(r[j])) + float(p[j])
        total += now
    return total


def costs(
    grid: tuple[int, int], theta: Any, orders: Any, first: Any, r: Any, p: Any, scale: Any, x0: int, count: int,
    rows: int, total: int, ls: int, out: Any, columns: int,
) -> None:  # fmt: skip
    for row in range(rows):
        for x in range(x0, x0 + count):
            part = slice(first[x], first[x + 1])
            order = orders[row, part].tolist()
            if ls:
                order = descended(order, r[part], p[part])
            out[row, x] = cost(order, r[part], p[part]) / scale[x]


def descend_whole(
    grid: tuple[int, int], orders: Any, first: Any, level: Any, r: Any, p: Any, scale: Any, x0: int, rows: int,
    total: int, most: int, narrow: int, levels: Any, keep: int, out: Any, columns: int,
) -> None:  # fmt: skip
    if keep:
        for row in range(rows):
            for x in range(x0, x0 + grid[1]):
                part = slice(first[x], first[x + 1])
                order = descended(orders[row, part].tolist(), r[part], p[part])
                levels[row, part] = level[part][order]
    unused = np.empty(0)
    costs(grid, unused, orders, first, r, p, scale, x0, grid[1], rows, total, 1, out, columns)


def rdi_true(
    grid: tuple[int, int], truth: Any, first: Any, r: Any, p: Any, tolerance: Any, x0: int, count: int, memory: Any
) -> None:
    for x in range(x0, x0 + count):
        part = slice(first[x], first[x + 1])
        truth[part] = rdi.py_func(r[part], r[part], p[part])


def rdi_rows(
    grid: tuple[int, int], orders: Any, levels: Any, first: Any, level: Any, r: Any, p: Any, scale: Any,
    tolerance: Any, truth: Any, x0: int, count: int, rows: int, total: int, descended: int, spread: int, memory: Any,
    out: Any, columns: int,
) -> None:  # fmt: skip
    for row in range(rows):
        for x in range(x0, x0 + count):
            part = slice(first[x], first[x + 1])
            order = orders[row, part].astype(np.int64)
            if descended:  # from the levels that LS left: jobs of one level in the order that they had
                waiting: dict[int, list[int]] = {}
                for j in order.tolist():
                    waiting.setdefault(level[part][j], []).append(j)
                order = np.array([waiting[k].pop(0) for k in levels[row, part].tolist()])
            best = decode_rdi.py_func(order, r[part], p[part], False, truth[part].astype(np.int64))
            out[row, x] = best / scale[x]


def root(parent: list[int], node: int) -> int:
    while parent[node] != node:
        node = parent[node]
    return node


def kruskal(parent: list[int], edges: Any) -> list[int]:
    """Places of the edges that join components; `parent` holds these afterwards."""
    taken = []
    for k, (a, b) in enumerate(edges):
        a, b = root(parent, int(a)), root(parent, int(b))
        if a != b:
            parent[b] = a
            taken.append(k)
    return taken


def trees(
    grid: tuple[int, int], theta1: Any, theta2: Any, edge: Any, u: Any, v: Any, first: Any, tree: Any, ends: Any,
    costs: Any, nodes: Any, nothing: Any, whole: Any, x0: int, total: int, most: int, out: Any, columns: int,
) -> None:  # fmt: skip
    for row in range(grid[0]):
        for x in range(x0, x0 + grid[1]):
            part, n = slice(edge[x], edge[x + 1]), int(nodes[x])
            bar1, bar2 = theta1[row, part], theta2[row, part]
            pairs = list(zip(u[part].tolist(), v[part].tolist(), strict=True))
            order = increasing(np.minimum(bar1, bar2))
            chosen = [order[k] for k in kruskal(list(range(n)), [pairs[e] for e in order])]
            bought = sorted(e for e in chosen if bar1[e] <= bar2[e])
            best = float(nothing[x])
            if bought:
                base = list(range(n))
                kruskal(base, [pairs[e] for e in bought])
                scenarios = int(tree[x + 1] - tree[x]) // (n - 1)
                total_first, total_second = 0.0, 0.0
                for e in bought:
                    total_first += float(first[edge[x] + e])
                for s in range(scenarios):
                    top = int(tree[x]) + s * (n - 1)
                    own = 0.0
                    for k in kruskal(list(base), ends[top : top + n - 1]):
                        own += float(costs[top + k])
                    total_second += own
                best = min(best, (scenarios * total_first + total_second) / scenarios)
            out[row, x] = best / (n - 1.0)


def slopes(
    grid: tuple[int, int], drawn: Any, own: Any, r: Any, p: Any, end: Any, rows: int, n: int, window: int,
    sigma: float, out: Any,
) -> None:  # fmt: skip
    for row in range(rows):
        for a in range(n):
            others = [j for j in range(n) if j != a]
            places = range(max(0, a - window), min(n - 1, a + window) + 1)
            found = [cost([*others[:b], a, *others[b:]], r[row], p[row]) for b in places]
            passed = [float(drawn[row, others[b]] - own[row, a]) / sigma for b in places[:-1]]
            density = [math.exp(-0.5 * z * z) / (sigma * math.sqrt(2.0 * math.pi)) for z in passed]
            out[row, a] = sum(one * (found[k + 1] - found[k]) for k, one in enumerate(density))
