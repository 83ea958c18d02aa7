"""Bayesian optimisation: it improves, keeps to budget and ball, repeats itself, and leaves torch as it was."""

from __future__ import annotations

import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what gpytorch uses of torch is deprecated there
    import botorch  # noqa: F401
import torch

from colayer import Pipeline
from colayer.errors import MissingExtraError
from colayer.learning.learner import learner_for, learner_names
from colayer.learning.search import bayes
from colayer.learning.search.bayes import Bayes
from colayer.learning.search.cma_es import CmaEs
from colayer.learning.search.optimizer import Portion, Task
from colayer.problems import problem_names
from support.errors import rejects
from support.pick_problem import Pick
from support.registry import quick_instances, quick_problem
from support.searching import centre, search, sphere, stairs

QUICK = Bayes(batch=5, points=64, refit=20)


def traced(function):
    asked, batches = [], []

    def evaluate(W):
        batches.append(len(W))
        asked.extend(W.copy())
        return function(W)

    return evaluate, asked, batches


@pytest.mark.parametrize(("function", "safe"), [(sphere, False), (stairs, True)], ids=["sphere", "stairs, safe"])
def test_improves_on_its_start(function, safe):
    start = centre(6) + np.random.default_rng(1).normal(size=6) if safe else None
    learned = search(function, task=Task(6, evaluations=90, safe=start), method=QUICK)
    assert learned.loss == function(learned.weights[None, :])[0]
    assert learned.loss < 0.8 * min(done.loss for done in learned.history[:12])
    assert len(learned.history) == 90


def test_needs_fewer_evaluations_than_cma_es_on_a_smooth_loss():
    """What the model is for: at a small budget from nowhere, in ten dimensions."""
    losses = [search(sphere, task=Task(10, evaluations=120), method=method).loss for method in (Bayes(), CmaEs())]
    assert losses[0] < losses[1]


@pytest.mark.parametrize("evaluations", [1, 2, 21])
@pytest.mark.parametrize("safe", [None, np.ones(7)], ids=["none", "safe"])
def test_spends_the_budget_and_no_more(safe, evaluations):
    evaluate, asked, _ = traced(stairs)
    search(evaluate, task=Task(7, evaluations=evaluations, safe=safe), method=QUICK)
    assert len(asked) == evaluations


def test_asks_in_batches_after_safe_weights_and_design():
    evaluate, asked, batches = traced(sphere)
    safe = np.array([30.0, 0.0, 0.0, -1.0])  # outside the ball: evaluated as they are
    search(evaluate, task=Task(4, evaluations=20, safe=safe), method=Bayes(batch=5, initial=4))
    assert batches == [1, 4, 5, 5, 5]
    assert np.array_equal(asked[0], safe)
    assert np.abs(asked).max() <= 60.0


def test_keeps_to_the_ball():
    evaluate, asked, _ = traced(lambda W: W.sum(axis=1))
    search(evaluate, task=Task(4, evaluations=60, radius=2.0, safe=np.full(4, 0.5)), method=Bayes(batch=5, length=0.5))
    assert np.abs(asked).max() <= 2.0
    assert np.min(asked) < -1.5  # the region moves to the minimum, a corner of the ball


def test_starts_again_on_a_flat_loss():
    """Nothing improves: the region shrinks to its least size, and a new design follows."""
    evaluate, _, batches = traced(lambda W: np.zeros(len(W)))
    search(evaluate, task=Task(3, evaluations=80), method=Bayes(batch=4, initial=5, length=0.01))
    assert batches.count(5) > 2


class Blind:
    """A process that knows nothing: it takes the same steps from every centre and counts what it is conditioned on."""

    steps = np.zeros((4, 3))

    def __init__(self):
        self.counts = []

    def __call__(self):
        return self

    def condition(self, X, losses, *, refit):
        self.counts.append(len(X))

    def sides(self):
        return np.ones(self.steps.shape[1])

    def thompson(self, box, count, random):
        return self.steps


@pytest.fixture
def blind(monkeypatch):
    process = Blind()
    monkeypatch.setattr(bayes, "_Process", process)
    return process


def test_after_seven_halvings_another_design_follows(blind):
    """A round at each of the eight lengths; the centre of both designs is the same, the points are not."""
    evaluate, asked, batches = traced(lambda W: np.zeros(len(W)))
    method = Bayes(batch=4, initial=5, length=0.01)
    search(evaluate, task=Task(3, evaluations=43, safe=np.ones(3)), method=method)
    assert batches == [1, 5, *[4] * 8, 5]
    assert not np.array_equal(asked[1:6], asked[38:])


def test_the_region_doubles_after_three_rounds_that_improve(blind):
    """One of the batch is enough for that."""
    blind.steps = np.array([[-0.1], [0.1]])
    evaluate, asked, _ = traced(lambda W: W[:, 0])
    method = Bayes(batch=2, initial=1, length=0.1)
    search(evaluate, task=Task(1, evaluations=16, safe=np.ones(1)), method=method)
    widths = np.diff(np.ravel(asked[2:]))[::2] / (2.0 * 10.0)
    assert widths / 0.2 == pytest.approx([0.1] * 3 + [0.2] * 3 + [0.4])


def test_what_the_design_found_is_learned_from_once(blind):
    search(sphere, task=Task(3, evaluations=9), method=Bayes(batch=4, initial=5))
    assert blind.counts == [5]


@pytest.mark.parametrize(("dimension", "evaluations", "count"), [(4, 100, 4), (7, 40, 5), (7, 5, 1)])
def test_a_design_has_a_point_a_weight_and_at_most_an_eighth_of_the_evaluations(dimension, evaluations, count):
    task, random = Task(dimension, evaluations=evaluations), np.random.default_rng(0)
    design = Bayes()._design(task, Portion(sphere, evaluations), 10.0, 0.8, random)
    assert design.shape == (count, dimension)


def test_a_region_reaches_as_far_down_as_up():
    """Half a side each, or to the end of the cube."""
    low, high = bayes._box(np.array([0.5, 0.5, 0.9]), 0.4, np.array([1.0, 2.0, 1.0]))
    assert low == pytest.approx([-0.5, -1.0, -0.5])
    assert high == pytest.approx([0.5, 1.0, 0.25])


def test_same_seed_same_trajectory_and_nothing_global_changes():
    """Whatever the number of threads and the state of the generators; these are left as they were."""
    task = Task(5, evaluations=30, seed=5, safe=np.ones(5))
    threads = torch.get_num_threads()
    runs = []
    for setting, seed in ((1, 1), (2, 2)):
        torch.set_num_threads(setting)
        torch.manual_seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - the global generator is what must not matter
        before = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
        evaluate, asked, _ = traced(stairs)
        search(evaluate, task=task, method=QUICK)
        runs.append(asked)
        assert torch.get_num_threads() == setting
        assert torch.equal(torch.get_rng_state(), before[0])
        assert np.array_equal(np.random.get_state()[1], before[1])  # noqa: NPY002
        assert torch.get_default_dtype() == torch.float32
    torch.set_num_threads(threads)
    assert np.array_equal(*runs)
    evaluate, other, _ = traced(stairs)
    search(evaluate, task=Task(5, evaluations=30, seed=6, safe=np.ones(5)), method=QUICK)
    assert not np.array_equal(runs[0], other)


def test_goes_on_from_a_journal(tmp_path):
    """A run that was stopped asks for the same weights again, bit for bit, and ends where an unbroken one does."""
    task = Task(5, evaluations=40, safe=np.ones(5))
    whole = search(stairs, task=task, method=QUICK)

    def dies(W, count=[0]):  # noqa: B006 - counts over calls
        count[0] += len(W)
        if count[0] > 20:
            raise KeyboardInterrupt
        return stairs(W)

    path = tmp_path / "run.journal"
    with pytest.raises(KeyboardInterrupt):
        search(dies, task=task, method=QUICK, journal=path)
    again = search(stairs, task=task, method=QUICK, journal=path)
    assert np.array_equal(again.weights, whole.weights)
    assert [done.loss for done in again.history] == [done.loss for done in whole.history]


@pytest.mark.parametrize("name", problem_names())
def test_improves_on_the_safe_weights_of_every_problem(name):
    problem = quick_problem(name)
    data = quick_instances(problem, 6)
    pipeline = Pipeline(problem, weights=problem.safe_weights)
    pipeline.fit(data, method="bayes", evaluations=150, validation=0.0)
    assert pipeline.loss_ < pipeline.history_[0].loss


def test_draws_of_a_process_without_spread_are_its_mean():
    """A covariance of zeros has a root once the jitter is added; subtracted, it has none."""

    class Certain:
        def posterior(self, points):
            mean = (points - 0.5).abs().sum(dim=1)
            spread = torch.zeros((len(points), len(points)), dtype=torch.float64)
            return SimpleNamespace(distribution=SimpleNamespace(mean=mean, covariance_matrix=spread))

    process = bayes._Process()
    process._model = Certain()
    box = np.zeros(2), np.ones(2)
    first, second = process.thompson(box, 2, np.random.default_rng(0))
    assert np.abs(first - 0.5).sum() <= np.abs(second - 0.5).sum() + 0.01
    assert np.abs(first - 0.5).sum() < 0.1
    assert not np.array_equal(first, second)


def test_by_name():
    """Of the searches by experience it is the last: it needs an extra."""
    assert learner_names("costs")[-2:] == ("bayes", "neural")
    assert learner_for("bayes") == Bayes()


def test_without_botorch_the_error_names_the_extra(monkeypatch, tmp_path):
    """Before anything is written."""
    monkeypatch.setitem(sys.modules, "botorch", None)
    with rejects(MissingExtraError, "colayer[bayes]"):
        search(sphere, task=Task(2), method=Bayes())
    with pytest.raises(MissingExtraError):
        Pipeline(Pick()).fit([np.ones((4, 2))], method="bayes", journal=tmp_path / "run.journal")
    assert not list(tmp_path.iterdir())
