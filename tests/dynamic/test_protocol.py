"""What counts as a dynamic problem."""

from __future__ import annotations

from typing import Any

import numpy as np

import colayer
from colayer import DynamicProblem, InputError
from colayer.dynamic.bound import BoundDynamic
from colayer.problem.bind import bind
from support.errors import rejects
from support.parcel_days import Parcels, days
from support.pick_problem import Pick


class Plain:
    """A class of nobody, with the methods alone."""

    name = "plain"
    feature_names = ("one",)

    def start(self, day: Any) -> int:
        return 0

    def features(self, state: int) -> Any:
        return np.ones((1, 1))

    def layer(self, theta: Any, state: int) -> Any:
        return theta

    def decode(self, y: Any, state: int) -> Any:
        return y

    def step(self, state: int, decision: Any) -> tuple[float, int | None]:
        return float(decision[0]), None if state == 2 else state + 1

    def scale(self, day: Any) -> float:
        return 1.0


def test_the_base_class_is_public() -> None:
    assert colayer.DynamicProblem is DynamicProblem


def test_start_and_step_make_a_problem_dynamic() -> None:
    bound = bind(Plain())
    assert isinstance(bound, BoundDynamic)
    assert bound.costs(np.ones((1, 1)), np.array([[2.0], [-1.0]]), "day").tolist() == [6.0, -3.0]


def test_a_problem_with_a_cost_is_not_dynamic_though_it_has_methods_of_these_names() -> None:
    class Stepping(Pick):
        def start(self) -> None: ...

        def step(self) -> None: ...

    assert not bind(Stepping()).dynamic


def test_what_is_missing_is_named() -> None:
    class Half(DynamicProblem):
        name = "half"
        feature_names = ("one",)

        def start(self, day: Any) -> Any: ...

    with rejects(InputError, "features, layer, step"):
        bind(Half())


def test_binding_survives_a_copy_and_other_options() -> None:
    bound = bind(Parcels())
    assert bind(bound) is bound
    (day,) = days(1)
    assert bound.cost(bound.need("baseline")("all", day), day) > 0
