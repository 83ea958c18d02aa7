"""The script that trains the shipped networks, for seconds: a model file that solves, and what it does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from colayer import Pipeline
from colayer.io.files import read_json
from colayer.models import ContextModel
from colayer.pretrained import pretrained, pretrained_network
from colayer.problems import SingleMachine
from colayer_paper import network_models, network_recipes, networks


@pytest.mark.parametrize("more", [[], ["--own"]])
@pytest.mark.parametrize("name", ["spanning-tree-cost"])
def test_a_model_and_its_result_are_written(
    name: str, more: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = network_recipes.RECIPES[name]()
    problem = recipe.problem
    small = {"width": 4, "scenarios": 3, "second_max": 20}
    held_out = [("16 nodes", problem.generate(k, **small)) for k in range(3)]  # type: ignore[attr-defined]
    changed = replace(recipe, batch=2, least=2, sizes=lambda random: small, held_out=lambda name, count: held_out)
    for module in (network_recipes, network_models, networks):
        monkeypatch.setattr(module, "recipe_named", lambda name: changed)
    given = ["--minutes", "0.05", "--out", str(tmp_path), "--workers", "1", "--device", "cpu", *more]
    networks.main([name, *given, "--sigma", "0.1", "0.05"])
    pipeline = Pipeline.load(tmp_path / f"{name}.json")
    assert isinstance(pipeline.model, ContextModel)
    assert pipeline.model.silent
    assert len(pipeline.model.then) == 1
    assert ("--own" in pipeline.model.provenance["command"]) == bool(more)
    assert "--sigma 0.1 0.05" in pipeline.model.provenance["command"]
    solved = pipeline.solve(held_out[0][1])
    assert np.isfinite(solved.cost)
    found = read_json(tmp_path / f"{name}.result.json")["held_out"]["16 nodes"]
    assert found["instances"] == 3
    assert found["network"]["network_minus"] == 0.0
    assert "network - linear" in capsys.readouterr().out


def test_a_network_learns_after_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Jobs, for seconds; the second stage has its own instances, and goes on from its checkpoint."""
    name = "single-machine-27-small"
    seconds = ["--rows", "200", "--workers", "2", "--device", "cpu", "--out"]
    networks.main([name, "--minutes", "0.08", "--channels", "4", *seconds, str(tmp_path / "one")])
    first = tmp_path / "one" / f"{name}.json"
    for minutes in ("0.08", "0.1"):
        networks.main([name, "--minutes", minutes, *seconds, str(tmp_path / "two"), "--after", str(first)])
    model, before = Pipeline.load(tmp_path / "two" / f"{name}.json").model, Pipeline.load(first).model
    assert isinstance(model, ContextModel)
    assert isinstance(before, ContextModel)
    assert [len(stage.arrays["input.bias"]) for stage in (model, *model.then)] == [4, 24]
    assert all(np.array_equal(array, before.arrays[key]) for key, array in model.arrays.items())
    assert model.provenance["after"] == before.provenance
    assert f"--after {first.name}" in model.provenance["command"]
    found = read_json(tmp_path / "two" / f"{name}.result.json")["held_out"]
    assert list(found) == ["50 jobs", "100 jobs", "500 jobs", "1000 jobs"]
    with pytest.raises(SystemExit):
        networks.main(["spanning-tree-cost", *seconds, str(tmp_path), "--after", str(first)])
    assert f"{first}: has other features than spanning-tree here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["single-machine-27-small", "--own"], "own: has no meaning where no good solution is known"),
        (["spanning-tree-cost", "--sigma", "0", "0.1"], "sigma: 0 to 0.1 is out of range, expected to fall, above 0"),
        (["spanning-tree-cost", "--stream", "0"], "stream=0 is out of range, expected 1 or more"),
    ],
)
def test_bad_options_are_refused_in_a_line(
    given: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        networks.main([*given, "--out", str(tmp_path)])
    assert ended.value.code == 2
    assert says in capsys.readouterr().err


def test_a_network_of_fewer_features_is_taken_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wide = SingleMachine("66")
    network, linear = pretrained_network(SingleMachine("27")), pretrained(wide)
    assert linear is not None
    name = "single-machine-66-none"
    changed = replace(
        network_recipes.RECIPES[name](),
        sizes=lambda random: {"jobs": 20, "rho": 1.0},
        held_out=lambda name, count: [("20 jobs", wide.generate(seed, jobs=20)) for seed in range(count)],
    )
    for module in (network_recipes, network_models, networks):
        monkeypatch.setattr(module, "recipe_named", lambda name: changed)
    network.save(tmp_path / "narrow.json")
    networks.main(
        [name, "--take", str(tmp_path / "narrow.json"), "--out", str(tmp_path), "--per-cell", "4", "--decoder", "ls"]
    )
    written = Pipeline.load(tmp_path / f"{name}.json").model
    assert isinstance(written, ContextModel)
    assert written.sigma is not None
    found = read_json(tmp_path / f"{name}.result.json")["held_out"]["20 jobs"]
    assert found["network or linear"]["mean_gap"] <= min(found["network"]["mean_gap"], found["linear"]["mean_gap"])
    linear.save(tmp_path / "linear.json")
    with pytest.raises(SystemExit) as ended:
        networks.main([name, "--take", str(tmp_path / "linear.json"), "--out", str(tmp_path)])
    assert ended.value.code == 2
    assert "linear.json: is no network" in capsys.readouterr().err
