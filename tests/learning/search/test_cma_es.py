"""CMA-ES."""

import numpy as np
import pytest

from colayer.errors import InputError, OptionError
from colayer.learning.search.cma_es import STEPS, CmaDescent, CmaEs, race
from colayer.learning.search.optimizer import Portion, Task
from support.errors import rejects
from support.searching import centre, search, sphere, stairs, traced


def test_populations_of_two_interleaved_runs_do_not_mix():
    """CMA-ES holds its generator: a run started in the middle of another leaves it as it is."""
    task = Task(5, evaluations=120, seed=2)
    alone_function, alone = traced(stairs)
    search(alone_function, task=task, method=CmaEs())

    def interrupted(W):
        search(sphere, task=Task(5, evaluations=30, seed=2), method=CmaEs())
        return stairs(W)

    nested_function, nested = traced(interrupted)
    search(nested_function, task=task, method=CmaEs())
    assert np.array_equal(alone, nested)


@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_first_step_is_a_fraction_of_the_start(scale):
    """The first population lies within a few steps of the start, whatever the scale of the start."""
    start = scale * np.array([1.0, -2.0, 3.0, 0.5])
    function, asked = traced(sphere)
    search(function, task=Task(4, evaluations=9, safe=start), method=CmaEs(step=0.01, population=8))
    deviation = np.std(np.array(asked[1:]) - start) / np.sqrt(np.mean(start**2))
    assert 0.004 < deviation < 0.025


@pytest.mark.parametrize(("dimension", "count"), [(1, 4), (3, 7), (20, 12), (66, 16)])
def test_a_population_is_four_and_three_times_the_logarithm(dimension, count):
    start = np.ones(dimension)
    assert CmaDescent(Task(dimension, safe=start), start, 1.0, 0.1).count == count
    assert CmaDescent(Task(dimension, safe=start), start, 1.0, 0.1, population=5).count == 5


def test_restarts_when_nothing_moves():
    """On a flat loss the search goes on with a larger population until the budget is spent."""
    batches = []
    search(
        lambda W: (batches.append(len(W)), np.zeros(len(W)))[1],
        task=Task(5, evaluations=600),
        method=CmaEs(population=6),
    )
    assert sum(batches) == 600
    assert {6, 12} <= set(batches)


def test_a_given_start_comes_first():
    """In model units; the safe weights are then not asked for."""
    function, asked = traced(sphere)
    search(function, task=Task(2, evaluations=20, safe=np.ones(2)), method=CmaEs(start=(3.0, -4.0)))
    assert asked[0].tolist() == [3.0, -4.0]
    assert not any(np.array_equal(row, np.ones(2)) for row in asked)


def test_a_start_may_be_an_array():
    """It is kept as plain numbers, which can be compared and written to a journal."""
    method = CmaEs(start=np.array([3, -4]))
    assert method == CmaEs(start=(3.0, -4.0))
    assert method.options()["start"] == [3.0, -4.0]


def test_a_descent_does_not_ask_for_its_start_and_keeps_its_numbers_apart():
    """`key` gives each of several descents of one task random numbers of its own."""
    asked = []
    for key in (0, 0, 1):
        function, rows = traced(sphere)
        Portion(function, 12).spend(CmaDescent(Task(3), np.ones(3), 9.0, 0.1, key=key).run)
        asked.append(np.array(rows))
    assert np.array_equal(asked[0], asked[1])
    assert not np.array_equal(asked[0], asked[2])
    assert not any(np.array_equal(row, np.ones(3)) for row in asked[0])


def test_a_descent_goes_on_where_it_was_left():
    """In two portions of whole populations it asks for what it would ask for in one."""
    parted, whole = [], []
    for asked, portions in ((parted, (10, 20)), (whole, (28,))):
        function, rows = traced(sphere)
        descent = CmaDescent(Task(3), np.ones(3), 9.0, 0.1, population=7)
        for count in portions:
            descent.run(Portion(function, count), whole=True)
        asked.extend(rows[:21])
        assert len(rows) == sum(7 * (count // 7) for count in portions)
    assert np.array_equal(parted, whole)
    assert np.abs(descent.mean - np.ones(3)).max() < 5.0


def test_the_race_is_won_by_the_lowest_loss():
    """Far from the minimum a large step wins, at the minimum a small one; too few evaluations are no race."""
    far = [CmaDescent(Task(4), np.ones(4), np.inf, step, key=k) for k, step in enumerate((1e-4, 0.5))]
    portion = Portion(sphere, 100)
    assert race(portion, far, 0.3) is far[1]
    assert portion.left == 100 - 2 * (30 // far[0].count * far[0].count)
    near = [CmaDescent(Task(4), centre(4), np.inf, step, key=k) for k, step in enumerate((1e-4, 0.5))]
    assert race(Portion(sphere, 100), near, 0.3) is near[0]
    few = Portion(sphere, 10)
    assert race(few, far, 0.3) is far[1]
    assert few.left == 10


def test_without_a_step_three_are_raced():
    """The first populations lie at three distances from the start, and one of the descents goes on."""
    function, asked = traced(sphere)
    search(function, task=Task(4, evaluations=201, safe=np.ones(4)), method=CmaEs(population=8))
    spreads = [np.std(np.array(asked[first : first + 8]) - 1.0) for first in (1, 25, 49)]
    assert [round(spread / step, 1) for spread, step in zip(spreads, STEPS, strict=True)] == pytest.approx(
        [1.0] * 3, abs=0.5
    )
    assert len(asked) == 201


@pytest.mark.parametrize(
    "options",
    [
        {"step": 0.0},
        {"step": np.inf},
        {"population": 1},
    ],
)
def test_options_out_of_range_are_refused(options):
    with rejects(OptionError, *options, where="--method"):
        CmaEs(**options)


@pytest.mark.parametrize("start", [(1.0,), (1.0, np.nan)])
def test_a_start_that_does_not_fit_is_refused(start):
    with rejects(InputError, where="start"):
        search(sphere, task=Task(2), method=CmaEs(start=start))
