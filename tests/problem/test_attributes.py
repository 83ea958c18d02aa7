"""The attributes of a problem: taken where they will do, else refused by their name."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from colayer import InputError, Size
from colayer.errors import OptionError
from colayer.problem.attributes import (
    OPTIONAL,
    attribute,
    check_members,
    flag_of,
    groups_of,
    has,
    name_of,
    options_of,
    positive_of,
    sizes_of,
    weights_of,
    words_by_word,
    words_of,
)
from support.errors import rejects
from support.pick_problem import Pick


def changed(**members: Any) -> Any:
    """`Pick` with members added or replaced."""
    return type("Changed", (Pick,), members)()


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


def test_a_slot_that_was_never_filled_is_a_fault_not_a_default() -> None:
    class Slots(Pick):
        __slots__ = ("radius",)

    with rejects(InputError, "radius", "Slots"):
        attribute(Slots(), "radius", 3.0)


@pytest.mark.parametrize(
    "error",
    [
        AttributeError("no such thing"),
        ZeroDivisionError(),
        StopIteration(),
        SystemExit(0),
        GeneratorExit(),
    ],
)
def test_what_a_property_raises_is_known_by_its_name(error: BaseException) -> None:
    with rejects(InputError, "radius", "Changed", type(error).__name__):
        attribute(changed(radius=raising(error)), "radius", 3.0)


def test_ctrl_c_and_errors_of_ours_pass() -> None:
    with pytest.raises(KeyboardInterrupt):
        attribute(changed(radius=raising(KeyboardInterrupt())), "radius", 3.0)
    with rejects(OptionError, where="--rate"):
        attribute(changed(options=raising(OptionError("too large", where="--rate"))), "options", {})


@pytest.mark.parametrize("member", ["features", "cost", *OPTIONAL])
def test_a_method_that_is_none_is_named(member: str) -> None:
    with rejects(InputError, member, "Changed"):
        check_members(changed(**{member: 3}))


def test_names_are_words_that_a_file_can_hold() -> None:
    assert name_of(changed(name="crews")) == "crews"
    for wrong in ("", None, 3, b"crews", ("crews",), "\ud800"):
        with rejects(InputError, "name", "Changed"):
            name_of(changed(name=wrong))


def test_words_may_be_a_list() -> None:
    assert words_of(changed(fields=["a", "b"]), "fields") == ("a", "b")
    assert words_of(Pick(), "fields") == ()
    for wrong in ("ab", 3, {"a"}, {"a": 1}, ("a", 2), ("\udfff",), object()):
        with rejects(InputError, "fields", "Changed"):
            words_of(changed(fields=wrong), "fields")


def test_options_are_a_copy() -> None:
    given = {"rate": 0.5}
    found = options_of(changed(options=given))
    assert (found, found is given, options_of(Pick())) == (given, False, {})
    for wrong in ("rate", ("rate",), {1: 2}, 3, {"\ud800": 1}):
        with rejects(InputError, "options", "Changed"):
            options_of(changed(options=wrong))


def test_sizes_are_looked_at_one_by_one() -> None:
    items = Size("items", int, 3, "number of items")
    assert (sizes_of(changed(sizes=[items])), sizes_of(Pick())) == ((items,), ())
    for wrong in (3, items, (items, "jobs"), (items, items), (Size("a b", int, 3, ""),)):
        with rejects(InputError, "sizes", "Changed"):
            sizes_of(changed(sizes=wrong))


def test_positive_numbers() -> None:
    for given in (3, 3.0, np.float32(3.0), np.int64(3)):
        found = positive_of(changed(radius=given), "radius", 10.0)
        assert (found, type(found)) == (3.0, float)
    assert positive_of(Pick(), "radius", 10.0) == 10.0
    assert positive_of(Pick(), "tight_seconds", None) is None
    for wrong in (0, -1.0, np.nan, np.inf, True, "3", 10**400, 1j, (1.0,), np.ones(1), object()):
        with rejects(InputError, "radius", "Changed"):
            positive_of(changed(radius=wrong), "radius", 10.0)


def test_flags_are_true_or_false() -> None:
    assert [flag_of(changed(homogeneous=given), "homogeneous") for given in (True, np.bool_(False))] == [True, False]
    assert flag_of(Pick(), "homogeneous") is False
    for wrong in (1, "yes", [], np.ones(1)):
        with rejects(InputError, "homogeneous", "Changed"):
            flag_of(changed(homogeneous=wrong), "homogeneous")


def test_words_by_word_and_groups() -> None:
    assert words_by_word(changed(learn_decoders={"ls": "none"}), "learn_decoders") == {"ls": "none"}
    assert (words_by_word(Pick(), "learn_decoders"), groups_of(Pick(), "feature_groups")) == ({}, None)
    assert groups_of(changed(feature_groups={"all": ["a", "b"]}), "feature_groups") == {"all": ("a", "b")}
    for wrong in ("ls", {"ls": 1}, {1: "ls"}, ("ls",)):
        with rejects(InputError, "learn_decoders", "Changed"):
            words_by_word(changed(learn_decoders=wrong), "learn_decoders")
    for wrong in ("all", {"all": "ab"}, {1: ("a",)}, {"all": (1,)}, {"all": 3}):
        with rejects(InputError, "feature_groups", "Changed"):
            groups_of(changed(feature_groups=wrong), "feature_groups")


def test_weights_are_one_finite_number_per_feature() -> None:
    for given in ([1, 0], (1.0, 0.0), np.array([1, 0], np.int8)):
        found = weights_of(changed(safe_weights=given), "safe_weights", "pick", 2)
        assert found is not None
        assert (found.dtype, found.tolist()) == (np.float64, [1.0, 0.0])
    assert weights_of(Pick(), "safe_weights", "pick", 2) is None
    for wrong in ([1.0], [[1.0, 0.0]], [1.0, np.nan], ["a", "b"], 3, "ab", [1j, 0], [10**400, 1], {"a": 1}, object()):
        with rejects(InputError, "safe_weights", "pick"):
            weights_of(changed(safe_weights=wrong), "safe_weights", "pick", 2)


def test_a_value_that_cannot_tell_itself_is_told_by_its_type() -> None:
    class Wordless:
        def __repr__(self) -> str:
            sys.exit(1)

    with rejects(InputError, "name", "Changed"):
        name_of(changed(name=Wordless()))
