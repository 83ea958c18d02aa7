"""Slopes of the smoothed cost on a GPU, on devices of this side: those of the processor, and of plain sequences."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.evaluators.gpu.moves import slopes
from colayer.problems.single_machine.kernels.moves import slopes_into
from support.gpu.devices import DEVICES
from support.gpu.emulated import HostArrays
from support.gpu.reference import Reference

#: How far release dates reach, over the total work: all at once, a crowd, some gaps, and mostly gaps.
SPREADS = (0.0, 0.7, 1.5, 4.0)
SIGMA = 0.8

Jobs = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@pytest.fixture(name="device", scope="module", params=list(DEVICES))
def device_of(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> HostArrays:
    return DEVICES[request.param](tmp_path_factory.mktemp("kernels"))


def jobs(n: int) -> Jobs:
    """(sequences, n) each, by place: priorities as drawn, increasing, the jobs' own, r and p."""
    random = np.random.default_rng(n)
    r = n * np.array(SPREADS)[:, None] * random.random((len(SPREADS), n))
    p = random.exponential(size=r.shape)
    own = r + 0.5 * p + random.normal(size=r.shape)
    drawn = own + SIGMA * random.normal(size=r.shape)
    order = np.argsort(drawn, axis=1)
    drawn, own, r, p = (np.take_along_axis(one, order, axis=1) for one in (drawn, own, r, p))
    return drawn, own, r, p


def completion(r: np.ndarray, p: np.ndarray) -> np.ndarray:
    end, now = np.empty_like(r), np.zeros(len(r))
    for k in range(r.shape[1]):
        end[:, k] = now = np.maximum(now, r[:, k]) + p[:, k]
    return end


def on(device: HostArrays, given: Jobs, window: int) -> np.ndarray:
    """The slopes; what lies behind them stays as it was."""
    drawn, own, r, p = given
    rows, n = drawn.shape
    whole = device.empty((rows + 1, n), np.float64)
    uploaded = tuple(device.upload(one) for one in (drawn, own, r, p, completion(r, p)))
    slopes(device, uploaded, window, SIGMA, whole[:rows])
    found = device.download(whole)
    assert (found[rows] == 77).all()
    return np.asarray(found[:rows])


@pytest.mark.parametrize("window", [1, 5, 12, 100])
@pytest.mark.parametrize("n", [1, 2, 5, 30, 60])
def test_slopes_are_those_of_the_processor(device: HostArrays, n: int, window: int) -> None:
    drawn, own, r, p = given = jobs(n)
    expected = np.empty_like(r)
    for k in range(len(r)):
        slopes_into(np.arange(n), own[k], drawn[k], r[k], p[k], SIGMA, window, expected[k])
    assert expected.any() == (n > 1)
    assert np.allclose(on(device, given, window), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("window", [4, 12])
@pytest.mark.parametrize("n", [1, 2, 5, 30, 60])
def test_slopes_are_those_of_moved_sequences(device: HostArrays, n: int, window: int) -> None:
    given = jobs(n)
    expected = on(Reference(), given, window)
    assert np.isfinite(expected).all()
    assert np.allclose(on(device, given, window), expected, rtol=1e-7, atol=1e-9)
