"""The default method: simple answers first, how it shares its budget, and that it does not lose to the safe weights."""

from zlib import crc32

import numpy as np
import pytest

from colayer import Pipeline
from colayer.errors import OptionError
from colayer.learning.run import Stop
from colayer.learning.search import auto
from colayer.learning.search.auto import Auto
from colayer.learning.search.cma_es import CmaDescent
from colayer.learning.search.direct import Direct
from colayer.learning.search.optimizer import Task
from colayer.learning.search.srl import Srl
from support.errors import rejects
from support.searching import search, stairs, traced
from support.selection_problem import Selection


@pytest.mark.parametrize(
    ("evaluations", "safe", "axes"), [(400, True, 40), (60, True, 40), (40, True, 0), (60, False, 40)]
)
def test_looks_at_every_feature_alone_if_it_can(evaluations, safe, axes):
    function, asked = traced(stairs)
    search(function, task=Task(20, evaluations=evaluations, safe=np.ones(20) if safe else None), method=Auto())
    assert sum(np.count_nonzero(row) == 1 for row in asked[:41]) == axes


def test_too_few_evaluations_for_that_without_safe_weights_are_direct():
    function, asked = traced(stairs)
    search(function, task=Task(20, evaluations=30), method=Auto())
    direct_function, direct = traced(stairs)
    search(direct_function, task=Task(20, evaluations=30), method=Direct())
    assert np.array_equal(asked, direct)


@pytest.mark.parametrize(("share", "count"), [(0.25, 25), (1.0, 91)])
def test_without_safe_weights_direct_looks_around_after_the_features_alone(share, count):
    """With its share of the 100 evaluations, or with what the 8 features leave, less the last."""
    function, asked = traced(stairs)
    search(function, task=Task(4, evaluations=100), method=Auto(direct_share=share))
    direct_function, direct = traced(stairs)
    search(direct_function, task=Task(4, evaluations=100), method=Direct())
    assert np.array_equal(asked[8 : 8 + count], direct[:count])
    assert not np.array_equal(asked[8 + count], direct[count])


def test_what_the_finish_found_is_one_of_the_ends(monkeypatch):
    """Also where the evaluations end in the middle of it."""
    descents, ended = [], []

    class Known(CmaDescent):
        def __init__(self, *given, **options):
            super().__init__(*given, **options)
            descents.append(self)

    class Watched(Auto):
        def _search(self, search, task, ends):
            with pytest.raises(Stop):
                super()._search(search, task, ends)
            ended.extend(ends)

    monkeypatch.setattr(auto, "CmaDescent", Known)
    search(stairs, task=Task(6, evaluations=200, safe=np.ones(6)), method=Watched())
    assert ended[-1] is descents[-1].best


def test_shares_of_the_budget():
    """Of 300 evaluations 9 look at simple answers; a fourth of the rest is a race of three steps; the best goes on."""
    safe = np.full(4, 9.0)
    function, asked = traced(lambda W: np.abs(W).sum(axis=1))
    search(function, task=Task(4, evaluations=300, safe=safe), method=Auto(steps=(1e-4, 1e-3, 1e-2)))
    start = asked[1]  # a feature alone is the best simple answer
    distances = [np.abs(row - start).max() / 9.0 for row in asked[9:]]
    each = 24 // 8 * 8  # whole populations of 24 evaluations, a third of a fourth of 290
    assert max(distances[:each]) < 1e-3
    assert 1e-3 < max(distances[each : 2 * each]) < 1e-2
    assert 1e-2 < max(distances[2 * each : 3 * each]) < 0.2
    assert len(asked) == 300


@pytest.mark.parametrize("evaluations", range(195, 215))
def test_what_was_found_counts_wherever_the_evaluations_end(evaluations):
    """Without a finish, they may be spent in the middle of anything."""
    task = Task(6, evaluations=evaluations, safe=np.ones(6))
    run = search(stairs, task=task, method=Auto(finish_share=0.0))
    assert run.loss == min(done.loss for done in run.history) < 0.5 * run.history[0].loss


def test_there_is_a_validation_loss_where_instances_are_held_out():
    """Also where the answer did not improve the training loss: the safe weights, asked for again."""
    problem = Noise()
    pipeline = Pipeline(problem).fit([problem.generate(k) for k in range(40)], evaluations=200)
    assert pipeline.validation_loss_ == pipeline.provenance["validation_loss"] is not None


class Noise(Selection):
    """Costs that no weights can lower: what a search finds on the training instances is luck."""

    def cost(self, solution, instance):
        drawn = crc32(np.asarray(solution).tobytes() + instance.price.tobytes())
        return float(np.random.default_rng(drawn).normal(5.0))


def test_the_descent_that_goes_on_is_slower_than_those_of_the_race(monkeypatch):
    """By `_ONWARD`, with the σ that won; the race of searches has no share here."""
    methods, descended = [], auto._descended
    monkeypatch.setattr(auto, "_descended", lambda *given: (methods.append((given[4], given[5])), descended(*given))[1])
    problem = Selection()
    data = [problem.generate(k) for k in range(20)]
    Pipeline(problem).fit(data, evaluations=400, method=Auto(search_share=0.0, imitation_share=0.5))
    *raced, (last, key) = methods
    assert [(method.sigma, method.rate, k) for method, k in raced] == [(0.02, Srl().rate, 0), (0.1, Srl().rate, 1)]
    assert last.rate == 0.75 * Srl().rate
    assert (last.sigma in (0.02, 0.1), key) == (True, 2)


@pytest.mark.parametrize("seed", range(5))
def test_safe_weights_stand_where_there_is_only_luck(seed):
    """The training loss of the best weights seen is lower; nothing of that holds for instances held out."""
    problem = Noise()
    data = [problem.generate(k) for k in range(40)]
    pipeline = Pipeline(problem).fit(data, evaluations=200, seed=seed)
    assert min(done.loss for done in pipeline.history_) < pipeline.history_[0].loss
    safe = problem.safe_weights * pipeline.model.feature_scale
    assert np.allclose(np.cross(pipeline.weights_, safe), 0.0, atol=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {"direct_share": 1.5},
        {"search_share": -0.1},
        {"steps": (-1.0,)},
        {"sigmas": ()},
        {"imitation_share": 0.6, "search_share": 0.6},
        {"finish_step": 0.0},
    ],
)
def test_options_out_of_range_are_refused(options):
    with rejects(OptionError, *options, where="--method"):
        Auto(**options)
