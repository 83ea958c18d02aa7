"""What is refused as an instance."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from colayer import InputError
from colayer.problem.instances import check_instance, check_instances
from colayer.problems import SingleMachine
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
