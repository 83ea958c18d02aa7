"""Selectors: which members come first for an instance, by hand; files that are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.errors import InputError
from colayer.models import LinearModel, model_of
from colayer.models.selector import Selector, describe, greedy_order, similarity
from support.errors import rejects
from support.selection_problem import Selection

#: Two members; the first is good where the descriptor is low, the second where it is high.
SELECTOR = Selector(
    columns=(0,),
    center=np.array([0.0]),
    spread=np.array([1.0]),
    relevance=np.array([100.0]),
    descriptors=np.array([[-1.0], [-0.9], [0.9], [1.0]]),
    losses=np.array([[1.0, 1.0, 3.0, 3.0], [2.0, 2.0, 1.0, 1.0]]),
)


def test_descriptors_are_mean_and_spread_in_model_units_and_the_rows() -> None:
    features = np.array([[1.0, 4.0], [3.0, 4.0]])
    assert describe(features.T, np.array([2.0, 1.0])).tolist() == [1.0, 4.0, 0.5, 0.0, np.log(2.0)]


@pytest.mark.parametrize(("value", "order"), [(-1.1, [0, 1]), (0.95, [1, 0]), (1.1, [1, 0]), (99.0, [1, 0])])
def test_members_that_did_best_on_instances_like_this_one_come_first(value: float, order: list[int]) -> None:
    assert SELECTOR.order(np.full((3, 1), value), np.ones(1), 2) == order
    assert SELECTOR.order(np.full((3, 1), value), np.ones(1), 1) == order[:1]


def test_an_instance_it_was_learned_on_does_not_speak_for_itself() -> None:
    """At 0.9 alone the second member is worse, and there it is not asked."""
    other = replace(SELECTOR, losses=np.array([[1.0, 1.0, 0.0, 3.0], [2.0, 2.0, 9.0, 1.0]]))
    assert other.order_of(np.array([0.9, 0.0, 0.0]), 1) == [1]
    assert other.order_of(np.array([0.91, 0.0, 0.0]), 1) == [0]
    twice = replace(SELECTOR, descriptors=np.array([[-1.0], [1.0], [1.0], [1.0]]))
    assert twice.order_of(np.array([1.0, 0.0, 0.0]), 1) == [1]  # of those that look the same, one is left out
    alone = replace(SELECTOR, descriptors=np.array([[1.0]]), losses=np.array([[2.0], [1.0]]))
    assert alone.order_of(np.array([1.0, 0.0, 0.0]), 2) == [0, 1]


def test_the_next_member_is_the_one_that_adds_most() -> None:
    """The second best on average is a copy of the best; with equal weights the order is that of greedy."""
    losses = np.array([[1.0, 1.0, 4.0], [1.0, 1.1, 4.0], [5.0, 5.0, 1.0]])
    assert greedy_order(losses, np.ones(3), 3) == [0, 2, 1]
    assert greedy_order(losses, np.ones(3), 9) == [0, 2, 1]


def test_weights_of_instances_fall_with_the_distance() -> None:
    near = similarity(np.array([[0.0]]), np.array([[0.0], [1.0], [50.0]]), np.array([1.0]))[0]
    assert near[0] > near[1] > near[2] > 0.0
    assert near.sum() == pytest.approx(1.02)
    own = similarity(np.array([[0.0], [1.0]]), np.array([[0.0], [1.0]]), np.array([1.0]), leave_out=True)
    assert own[0, 0] == own[1, 1] == pytest.approx(0.01)


def model(selector: Selector | None = SELECTOR) -> LinearModel:
    weights = np.array([1.0, 0.0, 0.0])
    portfolio = np.array([weights, [0.0, 1.0, 0.0]])
    names = Selection.feature_names
    return LinearModel(
        names, weights, np.ones(3), "selection", {"decoder": "none"}, portfolio=portfolio, selector=selector
    )


def test_solve_takes_members_in_its_order(tmp_path: Path) -> None:
    """A file keeps it; without one the weights come first."""
    problem = Selection()
    model().save(tmp_path / "m.json")
    pipeline = Pipeline.load(tmp_path / "m.json", problem, safe=False)
    plain = Pipeline.from_model(problem, model(None), safe=False)
    sources = set()
    for seed in range(20):
        instance = problem.generate(seed)
        solved = pipeline.solve(instance)
        first = SELECTOR.order(problem.features(instance), np.ones(3), 1)[0]
        assert solved.source == ("learned" if first == 0 else "member 2")
        assert plain.solve(instance).source == "learned"
        assert pipeline.solve(instance, candidates=2).cost == plain.solve(instance, candidates=2).cost
        sources.add(solved.source)
    assert sources == {"member 2"}  # all of these instances have a high mean price


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"columns": 3}, "selector.columns"),
        ({"columns": [7]}, "selector.columns"),
        ({"columns": [-1]}, "selector.columns"),
        ({"center": [0.0, 1.0]}, "selector.center"),
        ({"spread": [0.0]}, "selector"),
        ({"relevance": [-1.0]}, "selector"),
        ({"descriptors": [[1.0, 2.0]]}, "selector.descriptors[0]"),
        ({"losses": [[1.0, 2.0], [1.0, 2.0]]}, "selector.losses[0]"),
        ({"losses": [[1.0, 1.0, 3.0, 3.0]]}, "selector.losses"),
        ({"losses": [[1.0, 1.0, 3.0, "x"]] * 2}, "selector.losses[0][3]"),
        ({"colour": 1}, "selector.colour"),
    ],
)
def test_files_of_strangers_are_refused(change: dict[str, Any], where: str) -> None:
    document = model().document()
    with rejects(InputError, where=where):
        model_of({**document, "selector": {**document["selector"], **change}})


@pytest.mark.parametrize("selector", [5, [], {}])
def test_what_is_no_selector_is_refused(selector: Any) -> None:
    with pytest.raises(InputError) as caught:
        model_of({**model().document(), "selector": selector})
    assert (caught.value.where or "").startswith("selector")
