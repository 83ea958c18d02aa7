"""`colayer demo`: the story in small, for a registered problem and for one of the user's own."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.cli.demos.catalogue import DEMOS, Demo
from colayer.cli.demos.contenders import contenders
from colayer.cli.demos.story import heaviest, story
from colayer.comparison.table import Comparison, Result
from colayer.models import LinearModel
from support import selection_problem
from support.selection_problem import Selection, instances
from support.small_demo import make_demos_small
from support.toy_problem import write_toy


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    make_demos_small(monkeypatch)


@pytest.mark.usefixtures("_small")
def test_the_story_of_days(run: Any, place: Path) -> None:
    """Learning, then everyone in one table, tuned rules and hindsight too; a model and pictures; what to type next."""
    out = run("demo", "-o", "story", "--workers", 1)
    names = sorted(p.name for p in (place / "story").iterdir())
    assert names == ["gaps.png", "instance.json", "learning.png", "model.json", "solution.png"]
    assert out.startswith("dynamic-vehicle-scheduling: 6 days for training, 3 for testing ")
    learned = Pipeline.load("story/model.json")
    assert learned.provenance["evaluations"] == 12
    assert f"{np.count_nonzero(learned.weights_)} of 9 weights are not zero" in out
    for contender in ("greedy", "lazy", "hindsight, knowing the day", "learned", "best single feature"):
        assert f"\n{contender} " in out
    for rule in ("prize", "prize\\+wait"):
        assert re.search(rf"^{rule}, factor [\d.]+, tuned ", out, re.MULTILINE)
    assert "\nlook-ahead " not in out  # it takes seconds a day
    assert "still ahead: hindsight" not in out
    *_, written, following = out.splitlines()
    assert written == "written to story: model.json, learning.png, gaps.png, solution.png, instance.json"
    assert following == "next: colayer solve story/instance.json --model story/model.json"
    assert run(*following.split()[2:], "--json")["problem"] == "dynamic-vehicle-scheduling"


@pytest.mark.usefixtures("_small")
def test_the_strongest_rivals_of_trees_stand_in_the_table(run: Any, place: Path) -> None:
    out = run("demo", "spanning-tree", "-o", "story", "--workers", 1)
    (table,) = re.findall(r"nobody learned from:\n\n(.*?)\n\n", out, re.DOTALL)
    for contender in ("exact", "lagrangian", "safe weights", "safe weights, 10 candidates", "learned, 10 candidates"):
        assert f"\n{contender} " in table
    assert re.search("^exact  .*", table, re.MULTILINE)


@pytest.mark.usefixtures("_small")
def test_a_day_of_dispatching_is_drawn(run: Any, place: Path) -> None:
    out = run("demo", "dispatch", "-o", "story", "--workers", 1)
    assert out.startswith("city_dispatch.py, ")
    for contender in ("nearest", "maximal weight", "learned"):
        assert f"\n{contender} " in out
    assert (place / "story" / "solution.png").stat().st_size > 5000


def test_the_dispatching_of_the_demo_is_the_example() -> None:
    example = Path(__file__).parents[3] / "examples" / "city_dispatch.py"
    assert DEMOS["dispatch"].source == example.read_text("utf-8")


@pytest.mark.usefixtures("_small")
def test_a_problem_that_is_written_on_the_spot(run: Any, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = run("demo", "own", "-o", "story", "--workers", 1)
    lines = len((place / "story" / "tardiness.py").read_text().splitlines())
    assert out.startswith(f"tardiness.py, {lines} lines: colayer check finds no mistakes\ntardiness: 6 instances ")
    assert re.search(r"^atc, k [\d.]+, tuned ", out, re.MULTILINE)  # the rule of specialists
    assert "\natc, best of 10 constants " in out  # beside ten candidates
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
    found = contenders(problem, model, instances(3), Demo(), {})
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


def told(comparison: Comparison) -> str:
    learner = Pipeline(Selection("swap"), [1.0, 1.0, 0.0], safe=False)
    learner.fit(instances(3), evaluations=7, method="direct", portfolio=1)
    return "".join(
        part if isinstance(part, str) else part.text() for part in story(comparison, learner, "nothing", "day")
    )


def test_many_candidates_are_judged_beside_the_best_plain_way_with_as_many() -> None:
    """Ten tries beat one of anything: what learning adds shows against ten tries without it."""
    names = (
        "safe weights",
        "safe weights, 10 candidates",
        "atc, best of 10 constants",
        "learned",
        "learned, 10 candidates",
    )
    costs = ((10.0, 11.0, 12.0), (8.5, 9.5, 10.5), (8.0, 9.0, 10.0), (9.0, 9.9, 10.8), (8.0, 9.1, 9.9))
    results = [Result(name, i, cost[i], 1.0, 1.0, 0.001, {}) for i in range(3)
               for name, cost in zip(names, costs, strict=True)]  # fmt: skip
    kinds = ("safe", "solver", "solver", "learned", "learned")
    text = told(Comparison("toy", names, tuple(results), kinds))
    assert "\nlearned is better than safe weights: -10.0 ± 0 %" in text
    assert "no measurable difference between learned, 10 candidates and atc, best of 10 constants: +0.0370 ± " in text
    assert "kept: evaluation " in text


def test_who_is_still_ahead_is_named() -> None:
    results = [Result(name, i, cost, 1.0, 1.0, 0.001, {}) for i in range(2)
               for name, cost in (("learned", 2.0), ("rule", 3.0), ("search", 1.5))]  # fmt: skip
    text = told(Comparison("toy", ("learned", "rule", "search"), tuple(results), ("learned", "rule", "solver")))
    assert text.endswith("\nstill ahead: search, 50.0 % in 1.00 ms\n")
    assert text.count("still ahead") == 1
