"""What every optimiser keeps, on functions with a known minimum; tasks, and portions of a budget."""

import numpy as np
import pytest

from colayer.errors import InputError, OptionError
from colayer.learning.run import Stop
from colayer.learning.search.auto import Auto
from colayer.learning.search.cma_es import CmaEs
from colayer.learning.search.direct import Direct
from colayer.learning.search.optimizer import Optimizer, Portion, Task, ball, size
from colayer.learning.search.sgd import Sgd
from support.searching import Given, centre, identify, search, sphere, stairs, traced

METHODS = [
    Direct(),
    Direct(seeds=3),
    CmaEs(),
    CmaEs(step=0.3, population=6),
    Sgd(),
    Sgd(spread=0.1, rate=0.1, pairs=3),
    Auto(),
    Auto(direct_share=0.0, steps=(0.05,)),
]


@pytest.mark.parametrize("function", [sphere, stairs], ids=identify)
@pytest.mark.parametrize("safe", [False, True])
@pytest.mark.parametrize("dimension", [5, 20])
@pytest.mark.parametrize("method", METHODS, ids=identify)
def test_improves_on_its_start(method, dimension, safe, function):
    """At 400 evaluations the loss is well below that of the start, with safe weights near the minimum or without."""
    start = centre(dimension) + np.random.default_rng(1).normal(size=dimension) if safe else None
    run = search(function, task=Task(dimension, evaluations=400, safe=start), method=method)
    assert run.loss == function(run.weights[None, :])[0]
    assert run.loss < 0.9 * run.history[0].loss
    assert len(run.history) == 400


@pytest.mark.parametrize("evaluations", [1, 2, 10, 33])
@pytest.mark.parametrize("safe", [None, np.ones(7)], ids=["none", "safe"])
@pytest.mark.parametrize("method", METHODS, ids=identify)
def test_spends_the_budget_and_no_more(method, safe, evaluations):
    """Also where it is smaller than a population, the number of seeds, or one look along every axis."""
    function, asked = traced(stairs)
    search(function, task=Task(7, evaluations=evaluations, safe=safe), method=method)
    assert len(asked) == evaluations


@pytest.mark.parametrize("method", METHODS, ids=identify)
def test_same_seed_same_trajectory_whatever_else_runs(method):
    """Neither numpy's global generator nor another search in between leaks in, and the former is left as it was."""
    task = Task(6, evaluations=150, seed=5, safe=np.ones(6))
    first_function, first = traced(stairs)
    search(first_function, task=task, method=method)
    for other in METHODS:
        search(sphere, task=Task(4, evaluations=40, seed=9), method=other)
    np.random.seed(123)  # noqa: NPY002 - the global generator is what must not matter
    state = np.random.get_state()  # noqa: NPY002
    second_function, second = traced(stairs)
    search(second_function, task=task, method=method)
    assert np.array_equal(first, second)
    after = np.random.get_state()  # noqa: NPY002
    assert np.array_equal(state[1], after[1])
    assert state[2:] == after[2:]


@pytest.mark.parametrize("method", [Direct(seeds=3), CmaEs(), Sgd(), Auto()], ids=identify)
def test_another_seed_is_another_trajectory(method):
    asked = []
    for seed in (0, 1):
        function, rows = traced(sphere)
        search(function, task=Task(6, evaluations=100, seed=seed), method=method)
        asked.append(rows)
    assert not np.array_equal(*asked)


@pytest.mark.parametrize("method", METHODS, ids=identify)
def test_keeps_to_the_ball(method):
    """The minimum of a linear loss is far outside the ball; no weights are asked for outside."""
    function, asked = traced(lambda W: W.sum(axis=1))
    search(function, task=Task(4, evaluations=300, radius=2.0, safe=np.full(4, 0.5)), method=method)
    assert np.abs(asked).max() <= 2.0


@pytest.mark.parametrize("method", [CmaEs(), Sgd(), Auto()], ids=identify)
def test_safe_weights_come_first_as_they_are(method):
    """Even outside the ball: the result can then never be worse than they are."""
    safe = np.array([30.0, 0.0, 0.0, -1.0])
    function, asked = traced(sphere)
    search(function, task=Task(4, evaluations=60, safe=safe), method=method)
    assert np.array_equal(asked[0], safe)
    assert sum(np.array_equal(row, safe) for row in asked) == 1


def test_an_optimizer_is_known_by_its_methods():
    assert isinstance(Given([1]), Optimizer)
    assert all(isinstance(method, Optimizer) for method in METHODS)
    assert not isinstance(object(), Optimizer)


def test_portion_stops_its_own_search_only():
    """A portion ends where it is spent; the end of the whole budget passes through it."""
    portion = Portion(sphere, 3)
    portion.spend(lambda p: p(np.ones((5, 2))))
    assert portion.left == 0
    assert np.array_equal(portion.best, np.ones(2))

    def over(W):
        raise Stop("the driver")

    with pytest.raises(Stop):
        Portion(over, 3).spend(lambda p: p(np.ones((1, 2))))


def test_portion_remembers_its_best():
    """The first of equals, as a copy; a batch that fits exactly does not stop the search."""
    portion, W = Portion(lambda W: W[:, 0], 4), np.array([[3.0], [1.0]])
    assert portion(W).tolist() == [3.0, 1.0]
    W[:] = -5.0
    assert portion(np.array([[1.0], [2.0]])).tolist() == [1.0, 2.0]
    assert (portion.best.tolist(), portion.loss, portion.left) == ([1.0], 1.0, 0)
    with pytest.raises(Stop) as stopped:
        portion(np.array([[0.0]]))
    assert stopped.value.by is portion


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Task(0), InputError),
        (lambda: Task(2, radius=0.0), OptionError),
        (lambda: Task(2, evaluations=0), OptionError),
        (lambda: Task(2, seed=-1), OptionError),
        (lambda: Task(2, safe=np.ones(3)), InputError),
        (lambda: Task(2, safe=np.array([1.0, np.nan])), InputError),
    ],
)
def test_tasks_out_of_range_are_refused(make, error):
    with pytest.raises(error):
        make()


def test_safe_weights_of_a_task_are_a_copy_that_nobody_changes():
    given = np.ones(2)
    task = Task(2, safe=given)
    given[0] = 7.0
    assert task.safe.tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="read-only"):
        task.safe[0] = 2.0


def test_ball_and_size():
    """A start outside the ball has one of twice its largest weight; steps are relative to the start, or the radius."""
    task = Task(2, radius=5.0)
    assert (ball(task, np.array([5.0, -1.0])), ball(task, np.array([1.0, -6.0]))) == (5.0, 12.0)
    assert (size(np.array([3.0, 4.0]), task), size(np.zeros(2), task)) == (np.sqrt(12.5), 5.0)
