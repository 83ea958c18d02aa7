"""Features against plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.dynamic_vehicle_scheduling.features import COLUMNS, features
from colayer.problems.dynamic_vehicle_scheduling.state import State
from support.dynamic_days import line_day, small, states


def plain(state: State) -> list[list[float]]:
    travel, rows = state.day.city.travel, []
    n = len(state.open)
    where, begin, long = state.location, state.start, state.duration
    for i in range(n):
        trip = travel[0, where[i]] + travel[where[i], 0]
        slack = (begin[i] - travel[0, where[i]] - state.leave) / 3600.0
        others = [j for j in range(n) if j != i]
        joint = [
            j
            for j in others
            if begin[i] + long[i] + travel[where[i], where[j]] <= begin[j]
            or begin[j] + long[j] + travel[where[j], where[i]] <= begin[i]
        ]
        near = sorted(min(travel[where[i], where[j]], travel[where[j], where[i]]) for j in others)[:3]
        shares = len(joint) / max(1, n - 1)
        rows.append(
            [trip, trip * slack, trip * state.epochs_left, trip * shares, state.later[i],
             np.mean(near) if near else trip / 2, state.day.city.near[where[i]], slack, 1.0]
        )  # fmt: skip
    return rows


@pytest.mark.parametrize("seed", range(4))
def test_features_are_those_of_plain_python(seed: int) -> None:
    for state in states(small(seed, per_epoch=5)):
        assert features(state).shape == (len(state.open), len(COLUMNS))
        if len(state.open):
            np.testing.assert_allclose(features(state), plain(state), rtol=1e-12)


def test_features_do_not_see_what_is_still_to_come() -> None:
    early = line_day([0, 0], [1, 2], [1.5, 2.5])
    full = line_day([0, 0, 1, 3], [1, 2, 3, 4], [1.5, 2.5, 2.5, 4.5])
    (one, *_), (other, *_) = states(early), states(full)
    assert np.array_equal(features(one), features(other))
