"""Stochastic gradient descent on the smoothed loss."""

import numpy as np
import pytest

from colayer.errors import OptionError
from colayer.learning.search.optimizer import Task
from colayer.learning.search.sgd import Sgd
from support.errors import rejects
from support.searching import search, sphere


def batches(function, task, method):
    """The batches that are asked for."""
    asked = []
    search(lambda W: (asked.append(W.copy()), function(W))[1], task=task, method=method)
    return asked


def test_a_step_asks_for_the_weights_and_pairs_around_them():
    """w, then w + sZ_j, then w − sZ_j, with s a share of the size of the start."""
    safe = np.array([3.0, 4.0])  # root mean square √12.5
    first, second = batches(sphere, Task(2, evaluations=18, safe=safe), Sgd(pairs=4, spread=0.1))
    assert (len(first), len(second)) == (9, 9)
    assert np.array_equal(first[0], safe)
    assert np.allclose((first[1:5] + first[5:]) / 2, safe, rtol=1e-14)
    assert np.std(first[1:5] - safe) == pytest.approx(0.1 * np.sqrt(12.5), rel=0.8)


def test_the_first_step_goes_down_by_the_rate():
    """Adam's first step is the rate along each axis, against the sign of the slope; on a plane the slope is exact."""
    safe = np.array([2.0, 2.0])  # of which the rate is a share
    slope = np.array([1.0, -1.0])
    first, second = batches(lambda W: W @ slope, Task(2, evaluations=40, safe=safe), Sgd(pairs=16, rate=0.05))[:2]
    assert np.array_equal(first[0], safe)
    assert second[0] == pytest.approx([1.9, 2.1], abs=1e-9)


def test_the_second_step_by_hand():
    """Adam's running means of both gradients, and a rate that falls as the inverse square root of the steps."""
    safe, pairs, rate = np.array([1.0, 1.0]), 3, 0.05
    asked = batches(sphere, Task(2, evaluations=3 * 7, safe=safe), Sgd(pairs=pairs, rate=rate, spread=0.2))
    mean, square = np.zeros(2), np.zeros(2)
    for step, batch in enumerate(asked[:2], 1):
        ahead, behind = batch[1 : pairs + 1], batch[pairs + 1 :]
        directions = (ahead - behind) / (2 * 0.2)  # spread and rate are shares of the start's root mean square, 1
        gradient = ((sphere(ahead) - sphere(behind))[:, None] * directions).sum(axis=0) / (2 * 0.2 * pairs)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        slope = mean / (1 - 0.9**step) / np.sqrt(square / (1 - 0.99**step))
        assert asked[step][0] == pytest.approx(batch[0] - rate / np.sqrt(step) * slope, rel=1e-9)


def test_without_safe_weights_it_starts_from_zero():
    first = batches(sphere, Task(3, evaluations=5, radius=2.0), Sgd(pairs=2, spread=0.5))[0]
    assert np.array_equal(first[0], np.zeros(3))
    assert np.abs(first[1:]).max() > 0.1  # steps are then relative to the radius


@pytest.mark.parametrize(
    "options",
    [
        {"spread": 0.0},
        {"rate": float("nan")},
        {"pairs": 0},
    ],
)
def test_options_out_of_range_are_refused(options):
    with rejects(OptionError, *options, where="--method"):
        Sgd(**options)
