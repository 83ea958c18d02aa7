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
from support.selection_problem import Selection
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
    names = [contender.name for contender in contenders(problem, model)]
    assert names == ["safe weights", "cheapest", "safest", "learned", "learned + swap"]
    machine = SingleMachine(decoder="ls")
    found = [one.name for one in contenders(machine, Pipeline(machine, machine.safe_weights).model)]
    assert [name for name in found if "learned" in name] == ["learned + none", "learned", "learned + rdi"]
    assert "pretrained" in found
