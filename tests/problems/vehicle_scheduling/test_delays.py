"""The model of delays has the moments it says, and is found again from what it draws."""

from __future__ import annotations

import numpy as np
import pytest

from colayer import InputError
from colayer.problems.vehicle_scheduling.delays import DelayModel, fit_delays, hours_of
from support.errors import rejects

BEGIN = np.repeat(np.arange(5 * 60.0, 26 * 60.0, 60.0), 8)
END = BEGIN + 30.0


def test_moments_are_those_of_the_docstring() -> None:
    model = DelayModel(late=0.1, spread=0.4, correlation=0.6)
    late, factor = model.draw(BEGIN, END, 6000, seed=1)
    shares = late / 30.0
    assert shares.mean() == pytest.approx(0.1, rel=0.02)
    assert (shares**2).mean() == pytest.approx(2 * 0.01 * np.exp(0.16), rel=0.05)
    same, next_hour = (shares[:, 0] * shares[:, 1]).mean(), (shares[:, 0] * shares[:, 8]).mean()
    assert same == pytest.approx(0.01 * np.exp(0.16), rel=0.06)
    assert next_hour == pytest.approx(0.01 * np.exp(0.16 * 0.6), rel=0.06)
    assert factor.shape == (6000, 24)
    assert factor.mean() == pytest.approx(1.1, rel=0.01)


def test_the_same_seed_draws_the_same_and_no_lateness_is_none() -> None:
    model = DelayModel()
    one, again = (model.draw(BEGIN, END, 3, seed=5) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one, again, strict=True))
    assert not np.array_equal(one[0], model.draw(BEGIN, END, 3, seed=6)[0])
    calm, factor = DelayModel(late=0).draw(BEGIN, END, 2, seed=0)
    assert (calm == 0).all()
    assert (factor == 1).all()


def test_a_model_is_found_from_what_it_draws() -> None:
    late, _ = DelayModel(late=0.08, spread=0.6, correlation=0.5).draw(BEGIN, END, 1500, seed=2)
    days = np.repeat(np.arange(1500), len(BEGIN))
    hours = np.tile(hours_of(BEGIN), 1500)
    keep = hours >= 5  # after midnight the autoregression begins anew
    found = fit_delays((late / 30.0).ravel()[keep], hours[keep], days[keep])
    assert (found.late, found.spread, found.correlation) == (
        pytest.approx(0.08, rel=0.05),
        pytest.approx(0.6, rel=0.1),
        pytest.approx(0.5, rel=0.15),
    )


def test_records_without_delays_or_of_one_hour() -> None:
    ones = np.ones(2, dtype=np.int64)
    assert fit_delays(np.zeros(2), ones, ones) == DelayModel(0.0, 0.0, 0.0)
    assert fit_delays(np.array([0.1, 0.1]), ones, ones) == DelayModel(0.1, 0.0, 0.0)
    lone = fit_delays(np.array([0.0, 0.0, 0.0, 0.0, 1.0]), np.arange(0, 10, 2), np.zeros(5, dtype=np.int64))
    assert lone.spread > 0
    assert lone.correlation == 0


def test_hours_wrap_at_midnight() -> None:
    assert hours_of(np.array([0.0, 59.9, 60.0, 1439.0, 1500.0])).tolist() == [0, 0, 1, 23, 1]


@pytest.mark.parametrize("field", ["late", "spread", "correlation"])
def test_parameters_have_a_range(field: str) -> None:
    with rejects(InputError, where=field):
        DelayModel(**{field: -0.1})
    with rejects(InputError, where="correlation"):
        DelayModel(correlation=1.1)
    with rejects(InputError, "0 to 100", where="late"):
        DelayModel(late=1e308)
