"""What learning is compared with has the options of the models beside it, and is told apart by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.comparison.contender import rule_pipeline
from colayer.comparison.plain import distinct_names, plain_contenders
from colayer.models import LinearModel
from colayer.problem.bind import bind
from support.crowd_problem import Crowd
from support.item_problem import Item, PickItem
from support.parcel_days import Parcels
from support.selection_problem import Selection, instances

DATA = instances(3)


def pipeline(decoder: str = "none") -> Pipeline[Any, Any, Any]:
    return Pipeline(Selection(decoder), [1.0, 1.0, 0.0], safe=False)


def costs(contender: Any) -> list[float]:
    return [Selection().cost(contender.attempt(x, 1.0).solutions[-1][1], x) for x in DATA]


def test_without_models_the_problem_itself_is_taken() -> None:
    found = plain_contenders(Selection("swap"), DATA)
    names = ["safe weights", "best single feature (price_times_risk)", "cheapest", "safest"]
    assert [one.name for one in found] == names
    assert [one.kind for one in found] == ["safe", "rule", "rule", "rule"]
    safe = Pipeline(Selection("swap"), Selection.safe_weights, safe=False)
    assert costs(found[0]) == [safe.solve(x).cost for x in DATA]


def test_a_problem_with_no_more_than_it_needs_has_its_best_feature() -> None:
    assert [one.name for one in plain_contenders(PickItem(), [Item([1.0, 2.0])])] == ["best single feature (value)"]
    assert plain_contenders(PickItem(), []) == []


def test_the_decoder_is_that_of_the_model() -> None:
    """And not that of the problem as the command line names it."""
    (safe, *_) = plain_contenders(Selection(), DATA, [pipeline("swap")])
    assert safe.name == "safe weights"
    own = Pipeline(Selection("swap"), Selection.safe_weights, safe=False)
    assert costs(safe) == [own.solve(x).cost for x in DATA]


def test_models_with_options_of_their_own_have_safe_weights_each() -> None:
    found = plain_contenders(Selection(), DATA, [pipeline(), pipeline("swap"), pipeline()])
    assert [one.name for one in found] == [
        "safe weights, decoder none", "best single feature (price_times_risk), decoder none",
        "safe weights, decoder swap", "best single feature (price_times_risk), decoder swap", "cheapest", "safest",
    ]  # fmt: skip
    assert list(distinct_names({"a": pipeline(), "b": pipeline("swap")})) == ["a, decoder none", "b, decoder swap"]
    assert list(distinct_names({"a": pipeline(), "b": pipeline()})) == ["a", "b"]
    assert distinct_names({}) == {}


def test_draws_are_shared() -> None:
    found = plain_contenders(Selection(), DATA, [pipeline()], samples=4, seed=2, sigma=None)
    names = [one.name for one in found]
    assert names[:2] == ["safe weights, 4 samples", "best single feature (price_times_risk), 4 samples"]
    assert names[2:] == ["cheapest", "safest", "2 rules together"]
    together, rules = found[-1], found[2:4]
    for x in DATA:
        costs = [Selection().cost(one.attempt(x, 1.0).solutions[-1][1], x) for one in (together, *rules)]
        assert costs[0] == min(costs[1:])


def test_rules_do_not_play_a_day_together() -> None:
    """Nobody knows in the morning which of two policies will have been the better one."""
    problem = Parcels()
    names = [one.name for one in plain_contenders(problem, [problem.generate(0)], candidates=4)]
    assert {"all", "none"} <= set(names)
    assert not any("together" in name for name in names)


def test_draws_around_the_rule_take_the_sigma_that_was_best_for_it() -> None:
    """As a share of its norm; where the model does not know one, as much as the model itself is perturbed."""
    model = pipeline().model
    known = replace(model, provenance={"rule_sigma": 0.25})
    rule = np.array([3.0, 4.0, 0.0])
    found = rule_pipeline(bind(Selection()), rule / model.feature_scale, known).model
    assert found.sigma == pytest.approx(0.25 * 5.0)
    other = rule_pipeline(bind(Selection()), rule / model.feature_scale, replace(model, provenance={})).model
    assert other.sigma == pytest.approx(model.default_sigma * 5.0 / np.linalg.norm(model.weights))


def test_perturbed_safe_weights_stand_beside_perturbed_learned_ones() -> None:
    """They search, and are no reference."""
    found = plain_contenders(Selection(), DATA, [pipeline()], perturbed=3)
    assert [(one.name, one.kind, one.anytime) for one in found][:2] == [
        ("safe weights", "safe", False), ("safe weights, perturbed", "solver", True),
    ]  # fmt: skip
    (first, *_) = found[1].attempt(DATA[0], 0.0).solutions
    assert np.array_equal(first[1], Selection().baseline("cheapest", DATA[0]))


class Searching(Selection):
    """Its second rule searches for a pipeline without the decoder, and does not for one with it."""

    @property
    def searches(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("safest",) if self.decoder == "none" else ()


def test_a_rule_is_a_search_where_it_is_one_to_all_models() -> None:
    one, other = (Pipeline(Searching(d), [1.0, 1.0, 0.0], safe=False) for d in ("none", "swap"))
    kinds = {c.name: c.kind for c in plain_contenders(Searching(), DATA, [one])}
    assert (kinds["cheapest"], kinds["safest"]) == ("rule", "solver")
    assert {c.name: c.kind for c in plain_contenders(Searching(), DATA, [one, other])}["safest"] == "rule"


def in_rounds(rounds: int) -> Pipeline[Any, Any, Any]:
    problem = Crowd()
    model = LinearModel(problem.feature_names, np.array([1.0, 0.1, -0.2]), np.ones(3), problem.name, rounds=rounds)
    return Pipeline.from_model(problem, model, safe=False)


def test_rounds_are_those_of_the_models_beside() -> None:
    """Safe weights and the best feature once for every number of rounds, or for the one that is asked for."""
    problem = Crowd()
    data = [problem.generate(seed) for seed in range(3)]

    def names(pipelines: Any, **options: Any) -> list[str]:
        return [one.name for one in plain_contenders(problem, data, pipelines, **options)]

    both = [f"{name}{rounds}" for name in ("safe weights", "best single feature (work)")
            for rounds in ("", ", 3 rounds", ", 5 rounds")]  # fmt: skip
    assert names([in_rounds(5), in_rounds(1), in_rounds(3)]) == both
    assert names([in_rounds(5), in_rounds(3)], rounds=2, candidates=4) == [
        "safe weights, 2 rounds, 4 candidates", "best single feature (work), 2 rounds, 4 candidates",
    ]  # fmt: skip
    assert names([]) == ["safe weights", "best single feature (work)"]
    assert names([], rounds=2) == ["safe weights, 2 rounds", "best single feature (work), 2 rounds"]
    (safe, *_) = plain_contenders(problem, data, [in_rounds(5)])
    own = Pipeline(problem, problem.safe_weights, safe=False)
    found = [problem.cost(safe.attempt(x, 1.0).solutions[-1][1], x) for x in data]
    assert found == [own.solve(x, rounds=5).cost for x in data]
