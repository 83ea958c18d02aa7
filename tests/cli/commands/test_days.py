"""Every command on days: the tutorial problem as a file of the user's."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from colayer import Pipeline, read_instances
from colayer.cli.app import main
from colayer.cli.commands.train import against_rules
from support.dynamic_days import PROBLEM, small

ROOT = Path(__file__).parents[3]
CITY = "city_dispatch:Dispatching"
SIZES = ["--requests", "12", "--vehicles", "3"]


@pytest.fixture(autouse=True)
def city(place: Path) -> Any:
    shutil.copy(ROOT / "examples" / "city_dispatch.py", place)
    yield
    sys.modules.pop("city_dispatch", None)


def test_the_example_is_short_and_is_what_the_page_shows() -> None:
    code = (ROOT / "examples" / "city_dispatch.py").read_text("utf-8")
    assert len(code.splitlines()) <= 80
    page = (ROOT / "docs" / "dynamic.md").read_text("utf-8")
    (shown,) = re.findall(r'^```python title="city_dispatch\.py"\n(.*?)^```$', page, re.MULTILINE | re.DOTALL)
    assert shown == code


def test_from_check_to_a_picture_of_a_day(run: Any, place: Path) -> None:
    assert run("check", CITY, "--json")["ok"]
    for folder, seed in (("train", 0), ("test", 1)):
        run("generate", CITY, folder, "--count", 6, "--seed", seed, *SIZES)
    trained = run("train", CITY, "train", "-o", "m.json", "--evaluations", 12, "--json")
    assert trained["evaluations"] == 12
    again = run("train", CITY, "train", "-o", "m.json", "--evaluations", 12, "--json")  # from the journal
    assert again["loss"] == trained["loss"]
    evaluated = run("evaluate", CITY, "test", "--model", "m.json", "--json")
    assert list(evaluated["contenders"])[:2] == ["m", "safe weights"]
    assert {"nearest", "maximal weight"} <= set(evaluated["contenders"])
    compared = run("compare", CITY, "test", "--model", "m.json", "--time-limit", 1)
    assert "perturbed" not in compared
    assert "pick-up" in run("explain", "m.json", "--problem", CITY, "--data", "test")
    solved = run("solve", "test/0000.json", "--model", "m.json", "--problem", CITY, "--plot", "day.png", "--json")
    costs = {row["contender"]: row["cost"] for row in evaluated["results"] if row["instance"] == 0}
    assert solved["cost"] == pytest.approx(costs["m"])
    assert (place / "day.png").stat().st_size > 1000


def test_a_day_from_a_file_is_the_day_that_was_written(run: Any, place: Path) -> None:
    import numpy as np

    run("generate", CITY, "days", "--count", 1, *SIZES)
    from city_dispatch import Dispatching  # type: ignore[import-not-found]

    problem = Dispatching()
    (day,) = read_instances("days", problem)
    (child,) = np.random.SeedSequence(0).spawn(1)
    assert day.keys() == problem.generate(child, requests=12, vehicles=3).keys()
    from colayer.problem.bind import bind

    own = bind(problem)
    assert own.cost(own.need("baseline")("nearest", day), day) > 0


MISTAKES = {
    "Endless": "step of dispatching has not ended the day",
    "Nan": "epoch 0: step of dispatching returned nan",
    "Changing": "state",
    "Raising": "epoch 0: step of dispatching raised KeyError: 'fares' (own_days.py, line",
}
SOURCE = """
from city_dispatch import Dispatching

class Endless(Dispatching):
    def step(self, state, decision):
        return 0.0, state

class Nan(Dispatching):
    def step(self, state, decision):
        return float("nan"), None

class Changing(Dispatching):
    def step(self, state, decision):
        state.busy[0] += 1.0
        return super().step(state, decision)

class Raising(Dispatching):
    def step(self, state, decision):
        return state.day["fares"], None
"""


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_in_one_line(
    name: str, run: Any, refused: Any, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "own_days.py").write_text(SOURCE)
    monkeypatch.setattr("colayer.dynamic.play.MOST_EPOCHS", 300)
    try:
        run("generate", CITY, "days", "--count", 2, *SIZES)
        assert MISTAKES[name] in refused("train", f"own_days:{name}", "days", "-o", "m.json", "--evaluations", 3)
        assert not (place / "m.json").exists()
        assert main(["check", f"own_days:{name}", "--data", "days", "--json", "-o", "report.json"]) == 2
        failed = [row for row in json.loads((place / "report.json").read_text())["checks"] if row["result"] == "failed"]
        assert [row["check"] for row in failed] == ["step"]
    finally:
        sys.modules.pop("own_days", None)


def test_what_a_day_has_no_use_for_is_refused(run: Any, refused: Any) -> None:
    run("generate", CITY, "days", "--count", 2, *SIZES)
    run("train", CITY, "days", "-o", "m.json", "--evaluations", 3)
    solve = ["solve", "days/0000.json", "--model", "m.json", "--problem", CITY]
    assert "--candidates" in refused(*solve, "--candidates", 3)
    assert "--sigma" in refused("train", CITY, "days", "-o", "n.json", "--evaluations", 3, "--sigma", "theory")
    assert "--method" in refused("train", CITY, "days", "-o", "n.json", "--method", "srl")  # it has no embed
    assert "hindsight" in refused("train", CITY, "days", "-o", "n.json", "--solutions")


def test_train_does_not_wait_for_rules_that_look_ahead() -> None:
    shown = {row.contender for row in against_rules(Pipeline(PROBLEM), [small(0), small(1)]).summary()}
    assert {"learned", "greedy", "prize+wait"} < shown
    assert "look-ahead" not in shown
