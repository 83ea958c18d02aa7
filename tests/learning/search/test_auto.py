"""The default method: how it shares its budget."""

import numpy as np
import pytest

from colayer.errors import OptionError
from colayer.learning.search.auto import Auto
from colayer.learning.search.direct import Direct
from colayer.learning.search.optimizer import Task
from support.errors import rejects
from support.searching import search, stairs, traced


@pytest.mark.parametrize(
    ("evaluations", "safe", "axes"), [(400, True, 40), (60, True, 40), (40, True, 0), (40, False, 39)]
)
def test_looks_along_every_axis_if_it_can(evaluations, safe, axes):
    """DIRECT is left out where the budget has no 2d + 1 evaluations for it and something better than w = 0 is known."""
    function, asked = traced(stairs)
    search(function, task=Task(20, evaluations=evaluations, safe=np.ones(20) if safe else None), method=Auto())
    assert sum(np.count_nonzero(row) == 1 for row in asked[:42]) == axes


def test_may_give_everything_to_direct():
    """A share of 1 is DIRECT after the safe weights."""
    function, asked = traced(stairs)
    search(function, task=Task(4, evaluations=50, safe=np.ones(4)), method=Auto(direct_share=1.0))
    direct_function, direct = traced(stairs)
    search(direct_function, task=Task(4, evaluations=49), method=Direct())
    assert np.array_equal(asked[1:], direct)


def test_descends_from_the_safe_weights_and_then_from_the_best_of_direct():
    """Of 199 evaluations after the safe weights 50 are DIRECT's, and 0.6 of the other 149 start near the safe ones."""
    safe = np.full(4, 9.0)
    function, asked = traced(lambda W: np.abs(W).sum(axis=1))  # DIRECT finds the middle at once
    search(function, task=Task(4, evaluations=200, safe=safe), method=Auto(step=1e-4))
    near = [np.abs(row - safe).max() < 1.0 for row in asked]
    assert near[0]
    assert not any(near[1:51])
    assert all(near[51 : 51 + int(0.6 * 149)])
    assert not any(near[51 + int(0.6 * 149) :])


@pytest.mark.parametrize(
    "options",
    [
        {"direct_share": 1.5},
        {"safe_share": -0.1},
        {"step": -1.0},
    ],
)
def test_options_out_of_range_are_refused(options):
    with rejects(OptionError, *options, where="--method"):
        Auto(**options)
