"""Settings: refused by the name of their option, and which of them tell two runs apart."""

import numpy as np
import pytest

from colayer.errors import OptionError
from colayer.learning.settings import Settings


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"evaluations": 0}, "evaluations=0 is out of range, expected at least 1"),
        ({"evaluations": 2.5}, "evaluations=2.5 is not a whole number"),
        ({"evaluations": True}, "evaluations=True is not a whole number"),
        ({"seed": -1}, "seed=-1 is out of range, expected at least 0"),
        ({"seed": "0"}, "seed='0' is not a whole number"),
        ({"seed": None}, "seed=None is not a whole number"),
        ({"sigma": -1.0}, "sigma=-1.0 is out of range, expected a number from 0 to 1e+100"),
        ({"sigma": "best"}, "sigma='best' is not a number"),
        ({"sigma": np.nan}, "sigma=nan is not a number"),
        ({"sigma": np.inf}, "sigma=inf is out of range"),
        ({"sigma": True}, "sigma=True is not a number"),
        ({"sigma": 1.0, "samples": 0}, "samples=0 is out of range, expected at least 1"),
        ({"sigma": "theory", "samples": 0}, "samples=0 is out of range, expected at least 1"),
        ({"samples": None}, "samples=None is not a whole number"),
        ({"samples": -1}, "samples=-1 is out of range, expected at least 0"),
        ({"radius": 0.0}, "radius=0.0 is out of range, expected a number > 0, at most 1e+100"),
        ({"radius": np.inf}, "radius=inf is out of range"),
        ({"radius": "wide"}, "radius='wide' is not a number"),
        ({"validation": 1.0}, "validation=1.0 is out of range, expected a share >= 0 and < 1"),
        ({"validation": -0.1}, "validation=-0.1 is out of range"),
        ({"validation": None}, "validation=None is not a number"),
        ({"time_limit": -1.0}, "time_limit=-1.0 is out of range, expected seconds >= 0"),
        ({"time_limit": "1 h"}, "time_limit='1 h' is not a number"),
    ],
)
def test_what_is_out_of_range_is_refused_by_name(options, message):
    with pytest.raises(OptionError) as caught:
        Settings(**options)
    assert str(caught.value).startswith(message)


def test_what_is_in_range_is_taken():
    Settings()
    Settings(evaluations=np.int64(1), seed=np.int64(0), sigma=np.float32(0.5), samples=np.int32(1), radius=1)
    Settings(samples=0, validation=0, time_limit=0, sigma=0)
    Settings(time_limit=np.inf, radius=1e100, sigma=1e100)


@pytest.mark.parametrize(("sigma", "perturbed"), [(0.0, False), (0, False), (0.5, True), ("theory", True)])
def test_perturbed(sigma, perturbed):
    assert Settings(sigma=sigma).perturbed is perturbed


def test_identity_is_what_determines_the_result():
    """Not the journal, the clock or who is told; samples matter with a perturbation alone."""
    settings = Settings(seed=np.int64(3), validation=0, sigma=0.0, samples=7, time_limit=9.0, journal="j")
    shared = {"evaluations": 5, "seed": 3, "validation": 0.0}
    assert settings.identity(evaluations=5, perturbation=False) == shared
    assert settings.identity(evaluations=5, perturbation=True) == {**shared, "sigma": 0.0, "samples": 0}
    perturbed = Settings(seed=3, validation=0.0, sigma=1, samples=7)
    assert perturbed.identity(evaluations=5, perturbation=True) == {**shared, "sigma": 1.0, "samples": 7}
    by_theory = Settings(sigma="theory", samples=2).identity(evaluations=1, perturbation=True)
    assert (by_theory["sigma"], by_theory["samples"]) == ("theory", 2)
