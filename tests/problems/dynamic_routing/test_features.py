"""Features: formulas on a day by hand, votes of drawn futures, states with nothing to decide."""

from __future__ import annotations

import numpy as np

from colayer.problems.dynamic_routing.features import COLUMNS, features, views_of_futures
from colayer.problems.dynamic_routing.state import RoutingState, start
from support.routing_days import line_day, small, states

#: Three requests at 1:00; the first must go, the others can wait for two and for one epoch.
STATE = start(line_day([(0, 1, 60, 90, 1), (0, 2, 60, 240, 2), (0, 3, 60, 170, 1)]))


def column(rows: np.ndarray, name: str) -> np.ndarray:
    return rows[:, COLUMNS.names.index(name)]


def test_features_by_hand() -> None:
    rows = features(STATE, 3, 20)
    trip = 60.0 * np.array([40, 20, 20])
    assert np.array_equal(column(rows, "trip"), trip)
    assert np.allclose(column(rows, "trip × slack"), trip * np.array([10, 170, 100]) / 60)
    assert np.array_equal(column(rows, "trip × epochs left"), 3 * trip)
    assert np.allclose(column(rows, "trip × must"), trip / 3)
    assert np.array_equal(column(rows, "near requests"), 60.0 * np.array([20, 15, 25]))
    assert np.allclose(column(rows, "trip × demand"), trip * np.array([1, 2, 1]) / 3)
    vote = column(rows, "vote") / 1000
    assert vote[0] == 1.0
    assert ((vote >= 0) & (vote <= 1)).all()
    assert np.allclose(column(rows, "trip × vote"), trip * vote)
    assert np.allclose(column(rows, "share × vote"), column(rows, "share") * vote)


def test_what_must_go_has_all_votes() -> None:
    for seed in range(3):
        for state in states(small(seed)):
            vote, share, extra = views_of_futures(state, 3, 20)
            assert (vote[state.must] == 1.0).all()
            assert (share > 0).all()
            assert len(extra) == len(state.open)


def test_features_are_a_function_of_the_state() -> None:
    assert np.array_equal(features(STATE, 3, 20), features(STATE, 3, 20))


def test_a_state_without_requests_has_no_rows() -> None:
    empty = RoutingState(STATE.day, 0, np.empty(0, dtype=np.int64))
    assert features(empty, 2, 10).shape == (0, len(COLUMNS))
