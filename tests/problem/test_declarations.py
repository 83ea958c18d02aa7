"""The attributes of a problem: taken where they will do, else refused by their name."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from colayer import InputError, Size
from colayer.dynamic.protocol import DynamicProblem
from colayer.errors import OptionError
from colayer.problem.declarations import (
    METHODS,
    OPTIONAL,
    attribute,
    features_use_solution,
    has,
    is_dynamic,
    read_attributes,
    read_methods,
    structure_uses_answer,
)
from support.crowd_problem import Crowd
from support.errors import rejects
from support.pick_problem import Pick

ITEMS = Size("items", int, 3, "number of items")


def changed(**members: Any) -> Any:
    """`Pick` with members added or replaced."""
    return type("Changed", (Pick,), members)()


def read(**members: Any) -> dict[str, Any]:
    """What is read of such a problem; the first mistake is raised."""

    def refuse(error: InputError) -> None:
        raise error

    return read_attributes(changed(**members), refuse)


def raising(error: BaseException) -> property:
    def get(self: object) -> Any:
        raise error

    return property(get)


def test_no_code_of_the_problem_runs_to_see_what_it_has() -> None:
    seen: list[str] = []
    problem = changed(radius=property(lambda self: seen.append("radius") or 1.0), bound=None)
    assert (has(problem, "radius"), has(problem, "bound"), has(problem, "exact")) == (True, False, False)
    assert seen == []
    assert (attribute(problem, "radius", 3.0), attribute(problem, "bound", 3.0)) == (1.0, 3.0)


def test_members_that_getattr_gives_are_there() -> None:
    class Proxy:
        def __getattr__(self, name: str) -> Any:
            return getattr(Pick(), name)

    assert has(Proxy(), "name")
    assert not has(Proxy(), "bound")
    assert attribute(Proxy(), "bound", "nothing") == "nothing"


def test_a_slot_that_was_never_filled_is_a_fault_not_a_default() -> None:
    class Slots(Pick):
        __slots__ = ("radius",)

    with pytest.raises(InputError, match=r"^radius of Slots raised AttributeError"):
        attribute(Slots(), "radius", 3.0)


@pytest.mark.parametrize(
    "error", [AttributeError("no such thing"), ZeroDivisionError(), StopIteration(), SystemExit(0), GeneratorExit()]
)
def test_what_a_property_raises_is_known_by_its_name(error: BaseException) -> None:
    said = rf"^radius of Changed raised {type(error).__name__}.* \(test_declarations.py, line "
    with pytest.raises(InputError, match=said):
        read(radius=raising(error))


def test_ctrl_c_and_errors_of_ours_pass() -> None:
    with pytest.raises(KeyboardInterrupt):
        attribute(changed(radius=raising(KeyboardInterrupt())), "radius", 3.0)
    with pytest.raises(OptionError) as caught:
        attribute(changed(options=raising(OptionError("too large", where="--rate"))), "options", {})
    assert caught.value.where == "--rate"


#: Optional methods whose names users may have for data of their own.
LEFT_ALONE = ("instance", "table", "solved", "mixed", "smoothed", "structure", "context")


@pytest.mark.parametrize("member", sorted({*METHODS, *OPTIONAL} - {*LEFT_ALONE}))
def test_a_method_that_is_none_is_named(member: str) -> None:
    with rejects(InputError, member, "Changed"):
        read_methods(changed(**{member: 3}))


@pytest.mark.parametrize("member", LEFT_ALONE)
def test_data_of_the_users_under_the_name_of_an_optional_method_is_left_alone(member: str) -> None:
    assert read_methods(changed(**{member: np.zeros(3)}))[member] is None


@pytest.mark.parametrize("member", ["name", "feature_names", *METHODS])
def test_a_needed_member_that_is_missing_is_named(member: str) -> None:
    """None is not there."""
    with pytest.raises(InputError, match=f"^Changed is not a problem: .* {member}$"):
        read_methods(changed(**{member: None}))


def test_all_that_is_missing_is_named_at_once() -> None:
    with pytest.raises(InputError, match=r"name, feature_names, features, layer, decode, cost, scale$"):
        read_methods(object())
    with pytest.raises(InputError, match=r"^Pick is a class, .*Pick\(\)$"):
        read_methods(Pick)
    with pytest.raises(InputError, match=r"^'single-machine' is a word"):
        read_methods("single-machine")


#: attribute → (what is taken, as what), and what is refused.
VALUES: dict[str, tuple[list[tuple[Any, Any]], list[Any]]] = {
    "name": ([("crews", "crews")], ["", 3, b"crews", ("crews",), "\ud800"]),
    "feature_names": ([(["a", "b"], ("a", "b"))], ["ab", 3, ("a", 2)]),
    "fields": ([(["a", "b"], ("a", "b")), ((), ())], ["ab", 3, {"a"}, {"a": 1}, ("a", 2), ("\udfff",), object()]),
    "options": ([({"rate": 0.5}, {"rate": 0.5})], ["rate", ("rate",), {1: 2}, 3, {"\ud800": 1}]),
    "sizes": ([([ITEMS], (ITEMS,))], [3, ITEMS, (ITEMS, "jobs"), (ITEMS, ITEMS), (Size("a b", int, 3, ""),)]),
    "radius": (
        [(3, 3.0), (np.float32(3.0), 3.0), (np.int64(3), 3.0)],
        [0, -1.0, np.nan, np.inf, True, "3", 10**400, 1j, (1.0,), np.ones(1), object()],
    ),
    "tight_seconds": ([(2, 2.0)], [0, "long"]),
    "homogeneous": ([(True, True), (np.bool_(False), False)], [1, "yes", [], np.ones(1)]),
    "layer_is_exact": ([(False, False)], [0, "no", ()]),
    "hindsight_is_exact": ([(True, True)], [1, "yes"]),
    "budget_options": ([(["seconds"], ("seconds",))], ["seconds", 3, (1,)]),
    "learn_decoders": ([({"ls": "none"}, {"ls": "none"})], ["ls", {"ls": 1}, {1: "ls"}, ("ls",)]),
    "feature_groups": (
        [({"all": ["a", "b"]}, {"all": ("a", "b")})],
        ["all", {"all": "ab"}, {1: ("a",)}, {"all": (1,)}, {"all": 3}],
    ),
    "instance_type": ([(list, list), ((list, dict), (list, dict))], [3, "list"]),
    "memory_features": ([(["noise"], ("noise",))], ["noise", ("other",), 3]),
}


@pytest.mark.parametrize("member", VALUES)
def test_what_is_declared_is_taken_or_named(member: str) -> None:
    taken, refused = VALUES[member]
    for given, expected in taken:
        found = read(**{member: given})[member]
        assert (found, type(found)) == (expected, type(expected))
    for given in refused:
        with pytest.raises(InputError, match=f"^{member} of Changed"):
            read(**{member: given})


def test_weights_are_one_finite_number_per_feature() -> None:
    for given in ([1, 0], (1.0, 0.0), np.array([1, 0], np.int8)):
        found = read(safe_weights=given)["safe_weights"]
        assert (found.dtype, found.tolist()) == (np.float64, [1.0, 0.0])
    for wrong in ([1.0], [[1.0, 0.0]], [1.0, np.nan], ["a", "b"], 3, "ab", [1j, 0], [10**400, 1], {"a": 1}, object()):
        with pytest.raises(InputError, match=r"^safe_weights of pick: "):
            read(safe_weights=wrong)


def test_defaults_are_those_of_the_base_class() -> None:
    """For a class that is not derived from it. The options are a copy."""
    found = read()
    for member, value in found.items():
        if member not in ("name", "feature_names", "options", "learn_decoders"):
            assert value == getattr(DynamicProblem, member)
    assert (found["options"], found["learn_decoders"]) == ({}, {})
    given = {"rate": 0.5}
    assert read(options=given)["options"] is not given


def test_mistakes_may_be_collected_with_the_default_in_their_place() -> None:
    mistakes: list[InputError] = []
    wrong = {"radius": "wide", "fields": "ab", "safe_weights": [1.0], "memory_features": ("other",)}
    found = read_attributes(changed(**wrong), mistakes.append)
    assert [str(mistake).split()[0] for mistake in mistakes] == ["radius", "fields", "safe_weights", "memory_features"]
    assert [found[member] for member in wrong] == [10.0, (), None, ()]


def test_a_value_that_cannot_tell_itself_is_told_by_its_type() -> None:
    class Wordless:
        def __repr__(self) -> str:
            sys.exit(1)

    with pytest.raises(InputError, match=r"^name of Changed is a Wordless"):
        read(name=Wordless())


def test_features_use_a_solution_where_they_take_one() -> None:
    """No declaration is needed; an attribute may say that the argument is not used."""
    assert features_use_solution(Crowd())
    assert not features_use_solution(Pick())
    assert not features_use_solution(type("Blind", (Crowd,), {"features_use_solution": False})())
    assert features_use_solution(changed(features_use_solution=np.bool_(True)))
    with pytest.raises(InputError, match=r"^features_use_solution of Changed is 1"):
        features_use_solution(changed(features_use_solution=1))


def test_memory_features_are_names_of_features() -> None:
    for given in ((), ("noise",), ("noise", "value")):
        assert read(memory_features=given)["memory_features"] == given
    for wrong in (("other",), 3):
        with pytest.raises(InputError, match=r"^memory_features of Changed"):
            read(memory_features=wrong)


@pytest.mark.parametrize(
    ("structure", "expected"),
    [
        (lambda self, instance, y=None: (), True),
        (lambda self, *given: (), True),
        (lambda self, instance: (), False),
        (lambda self, instance, *, fast=False, **more: (), False),
        (lambda self, instance, normalise=False: (), False),
    ],
)
def test_structure_uses_an_answer_where_it_takes_one(structure: Any, expected: bool) -> None:
    assert structure_uses_answer(changed(structure=structure)) is expected
    assert not structure_uses_answer(Pick())


def test_days_are_told_by_their_methods_or_by_their_class() -> None:
    """A class of days in the making is one, and so is a stranger with `start` and `step`; who has `cost` is not."""
    members = ("start", "step", "cost")
    strangers = {words: type("Own", (), dict.fromkeys(words, len))() for words in (members, members[:2], members[:1])}
    assert [is_dynamic(own) for own in strangers.values()] == [False, True, False]
    assert is_dynamic(type("Own", (DynamicProblem,), {})())
