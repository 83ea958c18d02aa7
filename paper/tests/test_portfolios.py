"""Portfolios of the shipped weights: weights stay, members are better together, and the command repeats itself."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.models import read_model
from colayer.problem.bind import bind
from colayer.problems.single_machine import PAPER_JOBS
from colayer_paper.portfolios import FOLDER, main, with_portfolio
from colayer_paper.pretrain import RECIPES
from colayer_paper.single_machine.datasets import paper_set

NAME = "single-machine-27-none"


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, *more: str) -> bytes:
    options = ["--folder", str(folder), "--per-cell", "1", "--evaluations", "40", *more]
    monkeypatch.setattr("sys.argv", ["portfolios", NAME, *options])
    main()
    return (folder / f"{NAME}.json").read_bytes()


def test_the_same_command_gives_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From the file as it is shipped, and from the one it has written, with any number of workers."""
    shutil.copy(FOLDER / f"{NAME}.json", tmp_path)
    before = read_model(tmp_path / f"{NAME}.json")
    written = run(tmp_path, monkeypatch)
    assert capsys.readouterr().out.startswith(f"{NAME}: ")
    assert run(tmp_path, monkeypatch, "--workers", "2") == written
    after = read_model(tmp_path / f"{NAME}.json")
    assert np.array_equal(after.weights, before.weights)
    assert after.sigma == before.sigma
    assert {k: v for k, v in after.provenance.items() if k != "portfolio"} == {
        k: v for k, v in before.provenance.items() if k != "portfolio"
    }
    assert after.provenance["portfolio"]["instances"] == 120


def test_members_gain_on_other_instances_and_one_candidate_is_what_it_was() -> None:
    recipe = RECIPES[NAME]
    before = read_model(FOLDER / f"{NAME}.json")
    after = with_portfolio(before, recipe, per_cell=1, evaluations=40)
    pipelines = [Pipeline.from_model(recipe.problem, model, safe=False) for model in (before, after)]
    data = paper_set("test", 1, jobs=PAPER_JOBS[:4])

    def costs(pipeline: Any, **options: Any) -> np.ndarray:
        return np.array([solved.cost for solved in pipeline.solve_many(data, **options)])

    assert np.array_equal(*(costs(pipeline) for pipeline in pipelines))
    alone, draws, members = (costs(pipelines[1], **more) for more in ({}, {"samples": 9}, {"candidates": 10}))
    assert (members / alone).mean() < 0.9995
    assert (members / draws).mean() < 0.9995


def test_a_name_that_is_not_there_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["portfolios", "single-machine-67-ls"])
    with pytest.raises(SystemExit):
        main()
    assert "no file 'single-machine-67-ls'" in capsys.readouterr().err


SHIPPED = sorted(name for name in RECIPES if not bind(RECIPES[name].problem).dynamic)  # a day is played once


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_portfolio_begins_with_the_weights_and_gains_with_every_member(name: str) -> None:
    """Chosen on the recipe's instances; that of rounds in turns."""
    model = read_model(FOLDER / f"{name}.json")
    assert 1 < len(model.portfolio) <= 32
    assert np.array_equal(model.portfolio[0], model.weights)
    assert model.rounds == RECIPES[name].rounds
    if model.rounds == 1:
        about = model.provenance["portfolio"]
        assert about["instances"] >= 35
        assert list(about["gains"].values()) == sorted(about["gains"].values())
