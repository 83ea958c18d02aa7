"""Contexts, outcomes and costs that are none, and a problem of contexts whose parts return something wrong.

Each is refused in one line, or taken for what it is: nothing else comes out of Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from colayer import ContextProblem, InputError, Pipeline
from colayer.layers import TopK
from support.context_samples import SIZE, data, problem

CONTEXTS, COSTS = data(12)


class Rows:
    def __repr__(self) -> str:
        return "1  2\n3  4"


class Tensor:  # only its own library reads it
    def __array__(self, *given: Any, **options: Any) -> Any:
        raise RuntimeError("call detach() first")


ODD: dict[str, Any] = {
    "None": None, "text": "low", "nan": float("nan"), "inf": np.inf, "an object": object(), "a pair": (1.0, 2.0),
    "ragged": [[1.0], [1.0, 2.0]], "complex": 1j, "too long": np.ones(SIZE + 1), "a column": np.ones((SIZE, 1)),
    "a vector with nan": np.full(SIZE, np.nan), "words": np.array(["a"] * SIZE), "a dict": {"a": 1.0}, "True": True,
    "nothing": [], "an array of no dimension": np.array(1.0), "lines": Rows(), "a tensor": Tensor(), "huge": 10**400,
}  # fmt: skip


def fit(own: ContextProblem, contexts: Any = CONTEXTS, thetas: Any = COSTS) -> Pipeline[Any, Any, Any]:
    return Pipeline(own).fit(contexts, thetas=thetas, evaluations=2, workers=1)


def outcomes(own: ContextProblem, contexts: Any, given: Any) -> object:
    return Pipeline(own).fit(own.samples(contexts, given), evaluations=2, workers=1)


def fourth(values: Any, wrong: Any) -> list[Any]:
    return [*values[:3], wrong, *values[4:]]


def returning(value: Any, method: str) -> ContextProblem:
    """The problem with a method that returns this."""
    own = type("Own", (ContextProblem,), {method: lambda self, *given: value})
    if method == "features":
        own.feature_names = ("one",)  # type: ignore[attr-defined]
    made: ContextProblem = own(TopK(2), size=SIZE, name="pick")
    return made


#: What is wrong → what is called with each of the values.
CALLS: dict[str, Callable[[Any], object]] = {
    "contexts": lambda value: fit(problem(), contexts=value),
    "a context": lambda value: fit(problem(), contexts=fourth(CONTEXTS, value)),
    "thetas": lambda value: fit(problem(), thetas=value),
    "a theta": lambda value: fit(problem(), thetas=fourth(COSTS, value)),
    "contexts of samples": lambda value: problem().samples(value, COSTS),
    "outcomes": lambda value: outcomes(problem(), CONTEXTS, value),
    "an outcome": lambda value: outcomes(problem(), CONTEXTS, fourth(COSTS, value)),
    "a size": lambda value: ContextProblem(TopK(2), size=value),
    "a layer": lambda value: ContextProblem(value, size=SIZE),
    "the solver's answer": lambda value: fit(ContextProblem(lambda theta: value, size=SIZE)),
    "a method, layer": lambda value: fit(returning(value, "layer")),
    "a method, embed": lambda value: fit(returning(value, "embed")),
    "a method, features": lambda value: fit(returning(value, "features")),
    "a method, context": lambda value: fit(returning(value, "context")),
    "outcome_cost": lambda value: outcomes(problem(outcome_cost=lambda y, one: value), CONTEXTS, [1.0] * 12),
}
#: What is right after all.
SOUND = {
    ("a method, features", "a column"), ("outcome_cost", "True"), ("outcome_cost", "an array of no dimension"),
    *(("a method, context", name) for name in ("a pair", "too long", "nothing")),
}  # fmt: skip


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("what", CALLS)
def test_what_is_no_context_cost_or_layer_is_refused(what: str, value: str) -> None:
    if (what, value) in SOUND:
        CALLS[what](ODD[value])
        return
    with pytest.raises(InputError) as caught:
        CALLS[what](ODD[value])
    line = caught.value.line
    assert "\n" not in line
    assert 10 < len(line) < 300


@pytest.fixture(scope="module")
def learned() -> Pipeline[Any, Any, Any]:
    return fit(problem())


@pytest.mark.parametrize("value", [name for name in ODD if name != "nothing"])
def test_no_decision_is_made_for_what_is_no_context(value: str, learned: Pipeline[Any, Any, Any]) -> None:
    with pytest.raises(InputError):
        learned.decide(ODD[value])


def test_decisions_of_several_sizes_are_returned_as_they_are(learned: Pipeline[Any, Any, Any]) -> None:
    """A decoder may make routes, of any number of stops."""
    own = type("Routes", (ContextProblem,), {"decode": lambda self, y, context: [1] * int(1 + (context[0] > 0))})
    pipeline = Pipeline.from_model(own(TopK(2), size=SIZE, name="pick"), learned.model)
    found = pipeline.decide(CONTEXTS)
    assert [len(route) for route in found] == [1 + (row[0] > 0) for row in CONTEXTS]
    assert len({len(route) for route in found}) == 2
