"""Checks of the options of learners."""

from types import SimpleNamespace

import numpy as np
import pytest

from colayer.errors import OptionError
from colayer.learning.options import at_least_one, one_of, positive


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_positive(value):
    positive(SimpleNamespace(a=1e-9, b=5), "a", "b")
    with pytest.raises(OptionError) as caught:
        positive(SimpleNamespace(a=1.0, rate=value), "a", "rate")
    assert str(caught.value) == f"method: rate {value} is out of range, expected a positive number"


@pytest.mark.parametrize("value", [0, -3])
def test_at_least_one(value):
    at_least_one(SimpleNamespace(batch=1, initial=None), "batch", "initial")
    with pytest.raises(OptionError) as caught:
        at_least_one(SimpleNamespace(batch=value), "batch")
    assert str(caught.value) == f"method: batch {value} is out of range, expected at least 1"


def test_one_of():
    one_of(SimpleNamespace(kind="a"), "kind", ("a", "b"))
    with pytest.raises(OptionError) as caught:
        one_of(SimpleNamespace(kind="c"), "kind", ("a", "b"))
    assert str(caught.value) == "method: no kind 'c', expected one of a, b"
