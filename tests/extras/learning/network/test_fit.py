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
from colayer.errors import InputError, JournalError, OptionError
from colayer.learning.imitation.fenchel_young import FenchelYoung
from colayer.learning.imitation.spo import SpoPlus
from colayer.learning.search.auto import Auto
from colayer.models import ContextModel
from colayer.neural import Neural
from colayer.problem.structure import Groups
from colayer.problems import SingleMachine, find_problem, problem_names
from support.pick_problem import Pick
from support.registry import quick_instances, quick_problem
from support.torch_networks import Line, data


def test_a_network_learns_what_no_linear_model_can() -> None:
    """x ↦ |x − ½|: by experience, from the best line, through costs alone."""
    instance = np.abs(np.arange(40) / 40 - 0.5)
    problem = Line()
    pipeline = Pipeline(problem, weights=np.array([0.25, 0.0]), safe=False)
    method = Neural(channels=8, start=(0.25, 0.0), rate=0.02, samples=16, sigma=0.3)
    pipeline.fit([instance], method=method, evaluations=2500, workers=1)
    assert pipeline.loss_ < 0.5 * pipeline.history_[0].loss
    assert pipeline.solve(instance).cost == pipeline.loss_


@pytest.mark.parametrize("name", problem_names())
def test_never_worse_than_its_start_and_repeats(name: str) -> None:
    """By experience on every problem; same seed, same bits, for any number of workers; global state untouched."""
    problem = quick_problem(name)
    instances = quick_instances(problem, 6)
    models, before = [], torch.get_rng_state()
    for workers in (1, 2):
        pipeline = Pipeline(problem, weights=problem.safe_weights)
        pipeline.fit(instances, method=Neural(channels=4, samples=4, share=0.5), evaluations=40, workers=workers)
        models.append(pipeline.model.document())
        start = pipeline.history_[20]
        assert pipeline.validation_loss_ <= start.validation
    assert json.dumps(models[0]) == json.dumps(models[1])
    assert torch.equal(torch.get_rng_state(), before)


def test_the_linear_model_is_that_of_auto_with_its_share_of_the_evaluations() -> None:
    """Half of 40, then passes of 4 + 1 evaluations each: four of them, counted on."""
    problem, seen = SingleMachine("27"), []
    instances = data(problem, 6, jobs=12)
    pipeline = Pipeline(problem, weights=problem.safe_weights)
    method = Neural(channels=4, samples=4, share=0.5)
    pipeline.fit(instances, method=method, evaluations=40, seed=3, workers=1, callback=seen.append)
    alone = Pipeline(problem, weights=problem.safe_weights)
    alone.fit(instances, method=Auto(), evaluations=20, seed=3, workers=1)
    assert repr(pipeline.history_[:20]) == repr(alone.history_)
    assert np.array_equal(pipeline.model.linear_fallback, alone.model.raw())
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
    """Draws and members too; σ belongs to the model though its linear weights are 0."""
    problem = SingleMachine("27")
    instances = data(problem, 6, jobs=30)
    pipeline = Pipeline(problem, weights=problem.safe_weights).fit(
        instances, method=Neural(channels=4, samples=4), evaluations=60, validation=0.0
    )
    assert pipeline.model.sigma > 0.0
    path = tmp_path / "model.json"
    pipeline.save(path)
    assert json.loads(path.read_text())["model"] == "context"
    monkeypatch.setitem(sys.modules, "torch", None)
    loaded = Pipeline.load(path)
    assert isinstance(loaded.model, ContextModel)
    assert loaded.model.document() == pipeline.model.document()
    for instance in instances:
        for options in ({"samples": 5}, {"candidates": 4}):
            once, again = (p.solve(instance, seed=1, **options) for p in (pipeline, loaded))
            assert once.cost == again.cost <= pipeline.solve(instance).cost
            assert np.array_equal(once.solution, again.solution)
        assert loaded.solve(instance, time_limit=0.02).candidates > 1
    alone = Pipeline.load(path, safe=False)
    assert np.allclose(np.mean([alone.solve(x).cost / problem.scale(x) for x in instances]), pipeline.loss_)


def test_rows_that_say_nothing_of_each_other() -> None:
    """A problem without structure: each row is on its own, so that a row more changes no θ."""
    problem = Pick()
    instances = [np.random.default_rng(k).normal(size=(6, 2)) for k in range(5)]
    pipeline = Pipeline(problem, weights=np.ones(2))
    pipeline.fit(instances, method=Neural(channels=4, samples=4), evaluations=60)
    model = pipeline.model
    assert isinstance(model, ContextModel)
    assert model.relations == ()
    assert np.array_equal(model.theta(instances[0])[:5], model.theta(instances[0][:5]))


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    """The linear start from the journal, passes from the state beside it: the same model; a finished run is known."""
    problem, journal = SingleMachine("27"), tmp_path / "run.journal"
    instances = data(problem, 6, jobs=10)
    options: dict[str, Any] = {"method": Neural(channels=4, samples=4, share=0.5), "evaluations": 40, "workers": 1}
    made = []

    def stop(evaluation: Any) -> None:
        made.append(evaluation.number)
        if evaluation.number == 30:  # the second pass of the network
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Pipeline(problem, weights=problem.safe_weights).fit(instances, journal=journal, callback=stop, **options)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.journal", "run.journal.npz"]
    again = Pipeline(problem, weights=problem.safe_weights).fit(instances, journal=journal, **options)
    whole = Pipeline(problem, weights=problem.safe_weights).fit(instances, **options)
    assert again.model.document() == whole.model.document()
    assert again.history_ == whole.history_
    assert again.recalled_ == 20 + 3
    once_more = Pipeline(problem, weights=problem.safe_weights).fit(instances, journal=journal, **options)
    assert once_more.model.document() == whole.model.document()
    assert once_more.recalled_ == 20 + 5
    with pytest.raises(JournalError, match=r"journal.npz: belongs to another run: method_options differs"):
        Pipeline(problem).fit(instances, journal=journal, **{**options, "method": Neural(samples=4, share=0.5)})


@pytest.mark.parametrize("fresh", [None, {"jobs": (8, 10)}])
def test_stages_learn_one_after_the_other_and_go_on_where_they_were(tmp_path: Path, fresh: Any) -> None:
    """Each has its share of the budget and starts from what those before it have made; stopped in the second."""
    problem, journal = SingleMachine("27"), tmp_path / "run.journal"
    instances = data(problem, 6, jobs=10)
    method = Neural(channels=4, samples=4, share=0.5, stages=2, fresh=fresh)
    options: dict[str, Any] = {"method": method, "evaluations": 60, "workers": 1}
    whole = Pipeline(problem, weights=problem.safe_weights).fit(instances, **options)
    assert isinstance(whole.model, ContextModel)
    assert len(whole.model.then) == 1
    assert [done.number for done in whole.history_[30:]] == [30, 35, 40, 45, 45, 50, 55, 60]
    firsts = whole.history_[30:34]
    assert whole.history_[34].validation == min(done.validation for done in firsts)
    assert whole.validation_loss_ <= whole.history_[34].validation

    def stop(evaluation: Any) -> None:
        if evaluation.number == 50:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Pipeline(problem, weights=problem.safe_weights).fit(instances, journal=journal, callback=stop, **options)
    assert sorted(path.name for path in tmp_path.glob("*.npz")) == ["run.journal.2.npz", "run.journal.npz"]
    again = Pipeline(problem, weights=problem.safe_weights).fit(instances, journal=journal, **options)
    assert again.model.document() == whole.model.document()
    assert again.recalled_ == 30 + 4 + 2
    assert again.solve(instances[0]).cost == whole.solve(instances[0]).cost


def test_a_stage_after_another_first_one_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when time was short, and the first stage of the same call goes on; or with a larger budget."""
    problem, journal = SingleMachine("27"), tmp_path / "run.journal"
    instances = data(problem, 6, jobs=10)
    method = Neural(channels=4, samples=4, share=0.5, stages=2)

    def fitted(evaluations: int, **more: Any) -> Pipeline:
        pipeline = Pipeline(problem, weights=problem.safe_weights)
        return pipeline.fit(instances, method=method, evaluations=evaluations, workers=1, **more)

    whole = fitted(60, journal=journal)
    monkeypatch.setattr("colayer.learning.network.fit._digest", lambda model: "another")
    again = fitted(60, journal=journal)
    assert again.model.document() == whole.model.document()
    assert again.recalled_ == 30 + 4  # the linear start, and the first stage
    monkeypatch.undo()
    assert fitted(80, journal=journal).model.document() == fitted(80).model.document()


class Spread(Line):
    """θ shared by all: rows of one group, before an answer and after."""

    def structure(self, instance: Any, y: Any = None) -> Groups:
        return Groups(np.zeros(len(instance), np.int64))


def test_a_stage_without_positions_starts_from_the_theta_before() -> None:
    instance = np.abs(np.arange(20) / 20 - 0.5)
    method = Neural(channels=8, start=(0.25, 0.0), rate=0.02, samples=16, sigma=0.3, stages=2)
    pipeline = Pipeline(Spread(), weights=np.array([0.25, 0.0]), safe=False)
    pipeline.fit([instance], method=method, evaluations=1700, workers=1)
    second = next(k for k in range(1, 200) if pipeline.history_[k].number == pipeline.history_[k - 1].number)
    assert pipeline.history_[second].loss == min(done.loss for done in pipeline.history_[:second])
    assert pipeline.loss_ < pipeline.history_[second].loss < pipeline.history_[0].loss
    assert np.isclose(pipeline.solve(instance).cost, pipeline.loss_)


def test_fresh_instances_in_every_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as are learned on, of the sizes asked for, others in each pass; the same for any number of workers."""
    problem, seen = SingleMachine("27"), []
    instances = data(problem, 6, jobs=10)
    generate, models = SingleMachine.generate, []

    def generated(self: Any, seed: Any, **sizes: Any) -> Any:
        seen.append(sizes)
        return generate(seed, **sizes)

    for workers in (1, 2):
        seen.clear()
        with monkeypatch.context() as patch:
            patch.setattr(
                SingleMachine, "generate", lambda self, seed, **sizes: seen.append(sizes) or generate(seed, **sizes)
            )
            method = Neural(channels=4, samples=4, share=0.0, fresh={"jobs": (7, 9), "rho": 0.5})
            pipeline = Pipeline(problem, weights=problem.safe_weights)
            models.append(pipeline.fit(instances, method=method, evaluations=20, workers=workers).model.document())
        assert len(seen) == 4 * 5
        assert {sizes["jobs"] for sizes in seen} == {7, 9}
    assert models[0] == models[1]


def test_fresh_instances_need_a_generator() -> None:
    with pytest.raises(OptionError, match="method: pick has no instance generator: fresh instances need it"):
        Pipeline(Pick()).fit([np.ones((4, 2))], method=Neural(fresh={"items": 4}))


def test_a_problem_that_changed_is_found_out(tmp_path: Path) -> None:
    instances = [np.full(4, 2.0)]
    options: dict[str, Any] = {
        "method": Neural(channels=4, samples=4, start=(0.0, 0.0)), "evaluations": 20, "journal": tmp_path / "j",
    }  # fmt: skip

    class Other(Line):
        def cost(self, solution: Any, instance: Any) -> float:
            return 2.0 * super().cost(solution, instance)

    Pipeline(Line(), weights=np.zeros(2)).fit(instances, **options)
    with pytest.raises(JournalError, match="changed since"):
        Pipeline(Other(), weights=np.zeros(2)).fit(instances, **options)


def test_the_time_limit_is_that_of_start_and_passes_together() -> None:
    """No pass is begun after it; the linear start is kept then."""
    problem = SingleMachine("27")
    begin = time.monotonic()
    pipeline = Pipeline(problem, weights=problem.safe_weights)
    pipeline.fit(data(problem, 6, jobs=10), method="neural", evaluations=10**6, time_limit=1.0, workers=1)
    assert time.monotonic() - begin < 20
    assert pipeline.provenance["evaluated"] < 10**6
    assert isinstance(pipeline.model, ContextModel)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"sigma": 1.0}, "sigma: "),
        ({"cluster": "auto"}, "cluster: "),
        ({"method": Neural(start=(1.0,))}, "start: expected 27"),
        ({"method": Neural(start=(float("nan"),) * 27)}, "start: expected 27 finite numbers"),
        ({"solutions": [0], "method": Neural(fresh={"jobs": 5})}, "method: fresh instances have no solutions"),
        ({"device": "cuda"}, "device: there is no GPU that torch can use"),
        ({"solutions": [0], "radius": 1.0}, "radius: "),
    ],
)
def test_what_has_no_meaning_is_refused(options: dict[str, Any], error: str) -> None:
    problem = SingleMachine("27")
    pipeline = Pipeline(problem, weights=problem.safe_weights)
    with pytest.raises((OptionError, InputError), match=error):
        pipeline.fit(data(problem, 1, jobs=5), **{"method": "neural", **options})


def test_stages_need_a_structure_that_takes_an_answer() -> None:
    with pytest.raises(OptionError, match=r"method: stages 2 need structure\(instance, y\), which line has not"):
        Pipeline(Line()).fit([np.ones(4)], method=Neural(stages=2))


@pytest.mark.parametrize("stages", [1, 2])
def test_networks_that_start_from_a_linear_model_look_at_what_it_makes(stages: int, tmp_path: Path) -> None:
    """Of trees, already the first does: it is told what the edges that the linear model buys are worth."""
    problem, told = find_problem("spanning-tree"), []

    class Watched(type(problem)):  # type: ignore[misc]
        def structure(self, instance: Any, y: Any = None) -> Any:
            told.append(None if y is None else y.tolist())
            return super().structure(instance, y)

    instances = data(problem, 6)
    method = Neural(channels=4, samples=4, share=0.5, stages=stages)
    pipeline = Pipeline(Watched(), weights=problem.safe_weights)
    pipeline.fit(instances, method=method, evaluations=40, workers=1, journal=tmp_path / "run.journal")
    assert len(list(tmp_path.glob("*.npz"))) == stages
    assert told[0] is None  # whether rows stand in an order with positions
    linear = pipeline.model.linear_fallback
    assert told[1] in [problem.layer(problem.features(x) @ linear, x).tolist() for x in instances]
    model = pipeline.model
    assert not model.arrays
    assert [stage.relations for stage in model.then] == [("graph", "groups")] * stages
    assert all(len(stage.arrays["head.bias"]) == 3 for stage in model.then)
    model.save(tmp_path / "model.json")
    loaded = Pipeline.load(tmp_path / "model.json")
    for instance in instances:
        assert loaded.solve(instance).cost == pipeline.solve(instance).cost
