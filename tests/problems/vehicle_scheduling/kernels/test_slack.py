"""Slack over scenarios: sorting in lanes, and the mean delay of an arc by hand."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.vehicle_scheduling.kernels.slack import LANES, mean_slack_and_delay, sort_lanes, summaries_into
from support.plain_vehicles import by_hand


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 8, 31, 50, 100, 257])
def test_lanes_are_sorted(rows: int) -> None:
    """Any length, not only powers of two; with ties."""
    values = np.random.default_rng(rows).integers(-9, 9, size=(rows, LANES)).astype(np.float32)
    flat = values.ravel().copy()
    sort_lanes(flat, rows)
    assert np.array_equal(flat.reshape(rows, LANES), np.sort(values, axis=0))


@pytest.mark.parametrize("scenarios", [1, 3, 4, 7, 50])
def test_moments_are_means(scenarios: int) -> None:
    """Four partial sums each, and what is left over."""
    slack = np.random.default_rng(scenarios).normal(size=scenarios)
    assert mean_slack_and_delay(slack) == pytest.approx((slack.mean(), np.maximum(-slack, 0.0).mean()), rel=1e-12)


def test_mean_delays_by_hand() -> None:
    """(0, 1): 20 − 15 and 22 − 46; (0, 2): 50 − 15 and 50 − 48; (1, 2): 50 − 45 and 50 − 49: only (0, 1) is late."""
    x = by_hand()
    mean, least = np.empty((2, 3), np.float32)
    delays = np.full(3, -1.0)
    summaries_into(x.times, *x.arcs, 0, 1, mean, least, delays)
    assert delays.tolist() == [12.0, 0.0, -1.0]  # of the tail 0 alone
    summaries_into(x.times, *x.arcs, 1, 3, mean, least, delays)
    assert delays.tolist() == x.mean_delay.tolist() == [12.0, 0.0, 0.0]
    assert mean.tolist() == [-9.5, 18.5, 3.0]
    assert least.tolist() == [-24.0, 2.0, 1.0]
