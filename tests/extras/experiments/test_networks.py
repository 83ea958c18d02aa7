"""The script that trains the shipped networks, for seconds: a model file that solves, and what it does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from colayer import Pipeline
from colayer.experiments import network_recipes, networks
from colayer.files import read_json
from colayer.models import ContextModel


@pytest.mark.parametrize("name", ["spanning-tree-cost"])
def test_a_model_and_its_result_are_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = network_recipes.RECIPES[name]()
    problem = recipe.problem
    small = {"width": 4, "scenarios": 3, "second_max": 20}
    held_out = [("16 nodes", problem.generate(k, **small)) for k in range(3)]  # type: ignore[attr-defined]
    changed = replace(recipe, batch=2, least=2, sizes=lambda random: small, held_out=lambda count: held_out)
    for module in (network_recipes, networks):
        monkeypatch.setattr(module, "recipe_named", lambda name: changed)
    networks.main([name, "--minutes", "0.05", "--out", str(tmp_path), "--workers", "1", "--device", "cpu"])
    pipeline = Pipeline.load(tmp_path / f"{name}.json")
    assert isinstance(pipeline.model, ContextModel)
    solved = pipeline.solve(held_out[0][1])
    assert np.isfinite(solved.cost)
    found = read_json(tmp_path / f"{name}.result.json")["held_out"]["16 nodes"]
    assert found["instances"] == 3
    assert found["network"]["network_minus"] == 0.0
    assert "network - linear" in capsys.readouterr().out
