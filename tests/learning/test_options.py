"""Checks of the options of learners."""

from types import SimpleNamespace

import numpy as np
import pytest

from colayer.errors import OptionError
from colayer.learning.options import at_least_one, one_of, positive
from support.errors import rejects


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_positive(value):
    positive(SimpleNamespace(a=1e-9, b=5), "a", "b")
    with rejects(OptionError, "rate", str(value), where="--method"):
        positive(SimpleNamespace(a=1.0, rate=value), "a", "rate")


@pytest.mark.parametrize("value", [0, -3])
def test_at_least_one(value):
    at_least_one(SimpleNamespace(batch=1, initial=None), "batch", "initial")
    with rejects(OptionError, "batch", str(value), where="--method"):
        at_least_one(SimpleNamespace(batch=value), "batch")


def test_one_of():
    one_of(SimpleNamespace(kind="a"), "kind", ("a", "b"))
    with rejects(OptionError, "kind", "'c'", where="--method"):
        one_of(SimpleNamespace(kind="c"), "kind", ("a", "b"))
