"""Claims are judged by the numbers: by pairs, and only beyond what chance does."""

from __future__ import annotations

import numpy as np
import pytest

from colayer_paper.frame.judge import below, both, less, less_over_seeds, sign_test, tendency


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
        assert less_over_seeds(one, seeds(agreed)) is True
        assert less_over_seeds(seeds(agreed), one) is False
        assert less_over_seeds(one, seeds(scattered)) is None
    assert less(seeds([1.0])[0], seeds(scattered).mean(axis=0)) is True  # the instances alone would have said so


def test_over_seeds_by_hand() -> None:
    """Ten seeds from 1.1 to 2.0, others at 0: the error is sqrt(var/10) = 0.096; 2.6 of them are enough, 2 are not."""
    found = seeds([1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0], noise=0.0)
    assert less_over_seeds(seeds([0.0], noise=0.0), found) is True
    assert less_over_seeds(seeds([1.55 - 0.19], noise=0.0), found) is None
    assert less_over_seeds(seeds([1.55 - 0.25], noise=0.0), found) is True


def test_two_seeds_say_less_than_ten() -> None:
    """Three standard errors of the same size: few seeds need more, however many instances there are."""
    two, ten = [2.0 - 0.3, 2.0 + 0.3], [2.0 - 0.9, 2.0 + 0.9] * 5
    assert np.std(two, ddof=1) / np.sqrt(2) == pytest.approx(np.std(ten, ddof=1) / np.sqrt(10), rel=0.06)
    assert less_over_seeds(seeds([1.0], noise=0.0), seeds(two, noise=0.0)) is None
    assert less_over_seeds(seeds([1.0], noise=0.0), seeds(ten, noise=0.0)) is True


def test_instances_that_vary_count_as_well() -> None:
    """Seeds that agree decide nothing where the instances disagree."""
    wild = np.tile(np.random.default_rng(1).normal(size=40) * 10, (5, 1))
    assert less_over_seeds(np.zeros((5, 40)), wild + 1.0) is None


def test_one_seed_of_each_is_the_paired_comparison() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        a, b = rng.normal(size=8), rng.normal(loc=0.5, size=8)
        assert less_over_seeds(a, b) is less(a, b)
        assert less_over_seeds(a[None, :], b[None, :]) is less(a, b)
    assert less_over_seeds([[1.0]], [[2.0]]) is None
    assert less_over_seeds([[1.0], [1.1]], [[2.0]]) is None  # one instance is no evidence, whatever the seeds


def test_both_is_false_where_one_is_and_unknown_before_it_is_true() -> None:
    assert (both(True, True), both(True, None), both(None, False)) == (True, None, False)
    assert both() is True


def test_what_is_printed_alike_is_a_tie() -> None:
    assert (below(1.0, 2.0), below(2.0, 1.0), below(1.0, 1.0)) == (True, False, None)
    assert (below(0.61234, 0.61239), below(0.61234, 0.61239, "{:.5f}".format)) == (None, True)


@pytest.mark.parametrize(("count", "needed"), [(5, None), (6, 6), (8, 8), (9, 8), (20, 15), (100, 61)])
def test_a_sign_test_needs_more_than_a_coin_would_do(count: int, needed: int | None) -> None:
    """The tables of the binomial law: of five comparisons none is enough, of six all, of twenty fifteen."""
    found = [wins for wins in range(count + 1) if sign_test(wins, count - wins) is True]
    assert (min(found) if found else None) == needed
    assert [losses for losses in range(count + 1) if sign_test(count - losses, losses) is False] == found
    assert sign_test(0, 0) is None


def test_a_tendency_is_a_sign_test() -> None:
    won, lost = (1.0, 2.0), (3.0, 2.0)
    assert tendency("c", [won] * 8 + [lost], "w").holds is True
    assert tendency("c", [lost] * 8 + [won], "w").holds is False
    assert tendency("c", [won] * 3, "w").holds is None
    assert tendency("c", [won] * 5 + [lost] * 3, "w").holds is None
    assert tendency("c", [], "w").holds is None
    assert tendency("c", [won], "words").numbers == "in 1 of 1 comparisons (0 the other way): words"


def test_ties_in_what_is_printed_do_not_count_for_a_tendency() -> None:
    close = (0.61234, 0.61239)
    told = tendency("c", [close] * 20 + [(1.0, 2.0)], "words")
    assert (told.holds, told.numbers) == (None, "in 1 of 21 comparisons (0 the other way, 20 alike): words")
    assert tendency("c", [close] * 20, "words", "{:.5f}".format).holds is True
