"""`colayer demo`: the story in small, for a registered problem and for one of the user's own."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.cli.commands.demo import contenders, heaviest, story
from colayer.comparison.table import Comparison, Result
from colayer.models import LinearModel
from colayer.problems import SpanningTree
from support import selection_problem
from support.selection_problem import Selection, instances
from support.toy_problem import write_toy


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in (("TRAINING", 6), ("TEST", 3), ("EVALUATIONS", 12)):
        monkeypatch.setattr(f"colayer.cli.commands.demo.{name}", number)


@pytest.mark.usefixtures("_small")
def test_the_story(run: Any, place: Path) -> None:
    """What you had, what learning cost, what you have now, what to type next; a model and pictures in the folder."""
    out = run("demo", "-o", "story")
    names = sorted(p.name for p in (place / "story").iterdir())
    assert names == ["gaps.png", "instance.json", "learning.png", "model.json", "solution.png"]
    had, rest = out.split("\nWhat learning cost: ")
    assert had.startswith("spanning-tree: 6 instances ")
    cost, now = rest.split("\nWhat you have now:\n")
    assert cost.startswith("69 weights, 12 evaluations, ")
    learned = Pipeline.load("story/model.json")
    assert learned.provenance["evaluations"] == 12
    assert f"{np.count_nonzero(learned.weights_)} of 69 weights are not zero" in cost
    for contender in ("safe weights", "safe weights, 10 candidates", *SpanningTree().baselines):
        assert f"\n{contender} " in had
    for contender in ("learned", "learned, 10 candidates"):
        assert f"\n{contender} " in now
    assert "than safe weights: " in now or "and safe weights: " in now
    *_, written, following = out.splitlines()
    assert written == "written to story: model.json, learning.png, gaps.png, solution.png, instance.json"
    assert following == "next: colayer solve story/instance.json --model story/model.json --candidates 10"
    assert run(*following.split()[2:], "--json")["problem"] == "spanning-tree"


@pytest.mark.usefixtures("_small")
def test_a_problem_that_is_written_on_the_spot(run: Any, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = run("demo", "own", "-o", "story", "--workers", 1)
    lines = len((place / "story" / "tardiness.py").read_text().splitlines())
    assert out.startswith(f"tardiness.py, {lines} lines: colayer check finds no mistakes\ntardiness: 6 instances ")
    assert "\nearliest due date " in out
    *_, following = out.splitlines()
    there, _, command = following.removeprefix("next: ").partition(" && ")
    assert there == "cd story"
    monkeypatch.chdir("story")
    assert run(*command.split()[1:], "--json")["problem"] == "tardiness"


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
    for contender in ("learned", "learned, 10 candidates", "safe weights", "cheapest"):
        assert f"\n{contender} " in out
    names = ["gaps.png", "instance.json", "learning.png", "model.json"]
    assert sorted(p.name for p in (place / "story").iterdir()) == names
    assert out.endswith(" --candidates 10 --problem demo_projects:Selection\n")


def test_what_cannot_be_told_is_refused_before_it_begins(refused: Any, place: Path) -> None:
    write_toy(place)
    assert refused("demo", "toy_problem:Toy").startswith("error: PROBLEM: ")
    assert refused("demo", "-o", "toy.json").startswith("error: -o: ")
    assert refused("demo", "-o", "no/such").startswith("error: -o: no/such: ")
    assert refused("demo", "-o", "").startswith("error: -o: ")


def test_the_heaviest_weights_are_named() -> None:
    model = LinearModel(("a", "b", "c", "d"), np.array([0.5, -2.0, 0.0, 1.0]), np.ones(4), "toy")
    assert heaviest(model, 2) == "3 of 4 weights are not zero, the largest: b -2, d 1"
    nothing = LinearModel(("a",), np.zeros(1), np.ones(1), "toy")
    assert heaviest(nothing) == "0 of 1 weights are not zero"


def test_what_is_plain_runs_through_the_same_decoder() -> None:
    """Ten candidates of the safe weights are a search: no reference, but shown beside ten of the learned ones."""
    problem = Selection("swap")
    model = Pipeline(problem, [1.0, 1.0, 0.0]).model
    found = contenders(problem, model, instances(3))
    assert [(c.name, c.kind) for c in found if "feature" not in c.name] == [
        ("safe weights", "safe"),
        ("cheapest", "rule"),
        ("safest", "rule"),
        ("safe weights, 10 candidates", "solver"),
        ("learned", "learned"),
        ("learned, 10 candidates", "learned"),
    ]
    safe, own = found[0], Pipeline(problem, problem.safe_weights, safe=False)
    for x in instances(3):
        assert problem.cost(safe.attempt(x, 1.0).solutions[-1][1], x) == own.solve(x).cost


def test_many_candidates_are_judged_beside_as_many_of_the_safe_weights() -> None:
    """Ten tries beat one of anything: what learning adds shows against ten tries without it.

    That stands in the words; the table has one reference, of all its rows.
    """
    names = ("safe weights", "safe weights, 10 candidates", "learned", "learned, 10 candidates")
    costs = ((10.0, 11.0, 12.0), (8.0, 9.0, 10.0), (9.0, 9.9, 10.8), (8.0, 9.1, 9.9))
    results = [Result(name, i, cost[i], 1.0, 1.0, 0.001, {}) for i in range(3)
               for name, cost in zip(names, costs, strict=True)]  # fmt: skip
    comparison = Comparison("toy", names, tuple(results), ("safe", "solver", "learned", "learned"))
    model = LinearModel(("a",), np.zeros(1), np.ones(1), "toy")
    text = "".join(part if isinstance(part, str) else part.text() for part in story(comparison, "nothing", model))
    assert "\nlearned is better than safe weights: -10.0 ± 0 %" in text
    assert "no measurable difference between learned, 10 candidates and safe weights, 10 candidates: +0.0370 ± " in text
    _, now = text.split("What you have now:")
    (row,) = (line for line in now.splitlines() if line.startswith("learned, 10 candidates  "))
    assert row.endswith("  -18.3 ± 0.874 %  better")


def test_who_is_still_ahead_is_named() -> None:
    results = [Result(name, i, cost, 1.0, 1.0, 0.001, {}) for i in range(2)
               for name, cost in (("learned", 2.0), ("rule", 3.0), ("search", 1.5))]  # fmt: skip
    comparison = Comparison("toy", ("learned", "rule", "search"), tuple(results), ("learned", "rule", "solver"))
    model = LinearModel(("a",), np.zeros(1), np.ones(1), "toy")
    text = "".join(part if isinstance(part, str) else part.text() for part in story(comparison, "nothing", model))
    assert text.endswith("\nstill ahead: search, 50.0 % in 1.00 ms\n")
    assert text.count("still ahead") == 1
