"""Costs on test instances: those of the pipeline, kept, and gaps by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.models import LinearModel
from colayer.pipeline import Pipeline
from colayer.problems import SingleMachine
from colayer_paper.frame.learned import Data
from colayer_paper.frame.predict import Predicted, costs_of, gaps, predict, prediction
from colayer_paper.frame.store import Run
from support.pick_problem import Pick


@pytest.fixture
def run(tmp_path: Path) -> Run:
    found = Run(tmp_path / "run", "smoke", workers=1)
    found.open()
    return found


DATA = Data({"seeds": 3}, lambda: [SingleMachine().generate(seed, jobs=12) for seed in range(3)])


def model(problem: SingleMachine, scale: float = 1.0, seed: int = 0) -> LinearModel:
    """Random weights; the same in raw units whatever the scale."""
    d = len(problem.feature_names)
    raw = np.random.default_rng(seed).normal(size=d)
    return LinearModel(problem.feature_names, raw * scale, np.full(d, scale), problem.name, problem.options)


def predicted(run: Run, problem: SingleMachine, model: LinearModel, samples: int = 0) -> Predicted:
    """One prediction alone."""
    (found,) = predict(run, [prediction(problem, model, DATA, what="", samples=samples)])
    return found


def test_costs_are_those_of_the_learned_weights_alone(run: Run) -> None:
    """Through the decoder, perturbed where asked, and without the safe weights."""
    problem = SingleMachine("27", "ls")
    for samples in (0, 3):
        found = predicted(run, problem, model(problem), samples=samples)
        alone = Pipeline.from_model(problem, model(problem), safe=False)
        assert found.costs.tolist() == [alone.solve(x, samples=samples).cost for x in DATA.values]
        assert (found.cpu > 0).all()


def test_a_prediction_is_kept_for_what_determines_it(run: Run) -> None:
    """The units of a model matter where its weights are perturbed, and only there."""
    none, ls = SingleMachine("27", "none"), SingleMachine("27", "ls")
    first = predicted(run, none, model(none))
    again = predicted(run, none, model(none, scale=4.0))
    assert run.made == 1
    assert (again.costs.tolist(), again.cpu.tolist()) == (first.costs.tolist(), first.cpu.tolist())
    predicted(run, ls, model(ls))
    predicted(run, none, model(none, seed=1))
    predicted(run, none, model(none), samples=2)
    predicted(run, none, model(none, scale=4.0), samples=2)
    assert run.made == 5


def test_predictions_are_in_the_order_they_are_asked_for(run: Run) -> None:
    """Also where some are kept already; each has its words."""
    problem = SingleMachine("27", "none")
    models = [model(problem, seed=seed) for seed in range(3)]
    second = predicted(run, problem, models[1])
    said: set[str] = set()
    run.report = lambda what, *_: said.add(what)
    stages = [prediction(problem, each, DATA, what=f"model {k}") for k, each in enumerate(models)]
    found = predict(run, stages)
    assert found[1].costs.tolist() == second.costs.tolist()
    assert said == {"evaluate: model 0", "evaluate: model 2"}
    for each, one in zip(models, found, strict=True):
        assert one.costs.tolist() == predicted(run, problem, each).costs.tolist()
    assert run.made == 3


@pytest.mark.parametrize(("problem", "device"), [(SingleMachine("27"), "cuda"), (Pick(), "cpu")])
def test_losses_are_computed_where_the_run_says_if_there_are_kernels(
    problem: Any, device: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int | None, str]] = []

    class Asked:
        def __init__(self, workers: int | None, device: str) -> None:
            asked.append((workers, device))
            raise KeyboardInterrupt

    monkeypatch.setattr("colayer_paper.frame.predict.Backend", Asked)
    run.device = "cuda"
    with pytest.raises(KeyboardInterrupt):
        costs_of(run, problem, np.zeros((1, 2)), [])
    assert asked == [(1, device)]


def test_costs_of_many_weights_at_once(run: Run) -> None:
    """Also for a problem without a compiled evaluator; not divided by the scale."""
    rng = np.random.default_rng(0)
    instances = [rng.uniform(size=(6, 2)) for _ in range(4)]
    weights = np.array([[1.0, 0.0], [-1.0, 0.0]])
    found = costs_of(run, Pick(), weights, instances)
    ordered = [np.sort(x[:, 0]) for x in instances]
    np.testing.assert_allclose(found[0], [100 + values[:3].sum() for values in ordered])
    np.testing.assert_allclose(found[1], [100 + values[3:].sum() for values in ordered])


def test_gaps_by_hand() -> None:
    found = gaps(np.array([110.0, 100.0, -90.0]), np.array([100.0, 100.0, -100.0]))
    np.testing.assert_allclose(found, [10.0, 0.0, 10.0])
