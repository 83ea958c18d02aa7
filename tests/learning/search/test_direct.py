"""DIRECT."""

import numpy as np

from colayer.errors import OptionError
from colayer.learning.search.direct import Direct
from colayer.learning.search.optimizer import Task
from support.errors import rejects
from support.searching import search, sphere, traced


def test_starts_in_the_middle_and_ignores_safe_weights():
    function, asked = traced(sphere)
    search(function, task=Task(5, evaluations=30, safe=np.ones(5)), method=Direct())
    assert np.array_equal(asked[0], np.zeros(5))
    assert not any(np.array_equal(row, np.ones(5)) for row in asked)


def test_looks_along_every_axis_at_thirds():
    """The first cut of the box: ±2/3 of the radius along each axis."""
    function, asked = traced(sphere)
    search(function, task=Task(2, radius=3.0, evaluations=5), method=Direct())
    assert sorted(map(tuple, np.round(asked[1:], 12))) == [(-2.0, 0.0), (0.0, -2.0), (0.0, 2.0), (2.0, 0.0)]


def test_seeds_share_the_budget():
    """Each randomised run starts again in the middle; ten evaluations on three seeds are 4 + 3 + 3."""
    function, asked = traced(sphere)
    search(function, task=Task(5, evaluations=10), method=Direct(seeds=3))
    assert [k for k, row in enumerate(asked) if not row.any()] == [0, 4, 7]


def test_more_seeds_than_evaluations():
    """Runs that have nothing to spend ask for nothing."""
    function, asked = traced(sphere)
    search(function, task=Task(3, evaluations=2), method=Direct(seeds=5))
    assert np.array_equal(asked, np.zeros((2, 3)))


def test_seeds_out_of_range_are_refused():
    with rejects(OptionError, where="--method"):
        Direct(seeds=0)


def test_a_randomised_search_repeats_itself_and_differs_by_seed():
    """From the middle and within the ball, as the deterministic one, which knows no seed."""

    def trace(method: Direct, seed: int):
        function, asked = traced(sphere)
        search(function, task=Task(5, radius=3.0, evaluations=120, seed=seed), method=method)
        return np.array(asked)

    first, again, other = (trace(Direct(randomised=True), seed) for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    plain = trace(Direct(), 0)
    assert np.array_equal(plain, trace(Direct(), 1))
    assert not np.array_equal(plain, first)
    for found in (first, other):
        assert len(found) == 120
        assert not found[0].any()
        assert np.abs(found).max() <= 3.0


def test_one_randomised_search_is_the_first_of_several():
    """With one seed, several, or none said: the k-th search draws what it draws, whatever the budget."""

    def trace(method: Direct, evaluations: int):
        function, asked = traced(sphere)
        search(function, task=Task(5, evaluations=evaluations, seed=7), method=method)
        return np.array(asked)

    alone = trace(Direct(randomised=True), 40)
    assert np.array_equal(trace(Direct(seeds=2), 80)[:40], alone)
    assert np.array_equal(trace(Direct(seeds=2, randomised=True), 80), trace(Direct(seeds=2), 80))
    assert np.array_equal(trace(Direct(randomised=True), 90)[:40], alone)


def test_whether_it_is_randomised_is_an_option():
    """Two searches that differ have different options: a journal of one is not taken for that of the other."""
    assert Direct(randomised=True).options() != Direct().options()
