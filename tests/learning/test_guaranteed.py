"""The guarantees of a training run: σ by theory, what is read off a model, and what `train` prints."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import BaseProblem, OptionError, Pipeline
from colayer.analysis.guarantees import loss_range, probes, sigma_theory
from colayer.cli.app import main
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.guaranteed import guaranteed
from colayer.learning.learner import split
from colayer.problem.approximation import Approximation
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from support.errors import rejects


class Pick(BaseProblem):
    """Pick the row of least cost; the layer at cost + p is off by at most 2·‖p‖_∞."""

    name = "pick"
    feature_names = ("cost", "noise")
    safe_weights = np.array([1.0, 0.0])
    homogeneous = True

    def features(self, instance: Any) -> Any:
        return np.array([[v, (37.0 * v) % 1.0] for v in instance])

    def layer(self, theta: Any, instance: Any) -> int:
        return int(np.argmin(theta))

    def cost(self, solution: int, instance: Any) -> float:
        return float(instance[solution])

    def bound(self, instance: Any) -> float:
        return float(min(instance))

    def approximation(self, instance: Any) -> Approximation:
        return Approximation(0.0, 2.0, math.inf)


@pytest.fixture(scope="module")
def instances() -> list[Any]:
    return list(np.random.default_rng(0).random((12, 6)))


def fitted(instances: list[Any], **settings: Any) -> Pipeline:
    return Pipeline(Pick(), Pick.safe_weights).fit(instances, evaluations=40, **settings)


def test_sigma_by_theory(instances: list[Any]) -> None:
    """The σ of the run is σ_n of the training instances, with R seen under 0, the safe weights and the probes."""
    pipeline = fitted(instances, sigma="theory", samples=3, seed=7, radius=2.0)
    run, scale = pipeline.provenance, pipeline.model.feature_scale
    training = [instances[i] for i in split(12, 0.2, 7)[0]]
    tried = np.vstack([np.zeros(2), Pick.safe_weights * scale, probes(2, 2.0, 7)])
    reach = loss_range(LocalEvaluator(bind(Pick()), training).losses(tried / scale))
    assert run["sigma"] == sigma_theory(bind(Pick()), training, scale, 2.0, reach) > 0
    assert run["samples"] == 3
    assert np.array_equal(
        fitted(instances, sigma=run["sigma"], samples=3, seed=7, radius=2.0).weights_, pipeline.weights_
    )


def test_sigma_by_theory_needs_a_ratio() -> None:
    problem = SingleMachine(features="27")
    with rejects(OptionError, where="--sigma"):
        Pipeline(problem, problem.safe_weights).fit([problem.generate(0, jobs=5)], sigma="theory")


def test_guaranteed_reads_the_run_off_the_model(instances: list[Any]) -> None:
    """n is the number of instances learned on; the gap is that of the learned weights on them."""
    pipeline = fitted(instances, sigma=0.5, samples=2, radius=3.0)
    found = guaranteed(bind(pipeline.problem), pipeline.model, instances)
    assert found is not None
    assert (found.instances, found.dimension, found.radius, found.sigma) == (10, 2, 3.0, 0.5)
    training = [instances[i] for i in split(12, 0.2, 0)[0]]
    gaps = [Pipeline.from_model(Pick(), pipeline.model, safe=False).solve(x).cost - min(x) for x in training]
    assert found.measured == pytest.approx(np.mean(gaps))
    assert 0 < found.loss_range <= 1
    for bound in found.bounds:
        assert bound.excess is not None
        assert bound.ratio is not None
        assert bound.ratio >= bound.excess > found.measured  # far above, as it should be at n = 10


def test_weights_that_were_not_learned_by_experience_have_none(instances: list[Any]) -> None:
    assert guaranteed(bind(Pick()), Pipeline(Pick(), Pick.safe_weights).model, instances) is None


@pytest.mark.parametrize("sigma", ["0", "0.5"])
def test_train_prints_them(sigma: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table and the document hold the same; without perturbation only the answers are counted."""
    data, model = str(tmp_path / "data"), str(tmp_path / "model.json")
    assert main(["generate", "single-machine", data, "--count", "3", "--jobs", "6"]) == 0
    command = [
        "train",
        "single-machine",
        data,
        "-o",
        model,
        "--evaluations",
        "5",
        "--no-journal",
        "--samples",
        "2",
        "--guarantees",
    ]
    capsys.readouterr()
    assert main([*command, "--sigma", sigma, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["guarantees"]
    assert found["instances"] == 3
    assert [bound["form"] for bound in found["bounds"]] == ["cells", "paper", "corrected", "sharper"]
    assert all((bound["excess"] is None) == (sigma == "0") for bound in found["bounds"][1:])
    assert found["bounds"][0]["excess"] > 0
    assert main([*command, "--sigma", sigma]) == 0
    text = capsys.readouterr().out
    assert "bounds of the theory at level 0.95" in text
    assert ("sharper" in text and "measured" in text) or sigma == "0"
