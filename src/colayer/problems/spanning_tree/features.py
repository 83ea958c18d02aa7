"""The features of an (edge, stage) pair: a table of names and formulas, and the matrix of their values.

After the paper's Table 1. Q_j means the quantile j/10 by linear interpolation, j = 0, …, 10. A feature of one stage is
0 in the rows of the other. In the set "cost", membership in T(d_s) counts by D_es, what the tree pays to connect the
ends of e: d_es where it holds e, and more telling than 0 where it does not, since an edge that is worth buying now
costs less than the mean of D_es over s. The set "prices" adds what some steps of the prices say (`prices`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer._runtime.deadline import look
from colayer.problems.feature_table import Feature, FeatureTable
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.kernels.features import FIRST, QUANTILES, feature_matrix
from colayer.problems.spanning_tree.kernels.trees import bottlenecks, scenario_trees
from colayer.problems.spanning_tree.prices import STEPS, price_shares


def _quantiles(name: str, group: str, formula: str) -> tuple[Feature, ...]:
    return tuple(Feature(f"{name}_q{10 * j}", group, formula.replace("Q", f"Q_{j}", 1)) for j in range(QUANTILES))


def _wanted(stage: str) -> tuple[Feature, ...]:
    steps = range(1, STEPS + 1)
    formula = "r · share of s whose tree takes e at its price, at step {}; 0 where c_e ≥ mean over s of D_es"
    return tuple(Feature(f"{stage}_wanted_{k}", stage, formula.format(k)) for k in steps)


def _table(times_c: str, times_d: str, path: str, prices: bool = False) -> FeatureTable:
    """Return the rows of the kernel's matrix in its order, with those of prices in between; keep both in step.

    b_s = min(c, d_s), T(·) is the minimum spanning tree for a cost, and r the range of all costs, the unit in which
    shares are added to costs; prices are those of `prices`, c_e on average over s. The safe weights give θ = (c_e, mean
    over s of d_es): a 2-approximation of the maximum-weight problem (paper, section 4.3).
    """
    columns = (
        Feature("first_cost", "first", "c_e"),
        *_quantiles("first_cost_near", "first", "Q over δ(u) ∪ δ(v) of c"),
        Feature("first_tree", "first", f"{times_c}[e ∈ T(c)]"),
        *_quantiles("first_bought", "first", f"Q over s of {times_c}[e ∈ T(b_s), c_e ≤ d_es]"),
        *(_wanted("first") if prices else ()),
        Feature("second_mean_cost", "second", "mean over s of d_es"),
        *_quantiles("second_cost", "second", "Q over s of d_es"),
        *_quantiles("second_cost_near", "second", "Q over s and δ(u) ∪ δ(v) of d"),
        *_quantiles("second_tree", "second", f"Q over s of {path}"),
        *_quantiles("second_bought", "second", f"Q over s of {times_d}[e ∈ T(b_s), c_e > d_es]"),
        *((*_wanted("second"), Feature("second_range", "second", "r")) if prices else ()),
    )
    return FeatureTable(columns, safe=("first_cost", "second_mean_cost"))


#: name of the feature set → its table. With "cost" and "prices" every feature is a cost: scaled costs, scaled features;
#: of prices, but for ties that rounding to units breaks.
FEATURE_SETS = {
    "cost": _table("c_e·", "d_es·", "D_es, the largest cost on the path of e in T(d_s)"),
    "indicator": _table("", "", "[e ∈ T(d_s)]"),
    "prices": _table("c_e·", "d_es·", "D_es, the largest cost on the path of e in T(d_s)", prices=True),
}


def features(instance: Instance, which: str = "cost") -> NDArray[np.float32]:
    """Return φ of every (edge, stage), (2m, d), all edges of stage 1 first: a view of a C-contiguous (d, 2m) array.

    d is 69, or 86 with prices.
    """
    u, v, first, second = instance.arrays
    m = instance.edge_count
    cheaper = scenario_trees(instance.nodes, u, v, np.minimum(first, second))
    look()
    trees = instance.scenario_trees
    costly = which != "indicator"
    paths = bottlenecks(u, v, trees, second) if costly else _members(trees, m).T.astype(np.float64)
    look()
    in_first = _members(scenario_trees(instance.nodes, u, v, first[np.newaxis]), m)[:, 0].copy()
    ends = np.concatenate([u, v])
    start = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=instance.nodes))])
    incident = np.argsort(ends, kind="stable") % m
    matrix: NDArray[np.float32] = feature_matrix(
        u, v, first, np.ascontiguousarray(second.T), start, incident, in_first,
        np.ascontiguousarray(paths.T), _members(cheaper, m), costly,
    )  # fmt: skip
    return (_with_prices(matrix, instance, paths) if which == "prices" else matrix).T


def _with_prices(matrix: NDArray[np.float32], instance: Instance, bottleneck: Floats) -> NDArray[np.float32]:
    """Return the matrix with the rows of prices inserted."""
    m = instance.edge_count
    r = instance.cost_range
    wanted = np.zeros((2, STEPS, 2 * m), dtype=np.float32)
    wanted[0, :, :m] = wanted[1, :, m:] = r * price_shares(instance, bottleneck)
    unit = np.zeros((1, 2 * m), dtype=np.float32)
    unit[:, m:] = r
    return np.concatenate([matrix[:FIRST], wanted[0], matrix[FIRST:], wanted[1], unit])


def _members(trees: NDArray[np.int32], edges: int) -> NDArray[np.bool_]:
    """Return whether the tree of each scenario holds each edge, (m, S)."""
    inside = np.zeros((edges, len(trees)), dtype=np.bool_)
    inside[trees.T, np.arange(len(trees))] = True
    return inside
