"""Windows of the day: costs of every choice against a full recomputation, the best one against all of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.routes import refresh
from colayer.problems.vehicle_scheduling.kernels.windows import sweep
from colayer.problems.vehicle_scheduling.solution import checked
from support import plain_vehicles as plain
from support.vehicle_search import State


def filled(successor, gaps, pieces, partner, closed) -> np.ndarray:
    """The solution in which gap g holds piece partner[g] (−1: none, and then closed by an arc if closed[g])."""
    new = successor.copy()
    new[pieces[:, 1]] = -1
    for g, (p, q) in enumerate(gaps):
        if partner[g] >= 0:
            first, last = pieces[partner[g]]
            if p >= 0:
                new[p] = first
            new[last] = q
        elif p >= 0:
            new[p] = q if closed[g] else -1
    return new


def windows(x: Instance, rng: np.random.Generator) -> list[tuple[float, float]]:
    low, high = np.sort(rng.uniform(x.begin.min() - 1, x.begin.max() + 1, size=2))
    return [(low, high), (low, np.inf), (-np.inf, high)]


@pytest.mark.parametrize("form", ["city", "explicit"])
@pytest.mark.parametrize("seed", range(8))
def test_costs_of_a_window_add_up_to_the_delay_of_the_solution(seed: int, form: str) -> None:
    """Whatever goes into which gap, the increments give what a full recomputation gives."""
    x = plain.crowded(seed, 16, 5, form)
    rng = np.random.default_rng(seed)
    state = State(x, plain.random_solution(x, seed))
    price = 1e9
    for low, high in windows(x, rng):
        gaps, pieces, now, empty, indptr, heads, costs = state.window(low, high, price)
        apart = filled(state.successor, gaps, pieces, np.full(len(gaps), -1), np.zeros(len(gaps), dtype=bool))
        base = plain.total_delay(x, apart)
        choices = [
            dict(zip(heads[a:b].tolist(), costs[a:b].tolist(), strict=True)) for a, b in itertools.pairwise(indptr)
        ]
        arcs = set(plain.arcs(x))
        for g, (p, q) in enumerate(gaps.tolist()):
            fits = [
                m for m, (a, b) in enumerate(pieces.tolist()) if (p < 0 or (p, a) in arcs) and (q < 0 or (b, q) in arcs)
            ]
            assert sorted(choices[g]) == fits  # below NEAR, every piece that fits is offered
            assert (empty[g] < price) == ((p, q) in arcs or p < 0 or q < 0)
        for _ in range(8):
            partner = np.full(len(gaps), -1)
            for g in rng.permutation(len(gaps)):
                free = [m for m in choices[g] if m not in partner]
                if free and rng.random() < 0.8:
                    partner[g] = rng.choice(free)
            closed = empty < price
            expected = plain.total_delay(x, filled(state.successor, gaps, pieces, partner, closed))
            added = sum(choices[g][m] if m >= 0 else np.where(closed[g], empty[g], 0.0) for g, m in enumerate(partner))
            assert np.isclose(base + added, expected, rtol=1e-11, atol=1e-8)
        current = sum(choices[g][m] if m >= 0 else empty[g] for g, m in enumerate(now.tolist()))
        assert np.isclose(base + current, state.total, rtol=1e-11, atol=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_a_window_is_filled_at_least_cost(seed: int) -> None:
    """Against all ways to fill the gaps, vehicles opened and closed included; the gain is the change of the cost."""
    x = plain.crowded(seed, 11, 3)
    rng = np.random.default_rng(seed)
    price = 40.0 * 3
    for low, high in windows(x, rng):
        state = State(x, plain.random_solution(x, seed))
        gaps, pieces, _, empty, indptr, heads, _ = state.window(low, high, price)
        before = price * (state.predecessor < 0).sum() + state.total
        least = np.inf
        allowed = [[-1, *heads[a:b].tolist()] for a, b in itertools.pairwise(indptr)]
        for partner in itertools.product(*allowed):
            used = [m for m in partner if m >= 0]
            if len(used) == len(set(used)):
                new = filled(state.successor, gaps, pieces, partner, empty < price)
                least = min(least, price * (new < 0).sum() + plain.total_delay(x, new))
        gain = sweep(x.times, *state.arrays, state.base, np.array([low]), np.array([high]), price, 1e-9)
        after = price * (state.predecessor < 0).sum() + refresh(x.times, *state.arrays)
        checked(state.successor, x)
        assert np.isclose(after, least, rtol=1e-10)
        assert np.isclose(before - gain, after, rtol=1e-10)
