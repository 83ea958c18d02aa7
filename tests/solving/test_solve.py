"""The options of a solve are checked before any work; a solve puts candidates, rounds, safety and bound together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.errors import OptionError
from colayer.pretrained import pretrained
from colayer.problem.bind import bind
from colayer.problems import SpanningTree
from colayer.solving.compatibility import raw_model
from colayer.solving.days import SolvedDay
from colayer.solving.solve import LONGEST, SolveOptions, solve_instance
from support.crowd_problem import Crowd
from support.errors import rejects
from support.parcel_days import bound_parcels, days

PROBLEM = bind(SpanningTree())
INSTANCE = SpanningTree().generate(seed=1, width=4, scenarios=3)


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"candidates": 0}, "--candidates"),
        ({"samples": -1}, "--samples"),
        ({"sigma": -0.5}, "--sigma"),
        ({"sigma": np.nan}, "--sigma"),
        ({"seed": -1}, "--seed"),
        ({"time_limit": -1.0}, "--time-limit"),
        ({"time_limit": 2 * LONGEST}, "--time-limit"),
    ],
)
def test_options_that_make_no_sense_are_refused(given: dict[str, Any], where: str) -> None:
    with rejects(OptionError, where=where):
        SolveOptions(**given)


def test_draws_may_be_as_close_as_one_likes() -> None:
    assert [SolveOptions(sigma=sigma).sigma for sigma in (0.0, 0.5)] == [0.0, 0.5]


def test_rounds_of_features_that_take_no_solution_are_refused() -> None:
    with rejects(OptionError, where="--rounds"):
        solve_instance(PROBLEM, pretrained(PROBLEM), INSTANCE, SolveOptions(rounds=2), safe=True)


def test_more_candidates_and_safe_weights_are_never_worse() -> None:
    model = pretrained(PROBLEM)
    costs = [
        solve_instance(PROBLEM, model, INSTANCE, SolveOptions(candidates=count), safe=safe).cost
        for count, safe in ((1, False), (10, False), (10, True))
    ]
    assert costs == sorted(costs, reverse=True)


def test_a_bound_is_computed_where_it_is_asked_for() -> None:
    with_bound, without = (
        solve_instance(PROBLEM, pretrained(PROBLEM), INSTANCE, SolveOptions(bound=bound), safe=True)
        for bound in (True, False)
    )
    assert with_bound.bound is not None
    assert with_bound.cost == without.cost >= with_bound.bound
    assert (without.bound, without.gap) == (None, None)


def test_rounds_end_where_one_weight_vector_alone_repeats_itself() -> None:
    """With draws beside it, the next round may bring something new."""
    crowd = bind(Crowd())
    model, instance = raw_model(crowd, Crowd.safe_weights, "given"), Crowd().generate(0)
    alone, beside = (
        solve_instance(crowd, model, instance, SolveOptions(samples=samples, sigma=0.5, rounds=6), safe=False)
        for samples in (0, 1)
    )
    assert (alone.rounds, alone.candidates) == (2, 2)
    assert (beside.rounds, beside.candidates) == (6, 12)


def test_a_day_is_played() -> None:
    own = bound_parcels()
    model = raw_model(own, [-0.5, 1.0, -0.2], "given")
    assert isinstance(solve_instance(own, model, days(1)[0], SolveOptions(), safe=False), SolvedDay)
