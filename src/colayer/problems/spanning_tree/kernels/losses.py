"""Losses of many weight vectors on a range of instances: features → θ → tree → completions → cost, nothing stored.

Each number is computed by the same operations in the same order whatever the other rows and columns are, and its sums
in the order of `cost.stages_cost`. O(d) per edge and weight vector for θ, O(m) expected for the layer's tree, and
O(S n α(n)) for the completions.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.compiled import inner, njit
from colayer.layers.sorting import order_into
from colayer.layers.spanning_tree import find, join
from colayer.models.thetas import accumulate

TILE = 16  # weight vectors at a time: their θ of 7000 edges stay in the second-level cache


@njit(cache=True, nogil=True)
def losses_into(  # type: ignore[no-untyped-def]
    first_weights, second_weights, first_features, second_features, edge, u, v, first, tree, ends, costs, nodes,
    nothing, low, high, out,
):  # fmt: skip
    """Compute out[k, x] = cost / (|V| − 1) of instance x in low..high − 1 under row k of the weights, raw units.

    The edges of instance x are edge[x]..edge[x + 1] − 1 of u, v and first; its features of the first stage, which are 0
    in the rows of the second one, are the (d_1, m) matrix that begins at d_1·edge[x] of `first_features`, and so on.
    Its scenario trees are tree[x]..tree[x + 1] − 1 of ends (both nodes) and costs, n − 1 edges a scenario by increasing
    cost; nothing[x] is the cost of E_1 = ∅.
    """
    d1, d2 = first_weights.shape[1], second_weights.shape[1]
    widest = 0
    for x in range(low, high):
        widest = max(widest, edge[x + 1] - edge[x])
    theta1, theta2, found = np.empty(TILE * widest), np.empty(TILE * widest), np.empty(TILE)
    stages = np.empty((1, widest), np.int8)
    for x in range(low, high):
        begin, end = edge[x], edge[x + 1]
        m = end - begin
        for top in range(0, len(first_weights), TILE):
            count = min(TILE, len(first_weights) - top)
            rows1 = theta1[: count * m].reshape((count, m))
            rows2 = theta2[: count * m].reshape((count, m))
            accumulate(first_features[d1 * begin : d1 * end].reshape((d1, m)), first_weights[top : top + count], rows1)
            accumulate(
                second_features[d2 * begin : d2 * end].reshape((d2, m)), second_weights[top : top + count], rows2
            )
            costs_into(
                rows1, rows2, u[begin:end], v[begin:end], first[begin:end], ends[tree[x] : tree[x + 1]],
                costs[tree[x] : tree[x + 1]], nodes[x], nothing[x], stages, found,
            )  # fmt: skip
            for k in range(count):
                out[top + k, x] = found[k] / (nodes[x] - 1.0)


@njit(cache=True, nogil=True)
def costs_into(theta1, theta2, u, v, first, ends, costs, nodes, nothing, stages, out):  # type: ignore[no-untyped-def]
    """Compute out[k], the cost of the decoded tree of the layer with c̄ = theta1[k], d̄ = theta2[k], for one instance.

    stages[k] is that tree, as `layer.layer` gives it; with fewer rows the last one is reused.
    """
    m = len(u)
    cheaper, keys = np.empty(m), np.empty(m)
    order, work = np.empty(m, np.int64), np.empty(2 * m + 1, np.int64)
    parent, forest, label = np.empty(nodes, np.int32), np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    kept, kept_costs = np.empty((nodes, 2), np.int32), np.empty(nodes)
    for k in range(len(theta1)):
        bar1, bar2 = theta1[k], theta2[k]
        for e in range(m):
            cheaper[e] = min(bar1[e], bar2[e])
        order_into(cheaper, order, keys, work)
        stage = stages[min(k, len(stages) - 1)]
        components = _forest_into(u, v, order, bar1, bar2, parent, forest, stage, label)
        if components == nodes:
            out[k] = nothing
            continue
        total = 0.0
        for e in range(m):
            if stage[e] == 1:
                total += first[e]
        out[k] = min(nothing, completed_cost(total, components, ends, costs, label, parent, kept, kept_costs))


@inner(cache=True, nogil=True)
def _forest_into(u, v, order, bar1, bar2, parent, forest, stage, label):  # type: ignore[no-untyped-def]
    """Solve the layer: write each edge's stage and label[i], node i's component in stage 1; return their number."""
    nodes = len(parent)
    for i in range(nodes):
        parent[i] = -1
        forest[i] = -1
    for e in range(len(u)):
        stage[e] = 0
    left = nodes - 1
    for k in range(len(order)):
        if left == 0:
            break
        e = order[k]
        a = find(parent, u[e])
        b = find(parent, v[e])
        if a != b:
            join(parent, a, b)
            left -= 1
            stage[e] = 2
            if bar1[e] <= bar2[e]:
                stage[e] = 1
                join(forest, find(forest, u[e]), find(forest, v[e]))
    components = 0
    for i in range(nodes):
        if forest[i] < 0:
            label[i] = components
            components += 1
    for i in range(nodes):
        label[i] = label[find(forest, i)]
    return components


@inner(cache=True, nogil=True)
def completed_cost(total, components, ends, costs, label, parent, kept, kept_costs):  # type: ignore[no-untyped-def]
    """Return the cost of a forest, whose own costs sum to `total`, with its cheapest completions.

    In each scenario it first collects the edges between different components, without a branch to mispredict, then runs
    Kruskal's algorithm over those, on the components.
    """
    trees = len(label) - 1
    scenarios = len(costs) // trees
    sum_second = 0.0
    for s in range(scenarios):
        count = 0
        for k in range(s * trees, (s + 1) * trees):
            a = label[ends[k, 0]]
            b = label[ends[k, 1]]
            kept[count, 0] = a
            kept[count, 1] = b
            kept_costs[count] = costs[k]
            count += a != b
        for i in range(components):
            parent[i] = -1
        left = components - 1
        sum_s = 0.0
        k = 0
        while left > 0:
            a = find(parent, kept[k, 0])
            b = find(parent, kept[k, 1])
            if a != b:
                join(parent, a, b)
                sum_s += kept_costs[k]
                left -= 1
            k += 1
        sum_second += sum_s
    return (scenarios * total + sum_second) / scenarios
