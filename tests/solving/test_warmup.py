"""What is compiled before the clock starts: a small instance, solved once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import InputError, Pipeline, Size
from colayer.problem.bind import bind
from colayer.problems import find_problem
from colayer.solving.warmup import small_instance, warm_up
from support.errors import rejects
from support.pick_problem import Pick
from support.registry import static_names


class Sized(Pick):
    """Makes instances, and remembers how it was asked."""

    sizes: tuple[Size, ...] = (
        Size("items", int, 50, "number of items", minimum=2),
        Size("least", int, 20, "a size that cannot be small", minimum=10),
        Size("few", int, 3, "a size that is small"),
        Size("rate", float, 0.5, "no whole number"),
        Size("kind", str, "flat", "a word", choices=("flat", "steep")),
    )

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.calls: list[str] = []

    def generate(self, seed: Any, **sizes: Any) -> Any:
        self.asked.append(sizes)
        return np.random.default_rng(seed).uniform(size=(sizes["items"], 2))

    def layer(self, theta: Any, instance: Any) -> Any:
        self.calls.append("layer")
        return super().layer(theta, instance)


def test_whole_numbers_are_small_and_the_rest_as_declared() -> None:
    problem = Sized()
    instance = small_instance(bind(problem))
    assert problem.asked == [{"items": 4, "least": 10, "few": 3, "rate": 0.5, "kind": "flat"}]
    assert instance is not None
    assert instance.shape == (4, 2)
    assert np.array_equal(instance, small_instance(bind(problem), seed=0))
    assert not np.array_equal(instance, small_instance(bind(problem), seed=1))


def test_one_that_cannot_be_made_is_none() -> None:
    assert small_instance(bind(Pick())) is None
    warm_up(Pipeline(Pick(), weights=[1.0, 0.0]))


@pytest.mark.parametrize(("samples", "calls"), [(0, 1), (1, 2), (20, 2)])
def test_one_draw_is_enough_to_compile_what_draws_need(samples: int, calls: int) -> None:
    problem = Sized()
    warm_up(Pipeline(problem, weights=[1.0, 0.0]), samples)
    assert problem.calls == ["layer"] * calls


@pytest.mark.parametrize("name", static_names())
def test_every_built_in_problem_has_a_small_instance(name: str) -> None:
    problem = find_problem(name)
    instance = small_instance(bind(problem))
    assert 0 < len(problem.features(instance)) <= 100


def test_no_instance_and_wrong_sizes_are_refused_by_name() -> None:
    nothing = type("Nothing", (Sized,), {"generate": lambda self, seed, **sizes: None})()
    with rejects(InputError, "generate", "pick"):
        small_instance(bind(nothing))
    wrong = type("Wrong", (Sized,), {"sizes": (Size("items", int, "ten", "n"),)})()
    with rejects(InputError, "sizes", "Wrong"):
        small_instance(bind(wrong))
