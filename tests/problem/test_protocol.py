"""What a problem is, and what the base class fills in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import BaseProblem, OptionError, Problem
from support.pick_problem import Pick


def test_five_methods_and_two_names_are_a_problem() -> None:
    assert isinstance(Pick(), Problem)
    assert not isinstance(object(), Problem)


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
    with pytest.raises(OptionError) as caught:
        problem.with_options(speed=1)
    assert caught.value.where == "--speed"
