"""`colayer demo`: the story in small, for a registered problem and for one of the user's own."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.commands.demo import contenders, heaviest
from colayer.models import LinearModel
from colayer.problems import SingleMachine
from support import selection_problem
from support.selection_problem import Selection, instances
from support.toy_problem import write_toy


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in (("TRAINING", 6), ("TEST", 3), ("EVALUATIONS", 12)):
        monkeypatch.setattr(f"colayer.commands.demo.{name}", number)


@pytest.mark.usefixtures("_small")
def test_the_story(run: Any, place: Path) -> None:
    """A table on stdout, a model and pictures in the folder."""
    out = run("demo", "-o", "story")
    names = sorted(p.name for p in (place / "story").iterdir())
    assert names == ["gaps.png", "learning.png", "model.json", "solution.png"]
    for contender in ("learned", "learned + ls", "learned + rdi", "safe weights", *SingleMachine().baselines):
        assert f"\n{contender} " in out
    learned = Pipeline.load("story/model.json")
    assert learned.provenance["evaluations"] == 12
    assert f"{np.count_nonzero(learned.weights_)} of 66 weights are not zero" in out
    for decoder in ("none", "ls", "rdi"):
        assert f"\nthrough the decoder {decoder}:\n" in out
    for contender in ("safe weights + rdi", "srpt+ls", "srpt+rdi"):
        assert out.count(f"\n{contender} ") == 1
    assert out.count("\nsrpt ") == 1
    assert "against " in out
    assert out.startswith("single-machine: 6 instances to learn from, 3 others to compare on (jobs 100, rho 1.0)\n")
    assert out.endswith("written to story: model.json, learning.png, gaps.png, solution.png\n")


@pytest.mark.usefixtures("_small")
def test_the_seed_tells_the_same_story_again(run: Any, place: Path) -> None:
    for folder, seed in (("a", 1), ("b", 1), ("c", 2)):
        run("demo", "spanning-tree", "-o", folder, "--seed", seed, "--workers", 1)
    a, b, c = ((place / folder / "model.json").read_bytes() for folder in "abc")
    assert a == b != c


@pytest.mark.usefixtures("_small")
def test_a_problem_of_ones_own_without_a_picture_or_shipped_weights(run: Any, place: Path) -> None:
    shutil.copy(selection_problem.__file__, place / "demo_projects.py")
    out = run("demo", "demo_projects:Selection", "-o", "story", "--workers", 1)
    for contender in ("learned", "learned + swap", "safe weights", "cheapest"):
        assert f"\n{contender} " in out
    assert "pretrained" not in out
    assert sorted(p.name for p in (place / "story").iterdir()) == ["gaps.png", "learning.png", "model.json"]


def test_what_cannot_be_told_is_refused_before_it_begins(refused: Any, place: Path) -> None:
    write_toy(place)
    assert refused("demo", "toy_problem:Toy") == "error: PROBLEM: toy has no instance generator\n"
    assert refused("demo", "-o", "toy.json") == "error: -o: toy.json is a file, expected a folder\n"
    assert refused("demo", "-o", "no/such") == "error: -o: no/such: the folder to make it in does not exist\n"
    assert refused("demo", "-o", "") == "error: -o: empty, expected a folder\n"


def test_the_heaviest_weights_are_named() -> None:
    model = LinearModel(("a", "b", "c", "d"), np.array([0.5, -2.0, 0.0, 1.0]), np.ones(4), "toy")
    assert heaviest(model, 2) == "3 of 4 weights are not zero, the largest: b -2, d 1"
    nothing = LinearModel(("a",), np.zeros(1), np.ones(1), "toy")
    assert heaviest(nothing) == "0 of 1 weights are not zero"


def test_learned_weights_run_through_every_decoder() -> None:
    problem = Selection()
    model = Pipeline(problem, [1.0, 1.0, 0.0]).model
    data = instances(3)
    names = {decoder: [c.name for c in part] for decoder, part in contenders(problem, model, data).items()}
    feature = "best single feature (price_times_risk)"
    assert names == {
        "none": ["learned", "safe weights", feature, "cheapest", "safest"],
        "swap": ["learned + swap", "safe weights + swap", f"{feature} + swap"],
    }
    machine = SingleMachine(decoder="ls")
    jobs = [machine.generate(seed, jobs=5) for seed in range(2)]
    found = contenders(machine, Pipeline(machine, machine.safe_weights).model, jobs)
    assert [part[0].name for part in found.values()] == ["learned + none", "learned", "learned + rdi"]
    assert "pretrained" in [one.name for one in found["ls"]]
    assert "srpt+ls" in [one.name for one in found["ls"]]


def test_every_contender_of_a_part_runs_through_its_decoder() -> None:
    data = instances(3)
    (_, safe, *_) = contenders(Selection(), Pipeline(Selection(), [1.0, 1.0, 0.0]).model, data)["swap"]
    own = Pipeline(Selection("swap"), Selection.safe_weights, safe=False)
    for x in data:
        assert Selection().cost(safe.attempt(x, 1.0).solutions[-1][1], x) == own.solve(x).cost
