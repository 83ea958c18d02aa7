"""`colayer demo`: the story in small, for a registered problem and for one of the user's own."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from support import selection_problem
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
