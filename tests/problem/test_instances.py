"""What is refused as an instance."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from colayer import InputError, Pipeline, evaluate
from colayer.problem.instances import check_instance, check_instances, numbering, placing, restoring
from colayer.problems import SingleMachine
from support.errors import rejects
from support.pick_problem import Pick, picks
from support.selection_problem import Projects, instances

ONE = instances(1)[0]
FRAME = SimpleNamespace(columns=["price"])


def test_instances_of_the_class_pass_and_anything_does_where_no_class_is_declared() -> None:
    check_instance("selection", Projects, ONE)
    check_instance("selection", None, 3)
    assert check_instances("selection", Projects, iter([ONE, ONE])) == [ONE, ONE]
    assert check_instances("selection", None, {"a": 1}) == ["a"]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (3, "3"),
        (SingleMachine().generate(0, jobs=3), "an instance of single_machine"),
        (FRAME, "a SimpleNamespace"),
        ("monday.json", "read_instance"),
        (Path("monday.json"), "read_instance"),
    ],
)
def test_what_is_none_is_named_with_what_to_do(given: Any, named: str) -> None:
    with pytest.raises(InputError, match=f"{named}.*") as caught:
        check_instance("selection", Projects, given)
    assert "selection" in caught.value.message
    with pytest.raises(InputError):
        check_instances("selection", Projects, [ONE, given])


@pytest.mark.parametrize("given", [ONE, FRAME, {"price": [1.0]}, "monday.json"], ids=lambda given: type(given).__name__)
def test_one_alone_is_no_list_of_instances(given: Any) -> None:
    with pytest.raises(InputError) as caught:
        check_instances("selection", Projects, given)
    assert caught.value.where == "instances"


def failing(about: object, where: str | None = None) -> InputError:
    error = InputError("wrong", where=where)
    error.instance = about
    return error


def test_an_error_about_an_instance_is_given_its_number_once() -> None:
    data = [object(), object()]
    with rejects(InputError, where="instance 1") as caught, numbering([None]), numbering(data), numbering(data):
        raise failing(data[1])
    assert caught.value.instance is None
    with rejects(InputError, where="instance 0: field"), numbering(data):
        raise failing(data[0], "field")
    for unknown in (None, object()):
        with pytest.raises(InputError) as alone, numbering(data):
            raise failing(unknown)
        assert alone.value.where is None


def test_the_instance_of_an_error_is_found_again_after_a_journey() -> None:
    here, there = [object(), object()], [object(), object()]
    with pytest.raises(InputError) as sent, placing(there):
        raise failing(there[1])
    with pytest.raises(InputError) as received, restoring(here):
        raise pickle.loads(pickle.dumps(sent.value))
    assert received.value.instance is here[1]


class Faulty(Pick):
    """One of its methods returns NaN for the instance whose first number is 99."""

    def __init__(self, wrong: str = "") -> None:
        self.wrong = wrong

    def features(self, instance):
        return np.where(self.wrong == "features" and instance[0, 0] == 99.0, np.nan, instance)

    def scale(self, instance):
        return float("nan") if self.wrong == "scale" and instance[0, 0] == 99.0 else 1.0

    def cost(self, solution, instance):
        return float("nan") if self.wrong == "cost" and instance[0, 0] == 99.0 else super().cost(solution, instance)


@pytest.mark.parametrize("place", [3, 7])
@pytest.mark.parametrize("method", ["features", "scale", "cost"])
def test_nan_is_named_with_its_instance_wherever_it_comes_up(method: str, place: int) -> None:
    """Held out or not, in this process or in others: the number is that in the list of the user."""
    data, problem = picks(8), Faulty(method)
    data[place][0, 0] = 99.0
    pipeline = Pipeline(problem, [1.0, 0.0], safe=False)
    for workers in (1, 2) if (method, place) in (("features", 3), ("cost", 7)) else (1,):
        with rejects(InputError, f"{method} of pick", "nan", where=f"instance {place}"):
            pipeline.fit(data, evaluations=5, workers=workers)
    with rejects(InputError, f"{method} of pick", where=f"instance {place}"):
        evaluate(problem, data, {"learned": pipeline})
    if method != "scale":
        with rejects(InputError, f"{method} of pick", where=f"instance {place}"):
            pipeline.solve_many(data)
