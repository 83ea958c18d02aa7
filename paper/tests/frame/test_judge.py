"""Claims are judged by the numbers: by pairs, and only beyond what chance does."""

from __future__ import annotations

import numpy as np
import pytest

from colayer_paper.frame.judge import apart, apart_by_seed, both, less, tends


def test_less_needs_more_than_chance() -> None:
    assert less([1.0, 1.1, 0.9], [2.0, 2.1, 2.0]) is True
    assert less([2.0, 2.1, 2.0], [1.0, 1.1, 0.9]) is False
    assert less([1.0, 3.0], [2.0, 2.1]) is None
    assert less([1.0], [2.0]) is None  # one pair is no evidence
    assert less([], []) is None
    assert less([1.0, 1.0], [1.9, 2.2]) is None  # nor are two, 7 standard errors from 0
    # the mean is 0.1 apart: far less than the values range over, far more than the paired differences do
    assert less([1.0, 5.0, 9.0], [1.1, 5.1, 9.11]) is True
    assert less([1.0, 2.0], [1.0, 2.0]) is None  # no difference at all


def seeds(means: list[float], instances: int = 40, noise: float = 0.1) -> np.ndarray:
    """A row per seed with this mean, and what the instances add, the same for all seeds."""
    return np.array(means)[:, None] + noise * np.random.default_rng(0).normal(size=instances)


def test_seeds_that_vary_need_a_larger_difference() -> None:
    """The mean difference is 1 in both; between seeds that agree it is clear, between such as these it is not."""
    agreed, scattered = [2.0, 2.01, 1.99, 2.0, 2.0], [0.5, 3.5, 1.0, 3.0, 2.0]
    for one in (seeds([1.0, 1.01, 0.99, 1.0, 1.0]), seeds([1.0])):  # also where the other has one seed
        assert less(one, seeds(agreed)) is True
        assert less(seeds(agreed), one) is False
        assert less(one, seeds(scattered)) is None
    assert less(seeds([1.0])[0], seeds(scattered).mean(axis=0)) is True  # the instances alone would have said so


def test_over_seeds_by_hand() -> None:
    """Ten seeds from 1.1 to 2.0, others at 0: the error is sqrt(var/10) = 0.096; 2.6 of them are enough, 2 are not."""
    found = seeds([1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0], noise=0.0)
    assert less(seeds([0.0], noise=0.0), found) is True
    assert less(seeds([1.55 - 0.19], noise=0.0), found) is None
    assert less(seeds([1.55 - 0.25], noise=0.0), found) is True


def test_two_seeds_say_less_than_ten() -> None:
    """Three standard errors of the same size: few seeds need more, however many instances there are."""
    two, ten = [2.0 - 0.3, 2.0 + 0.3], [2.0 - 0.9, 2.0 + 0.9] * 5
    assert np.std(two, ddof=1) / np.sqrt(2) == pytest.approx(np.std(ten, ddof=1) / np.sqrt(10), rel=0.06)
    assert less(seeds([1.0], noise=0.0), seeds(two, noise=0.0)) is None
    assert less(seeds([1.0], noise=0.0), seeds(ten, noise=0.0)) is True


def test_instances_that_vary_count_as_well() -> None:
    """Seeds that agree decide nothing where the instances disagree."""
    wild = np.tile(np.random.default_rng(1).normal(size=40) * 10, (5, 1))
    assert less(np.zeros((5, 40)), wild + 1.0) is None


def test_one_seed_of_each_is_the_paired_comparison() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        a, b = rng.normal(size=8), rng.normal(loc=0.5, size=8)
        error = (a - b).std(ddof=1) / np.sqrt(8)
        assert less(a[None, :], b[None, :]) is less(a, b) is (None if abs((a - b).mean()) <= 2.3646 * error else True)
    assert less([[1.0]], [[2.0]]) is None
    assert less([[1.0], [1.1]], [[2.0]]) is None  # one instance is no evidence, whatever the seeds


def test_what_cannot_be_told_says_how_many_seeds_would() -> None:
    """Differences of 1 between spreads of √10: twice the error is below 1 from 80 seeds of each on, less a few."""
    scattered = apart(seeds([1.0 - 10**0.5 / 2**0.5, 1.0 + 10**0.5 / 2**0.5], noise=0.0), np.zeros((2, 40)))
    assert scattered.variances == pytest.approx((10.0, 0.0))
    needed = scattered.seeds_needed()
    assert needed is not None
    assert 40 <= needed <= 42
    assert scattered.words == f"1.00 ± 2.24, about {needed} seeds would tell"
    wild = apart(np.zeros((5, 40)), np.tile(np.random.default_rng(1).normal(size=40) * 10, (5, 1)) + 1.0)
    assert wild.words.endswith("no number of seeds would tell")  # the instances disagree, and no seed differs
    told = apart(seeds([1.0, 1.1]), seeds([9.0, 9.1]))
    assert (told.seeds_needed(), told.words, told.test) == (None, "-8.00 ± 0.0707", "2 and 2 seeds, 40 instances")


def test_one_number_a_seed() -> None:
    """Means 2 and 5 of three seeds, variances 1: the error is √(2/3), and 3.67 errors are less than Student's 4.3."""
    found = apart_by_seed([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    assert (found.mean, found.error) == (-3.0, pytest.approx((2 / 3) ** 0.5))
    assert (found.less, found.seeds_needed(), found.test) == (None, 4, "3 and 3 seeds")
    assert apart_by_seed([1.0], [2.0]).less is None  # one seed of each is no evidence
    assert apart_by_seed([1.0], [4.0, 4.1, 3.9, 4.0]).less is True


def test_both_is_false_where_one_is_and_unknown_before_it_is_true() -> None:
    assert (both(True, True), both(True, None), both(None, False)) == (True, None, False)
    assert both() is True


def test_a_tendency_needs_one_that_is_told_and_none_against() -> None:
    assert (tends(True, None), tends(None, False), tends(True, False), tends(None), tends()) == (
        True, False, None, None, None,
    )  # fmt: skip
