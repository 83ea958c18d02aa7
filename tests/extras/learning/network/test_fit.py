"""Learning a network through the pipeline: it improves, repeats itself, saves, and says what has no meaning."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from colayer import Pipeline
from colayer.compose import features_of
from colayer.errors import InputError, OptionError
from colayer.learning.demonstration.fenchel_young import FenchelYoung
from colayer.learning.demonstration.spo import SpoPlus
from colayer.learning.experience.auto import Auto
from colayer.learning.perturbation import draws
from colayer.models import NeuralModel
from colayer.neural import Neural
from colayer.problems import SingleMachine, find_problem, problem_names
from support.torch_networks import Line, data, network


def test_a_network_learns_what_no_linear_model_can() -> None:
    """x ↦ |x − ½|: by experience, from the best line."""
    instance = np.abs(np.arange(40) / 40 - 0.5)
    problem = Line()
    pipeline = Pipeline(problem, weights=np.array([0.25, 0.0]), safe=False)
    method = Neural(hidden=(16,), start=(0.25, 0.0), rate=0.01, pairs=16, spread=2.0)
    pipeline.fit([instance], method=method, evaluations=3300, workers=1)
    assert pipeline.loss_ < 0.3 * pipeline.history_[0].loss
    assert pipeline.solve(instance).cost == pipeline.loss_


@pytest.mark.parametrize("name", problem_names())
def test_never_worse_than_its_linear_start_and_repeats(name: str) -> None:
    """By experience on every problem; same seed, same bits, for any number of workers; global state untouched."""
    problem = find_problem(name)
    instances = data(problem, 6)
    models, before = [], torch.get_rng_state()
    for workers in (1, 2):
        pipeline = Pipeline(problem, weights=problem.safe_weights)
        pipeline.fit(instances, method=Neural(pairs=2), evaluations=40, workers=workers)
        models.append(pipeline.model.document())
        start = next(done for done in pipeline.history_[20:] if done.validation is not None)
        assert pipeline.validation_loss_ <= start.validation
    assert json.dumps(models[0]) == json.dumps(models[1])
    assert torch.equal(torch.get_rng_state(), before)


def test_the_linear_start_is_that_of_auto_with_its_share_of_the_evaluations() -> None:
    """Half of 40, then passes of 2·2 + 1 evaluations each: four of them, counted on."""
    problem, seen = SingleMachine("27"), []
    instances = data(problem, 6, jobs=12)
    pipeline = Pipeline(problem, weights=problem.safe_weights)
    pipeline.fit(instances, method=Neural(pairs=2), evaluations=40, seed=3, workers=1, callback=seen.append)
    alone = Pipeline(problem, weights=problem.safe_weights)
    alone.fit(instances, method=Auto(), evaluations=20, seed=3, workers=1)
    assert repr(pipeline.history_[:20]) == repr(alone.history_)
    assert pipeline.provenance["linear"] == alone.provenance
    assert [done.number for done in pipeline.history_[20:]] == [20, 25, 30, 35, 40]
    assert tuple(seen) == pipeline.history_  # the callback saw all of it
    best = [done.best for done in pipeline.history_]
    assert best == sorted(best, reverse=True)


def test_by_demonstration_through_the_pipeline() -> None:
    problem = SingleMachine("27")
    instances = data(problem, 8, jobs=15)
    solutions = [Pipeline(problem).solve(x, samples=20).solution for x in instances]
    pipeline = Pipeline(problem, weights=problem.safe_weights)
    pipeline.fit(instances, solutions=solutions, method="neural", evaluations=8)
    assert pipeline.provenance["learned"] == "by demonstration"
    assert pipeline.provenance["linear"]["method"] == "fenchel-young"
    assert pipeline.history_[-1].number == 8


def test_from_true_thetas() -> None:
    """By spo+, whatever loss the method does not name."""
    problem = SingleMachine("27")
    instances = data(problem, 5, jobs=8)
    thetas = [np.arange(8.0) for _ in instances]
    pipeline = Pipeline(problem, weights=problem.safe_weights)
    pipeline.fit(instances, thetas=thetas, method="neural", evaluations=4)
    assert pipeline.provenance["linear"]["method"] == "spo+"
    with pytest.raises(OptionError, match="method: spo\\+ does not learn from solutions"):
        pipeline.fit(instances, solutions=[np.arange(8)] * 5, method=Neural(loss=SpoPlus()), evaluations=4)
    with pytest.raises(OptionError, match="method: fenchel-young does not learn from thetas"):
        pipeline.fit(instances, thetas=thetas, method=Neural(loss=FenchelYoung()), evaluations=4)


def test_saved_and_loaded_it_solves_the_same_without_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = SingleMachine("27")
    instances = data(problem, 6, jobs=30)
    method = Neural(hidden=(8,), context=True, pairs=2, rate=1e-3)
    pipeline = Pipeline(problem, weights=problem.safe_weights).fit(
        instances, method=method, evaluations=60, validation=0.0
    )
    path = tmp_path / "model.json"
    pipeline.save(path)
    document = json.loads(path.read_text())
    assert document["model"] == "context-mlp"
    monkeypatch.setitem(sys.modules, "torch", None)
    loaded = Pipeline.load(path)
    assert isinstance(loaded.model, NeuralModel)
    assert loaded.model.document() == pipeline.model.document()
    for instance in instances:
        once, again = (p.solve(instance, samples=5, sigma=0.5, seed=1) for p in (pipeline, loaded))
        assert once.cost == again.cost
        assert np.array_equal(once.solution, again.solution)
    alone = Pipeline.load(path, safe=False)
    assert np.allclose(np.mean([alone.solve(x).cost / problem.scale(x) for x in instances]), pipeline.loss_)


def test_samples_perturb_the_linear_part() -> None:
    """w + σZ moves θ as in a linear model; the correction stays."""
    problem = SingleMachine("27")
    instance = data(problem, 1, jobs=30)[0]
    d = 27
    made = network(d=d)
    features = features_of(problem, instance)
    scale = features.std(axis=0) + 1.0
    model = made.model(feature_names=problem.feature_names, feature_scale=scale, problem=problem.name)
    pipeline = Pipeline.from_model(problem, model, safe=False)
    Z = draws(0, 3, d)
    costs = []
    for w in (model.weights, *(model.weights + 2.0 * Z)):
        theta = features @ (w / scale) + model.correction(features)
        costs.append(problem.cost(problem.decode(problem.layer(theta, instance), instance), instance))
    assert pipeline.solve(instance, samples=3, sigma=2.0).cost == min(costs)


def test_a_run_that_was_stopped_keeps_its_linear_start(tmp_path: Path) -> None:
    """The journal holds that alone: taken up again, the passes of the network are made anew, to the same model."""
    problem, journal = SingleMachine("27"), tmp_path / "run.journal"
    instances = data(problem, 6, jobs=10)
    options: dict[str, Any] = {"method": Neural(pairs=2), "evaluations": 40, "workers": 1}

    def stop(evaluation: Any) -> None:
        if evaluation.number == 25:  # the first pass of the network
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Pipeline(problem, weights=problem.safe_weights).fit(instances, journal=journal, callback=stop, **options)
    before = journal.read_bytes()
    assert before.count(b'"evaluation"') == 20
    again = Pipeline(problem, weights=problem.safe_weights).fit(instances, journal=journal, **options)
    assert journal.read_bytes() == before
    whole = Pipeline(problem, weights=problem.safe_weights).fit(instances, **options)
    assert again.model.document() == whole.model.document()


def test_the_time_limit_is_that_of_start_and_passes_together() -> None:
    """No pass is begun after it; the linear start is kept then."""
    problem = SingleMachine("27")
    begin = time.monotonic()
    pipeline = Pipeline(problem, weights=problem.safe_weights)
    pipeline.fit(data(problem, 6, jobs=10), method="neural", evaluations=10**6, time_limit=1.0, workers=1)
    assert time.monotonic() - begin < 20
    assert pipeline.provenance["evaluated"] < 10**6
    assert isinstance(pipeline.model, NeuralModel)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"sigma": 1.0}, "sigma: has no meaning for neural"),
        ({"cluster": "auto"}, "cluster: has no meaning for neural"),
        ({"method": Neural(start=(1.0,))}, "start: expected 27"),
        ({"method": Neural(start=(float("nan"),) * 27)}, "start: expected 27 finite numbers"),
        ({"method": Neural(start=(1.0,) * 27), "journal": "x.journal"}, "journal: has no meaning with a given start"),
        ({"solutions": [0], "radius": 1.0}, "radius: has no meaning for neural by demonstration"),
    ],
)
def test_what_has_no_meaning_is_refused(options: dict[str, Any], error: str) -> None:
    problem = SingleMachine("27")
    pipeline = Pipeline(problem, weights=problem.safe_weights)
    with pytest.raises((OptionError, InputError), match=error):
        pipeline.fit(data(problem, 1, jobs=5), **{"method": "neural", **options})
