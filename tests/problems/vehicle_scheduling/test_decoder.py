"""Local search on routes as users call it: never worse, a solution, deterministic."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError, OptionError
from colayer.problems.vehicle_scheduling.cost import cost
from colayer.problems.vehicle_scheduling.decoder import decode, improve
from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.layer import layer, safe_theta
from colayer.problems.vehicle_scheduling.solution import checked
from support import plain_vehicles as plain
from support.errors import rejects


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
    x = plain.crowded(2, 30, 6)
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
    with rejects(OptionError, where="--decoder"):
        decode([-1] * 4, x, "rdi")
    with rejects(InputError, where="successor"):
        decode([-1] * 3, x, "ls")


def test_a_search_that_is_stopped_returns_what_it_has() -> None:
    """Asked to stop at once, nothing is gained; after some sweeps, the solution is one and no worse."""
    x = generate(30, tasks=60, scenarios=5)
    start = np.full(60, -1)
    assert improve(start, x, stop=lambda: True) is start
    asked: list[int] = []

    def soon() -> bool:
        asked.append(len(asked))
        return len(asked) > 2

    found = improve(start, x, stop=soon)
    assert np.array_equal(checked(found, x), found)
    assert cost(improve(start, x), x) <= cost(found, x) < cost(start, x)
