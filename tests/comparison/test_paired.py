"""Paired differences: by hand, what they say of equals, and what they say of a gain."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import stdtrit

from colayer.comparison.paired import (
    EQUAL,
    Difference,
    difference,
    errors_needed,
    loss_difference,
    moments,
    relative,
    seen_before,
    significance,
    verdicts_in_words,
)

SETS = 1000
Costs = tuple[np.ndarray, np.ndarray]


def test_by_hand() -> None:
    """−10, −20, −30, −20 % of the reference: −20 % in the mean, spread √(200/3), standard error √(50/3) = 4.08 %."""
    found = difference([90.0, 160.0, 7.0, 8.0], [100.0, 200.0, 10.0, 10.0], "rule")
    assert (found.to, found.verdict) == ("rule", "better")
    assert found.mean == pytest.approx(-0.2)
    assert found.standard_error == pytest.approx(math.sqrt(50 / 3) / 100)
    assert found.words == "-20.0 ± 4.08 %"
    worse = difference([100.0, 200.0, 10.0, 10.0], [90.0, 160.0, 7.0, 8.0], "rule")
    assert worse.verdict == "worse"


def test_losses_are_compared_in_units_of_their_mean() -> None:
    """Differences of 1, −1, 3 over a mean of 2: 0.5, spread 1, standard error √(1/3). A mean of 0 is no fault."""
    found = loss_difference([2.0, 3.0, 4.0], [1.0, 4.0, 1.0], "best")
    assert found.mean == pytest.approx(0.5)
    assert found.standard_error == pytest.approx(math.sqrt(1 / 3))
    assert (found.to, found.verdict) == ("best", EQUAL)
    assert loss_difference([1.0, 1.1, 1.0], [0.0, 0.0, 0.0], "best").verdict == "worse"
    assert loss_difference([0.0, 0.0, 0.0], [1.0, 1.1, 1.0], "best").verdict == "better"
    assert loss_difference([-1.0, -1.1, -1.2], [-2.0, -2.0, -2.0], "best").verdict == "worse"


def test_the_difference_of_losses_has_the_sign_of_that_of_their_means() -> None:
    """The mean of ratios has another here: three times one small loss outweighs half of a large one."""
    losses, reference = [3.0, 5.0], [1.0, 10.0]
    assert loss_difference(losses, reference, "best").mean < 0 < difference(losses, reference, "best").mean


def test_a_maximisation_is_better_where_its_cost_is_more_negative() -> None:
    assert difference([-110.0, -220.0, -331.0], [-100.0, -200.0, -300.0], "rule").verdict == "better"


def test_one_instance_has_no_spread_and_equal_costs_no_difference() -> None:
    assert difference([1.0], [2.0], "rule") == Difference("rule", -0.5, None, EQUAL)
    assert difference([1.0], [2.0], "rule").words == "-50.0 %"
    same = difference([3.0, 5.0], [3.0, 5.0 * (1 + 1e-15)], "rule")
    assert (same.mean, same.standard_error, same.verdict, same.words) == (0.0, 0.0, EQUAL, "0 ± 0 %")
    assert same.more_instances(2) is None


def test_costs_of_zero_are_taken_as_they_are() -> None:
    assert relative(3.0, 0.0) == 3.0
    assert relative(0.0, 0.0) == 0.0
    assert relative(0.0, 4.0) == -1.0
    assert relative(6.0, 2.0, 8.0) == 0.5
    assert difference([0.0, 0.0, 1.0], [0.0, 0.0, 1.0], "rule").verdict == EQUAL


@pytest.mark.parametrize("count", [2, 3, 4, 5, 10, 30, 60])
def test_few_instances_need_more_than_two_standard_errors(count: int) -> None:
    """Student's quantile, within two thousandths of it."""
    assert errors_needed(count) == pytest.approx(stdtrit(count - 1, 0.975), rel=2e-3)


def test_percentages_do_not_explode_where_a_cost_is_near_zero() -> None:
    """One instance that cost next to nothing does not decide: the differences are over the mean cost."""
    reference = [100.0, 120.0, 80.0, 0.001, 99.999]
    found = difference([90.0, 108.0, 72.0, 10.0, 90.0], reference, "rule")
    assert found.mean == pytest.approx(sum(np.subtract([90.0, 108.0, 72.0, 10.0, 90.0], reference)) / sum(reference))
    assert found.standard_error is not None
    assert found.standard_error < 0.2
    assert difference([0.5, 0.25], [0.0, 0.0], "rule").mean == 0.375
    assert difference([90.0, 1.1], [100.0, 0.1], "rule").mean == pytest.approx((-10.0 + 1.0) / 100.1)
    assert difference([90.0, 1.1], [100.0, 1.0], "rule").mean == pytest.approx((-0.1 + 0.1) / 2, abs=1e-12)


def test_every_coefficient_of_the_quantile() -> None:
    """Abramowitz and Stegun, 26.7.5, in fractions; z, z³, z⁵, … of each term."""
    z = Fraction(1.959963984540054)
    table = ((4, 1, 1), (96, 3, 16, 5), (384, -15, 17, 19, 3), (92160, -945, -1920, 1482, 776, 79))
    for nu in range(3, 60):
        terms = [
            sum(number * z ** (2 * k + 1) for k, number in enumerate(numbers)) / unit / nu**power
            for power, (unit, *numbers) in enumerate(table, 1)
        ]
        assert errors_needed(nu + 1) == pytest.approx(float(z + sum(terms)), rel=1e-12)


def test_many_instances_need_two() -> None:
    assert errors_needed(62) == errors_needed(10_000) == 2.0
    assert errors_needed(1) == math.inf


def test_significance_is_a_matter_of_standard_errors() -> None:
    assert [significance(mean, 1.0, 100) for mean in (-2.1, -2.0, 0.0, 2.0, 2.1)] == [-1, 0, 0, 0, 1]
    assert significance(2.1, 1.0, 10) == 0
    assert significance(5.0, None, 1) == 0
    assert significance(0.1, 0.0, 2) == 1
    assert moments([1.0, 3.0]) == (2.0, 1.0)


@pytest.mark.parametrize("mean", [0.5, 1.0, 2.0])
def test_significance_has_no_unit(mean: float) -> None:
    assert significance(mean, 0.1 * mean, 100) == 1
    assert significance(-mean, 0.1 * mean, 100) == -1


def normal(random: np.random.Generator, shape: tuple[int, int]) -> Costs:
    """Around 100, by 10 %."""
    a, b = random.normal(100.0, 10.0, (2, *shape))
    return a, b


def gaps(random: np.random.Generator, shape: tuple[int, int]) -> Costs:
    """Exponential gaps above bounds of very different sizes."""
    bound = 10.0 ** random.uniform(0, 3, shape)
    a, b = bound * (1 + random.exponential(0.1, (2, *shape)))
    return a, b


def ties(random: np.random.Generator, shape: tuple[int, int]) -> Costs:
    """The same solution on four of five instances."""
    a, b = normal(random, shape)
    return a, np.where(random.random(shape) < 0.8, a, b)


def wild(random: np.random.Generator, shape: tuple[int, int]) -> Costs:
    """Costs that differ by factors: the mean of a/b is far above 1, and so is that of b/a."""
    a, b = random.lognormal(0.0, 0.7, (2, *shape))
    return a, b


@pytest.mark.parametrize("law", [normal, gaps, ties, wild], ids=lambda law: str(law.__name__))
@pytest.mark.parametrize("count", [5, 10, 30, 100])
def test_equals_are_told_apart_in_at_most_six_of_a_hundred(
    law: Callable[[np.random.Generator, tuple[int, int]], Costs], count: int
) -> None:
    a, b = law(np.random.default_rng(0), (SETS, count))
    verdicts = [difference(a[k].tolist(), b[k].tolist(), "rule").verdict for k in range(SETS)]
    assert sum(verdict != EQUAL for verdict in verdicts) <= 0.06 * SETS


def test_a_gain_of_ten_percent_is_found() -> None:
    a, b = normal(np.random.default_rng(1), (SETS, 100))
    verdicts = [difference((0.9 * a[k]).tolist(), b[k].tolist(), "rule").verdict for k in range(SETS)]
    assert verdicts.count("better") > 0.99 * SETS
    assert verdicts.count("worse") == 0


def test_a_ratio_that_is_large_by_its_unit_alone_is_no_difference() -> None:
    """Each halves the other's cost on half of the instances: +25 % in units of either."""
    ours, theirs = [1.0, 2.0] * 200, [2.0, 1.0] * 200
    found = difference(ours, theirs, "rule")
    assert found.mean == pytest.approx(0.25)
    assert found.standard_error is not None
    assert found.mean > 2 * found.standard_error
    assert found.verdict == EQUAL
    assert found.more_instances(400) is None


def test_how_many_instances_would_settle_it() -> None:
    """At 100 instances the mean is one standard error: four times as many are just not enough, one more is."""
    apart = Difference("rule", 0.01, 0.01, EQUAL)
    assert apart.more_instances(100) == 301
    assert Difference("rule", 0.01, 0.01, "worse").more_instances(100) is None
    assert Difference("rule", 0.0, 0.01, EQUAL).more_instances(100) is None
    assert Difference("rule", 0.01, None, EQUAL).more_instances(1) is None


@pytest.mark.parametrize("count", [3, 8, 40])
def test_so_many_more_do_settle_it_and_one_less_does_not(count: int) -> None:
    mean, error = 0.01, 0.02
    more = Difference("rule", mean, error, EQUAL).more_instances(count)
    assert more is not None
    spread = error * math.sqrt(count)
    assert significance(mean, spread / math.sqrt(count + more), count + more) == 1
    assert significance(mean, spread / math.sqrt(count + more - 1), count + more - 1) == 0


def test_what_is_said_begins_with_what_gains_nothing() -> None:
    rows = [
        ("a", Difference("rule", -0.1, 0.01, "better"), 100),
        ("b", Difference("rule", 0.1, 0.01, "worse"), 100),
        ("c", Difference("rule", 0.01, 0.01, EQUAL), 100),
        ("d", Difference("rule", 0.0, 0.0, EQUAL), 100),
    ]
    assert verdicts_in_words(rows) == [
        "no measurable difference between c and rule: +1.00 ± 1.00 %; about 301 more instances would settle it",
        "no measurable difference between d and rule: 0 ± 0 %",
        "b is worse than rule: +10.0 ± 1.00 %",
        "a is better than rule: -10.0 ± 1.00 %",
    ]


def test_one_more_instance_is_said_in_the_singular() -> None:
    (said,) = verdicts_in_words([("a", Difference("rule", 0.02, 0.01, EQUAL), 100)])
    assert said.endswith("; about 1 more instance would settle it")


def test_instances_that_were_seen_before() -> None:
    assert seen_before("m", 2, 6) == "m was trained on 2 of these 6 instances: they say little about others"


def test_what_rounding_leaves_of_an_error_is_none() -> None:
    """A tenth of every cost is the same share of it, whatever floating point says."""
    assert difference([9.0, 9.9, 10.8], [10.0, 11.0, 12.0], "the rule").words == "-10.0 ± 0 %"
