"""Local search on routes: windows against plain Python and brute force, and the decoder as users call it."""

from __future__ import annotations

import itertools

import numpy as np
from support import plain_vehicles as plain
import pytest

from colayer.errors import InputError, OptionError
from colayer.problems.vehicle_scheduling.cost import cost
from colayer.problems.vehicle_scheduling.decoder import decode
from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.routes import refresh
from colayer.problems.vehicle_scheduling.kernels.windows import cut, sweep, window_costs
from colayer.problems.vehicle_scheduling.layer import layer, safe_theta
from colayer.problems.vehicle_scheduling.solution import checked, routes_of


class State:
    """A solution with the arrays of the kernels."""

    def __init__(self, x: Instance, successor) -> None:
        self.x, self.successor = x, successor.copy()
        self.order = np.argsort(x.begin, kind="stable")
        self.predecessor = np.full(x.tasks, -2, dtype=np.int64)
        self.slack, self.late, self.base = (np.empty((x.tasks, x.scenarios)) for _ in range(3))
        self.arrays = self.order, self.successor, self.predecessor, self.slack, self.late
        self.total = refresh(x.times, *self.arrays)

    def window(self, low: float, high: float, price: float):
        gaps, pieces, now = cut(self.x.times, self.successor, self.predecessor, low, high)
        costs = self.slack, self.late, self.base, price
        return gaps, pieces, now, *window_costs(self.x.times, self.successor, gaps, pieces, now, *costs)


def total_delay(x: Instance, successor) -> float:
    """Σ_ω Σ_v delay(v), in plain Python."""
    return sum(sum(plain.delays(x, route, s)) for route in plain.routes(successor) for s in range(x.scenarios))


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


def crowded(seed: int, tasks: int, scenarios: int, form: str = "city") -> Instance:
    """All tasks within five hours and long delays: routes are late from end to end."""
    x = generate(seed, tasks=3 * tasks, scenarios=scenarios)
    keep = np.arange(tasks, 2 * tasks)
    small = plain.permuted(x, keep)
    late = 2.5 * (small.scenario_begin - small.begin) + small.begin
    ends = small.scenario_end + (late - small.scenario_begin)
    small = Instance(300.0, 2.0, small.begin, small.end, late, ends, city=small.city)
    return plain.explicit(small) if form == "explicit" else small


@pytest.mark.parametrize("form", ["city", "explicit"])
@pytest.mark.parametrize("seed", range(5))
def test_delays_along_routes(seed: int, form: str) -> None:
    """`refresh` against plain Python, also after a change of the solution, where old slacks are kept."""
    x = crowded(seed, 14, 4, form)
    state = State(x, plain.random_solution(x, seed))
    for k in range(3):
        state.successor[:] = plain.random_solution(x, 100 + k)
        total = refresh(x.times, *state.arrays)
        expected = {
            v: [plain.delays(x, r, s)[i] for s in range(4)] for r in routes_of(state.successor) for i, v in enumerate(r)
        }
        assert np.allclose(state.late, [expected[v] for v in range(14)], rtol=1e-12, atol=1e-9)
        assert np.isclose(total, total_delay(x, state.successor))
        assert state.late.max() > 0


@pytest.mark.parametrize("form", ["city", "explicit"])
@pytest.mark.parametrize("seed", range(8))
def test_costs_of_a_window_add_up_to_the_delay_of_the_solution(seed: int, form: str) -> None:
    """Whatever goes into which gap, the increments give what a full recomputation gives."""
    x = crowded(seed, 16, 5, form)
    rng = np.random.default_rng(seed)
    state = State(x, plain.random_solution(x, seed))
    price = 1e9
    for low, high in windows(x, rng):
        gaps, pieces, now, empty, indptr, heads, costs = state.window(low, high, price)
        apart = filled(state.successor, gaps, pieces, np.full(len(gaps), -1), np.zeros(len(gaps), dtype=bool))
        base = total_delay(x, apart)
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
            expected = total_delay(x, filled(state.successor, gaps, pieces, partner, closed))
            added = sum(choices[g][m] if m >= 0 else np.where(closed[g], empty[g], 0.0) for g, m in enumerate(partner))
            assert np.isclose(base + added, expected, rtol=1e-11, atol=1e-8)
        current = sum(choices[g][m] if m >= 0 else empty[g] for g, m in enumerate(now.tolist()))
        assert np.isclose(base + current, state.total, rtol=1e-11, atol=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_a_window_is_filled_at_least_cost(seed: int) -> None:
    """Against all ways to fill the gaps, vehicles opened and closed included; the gain is the change of the cost."""
    x = crowded(seed, 11, 3)
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
                least = min(least, price * (new < 0).sum() + total_delay(x, new))
        gain = sweep(x.times, *state.arrays, state.base, np.array([low]), np.array([high]), price, 1e-9)
        after = price * (state.predecessor < 0).sum() + refresh(x.times, *state.arrays)
        checked(state.successor, x)
        assert np.isclose(after, least, rtol=1e-10)
        assert np.isclose(before - gain, after, rtol=1e-10)


@pytest.mark.parametrize("tasks", [30, 90])
@pytest.mark.parametrize("form", ["city", "explicit"])
def test_ls_never_worsens_and_gives_a_solution(tasks: int, form: str) -> None:
    x = generate(tasks, tasks=tasks, scenarios=5)
    x = plain.explicit(x) if form == "explicit" else x
    for start in (layer(safe_theta(x), x), plain.random_solution(x, 0), np.full(tasks, -1)):
        before = start.copy()
        found = decode(start, x, "ls")
        assert np.array_equal(start, before)
        assert np.array_equal(checked(found, x), found)
        assert np.isclose(cost(found, x), plain.cost(x, found), rtol=1e-12)
        assert cost(found, x) < cost(start, x) or (np.array_equal(found, start) and tasks == 30)
        assert np.array_equal(found, decode(start, x, "ls"))


def test_ls_opens_vehicles_where_routes_are_late_and_closes_idle_ones() -> None:
    x = crowded(2, 30, 6)
    chained = decode(np.full(30, -1), x, "ls")
    assert (chained < 0).sum() < 30
    cheap = Instance(1.0, 2.0, x.begin, x.end, x.scenario_begin, x.scenario_end, city=x.city)
    assert (decode(chained, cheap, "ls") < 0).sum() > (chained < 0).sum()


def test_many_scenarios_are_searched_through_a_sample_first() -> None:
    """The way through the first scenarios ends at a solution that is good for all of them."""
    x = generate(5, tasks=40, scenarios=150)
    safe = layer(safe_theta(x), x)
    assert cost(decode(safe, x, "ls"), x) < cost(safe, x)
    alone = np.full(40, -1)
    assert cost(decode(alone, x, "ls"), x) < 0.5 * cost(alone, x)


def test_ls_at_the_edges() -> None:
    nan = np.nan
    one = Instance(10, 1, [0], [1], [[0]], [[1]], [[nan]], [[[0]]])
    assert decode([-1], one, "ls").tolist() == [-1]
    apart = Instance(10, 1, [0, 0], [1, 1], [[0, 0]], [[1, 1]], np.full((2, 2), nan), np.zeros((1, 2, 2)))
    assert decode([-1, -1], apart, "ls").tolist() == [-1, -1]
    x = generate(3, tasks=25, scenarios=1)
    common = x.begin, x.end, x.scenario_begin, x.scenario_end
    free = Instance(0.0, 2.0, *common, city=x.city)
    assert cost(decode(layer(safe_theta(x), x), free, "ls"), free) == 0.0  # vehicles for nothing: no delay at all
    punctual = Instance(1.0, 0.0, *common, city=x.city)
    fewest = layer(np.concatenate([np.zeros(len(x.arcs[1])), np.ones(25), np.zeros(25)]), x)
    found = decode(np.full(25, -1), punctual, "ls")
    assert (fewest < 0).sum() <= (found < 0).sum() < 15
    nothing = Instance(0.0, 0.0, *common, city=x.city)
    assert np.array_equal(decode(fewest, nothing, "ls"), fewest)


def test_none_is_the_identity_on_a_copy() -> None:
    x = generate(3, tasks=25, scenarios=2)
    y = layer(safe_theta(x), x)
    z = decode(y, x, "none")
    assert np.array_equal(y, z)
    assert z is not y


def test_what_cannot_be_decoded_is_refused() -> None:
    x = generate(3, tasks=4, scenarios=2)
    with pytest.raises(OptionError, match=r"^--decoder: no decoder 'rdi', expected one of none, ls$"):
        decode([-1] * 4, x, "rdi")
    with pytest.raises(InputError, match=r"^successor: "):
        decode([-1] * 3, x, "ls")
