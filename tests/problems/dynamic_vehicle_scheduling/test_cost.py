"""Scale, bound, and the compiled days against the plain ones."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.models.thetas import thetas
from colayer.problems.dynamic_vehicle_scheduling import DynamicVehicleScheduling
from support.dynamic_days import line_day, play


@pytest.mark.parametrize("decoder", ["wait", "none"])
@pytest.mark.parametrize("seed", range(5))
def test_compiled_days_equal_plain_ones_bit_for_bit(seed: int, decoder: str) -> None:
    problem = DynamicVehicleScheduling(decoder=decoder)
    day = problem.generate(seed, customers=60, per_epoch=8)
    weights = problem.safe_weights + 0.2 * np.random.default_rng(seed).normal(size=(4, 9))
    costs = [
        play(day, lambda s, w=w: problem.decode(problem.layer(thetas(problem.features(s), w[None])[0], s), s))
        for w in weights
    ]
    assert problem.day_costs(weights, day).tolist() == costs
    assert problem.day_costs(weights[2], day).tolist() == costs[2:3]


def test_a_day_that_follows_from_a_state_costs_the_rest() -> None:
    problem = DynamicVehicleScheduling()
    day = problem.generate(3, customers=60)
    state = problem.start(day)
    for _ in range(3):
        _, state = problem.step(state, problem.baseline("prize+wait", state))
    rest = problem.future(state, 1)
    plain = play(rest, lambda one: problem.baseline("prize+wait", one))
    assert problem.day_costs(problem.safe_weights, rest).tolist() == [plain]


def test_scale_and_bound_of_a_day_on_the_line() -> None:
    problem = DynamicVehicleScheduling()
    day = line_day([0, 0], [1, 2], [1.5, 2.5])
    assert problem.scale(day) == 60.0 * 30
    assert problem.bound(day) == 60.0 * 40
    empty = line_day([], [], [])
    assert (problem.scale(empty), problem.bound(empty)) == (1.0, 0.0)
    assert problem.day_costs(problem.safe_weights, empty).tolist() == [0.0]
