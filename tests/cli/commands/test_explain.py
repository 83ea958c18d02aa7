"""`colayer explain`: contributions by hand, groups, the ablation against the pipeline itself, and bad input."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline, read_instances
from colayer.analysis.explain import Contribution, Explanation, feature_groups
from colayer.cli.app import main
from colayer.cli.commands.explain import draw
from colayer.display.charts import save
from colayer.models import LinearModel, read_model
from colayer.pretrained import pretrained_network
from colayer.problem.bind import bind
from colayer.problems import SingleMachine

WEIGHTS = {"rank_release": 2.0, "rank_processing": -1.0, "decile_release": 0.25, "srpt_left": 0.5}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explain") / "data"
    assert main(["generate", "single-machine", str(folder), "--count", "4", "--jobs", "12"]) == 0
    return folder


@pytest.fixture(scope="module")
def model(data: Path) -> Path:
    """A model with four weights, two of them in one group."""
    problem = SingleMachine(features="27")
    names = problem.feature_names
    weights = np.array([WEIGHTS.get(name, 0.0) for name in names])
    scale = np.linspace(0.5, 2.0, len(names))
    path = data.parent / "model.json"
    LinearModel(names, weights, scale, problem.name, problem.options).save(path)
    return path


def test_without_data_the_weight_is_the_contribution(model: Path, run: Any) -> None:
    """In model units a feature has spread 1 over the training rows."""
    document = run("explain", model, "--json")
    rows = document["features"]
    assert [row["feature"] for row in rows[:4]] == ["rank_release", "rank_processing", "srpt_left", "decile_release"]
    assert [row["contribution"] for row in rows[:4]] == pytest.approx([2.0, 1.0, 0.5, 0.25])
    assert [row["share"] for row in rows[:4]] == pytest.approx([2 / 3.75, 1 / 3.75, 0.5 / 3.75, 0.25 / 3.75])
    assert len(rows) == 27
    assert all(row["contribution"] == 0 for row in rows[4:])
    assert document["groups"] is document["loss"] is document["instances"] is None


def test_with_data_the_spread_is_that_of_the_data(data: Path, model: Path, run: Any) -> None:
    """contribution = |w/s| × standard deviation over all rows of all instances."""
    document = run("explain", model, "--data", data, "--json")
    problem = SingleMachine(features="27")
    stacked = np.concatenate([problem.features(x) for x in read_instances(data)]).astype(float)
    raw = read_model(model).raw()
    for row in document["features"]:
        k = problem.feature_names.index(row["feature"])
        assert row["contribution"] == pytest.approx(abs(raw[k]) * stacked[:, k].std(), rel=1e-6, abs=1e-12)
    assert sum(row["share"] for row in document["features"]) == pytest.approx(1.0)


def test_ablation_is_the_pipeline_with_weights_at_zero(data: Path, model: Path, run: Any) -> None:
    document = run("explain", model, "--data", data, "--json", "-o", "out.json")
    assert json.loads(Path("out.json").read_text()) == document
    problem, linear, instances = SingleMachine(features="27"), read_model(model), read_instances(data)

    def mean(weights: Any) -> tuple[float, float]:
        solved = [Pipeline(problem, weights, safe=False).solve(x) for x in instances]
        gaps = [s.gap for s in solved if s.gap is not None]
        losses = [s.cost / problem.scale(x) for s, x in zip(solved, instances, strict=True)]
        return float(np.mean(losses)), float(np.mean(gaps))

    assert (document["loss"], document["gap"]) == pytest.approx(mean(linear.raw()))
    groups = {row["group"]: row for row in document["groups"]}
    members = feature_groups(bind(problem))
    assert set(groups) == set(members)
    for name, group in members.items():
        inside = np.array([feature in group for feature in problem.feature_names])
        row = groups[name]
        without, alone = mean(np.where(inside, 0.0, linear.raw())), mean(np.where(inside, linear.raw(), 0.0))
        assert (row["loss_without"], row["gap_without"]) == pytest.approx(without)
        assert (row["loss_alone"], row["gap_alone"]) == pytest.approx(alone)
        assert row["features"] == len(group)
    assert sum(row["share"] for row in document["groups"]) == pytest.approx(1.0)
    lost = [row["loss_without"] for row in document["groups"]]
    assert lost == sorted(lost, reverse=True)


def test_text_and_picture(data: Path, model: Path, run: Any, tmp_path: Path) -> None:
    """Tables hold what has a weight, and the picture names it."""
    text = run("explain", model, "--data", data, "--plot", "out.svg")
    assert "4 of 27 features" in text
    assert "rank_release" in text
    assert "rank_srpt_completion" not in text  # weight 0
    assert "without" in text
    picture = (tmp_path / "out.svg").read_text()
    assert "rank_release" in picture
    assert "What is lost without a group" in picture
    short = run("explain", model, "--plot", "small.png")
    assert "without" not in short
    assert (tmp_path / "small.png").stat().st_size > 1000


def test_raw_weights_say_so(run: Any, tmp_path: Path) -> None:
    """Weights that were given, not learned, have no training spread."""
    Pipeline(SingleMachine(), SingleMachine().safe_weights).save(tmp_path / "safe.json")
    assert "Weights are in raw units" in run("explain", "safe.json")


def test_all_weights_zero(run: Any, data: Path, tmp_path: Path) -> None:
    problem = SingleMachine()
    Pipeline(problem, np.zeros(66), safe=False).save(tmp_path / "zero.json")
    document = run("explain", "zero.json", "--data", data, "--plot", "zero.png", "--json")
    assert {row["share"] for row in document["features"]} == {0.0}
    assert {row["loss_without"] for row in document["groups"]} == {document["loss"]}


def test_problem_of_the_users(run: Any, tmp_path: Path) -> None:
    """Without a bound there are losses and no gaps."""
    (tmp_path / "toyproblem.py").write_text(
        "import numpy as np\n"
        "class Toy:\n"
        "    name = 'toy'\n"
        "    feature_names = ('value', 'noise')\n"
        "    def features(self, x): return np.array([[v, (7 * v) % 3] for v in x], dtype=float)\n"
        "    def layer(self, theta, x): return int(np.argmin(theta))\n"
        "    def decode(self, y, x): return y\n"
        "    def cost(self, y, x): return float(x[y])\n"
        "    def scale(self, x): return 1.0\n"
        "    def read(self, document): return list(document['values'])\n"
        "    def write(self, x): return {'values': x}\n"
    )
    (tmp_path / "d").mkdir()
    for k, values in enumerate([[3, 1, 2], [5, 4, 9]]):
        (tmp_path / "d" / f"{k:04}.json").write_text(json.dumps({"format": 1, "problem": "toy", "values": values}))
    LinearModel(("value", "noise"), np.array([1.0, 0.0]), np.ones(2), "toy").save(tmp_path / "m.json")
    arguments = ("explain", "m.json", "--problem", "toyproblem:Toy", "--data", "d", "--plot", "p.svg")
    document = run(*arguments, "--json")
    assert (document["loss"], document["gap"]) == (2.5, None)
    assert [(row["group"], row["loss_without"], row["gap_without"]) for row in document["groups"]] == [
        ("value", 4.0, None),
        ("noise", 2.5, None),
    ]
    assert "mean loss" in run(*arguments)


def test_the_document_says_what_was_explained(data: Path, model: Path, run: Any) -> None:
    document = run("explain", model, "--data", data, "--json")
    assert list(document) == ["problem", "model", "options", "instances", "loss", "gap", "features", "groups"]
    assert (document["problem"], document["model"], document["instances"]) == ("single-machine", str(model), 4)
    assert document["options"] == {"features": "27", "decoder": "none"}


def test_the_picture_shows_the_largest_and_no_more_than_there_are(place: Path) -> None:
    """Contributions of 30 features: 20 bars; where all are zero, one."""
    many = [Contribution(f"f{k:02}", 1.0, -1.0, 1.0, 30.0 - k, 0.0) for k in range(30)]
    save(draw(Explanation(tuple(many))), place / "many.svg")
    text = (place / "many.svg").read_text()
    assert [f"f{k:02}</text>" in text for k in (0, 19, 20)] == [True, True, False]
    assert "What is lost" not in text
    save(draw(Explanation((Contribution("zero", 0.0, 0.0, 1.0, 0.0, 0.0),) * 2)), place / "zero.svg")
    assert (place / "zero.svg").read_text().count(">zero</text>") == 1


def test_a_network_is_refused_with_its_file(refused: Any, place: Path) -> None:
    pretrained_network(SingleMachine()).save(place / "net.json")
    assert refused("explain", "net.json") == "error: net.json: model: a network, expected a linear model\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["MODEL", "--plot", "p.txt"], "--plot: 'p.txt' is not a picture"),
        (["MODEL", "--data", "nowhere"], "nowhere: "),
        (["nowhere.json"], "nowhere.json: "),
        (["MODEL", "-o", "MODEL"], "-o: "),
        (["MODEL", "--problem", "nothing"], "PROBLEM: no problem 'nothing'"),
        ([], "MODEL: missing"),
    ],
)
def test_bad_input(arguments: list[str], message: str, model: Path, refused: Any, place: Path) -> None:
    """Exit status 2, one line that names the place, nothing on stdout, no file."""
    assert message in refused("explain", *(model if word == "MODEL" else word for word in arguments))
    assert list(place.iterdir()) == []


def test_the_features_that_do_most(model: Path, run: Any) -> None:
    every, few = run("explain", model), run("explain", model, "--top", 1)
    active = len(re.findall(r"^(\w+) +[-\d]", every, re.M))
    assert len(re.findall(r"^(\w+) +[-\d]", few, re.M)) == 1
    assert active == 1 or f"\n{active - 1} more, with " in few
