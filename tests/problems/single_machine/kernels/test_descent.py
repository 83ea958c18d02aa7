"""LS: the fast kernel gives what the plain rule gives."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colayer.problems.single_machine.instance import generate
from colayer.problems.single_machine.kernels.descent import descend, descend_plain
from colayer.problems.single_machine.kernels.schedule import sequence_cost


def rule(order, r, p):
    """LS as the specification reads, with the completion time of the prefix computed anew at each step."""
    order = list(order)
    i = 0
    while i < len(order) - 1:
        t = 0.0
        for j in order[:i]:
            t = max(t, r[j]) + p[j]
        a, b = order[i], order[i + 1]
        if r[b] <= max(t, r[a]) and (p[b], r[b]) < (p[a], r[a]):
            order[i], order[i + 1] = b, a
            i = max(i - 1, 0)
        else:
            i += 1
    return order


def random_data(rng, largest):
    """Whole numbers with many ties, from crowded to idle machines."""
    n = int(rng.integers(1, largest + 1))
    longest = int(rng.choice([1, 2, 4, 10, 100]))
    p = rng.integers(1, longest + 1, n).astype(np.float64)
    r = np.ceil(rng.random(n) * longest / 2 * n * rng.choice([0.0, 0.2, 0.5, 1.0, 1.5, 3.0]))
    return r, p


def starts(rng, r, p):
    """Sequences to start from, good and bad."""
    keys = (r, -r, p, -p, r + p, r + 20 * rng.standard_normal(len(r)), rng.random(len(r)))
    return [np.argsort(key, kind="stable") for key in keys]


def test_plain_kernel_is_the_rule():
    """The compiled plain rule against Python, on whole and on fractional data."""
    rng = np.random.default_rng(1)
    for _ in range(60):
        r, p = random_data(rng, 12)
        for scale in (1.0, 1 / 3):
            for start in starts(rng, r, p):
                order = start.copy()
                descend_plain(order, r * scale, p * scale)
                assert order.tolist() == rule(start, r * scale, p * scale)


@pytest.mark.parametrize("largest", [4, 9, 30, 200])
def test_fast_equals_plain(largest):
    """Thousands of instances, ties and idle time included."""
    rng = np.random.default_rng(largest)
    for _ in range(600):
        r, p = random_data(rng, largest)
        for start in starts(rng, r, p):
            fast, plain = start.copy(), start.copy()
            descend(fast, r, p, True)
            descend_plain(plain, r, p)
            np.testing.assert_array_equal(fast, plain)


@pytest.mark.parametrize("rho", [0.2, 0.6, 1.0, 1.5, 3.0])
def test_fast_equals_plain_on_large_instances(rho):
    """Long moves, and many descents to look at again."""
    instance = generate(3, 1500, rho)
    r, p = np.array(instance.release), np.array(instance.processing)
    for start in starts(np.random.default_rng(0), r, p):
        fast, plain = start.copy(), start.copy()
        descend(fast, r, p, instance.integral)
        descend_plain(plain, r, p)
        np.testing.assert_array_equal(fast, plain)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_fast_equals_plain_on_any_small_data(data):
    """What the generators above may miss."""
    n = data.draw(st.integers(1, 9))
    r = np.array(data.draw(st.lists(st.integers(0, 12), min_size=n, max_size=n)), dtype=np.float64)
    p = np.array(data.draw(st.lists(st.integers(1, 5), min_size=n, max_size=n)), dtype=np.float64)
    start = np.array(data.draw(st.permutations(range(n))), dtype=np.int64)
    fast = start.copy()
    descend(fast, r, p, True)
    assert fast.tolist() == rule(start, r, p)


def test_exhaustive_starts():
    """Every start of one instance with idle time, ties and blocked jobs."""
    r = np.array([0.0, 2.0, 2.0, 7.0, 9.0, 3.0])
    p = np.array([4.0, 1.0, 3.0, 1.0, 2.0, 3.0])
    for start in itertools.permutations(range(6)):
        fast = np.array(start)
        descend(fast, r, p, True)
        assert fast.tolist() == rule(start, r, p)


def test_fractional_data_take_the_plain_rule():
    """Sums of fractions depend on their order, so the fast kernel must not be used."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        n = int(rng.integers(1, 60))
        r, p = rng.random(n) * n / 2, rng.random(n) + 0.1
        got, plain = np.arange(n), np.arange(n)
        descend(got, r, p, False)
        descend_plain(plain, r, p)
        np.testing.assert_array_equal(got, plain)


def test_cost_never_rises_and_no_pair_is_left():
    """A descent ends where no adjacent pair is swappable, and never above its start."""
    rng = np.random.default_rng(6)
    for _ in range(200):
        r, p = random_data(rng, 40)
        for start in starts(rng, r, p):
            order = start.copy()
            descend(order, r, p, True)
            assert sorted(order) == list(range(len(r)))
            assert sequence_cost(order, r, p) <= sequence_cost(start, r, p)
            assert order.tolist() == rule(order, r, p)


def test_by_hand():
    """Jobs (r, p): a (0, 3), b (2, 1), c (3, 1). b is blocked before a; c passes neither."""
    r, p = np.array([0.0, 2.0, 3.0]), np.array([3.0, 1.0, 1.0])
    order = np.array([0, 2, 1])
    descend(order, r, p, True)
    assert order.tolist() == [0, 1, 2]
