"""Costs on test instances: those of the pipeline, kept, and gaps by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from colayer.experiments.frame.learned import Data
from colayer.experiments.frame.predict import costs_of, gaps, predict
from colayer.experiments.frame.store import Run
from colayer.models import LinearModel
from colayer.pipeline import Pipeline
from colayer.problems import SingleMachine
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


def test_costs_are_those_of_the_learned_weights_alone(run: Run) -> None:
    """Through the decoder, perturbed where asked, and without the safe weights."""
    problem = SingleMachine("27", "ls")
    for samples in (0, 3):
        found = predict(run, problem, model(problem), DATA, what="", samples=samples)
        alone = Pipeline.from_model(problem, model(problem), safe=False)
        assert found.costs.tolist() == [alone.solve(x, samples=samples).cost for x in DATA.values]
        assert (found.cpu > 0).all()


def test_a_prediction_is_kept_for_what_determines_it(run: Run) -> None:
    """The units of a model matter where its weights are perturbed, and only there."""
    none, ls = SingleMachine("27", "none"), SingleMachine("27", "ls")
    first = predict(run, none, model(none), DATA, what="")
    again = predict(run, none, model(none, scale=4.0), DATA, what="")
    assert run.made == 1
    assert (again.costs.tolist(), again.cpu.tolist()) == (first.costs.tolist(), first.cpu.tolist())
    predict(run, ls, model(ls), DATA, what="")
    predict(run, none, model(none, seed=1), DATA, what="")
    predict(run, none, model(none), DATA, what="", samples=2)
    predict(run, none, model(none, scale=4.0), DATA, what="", samples=2)
    assert run.made == 5


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
