"""The generator draws from the distributions it names, and nothing is drawn from nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.vehicle_scheduling.generator import SCENARIOS, TASKS, generate
from colayer.problems.vehicle_scheduling.instance import content
from support import plain_vehicles as plain
from support.errors import rejects


def test_the_generator_draws_what_it_says() -> None:
    x = generate(0, tasks=2000, scenarios=30)
    c = x.city
    assert c is not None
    assert (c.width, c.district_width, c.districts) == (50.0, 10.0, 5)
    assert np.all(np.diff(x.begin) >= 0)
    assert x.begin.min() >= 360
    assert x.begin.max() <= 1200
    ratio = (x.end - x.begin) / np.sqrt(((c.finish - c.start) ** 2).sum(axis=1))
    assert 1.2 <= ratio.min() < 1.21
    assert 1.59 < ratio.max() <= 1.6
    late = np.log(x.scenario_begin - x.begin)  # normal with mean U(1, 3) and deviation U(0.8, 1.2) by task
    assert abs(late.mean() - 2.0) < 0.05
    assert abs(late.std(axis=0).mean() - 1.0) < 0.03
    delay = np.array(c.district_delay)
    fresh = np.log(delay[:, 1:] - delay[:, :-1] / 2)
    assert abs(fresh.mean() - 1.0) < 0.1
    assert abs(fresh.std(axis=(0, 1)).mean() - 0.5) < 0.05
    assert np.allclose(np.log(c.inter_delay[:, 1:] / (c.inter_delay[:, :-1] + 0.1)).mean(), 0.02, atol=0.01)
    assert np.allclose(c.inter_delay[:, 0], 0.1, rtol=0.3)
    for s, task in ((0, 0), (7, 1500)):
        arrives = plain.trip(
            c, s, x.scenario_begin[s, task], x.end[task] - x.begin[task], c.start[task], c.finish[task]
        )
        assert math.isclose(arrives, x.scenario_end[s, task], rel_tol=1e-12)


@pytest.mark.parametrize("size", ["tasks", "scenarios"])
def test_the_generator_refuses_nothing_at_all(size: str) -> None:
    with rejects(InputError, where=size):
        generate(0, **{size: 0})


def test_an_instance_is_a_function_of_its_seed() -> None:
    one = content(generate(5, tasks=8, scenarios=3))
    assert content(generate(5, tasks=8, scenarios=3)) == one
    assert content(generate(np.random.SeedSequence(5), tasks=8, scenarios=3)) == one
    assert content(generate(6, tasks=8, scenarios=3)) != one
    default = generate(5)
    assert (default.tasks, default.scenarios) == (TASKS, SCENARIOS) == (150, 20)
