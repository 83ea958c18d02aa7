"""`colayer explain --along`: the document is the line of the pipeline, the terminal shows it, the picture draws it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import LossAlong, Pipeline, read_instances
from colayer.cli.app import main
from colayer.cli.commands.along import document_of, parts_of
from colayer.models import LinearModel
from colayer.problems import SingleMachine
from support.piped import piped


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("along") / "data"
    assert main(["generate", "single-machine", str(folder), "--count", "3", "--jobs", "12"]) == 0
    return folder


@pytest.fixture(scope="module", params=["none", "ls"])
def model(request: pytest.FixtureRequest, data: Path) -> Path:
    problem = SingleMachine("27", decoder=request.param)
    weights = np.random.default_rng(0).normal(size=27)
    path = data.parent / f"{request.param}.json"
    LinearModel(problem.feature_names, weights, np.full(27, 2.0), problem.name, problem.options).save(path)
    return path


def test_the_document_is_the_line_of_the_pipeline(data: Path, model: Path, run: Any) -> None:
    """Exact without a decoder, else a grid."""
    document = run("explain", model, "--along", "rank_release", "--data", data, "--json", "-o", "out.json")
    assert json.loads(Path("out.json").read_text()) == document
    line = Pipeline.load(model).loss_along(read_instances(data), "rank_release")
    assert (document["t"], document["losses"]) == (line.t.tolist(), line.losses.tolist())
    assert (document["low"], document["high"], document["exact"]) == (line.low, line.high, line.exact)
    assert line.exact == (model.name == "none.json")
    assert document["best"]["t"] == line.best(document["width"])
    assert document["instances"] == 3
    assert document["options"]["decoder"] == model.stem


def test_text_and_picture(data: Path, model: Path, run: Any, tmp_path: Path) -> None:
    text = run("explain", model, "--along", "rank_release", "--data", data, "--plot", "line.svg")
    assert text.startswith("Mean loss on 3 instances by the weight of rank_release, all others kept (")
    for word in ("now", "without the feature", "least average", "▁", "█"):
        assert word in text
    assert "change of the weight of rank_release" in (tmp_path / "line.svg").read_text()


def test_the_terminal_by_hand() -> None:
    """4 below −0.5, 2 from there to 0.5, 6 above: three stretches of blocks; without the feature means −0.75."""
    line = LossAlong(-1.0, 1.0, np.array([-0.5, 0.5]), np.array([4.0, 2.0, 6.0]), exact=True)
    model = LinearModel(("a", "b"), np.array([0.75, 0.0]), np.ones(2), "toy")
    document = document_of(line, "a", model)
    assert document["weight"] == 0.75
    assert document["best"] == pytest.approx({"t": 0.0, "average": 2.0})
    text = piped(parts_of(line, document, 1))
    assert "▅" * 15 + "▁" * 30 + "█" * 15 in text
    assert "on 1 instance by" in text
    rows = {line.split("  ")[0]: line.split() for line in text.splitlines()}
    assert rows["now"][1:] == ["0.750", "2.0000", "2.0000", "0", "%"]
    assert rows["without the feature"][3:] == ["0", "4.0000", "4.0000", "100", "%"]


def test_a_loss_that_is_the_same_everywhere_is_flat() -> None:
    line = LossAlong(-1.0, 1.0, np.empty(0), np.array([0.0]), exact=True)
    model = LinearModel(("a",), np.zeros(1), np.ones(1), "toy")
    text = piped(parts_of(line, document_of(line, "a", model), 2))
    assert "▁" * 60 in text
    assert "without the feature" not in text
