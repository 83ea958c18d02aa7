"""The layer on few arcs of a large city, with a proof that the others do not matter.

A solution uses n of the n²/2 arcs, and hardly any that lets a vehicle wait for hours. So features are computed for arcs
(u, v) within a window, begin[v] ≤ end[u] + W, and the layer is solved on those, by levels (`kernels/levels.py`). Its
duals α, π prove the answer optimal on all arcs if θ_uv ≥ α_u + π_v beyond the window. There, θ_uv has a lower bound
that costs next to nothing:

    slack_s = ξ_begin[v, s] − D_s − leave[u, s] − travel,   D_s the delay in the district of v, between its least and
                                                            its largest of all hours,

so a mean, and an order statistic, of the slack lies between a number of v less a number of u less travel: the i-th
smallest of X_s − Y_s is at least X_(a) − Y_(b) where a + S − 1 − b ≤ i, and at most X_(a) − Y_(b) where a − b ≥ i.
Probabilities are at least 0 and at most 1, an expected delay is at least 0, and at most that of u beyond the window
plus that of v ahead of its time. The bound is A_u + C_v + g·travel; features of an arc are computed only where
A_u − α_u + C_v − π_v + g·travel < 0. They join, and the layer is mended from the duals before. What is found is a
function of weights and instance alone.

The limit: S slacks for each arc of the window and each that the bound does not clear; with the shipped weights these
are an eighth of all arcs, because the bound knows nothing of delays.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer._runtime.deadline import look
from colayer._runtime.threads import even_cuts, share
from colayer.errors import InputError
from colayer.layers.kernels.levels import match_by_levels_into
from colayer.layers.kernels.matching import match_into
from colayer.models.thetas import accumulate
from colayer.problems.vehicle_scheduling.features import FEATURE_SETS, FEATURES_23, LEVELS, POINTS
from colayer.problems.vehicle_scheduling.instance import SMALL, Instance
from colayer.problems.vehicle_scheduling.kernels.near import merged, near_into, suspects_into
from colayer.problems.vehicle_scheduling.kernels.slack import features_into
from colayer.problems.vehicle_scheduling.layer import SECONDS_PER_ARC

#: Tasks from which on the arcs of a window are fewer by far than all.
FEWEST = 1500
#: The window leaves time to cross half of the city, and for so many mean delays. With more, features take longer; with
#: less, the duals of the window ask for many arcs beyond it that those of all arcs do not.
LATE = 0.75
#: The safe weights of the 23 features.
SAFE = FEATURE_SETS["23"].safe_weights
#: Suspects whose features are computed at a time.
_CHUNK = 1 << 17
_SLACKS = slice(3, 3 + len(LEVELS))
_SHARES = slice(3 + len(LEVELS), 3 + len(LEVELS) + len(POINTS))
#: Of rounding: features are float32.
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class NearArcs:
    """The arcs of an instance within its window, and their 23 features (23, arcs + 2n)."""

    instance: Instance
    window: float
    beyond: Ints  # (n,) first task beyond the window of each
    indptr: Ints
    heads: NDArray[np.int32]
    features: Singles
    delays: Floats  # (arcs,) E[max(−slack, 0)]

    @classmethod
    def of(cls, instance: Instance) -> NearArcs | None:
        """Return the arcs near in time, kept with the instance; None where all arcs serve as well.

        That is so for few tasks, tasks not numbered by begin, and travel times from tables, which hold all arcs anyway.
        """
        known: NearArcs | None = instance.__dict__.get("near")
        if known is not None:
            return known
        if instance.tasks < FEWEST or instance.city is None or (np.diff(instance.begin) < 0.0).any():
            return None
        instance.__dict__["near"] = found = cls.within(instance, _window(instance))
        return found

    @classmethod
    def within(cls, instance: Instance, window: float) -> NearArcs:
        """Return the arcs (u, v) with begin[v] ≤ end[u] + window, the layover included."""
        n, times = instance.tasks, instance.times
        after = np.searchsorted(times.task_begin, times.task_end)
        beyond = np.searchsorted(times.task_begin, times.task_end + window, side="right")
        indptr, heads = np.empty(n + 1, np.int64), np.empty(int((beyond - after).clip(0).sum()), np.int32)
        heads = heads[: near_into(times, after, beyond, indptr, heads)].copy()
        features = np.zeros((len(FEATURES_23), len(heads) + 2 * n), np.float32)
        features[1, len(heads) : len(heads) + n] = instance.vehicle_cost
        delays = _fill(instance, indptr, heads, features)
        return cls(instance, window, beyond, indptr, heads, features, delays)

    def cover(self, weights: Floats) -> Ints:
        """Return the successors of the layer under weights of the 23 features, optimal over all arcs."""
        if np.array_equal(weights, SAFE):
            return self.safe
        rows = np.ascontiguousarray(weights[None, :], dtype=np.float64)

        def theta_of(features: Singles, delays: Floats) -> Floats:
            theta: Floats = np.empty((1, features.shape[1]))
            accumulate(features, rows, theta)
            return theta.ravel()

        return self._solve(theta_of(self.features, self.delays), theta_of, _LowerBound.of(self, rows[0]))

    @cached_property
    def safe(self) -> Ints:
        """Return the successors of the layer under the safe weights, in float64, which give the bound as well."""
        x, n = self.instance, self.instance.tasks
        theta = np.concatenate([x.delay_cost * self.delays, np.full(n, x.vehicle_cost), np.zeros(n)])
        nothing = _LowerBound(np.zeros(n), np.zeros(n), 0.0, 0.0)
        return self._solve(theta, lambda features, delays: x.delay_cost * delays, nothing)

    def bound(self) -> float:
        """Return the layer's least value under the safe weights, as `cost.bound` does."""
        used = self.safe >= 0
        indptr = np.concatenate([[0], np.cumsum(used)])
        heads = self.safe[used].astype(np.int32)
        delays = _fill(self.instance, indptr, heads, np.empty((len(FEATURES_23), len(heads)), np.float32))
        vehicles = self.instance.vehicle_cost * (self.instance.tasks - len(heads))
        return vehicles + self.instance.delay_cost * (sum(delays.tolist(), 0.0) * (1.0 - 1e-12))

    def _solve(self, theta: Floats, theta_of: Callable[[Singles, Floats], Floats], lower: _LowerBound) -> Ints:
        """Solve the layer on the arcs of the window, and with those beyond it that its duals ask for."""
        if not np.isfinite(theta).all():
            raise InputError("not finite", where="theta")
        n, order = self.instance.tasks, self.instance.latest_first
        costs, origin, destination = np.split(theta, [len(self.heads), len(self.heads) + n])
        indptr, heads, solve = self.indptr, self.heads, match_by_levels_into
        partner, row_duals, column_duals = np.empty(n, np.int64), np.empty(n), np.empty(n)
        while True:
            look(SECONDS_PER_ARC * len(heads))
            solve(indptr, heads, costs, origin, destination, order, partner, row_duals, column_duals)
            more, others, values = self._suspects(theta_of, lower, indptr, heads, row_duals, column_duals)
            if len(others) == 0:
                return partner
            indptr, heads, costs = merged(indptr, heads, costs, more, others, values)
            solve = partial(match_into, again=True)

    def _suspects(
        self,
        theta_of: Callable[[Singles, Floats], Floats],
        lower: _LowerBound,
        known: Ints,
        known_heads: NDArray[np.int32],
        row_duals: Floats,
        column_duals: Floats,
    ) -> tuple[Ints, NDArray[np.int32], Floats]:
        """Return (indptr, heads, θ) of all other arcs for which the bound does not prove θ_uv ≥ α_u + π_v."""
        x, n = self.instance, self.instance.tasks
        indptr, heads = np.empty(n + 1, np.int64), np.empty(0, np.int32)
        bound = lower.tail - row_duals, lower.head - column_duals, lower.per_minute, self.longest, lower.margin
        graph = self.beyond, known, known_heads
        while (size := suspects_into(x.times, *graph, *bound, indptr, heads)) > len(heads):
            heads = np.empty(size, np.int32)
        theta = np.empty(size)
        cuts = even_cuts(indptr, 1 + size // _CHUNK) if size else [0]
        for low, high in itertools.pairwise(cuts):
            first, last = indptr[low], indptr[high]
            pointers = (indptr - first).clip(0, last - first)
            features = np.zeros((len(FEATURES_23), last - first), np.float32)
            theta[first:last] = theta_of(features, _fill(x, pointers, heads[first:last], features))
        return indptr, heads[:size], theta

    @cached_property
    def longest(self) -> float:
        """Return an upper bound of all travel times."""
        return _longest(self.instance)

    @cached_property
    def sorted_times(self) -> tuple[Floats, Floats, Floats]:
        """Return X at least, X at most, and Y of the head of this module, each (n, S), sorted by row."""
        times = self.instance.times
        slow, quick = times.district.max(axis=1), times.district.min(axis=1)
        low, high = times.begin - slow[times.zone], times.begin - quick[times.zone]
        return np.sort(low, axis=1), np.sort(high, axis=1), np.sort(times.leave, axis=1)


@dataclass(frozen=True, eq=False)
class _LowerBound:
    """tail[u] + head[v] + per_minute · travel[u, v] − margin ≤ θ_uv, for all arcs beyond the window."""

    tail: Floats
    head: Floats
    per_minute: float
    margin: float

    @classmethod
    def of(cls, near: NearArcs, weights: Floats) -> _LowerBound:
        """Return the bound of θ under weights of the 23 features."""
        x, times = near.instance, near.instance.times
        low, high, leave = near.sorted_times
        last = x.scenarios - 1
        mean, delay = weights[2], weights[-1] * x.delay_cost
        tail = -mean * leave.mean(axis=1)
        head = mean * (low if mean > 0.0 else high).mean(axis=1) + np.minimum(weights[_SHARES], 0.0).sum()
        for level, weight in zip(LEVELS, weights[_SLACKS], strict=True):
            below = int(level * last)
            share = level * last - below
            for i, part in ((below, weight * (1.0 - share)), (min(below + 1, last), weight * share)):
                if part > 0.0:
                    head, tail = head + part * low[:, i // 2], tail - part * leave[:, last - (i - i // 2)]
                elif part < 0.0:
                    b = (last - i) // 2
                    head, tail = head + part * high[:, i + b], tail - part * leave[:, b]
        if delay < 0.0:
            late = leave - (times.task_end + near.window - near.longest)[:, None]
            early = times.task_begin[:, None] - low
            tail = tail + delay * late.clip(0.0).mean(axis=1)
            head = head + delay * early.clip(0.0).mean(axis=1)
        minutes = float(np.abs(weights[0]) + np.abs(weights[2]) + np.abs(weights[_SLACKS]).sum() + abs(delay))
        largest = float(np.abs(high).max() + np.abs(low).max() + np.abs(leave).max() + near.longest)
        margin = _ROUNDING * (minutes * largest + float(np.abs(weights[_SHARES]).sum()))
        return cls(tail, head, float(weights[0] - mean - weights[_SLACKS].sum()), margin)


def _longest(instance: Instance) -> float:
    """Return an upper bound of all travel times: the diagonal around all points."""
    points = np.concatenate([instance.times.start, instance.times.finish])
    return float(np.hypot(*np.ptp(points, axis=0))) * (1.0 + _ROUNDING)


def _window(instance: Instance) -> float:
    """Return the minutes to cross half of the city, and `LATE` times those by which tasks end late on average."""
    return 0.5 * _longest(instance) + LATE * max(0.0, float(instance.scenario_end.mean() - instance.end.mean()))


def _fill(instance: Instance, indptr: Ints, heads: NDArray[np.int32], features: Singles) -> Floats:
    """Fill the 23 features of these arcs, one column each, by threads where that pays; return the expected delays."""
    delays, levels, points = np.empty(len(heads)), np.array(LEVELS), np.array(POINTS, dtype=np.float64)

    def fill(low: int, high: int) -> None:
        features_into(instance.times, indptr, heads, instance.delay_cost, levels, points, low, high, delays, features)

    share(fill, indptr, least=SMALL // instance.scenarios)
    return delays
