"""Problems by name: registered ones, those of the user's, and what is wrong with a name."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import colayer.problems
from colayer import problems
from colayer.errors import OptionError
from colayer.problem import guard
from colayer.problems import REGISTRY, find_problem, problem_names
from support.errors import rejects

OWN = '''
class Pick:
    """Choose the cheapest item."""

    name = "pick"
    feature_names = ("price",)

    def __init__(self, upside_down=False):
        self.upside_down = upside_down

    @property
    def options(self):
        return {"upside_down": self.upside_down}

    def features(self, instance):
        return [[price] for price in instance]

    def layer(self, theta, instance):
        return int(theta.argmin())

    def decode(self, y, instance):
        return y

    def cost(self, solution, instance):
        return instance[solution]

    def scale(self, instance):
        return 1.0


class Needy(Pick):
    def __init__(self, size):
        self.size = size


made = Pick(upside_down=True)
number = 3
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with modules of the user's, which commands are run in."""
    (tmp_path / "shop_of_tests.py").write_text(OWN)
    (tmp_path / "broken_of_tests.py").write_text("raise ValueError('no shop\\nhere')")
    (tmp_path / "ends_of_tests.py").write_text("raise SystemExit('bye')")
    for name in ("needs_of_tests", "absent_of_tests"):
        (tmp_path / f"{name}.py").write_text("import absent")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(guard, "OWN_FOLDERS", guard.OWN_FOLDERS.copy())
    yield tmp_path
    for module in tmp_path.glob("*.py"):
        sys.modules.pop(module.stem, None)


@pytest.mark.parametrize("name", REGISTRY)
def test_registered_problems_know_their_name(name: str) -> None:
    problem = find_problem(name)
    assert problem.name == name
    assert type(problem) is getattr(colayer.problems, type(problem).__name__)
    assert problem_names() == tuple(REGISTRY)


def test_options_are_given_to_the_problem_and_none_keeps_its_own() -> None:
    assert find_problem("single-machine", decoder="rdi", features=None).options == {"features": "66", "decoder": "rdi"}
    with rejects(OptionError, where="--colour"):
        find_problem("single-machine", colour="red")


def test_a_class_and_an_object_of_the_users_will_do(own: Path) -> None:
    assert find_problem("shop_of_tests:Pick").options == {"upside_down": False}
    assert find_problem("shop_of_tests:made").options == {"upside_down": True}
    assert find_problem("shop_of_tests:made", upside_down=False).options == {"upside_down": False}
    assert guard.OWN_FOLDERS[str(own)] == "shop_of_tests:made"


@pytest.mark.parametrize(
    "name",
    [
        "tsp",
        "nowhere_of_tests:Pick",
        "shop_of_tests:Trip",
        "shop_of_tests:Needy",
        "broken_of_tests:Pick",
        "ends_of_tests:Pick",
        "shop_of_tests.parts:Pick",
        "needs_of_tests:Pick",
        "absent_of_tests:Pick",
    ],
)
@pytest.mark.usefixtures("own")
def test_what_is_wrong_with_a_name_is_said_in_one_line(name: str) -> None:
    with rejects(OptionError, where="PROBLEM"):
        find_problem(name)


def test_unknown_attributes_of_the_package_are_refused() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'TravellingSalesman'"):
        _ = colayer.problems.TravellingSalesman


def test_nothing_heavy_is_imported_before_a_problem_is_asked_for() -> None:
    """In a process of its own: here everything is imported already."""
    code = "import sys, colayer.problems; print('numba' in sys.modules, 'matplotlib' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["False", "False"]


def test_dir_lists_the_problems() -> None:
    """What completion shows: the problems and how to find one, nothing of the inside."""
    assert dir(problems) == [
        "DynamicRouting",
        "DynamicVehicleScheduling",
        "SingleMachine",
        "SpanningTree",
        "VehicleScheduling",
        "find_problem",
        "problem_names",
    ]
