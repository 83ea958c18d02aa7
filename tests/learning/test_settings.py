"""Settings: refused by the name of their option, and which of them tell two runs apart."""

import numpy as np
import pytest

from colayer.errors import OptionError
from colayer.learning.settings import Settings
from support.errors import rejects


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"evaluations": 0}, "--evaluations"),
        ({"evaluations": 2.5}, "--evaluations"),
        ({"evaluations": True}, "--evaluations"),
        ({"seed": -1}, "--seed"),
        ({"seed": "0"}, "--seed"),
        ({"seed": None}, "--seed"),
        ({"sigma": -1.0}, "--sigma"),
        ({"sigma": "best"}, "--sigma"),
        ({"sigma": np.nan}, "--sigma"),
        ({"sigma": np.inf}, "--sigma"),
        ({"sigma": True}, "--sigma"),
        ({"sigma": 1.0, "samples": 0}, "--samples"),
        ({"sigma": "theory", "samples": 0}, "--samples"),
        ({"samples": None}, "--samples"),
        ({"samples": -1}, "--samples"),
        ({"sigma": 1.0, "samples": 1_000_001}, "--samples"),
        ({"radius": 0.0}, "--radius"),
        ({"radius": np.inf}, "--radius"),
        ({"radius": "wide"}, "--radius"),
        ({"validation": 1.0}, "--validation"),
        ({"validation": -0.1}, "--validation"),
        ({"validation": None}, "--validation"),
        ({"time_limit": -1.0}, "--time-limit"),
        ({"time_limit": "1 h"}, "--time-limit"),
    ],
)
def test_what_is_out_of_range_is_refused_by_name(options, where):
    with rejects(OptionError, where=where):
        Settings(**options)


def test_what_is_in_range_is_taken():
    Settings()
    Settings(evaluations=np.int64(1), seed=np.int64(0), sigma=np.float32(0.5), samples=np.int32(1), radius=1)
    Settings(sigma=1.0, samples=1_000_000)
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
