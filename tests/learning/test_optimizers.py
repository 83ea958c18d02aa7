"""Every optimiser on functions with a known minimum: it improves, keeps to its budget, and repeats itself."""

import numpy as np
import pytest

from colayer.errors import InputError, OptionError
from colayer.learning import learn, method_named, method_names
from colayer.learning.experience.auto import Auto
from colayer.learning.experience.cma_es import CmaEs
from colayer.learning.experience.direct import Direct
from colayer.learning.experience.optimizer import Portion, Task
from colayer.learning.experience.sgd import Sgd
from colayer.learning.run import Stop

METHODS = [
    Direct(),
    Direct(seeds=3),
    CmaEs(),
    CmaEs(step=0.3, population=6),
    Sgd(),
    Sgd(spread=0.1, rate=0.1, pairs=3),
    Auto(),
    Auto(direct_share=0.0, step=0.05),
]


def centre(dimension):
    return np.random.default_rng(dimension).uniform(-5, 5, dimension)


def sphere(W):
    """Minimum 0 at `centre`."""
    return ((W - centre(W.shape[1])) ** 2).mean(axis=1)


def stairs(W):
    """Piecewise constant, like the losses of a pipeline; minimum 0 around `centre`."""
    return np.floor(4 * np.abs(W - centre(W.shape[1]))).mean(axis=1)


def traced(function):
    """The function and the list of all rows it is asked for."""
    asked = []
    return lambda W: (asked.extend(W.copy()), function(W))[1], asked


def identify(value):
    return repr(value) if not callable(value) else value.__name__


@pytest.mark.parametrize("function", [sphere, stairs], ids=identify)
@pytest.mark.parametrize("safe", [False, True])
@pytest.mark.parametrize("dimension", [5, 20])
@pytest.mark.parametrize("method", METHODS, ids=identify)
def test_improves_on_its_start(method, dimension, safe, function):
    """At 400 evaluations the loss is well below that of the start, with safe weights near the minimum or without."""
    start = centre(dimension) + np.random.default_rng(1).normal(size=dimension) if safe else None
    task = Task(dimension, evaluations=400, safe=start)
    learned = learn(function, task=task, method=method)
    assert learned.loss == function(learned.weights[None, :])[0]
    assert learned.loss < 0.9 * learned.history[0].loss
    assert len(learned.history) == 400


@pytest.mark.parametrize("evaluations", [1, 2, 10, 33])
@pytest.mark.parametrize("safe", [None, np.ones(7)], ids=["none", "safe"])
@pytest.mark.parametrize("method", METHODS, ids=identify)
def test_spends_the_budget_and_no_more(method, safe, evaluations):
    """Also where it is smaller than a population, the number of seeds, or one look along every axis."""
    function, asked = traced(stairs)
    learn(function, task=Task(7, evaluations=evaluations, safe=safe), method=method)
    assert len(asked) == evaluations


@pytest.mark.parametrize("method", METHODS, ids=identify)
def test_same_seed_same_trajectory_whatever_else_runs(method):
    """Neither numpy's global generator nor another search in between leaks in, and the former is left as it was."""
    task = Task(6, evaluations=150, seed=5, safe=np.ones(6))
    first_function, first = traced(stairs)
    learn(first_function, task=task, method=method)
    for other in METHODS:
        learn(sphere, task=Task(4, evaluations=40, seed=9), method=other)
    np.random.seed(123)  # noqa: NPY002 - the global generator is what must not matter
    state = np.random.get_state()  # noqa: NPY002
    second_function, second = traced(stairs)
    learn(second_function, task=task, method=method)
    assert np.array_equal(first, second)
    after = np.random.get_state()  # noqa: NPY002
    assert np.array_equal(state[1], after[1])
    assert state[2:] == after[2:]


@pytest.mark.parametrize("method", [Direct(seeds=3), CmaEs(), Sgd(), Auto()], ids=identify)
def test_another_seed_is_another_trajectory(method):
    asked = []
    for seed in (0, 1):
        function, rows = traced(sphere)
        learn(function, task=Task(6, evaluations=100, seed=seed), method=method)
        asked.append(rows)
    assert not np.array_equal(*asked)


def test_populations_of_two_interleaved_runs_do_not_mix():
    """CMA-ES holds its generator: a run started in the middle of another leaves it as it is."""
    task = Task(5, evaluations=120, seed=2)
    alone_function, alone = traced(stairs)
    learn(alone_function, task=task, method=CmaEs())

    def interrupted(W):
        learn(sphere, task=Task(5, evaluations=30, seed=2), method=CmaEs())
        return stairs(W)

    nested_function, nested = traced(interrupted)
    learn(nested_function, task=task, method=CmaEs())
    assert np.array_equal(alone, nested)


@pytest.mark.parametrize("method", METHODS, ids=identify)
def test_keeps_to_the_ball(method):
    """The minimum of a linear loss is far outside the ball; no weights are asked for outside."""
    function, asked = traced(lambda W: W.sum(axis=1))
    learn(function, task=Task(4, evaluations=300, radius=2.0, safe=np.full(4, 0.5)), method=method)
    assert np.abs(asked).max() <= 2.0


def test_direct_starts_in_the_middle_and_ignores_safe_weights():
    function, asked = traced(sphere)
    learn(function, task=Task(5, evaluations=30, safe=np.ones(5)), method=Direct())
    assert np.array_equal(asked[0], np.zeros(5))
    assert not any(np.array_equal(row, np.ones(5)) for row in asked)


@pytest.mark.parametrize("method", [CmaEs(), Auto()], ids=identify)
def test_safe_weights_come_first_as_they_are(method):
    """Even outside the ball: the result can then never be worse than they are."""
    safe = np.array([30.0, 0.0, 0.0, -1.0])
    function, asked = traced(sphere)
    learn(function, task=Task(4, evaluations=60, safe=safe), method=method)
    assert np.array_equal(asked[0], safe)
    assert sum(np.array_equal(row, safe) for row in asked) == 1


@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_first_step_is_a_fraction_of_the_start(scale):
    """The first population lies within a few steps of the start, whatever the scale of the start."""
    start = scale * np.array([1.0, -2.0, 3.0, 0.5])
    function, asked = traced(sphere)
    learn(function, task=Task(4, evaluations=9, safe=start), method=CmaEs(step=0.01, population=8))
    deviation = np.std(np.array(asked[1:]) - start) / np.sqrt(np.mean(start**2))
    assert 0.004 < deviation < 0.025


def test_cma_es_restarts_when_nothing_moves():
    """On a flat loss the search goes on with a larger population until the budget is spent."""
    batches = []
    learn(
        lambda W: (batches.append(len(W)), np.zeros(len(W)))[1],
        task=Task(5, evaluations=600),
        method=CmaEs(population=6),
    )
    assert sum(batches) == 600
    assert {6, 12} <= set(batches)


@pytest.mark.parametrize(
    ("evaluations", "safe", "axes"), [(400, True, 40), (60, True, 40), (40, True, 0), (40, False, 39)]
)
def test_auto_looks_along_every_axis_if_it_can(evaluations, safe, axes):
    """DIRECT is left out where the budget has no 2d + 1 evaluations for it and something better than w = 0 is known."""
    function, asked = traced(stairs)
    learn(function, task=Task(20, evaluations=evaluations, safe=np.ones(20) if safe else None), method=Auto())
    assert sum(np.count_nonzero(row) == 1 for row in asked[:42]) == axes


def test_auto_may_give_everything_to_direct():
    """A share of 1 is DIRECT after the safe weights."""
    function, asked = traced(stairs)
    learn(function, task=Task(4, evaluations=50, safe=np.ones(4)), method=Auto(direct_share=1.0))
    direct_function, direct = traced(stairs)
    learn(direct_function, task=Task(4, evaluations=49), method=Direct())
    assert np.array_equal(asked[1:], direct)


def test_direct_seeds_share_the_budget():
    """Each randomised run starts again in the middle; ten evaluations on three seeds are 4 + 3 + 3."""
    function, asked = traced(sphere)
    learn(function, task=Task(5, evaluations=10), method=Direct(seeds=3))
    assert [k for k, row in enumerate(asked) if not row.any()] == [0, 4, 7]


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


def test_methods_by_name():
    assert method_names() == ("auto", "cma-es", "direct", "sgd")
    for name in method_names():
        assert method_named(name).name == name
    with pytest.raises(OptionError, match="--method: no method 'sdg', expected one of auto, cma-es, direct, sgd"):
        method_named("sdg")


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Direct(seeds=0), OptionError),
        (lambda: CmaEs(step=0.0), OptionError),
        (lambda: CmaEs(population=1), OptionError),
        (lambda: Sgd(spread=0.0), OptionError),
        (lambda: Sgd(rate=float("nan")), OptionError),
        (lambda: Sgd(pairs=0), OptionError),
        (lambda: Auto(direct_share=1.5), OptionError),
        (lambda: Auto(step=-1.0), OptionError),
        (lambda: Task(0), InputError),
        (lambda: Task(2, radius=0.0), OptionError),
        (lambda: Task(2, evaluations=0), OptionError),
        (lambda: Task(2, seed=-1), OptionError),
        (lambda: Task(2, safe=np.ones(3)), InputError),
        (lambda: Task(2, safe=np.array([1.0, np.nan])), InputError),
        (lambda: learn(sphere, task=Task(2), method=CmaEs(start=(1.0,))), InputError),
    ],
)
def test_options_out_of_range_are_refused(make, error):
    with pytest.raises(error):
        make()
