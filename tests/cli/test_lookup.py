"""Problems and models that the command line names: what MODULE:NAME stands for, and what a file may not choose."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import InputError, OptionError, Pipeline
from colayer.cli.lookup import find, load_model, load_pipelines
from colayer.models import LinearModel
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from support import selection_problem
from support.errors import rejects

MACHINE = bind(SingleMachine())
OWN = """
from look_projects import Selection

problem = Selection(decoder="swap")
number = 3


def make():
    return Selection(decoder="swap")


class Unsafe(Selection):
    safe_weights = (1.0,)


class NoScale(Selection):
    scale = None


class Unnamed(Selection):
    name = 7
"""


@pytest.fixture
def own(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in sys.modules if name.startswith("look_")]:
        monkeypatch.delitem(sys.modules, name)
    shutil.copy(selection_problem.__file__, place / "look_projects.py")
    (place / "look_own.py").write_text(OWN)
    return place


def saved(path: Path, name: str = "single-machine", options: Any = None) -> Path:
    """A model of ones for single-machine, under any name and with any options."""
    problem = SingleMachine()
    ones = np.ones(len(problem.feature_names))
    LinearModel(problem.feature_names, ones, ones, name, problem.options if options is None else options).save(path)
    return path


def test_a_registered_problem_with_the_options_given() -> None:
    assert find("single-machine", decoder=None, features=None).name == "single-machine"
    assert find("single-machine", decoder="ls").options == {"features": "66", "decoder": "ls"}
    with rejects(OptionError, where="--decoder"):
        find("single-machine", decoder="lss")
    with rejects(OptionError, where="--colour"):
        find("spanning-tree", colour="red")


@pytest.mark.parametrize("name", ["problem", "make"])
def test_an_object_or_a_function_that_makes_one(name: str, own: Path) -> None:
    assert find(f"look_own:{name}").decoder == "swap"


def test_a_class_is_made_without_arguments(own: Path) -> None:
    assert find("look_projects:Selection").decoder == "none"


@pytest.mark.parametrize(
    "name",
    [
        "single-machin",
        "knapsack",
        ":",
        "look_own:",
        "look_own.:problem",
        "look_own:number",
        "look_own:NoScale",
        "look_own:Unsafe",
        "look_own:Unnamed",
    ],
)
def test_what_is_no_problem_is_refused(name: str, own: Path) -> None:
    with rejects((InputError, OptionError), where="PROBLEM"):
        find(name)


def test_what_a_problem_declares_is_for_check_to_judge(own: Path) -> None:
    assert find("look_own:Unsafe", mistakes=[]).name == "selection"
    with rejects(InputError, where="PROBLEM"):
        find("look_own:NoScale", mistakes=[])


def test_a_model_brings_the_options_it_was_learned_with(place: Path) -> None:
    path = saved(place / "m.json", options={"features": "66", "decoder": "ls"})
    problem, model = load_model(path, None, None)
    assert problem.decoder == "ls"
    assert model.weights.tolist() == [1.0] * 66
    assert load_model(path, None, "rdi")[0].decoder == "rdi"
    assert load_model(path, bind(SingleMachine("27")), None)[0].options["features"] == "66"


def test_a_model_that_does_not_fit_is_refused_with_its_file(place: Path) -> None:
    other = saved(place / "other.json", "antigravity:geohash", {})
    with rejects(InputError, where="other.json: problem"):
        load_model(other, None, None)
    with rejects(InputError, where="other.json: problem"):
        load_model(other, MACHINE, None)
    for options in ({"speed": 3}, {"features": []}):
        wrong = saved(place / "wrong.json", options=options)
        with rejects(InputError, where="wrong.json: options"):
            load_model(wrong, None, None)
    assert "antigravity" not in sys.modules


def test_pipelines_are_known_by_their_files_and_run_without_safe_weights(place: Path) -> None:
    """By whole paths where a name is taken, or that of two files."""
    (place / "more").mkdir()
    a, b = saved(Path("a.json")), saved(Path("more/b.json"))
    found = load_pipelines(MACHINE, [a, b], None)
    assert list(found) == ["a", "b"]
    assert not any(pipeline.safe for pipeline in found.values())
    assert list(load_pipelines(MACHINE, [a, b], None, taken=["a"])) == ["a.json", "b"]
    assert list(load_pipelines(MACHINE, [a, saved(Path("more/a.json"))], None)) == ["a.json", "more/a.json"]
    assert load_pipelines(MACHINE, [a], "ls")["a"].bound_problem.decoder == "ls"
    with rejects(OptionError, where="--model"):
        load_pipelines(MACHINE, [a, Path("more/../a.json")], None)


def test_without_models_the_shipped_weights_are_taken_where_there_are_some(own: Path) -> None:
    (name,) = load_pipelines(MACHINE, [], None)
    assert name == "pretrained"
    assert load_pipelines(find("look_projects:Selection"), [], None) == {}


def test_a_model_of_a_problem_of_ones_own(own: Path) -> None:
    problem = find("look_projects:Selection")
    Pipeline(problem, [1.0, 2.0, 0.0]).save(own / "m.json")
    assert json.loads((own / "m.json").read_text())["problem"] == "selection"
    assert load_model(own / "m.json", problem, "swap")[1].weights.tolist() == [1.0, 2.0, 0.0]
