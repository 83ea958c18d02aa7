"""The story in words."""

from __future__ import annotations

import numpy as np

from colayer import Pipeline
from colayer.cli.demos.story import heaviest, story
from colayer.comparison.table import Comparison, Result
from colayer.models import LinearModel
from support.selection_problem import Selection, instances


def test_the_heaviest_weights_are_named() -> None:
    model = LinearModel(("a", "b", "c", "d"), np.array([0.5, -2.0, 0.0, 1.0]), np.ones(4), "toy")
    assert heaviest(model, 2) == "3 of 4 weights are not zero, the largest: b -2, d 1"
    nothing = LinearModel(("a",), np.zeros(1), np.ones(1), "toy")
    assert heaviest(nothing) == "0 of 1 weights are not zero"


def told(comparison: Comparison) -> str:
    learner = Pipeline(Selection("swap"), [1.0, 1.0, 0.0], safe=False)
    learner.fit(instances(3), evaluations=7, method="direct", portfolio=1)
    return "".join(
        part if isinstance(part, str) else part.text() for part in story(comparison, learner, "nothing", "day")
    )


def test_many_candidates_are_judged_beside_the_best_plain_way_with_as_many() -> None:
    """Ten tries beat one of anything: what learning adds shows against ten tries without it."""
    names = (
        "safe weights",
        "safe weights, 10 candidates",
        "atc, best of 10 constants",
        "learned",
        "learned, 10 candidates",
    )
    costs = ((10.0, 11.0, 12.0), (8.5, 9.5, 10.5), (8.0, 9.0, 10.0), (9.0, 9.9, 10.8), (8.0, 9.1, 9.9))
    results = [Result(name, i, cost[i], 1.0, 1.0, 0.001, {}) for i in range(3)
               for name, cost in zip(names, costs, strict=True)]  # fmt: skip
    kinds = ("safe", "solver", "solver", "learned", "learned")
    text = told(Comparison("toy", names, tuple(results), kinds))
    assert "\nlearned is better than safe weights: -10.0 ± 0 %" in text
    assert "no measurable difference between learned, 10 candidates and atc, best of 10 constants: +0.0370 ± " in text
    assert "kept: evaluation " in text


def test_who_is_still_ahead_is_named() -> None:
    results = [Result(name, i, cost, 1.0, 1.0, 0.001, {}) for i in range(2)
               for name, cost in (("learned", 2.0), ("rule", 3.0), ("search", 1.5))]  # fmt: skip
    text = told(Comparison("toy", ("learned", "rule", "search"), tuple(results), ("learned", "rule", "solver")))
    assert text.endswith("\nstill ahead: search, 50.0 % in 1.00 ms\n")
    assert text.count("still ahead") == 1
