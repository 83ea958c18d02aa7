"""What a problem declares, checked; and the same problem with other options."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import BaseProblem, InputError, OptionError, Problem, Size
from colayer.problem.attributes import attribute, check_members, has
from colayer.problem.protocol import check_decoder, declared, variant
from colayer.problems import SingleMachine
from support.errors import rejects
from support.pick_problem import Pick


def changed(**members: Any) -> Any:
    """`Pick` with members added or replaced."""
    return type("Changed", (Pick,), members)()


def test_five_methods_and_two_names_are_a_problem() -> None:
    assert isinstance(Pick(), Problem)
    assert not isinstance(object(), Problem)


def test_defaults_where_nothing_is_declared() -> None:
    """Those of `BaseProblem`, for a class that is not derived from it."""
    known = declared(Pick())
    assert (known.name, known.feature_names, known.dimension) == ("pick", ("value", "noise"), 2)
    assert (known.radius, known.homogeneous, known.safe_weights, known.tight_seconds) == (10.0, False, None, None)
    assert (known.options, known.learn_decoders, known.feature_groups) == ({}, {}, None)
    assert known.fields == known.sizes == known.decoders == known.baselines == ()
    assert (known.decoder, known.title) == (None, "pick")


def test_what_is_declared_is_taken() -> None:
    size = Size("items", int, 10, "number of items")
    known = declared(
        changed(
            options={"decoder": "half", "rate": 0.5},
            decoders=["none", "half"],
            learn_decoders={"half": "none"},
            safe_weights=[1, 0],
            radius=np.float64(3.0),
            homogeneous=True,
            fields=("rows",),
            sizes=[size],
            baselines=("first",),
            feature_groups={"all": ("value", "noise")},
            tight_seconds=2.0,
        )
    )
    assert (known.decoder, known.title) == ("half", "pick (decoder=half, rate=0.5)")
    assert (known.decoders, known.learn_decoders) == (("none", "half"), {"half": "none"})
    assert known.safe_weights is not None
    assert (known.safe_weights.dtype, known.safe_weights.tolist()) == (np.float64, [1.0, 0.0])
    assert (known.radius, type(known.radius), known.homogeneous) == (3.0, float, True)
    assert (known.fields, known.sizes, known.baselines) == (("rows",), (size,), ("first",))
    assert (known.feature_groups, known.tight_seconds) == ({"all": ("value", "noise")}, 2.0)


@pytest.mark.parametrize(
    ("members", "names"),
    [
        ({"name": ""}, ("name", "Changed")),
        ({"name": 3}, ("name", "Changed")),
        ({"feature_names": "value"}, ("feature_names", "Changed")),
        ({"feature_names": ("a", 2)}, ("feature_names", "Changed")),
        ({"options": ["decoder"]}, ("options", "Changed")),
        ({"options": {1: 2}}, ("options", "Changed")),
        ({"sizes": ("items",)}, ("sizes", "Changed")),
        ({"sizes": Size("items", int, 3, "items")}, ("sizes", "Changed")),
        ({"radius": 0}, ("radius", "Changed")),
        ({"radius": np.inf}, ("radius", "Changed")),
        ({"radius": "wide"}, ("radius", "Changed")),
        ({"radius": True}, ("radius", "Changed")),
        ({"decoders": "none"}, ("decoders", "Changed")),
        ({"baselines": 3}, ("baselines", "Changed")),
        ({"fields": (1,)}, ("fields", "Changed")),
        ({"learn_decoders": ("a",)}, ("learn_decoders", "Changed")),
        ({"feature_groups": "all"}, ("feature_groups", "Changed")),
        ({"safe_weights": np.array([1.0])}, ("safe_weights", "pick")),
        ({"safe_weights": [np.nan, 1.0]}, ("safe_weights", "pick")),
        ({"safe_weights": ["a", "b"]}, ("safe_weights", "pick")),
        ({"safe_weights": {"value": 1}}, ("safe_weights", "pick")),
    ],
)
def test_what_is_of_the_wrong_kind_is_named(members: dict[str, Any], names: tuple[str, ...]) -> None:
    with rejects(InputError, *names):
        declared(changed(**members))


@pytest.mark.parametrize("member", ["name", "feature_names", "features", "layer", "decode", "cost", "scale"])
def test_a_needed_member_that_is_missing_is_named(member: str) -> None:
    """None is not there."""
    with rejects(InputError, "Changed", member):
        check_members(changed(**{member: None}))


def test_all_that_is_missing_is_named_at_once() -> None:
    with rejects(InputError, "object"):
        check_members(object())
    with rejects(InputError, "Pick"):
        check_members(Pick)
    with rejects(InputError, "single-machine"):
        check_members("single-machine")


def test_a_property_that_raises_is_named_and_not_taken_for_missing() -> None:
    class Broken(Pick):
        @property
        def safe_weights(self) -> Any:
            return self.no_such_thing  # type: ignore[attr-defined]

    assert has(Broken(), "safe_weights")
    with rejects(InputError, "safe_weights", "Broken"):
        declared(Broken())


def test_members_that_getattr_gives_are_there() -> None:
    class Proxy:
        def __getattr__(self, name: str) -> Any:
            return getattr(Pick(), name)

    assert declared(Proxy()).name == "pick"
    assert not has(Proxy(), "bound")
    assert attribute(Proxy(), "bound", "nothing") == "nothing"


class Optioned(Pick):
    """Options, without `with_options`: made again by its constructor."""

    decoders = ("none", "half")

    def __init__(self, decoder: str = "none", rate: float = 0.5) -> None:
        self.options = {"decoder": decoder, "rate": rate}


class Own(Optioned):
    """Makes its variants itself."""

    def with_options(self, **changes: Any) -> Any:
        made = Own(**{**self.options, **changes})
        made.made_by = "itself"
        return made


def test_a_variant_has_other_options() -> None:
    """The others stay; None, or nothing, is the problem itself."""
    problem = Optioned(rate=0.25)
    assert variant(problem) is variant(problem, decoder=None, rate=None) is problem
    assert variant(problem, decoder="half").options == {"decoder": "half", "rate": 0.25}
    assert variant(SingleMachine("27"), decoder="ls").options == {"features": "27", "decoder": "ls"}


def test_a_variant_may_be_made_by_the_problem() -> None:
    made = variant(Own(rate=0.25), decoder="half")
    assert (made.made_by, made.options) == ("itself", {"decoder": "half", "rate": 0.25})


@pytest.mark.parametrize(
    ("problem", "changes", "where"),
    [
        (Optioned(), {"decoder": "magic"}, "--decoder"),
        (Optioned(), {"decoder": "hal"}, "--decoder"),
        (Own(), {"decoder": "magic"}, "--decoder"),
        (Optioned(), {"feature_set": "66"}, "--feature-set"),
        (Pick(), {"decoder": "ls"}, "--decoder"),
        (SingleMachine(), {"colour": "red"}, "--colour"),
    ],
)
def test_what_a_problem_has_not_is_refused(problem: Any, changes: dict[str, Any], where: str) -> None:
    with rejects(OptionError, where=where):
        variant(problem, **changes)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "half",
        Pick(),
        Optioned(),
        type("Other", (Optioned,), {"name": "other"})("half"),
    ],
)
def test_a_variant_that_is_none_is_refused(answer: Any) -> None:
    """One that kept its old options would learn and solve as if nothing had been asked."""
    problem = type("Wrong", (Optioned,), {"with_options": lambda self, **changes: answer})()
    with rejects(InputError, "with_options", "pick"):
        variant(problem, decoder="half")


def test_decoders_are_checked_by_the_option_that_names_them() -> None:
    known = declared(Optioned())
    check_decoder(known, "half", "--learn-decoder")
    with rejects(OptionError, where="--learn-decoder"):
        check_decoder(known, "x", "--learn-decoder")
    with rejects(OptionError, where="--learn-decoder"):
        check_decoder(declared(Pick()), "x", "--learn-decoder")


class Based(BaseProblem):
    name = "based"
    feature_names = ("one",)

    def __init__(self, rate: float = 1.0) -> None:
        self.rate = rate

    @property
    def options(self) -> dict[str, Any]:
        return {"rate": self.rate}

    def features(self, instance: Any) -> Any:
        return np.ones((1, 1))

    def layer(self, theta: Any, instance: Any) -> int:
        return 7

    def cost(self, solution: int, instance: Any) -> float:
        return float(solution)


def test_the_base_class_fills_in_what_has_a_default() -> None:
    problem = Based(0.5)
    assert (problem.decode(7, None), problem.scale(None)) == (7, 1.0)
    assert (problem.bound(None), problem.group(None)) == (None, {})
    assert repr(problem) == "Based(rate=0.5)"
    assert problem.with_options(rate=2.0).options == {"rate": 2.0}
    with rejects(OptionError, where="--speed"):
        problem.with_options(speed=1)
