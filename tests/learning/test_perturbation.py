"""The draws of the perturbation are common random numbers: they depend on the seed alone, and are nested in K."""

import numpy as np
import pytest

from colayer.errors import OptionError
from colayer.learning.perturbation import draws
from support.errors import rejects


def test_draws_are_nested_in_the_number_of_samples():
    """A larger K refines the same sample average instead of replacing it."""
    assert np.array_equal(draws(3, 5, 7), draws(3, 40, 7)[:5])


def test_draws_depend_on_the_seed_alone():
    """Neither on earlier calls nor on numpy's global generator."""
    first = draws(0, 4, 3)
    np.random.seed(1)  # noqa: NPY002 - the global generator is what must not matter
    assert np.array_equal(first, draws(0, 4, 3))
    assert not np.array_equal(first, draws(1, 4, 3))


def test_draws_are_standard_gaussian():
    """Mean 0 and variance 1 within five standard errors."""
    Z = draws(0, 4000, 5)
    assert Z.shape == (4000, 5)
    assert np.abs(Z.mean(axis=0)).max() < 5 / np.sqrt(4000)
    assert np.abs((Z**2).mean(axis=0) - 1).max() < 5 * np.sqrt(2 / 4000)


@pytest.mark.parametrize(("seed", "samples", "where"), [(0, -1, "--samples"), (-1, 1, "--seed")])
def test_draws_refuse_what_is_out_of_range(seed, samples, where):
    """The error names the option as it is typed."""
    with rejects(OptionError, where=where):
        draws(seed, samples, 2)
