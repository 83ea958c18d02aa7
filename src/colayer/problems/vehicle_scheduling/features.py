"""The features of an arc: a table of names and formulas, and the matrix of their values.

The paper uses 23 features and does not list them; these are ours. The slack of an arc (u, v) in a scenario is
ξ_begin[v] − (ξ_end[u] + ξ_travel[u, v]). Features of the slack are 0 on origin and destination arcs.
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer.problems.feature_table import Feature, FeatureTable, feature_set
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.slack import features_into
from colayer.problems.vehicle_scheduling.reference import arcs_of, reference
from colayer.problems.vehicle_scheduling.solution import checked

#: Levels of the quantiles of the slack, and points of its cumulative distribution (minutes).
LEVELS = tuple(k / 10 for k in range(11))
POINTS = (-50, -20, -10, 0, 10, 50, 200, 500)

#: The rows of the kernel's matrix, in its order: the kernel and this table change together.
FEATURES_23 = (
    Feature("travel", "travel", "travel[u, v]"),
    Feature("vehicle_cost", "vehicle", "vehicle_cost on origin arcs, 0 on all others"),
    Feature("slack_mean", "slack", "E[slack]"),
    *(Feature(f"slack_quantile_{100 * level:.0f}", "slack", f"quantile {level} of the slack") for level in LEVELS),
    *(Feature(f"slack_up_to_{point}".replace("-", "minus_"), "slack", f"P(slack ≤ {point})") for point in POINTS),
    Feature("expected_delay", "delay", "delay_cost · E[max(−slack, 0)]"),
)

#: With R the reference solution (`reference.py`), ℓ(u) the lateness of u in R, and f the multiple of the expected delay
#: that did best there. All are costs, like the vehicle cost and the expected delay.
_MORE = (
    Feature("scaled_delay", "load", "f · expected_delay"),
    Feature("delay_times_route_length", "load", "expected_delay · tasks per vehicle of R"),
    Feature("delay_times_delay_share", "load", "expected_delay · share of the delays in the cost of R"),
    Feature("reference_delay", "lateness", "delay_cost · E[max(ℓ(u) − slack, 0)]"),
    Feature("chained_delay", "lateness", "reference_delay, and what it adds to the delays of the tasks after v in R"),
    Feature("tail_lateness", "lateness", "delay_cost · E[ℓ(u)]"),
    Feature("reference_arc", "role", "vehicle_cost on the arcs of R, origin and destination arcs too; 0 on all others"),
)

FEATURES_EXTENDED = FEATURES_23 + _MORE

#: Periods of the day, by the begin of the tail, whose arcs a solution may keep or give up apart from the others.
PERIODS = 12

#: With z the solution of the round before (every task alone where there is none) and ℓ(u) the lateness of u in z.
FEATURES_ROUNDS = (
    *(feature for feature in FEATURES_23 if feature.name in ("vehicle_cost", "slack_mean", "expected_delay")),
    Feature("delay_in_view", "lateness", "delay_cost · E[max(ℓ(u) − slack, 0)]"),
    Feature("chained_delay", "lateness", "delay_in_view, and what it adds to the delays of the tasks after v in z"),
    Feature("tail_lateness", "lateness", "delay_cost · E[ℓ(u)]"),
    *(Feature(f"stay_{k}", "stay", f"delay_cost on arcs of z that leave in period {k}") for k in range(PERIODS)),
)

#: name of the feature set → its table. Under the safe weights, 1 on the vehicle cost and 1 on the expected delay, the
#: layer's value is a bound (see `cost.bound`).
FEATURE_SETS = {
    "23": FeatureTable(FEATURES_23, safe=("vehicle_cost", "expected_delay")),
    "extended": FeatureTable(FEATURES_EXTENDED, safe=("vehicle_cost", "expected_delay")),
    "rounds": FeatureTable(FEATURES_ROUNDS, safe=("vehicle_cost", "expected_delay")),
}


def features(instance: Instance, which: str = "23", solution: Ints | None = None) -> Singles:
    """Return φ(a, x) of every arc, (arcs + 2n, d): the transposed view of a C-contiguous (d, arcs + 2n) array.

    The feature set `rounds` depends on a solution.
    """
    table = feature_set(which, FEATURE_SETS)
    if which == "rounds":
        return _round_features(instance, solution).T
    indptr, heads = instance.arcs
    n, arcs = instance.tasks, len(heads)
    matrix = np.zeros((len(table), arcs + 2 * n), dtype=np.float32)
    matrix[1, arcs : arcs + n] = instance.vehicle_cost
    delays = np.empty(arcs)
    levels, points = np.array(LEVELS), np.array(POINTS, dtype=np.float64)

    def fill(low: int, high: int) -> None:
        features_into(instance.times, indptr, heads, instance.delay_cost, levels, points, low, high, delays, matrix)

    instance.over_tails(fill)
    instance.note_slacks(matrix[2, :arcs].copy(), matrix[3, :arcs].copy(), delays)  # the matrix may be dropped
    if len(table) > len(FEATURES_23):
        _extend(matrix, instance)
    return matrix.T


def _extend(matrix: Singles, instance: Instance) -> None:
    """Fill the rows after the 23."""
    indptr, heads = instance.arcs
    n, arcs = instance.tasks, len(heads)
    found = reference(instance)
    last = found.successor < 0
    first = np.ones(n, dtype=bool)
    first[found.successor[~last]] = False
    vehicles = int(last.sum())
    share = 1.0 - instance.vehicle_cost * vehicles / found.cost if found.cost > 0 else 0.0
    expected = matrix[len(FEATURES_23) - 1, :arcs]
    rows = iter(matrix[len(FEATURES_23) :])
    for load in (found.factor, n / vehicles, share):
        next(rows)[:arcs] = np.float32(load) * expected
    for delays in (found.delays, found.chained, np.repeat(found.late.mean(axis=1), np.diff(indptr))):
        next(rows)[:arcs] = instance.delay_cost * delays
    next(rows)[:] = instance.vehicle_cost * np.concatenate([found.used, first, last])


def _round_features(instance: Instance, solution: Ints | None) -> Singles:
    """Return the rows of `FEATURES_ROUNDS`. Without a solution nobody is late, and no delay has consequences."""
    indptr, heads = instance.arcs
    n, arcs = instance.tasks, len(heads)
    matrix = np.zeros((len(FEATURES_ROUNDS), arcs + 2 * n), dtype=np.float32)
    matrix[0, arcs : arcs + n] = instance.vehicle_cost
    rows = matrix[:, :arcs]
    rows[1], rows[2:5] = instance.slacks[0], instance.delay_cost * instance.mean_delay
    if solution is None:
        return matrix
    late, delays, chained, used = arcs_of(checked(solution, instance), instance)
    counts = np.diff(indptr)
    for row, values in zip(rows[3:6], (delays, chained, np.repeat(late.mean(axis=1), counts)), strict=True):
        row[:] = instance.delay_cost * values
    taken = np.flatnonzero(used)
    tails = np.repeat(np.arange(n), counts)[taken]
    rows[6 + periods(instance.begin)[tails], taken] = instance.delay_cost
    return matrix


def periods(begin: Floats) -> Ints:
    """Return the period of each task: equal parts of the time from the first begin to the last."""
    span = float(begin.max() - begin.min())
    share = (begin - begin.min()) / (span if span > 0.0 else 1.0)
    found: Ints = np.minimum((PERIODS * share).astype(np.int64), PERIODS - 1)
    return found
