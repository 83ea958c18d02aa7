"""Problems with a context: samples, costs over outcomes, and what may be overridden."""

from __future__ import annotations

import numpy as np

from colayer.errors import InputError
from colayer.problem.bind import bind
from colayer.problem.context import ContextProblem, Sample
from support.context_samples import SIZE, data, problem
from support.errors import rejects


def test_the_cost_is_the_mean_over_the_outcomes() -> None:
    (one,) = problem().samples([[1.0]], [[[1.0] * SIZE, [3.0] * SIZE]])
    assert problem().cost(np.array([1.0, 1, 0, 0, 0, 0]), one) == 4.0
    assert problem().mean_costs(one).tolist() == [2.0] * SIZE


def test_outcomes_of_any_kind_have_a_cost_of_their_own() -> None:
    own = problem(outcome_cost=lambda y, outcome: float(outcome == "rain") + y[0])
    (one,) = own.samples([[1.0]], [["rain", "sun"]])
    assert own.cost(np.ones(SIZE), one) == 1.5
    assert own.mean_costs(one) is None
    (single,) = own.samples([[1.0]], ["rain"])
    assert own.cost(np.zeros(SIZE), single) == 1.0


def test_a_context_alone_is_an_instance_without_a_cost() -> None:
    contexts, _ = data(3)
    assert problem().context(contexts[0]).tolist() == contexts[0].tolist()
    assert problem().mean_costs(contexts[0]) is None
    with rejects(InputError, "use decide"):
        problem().cost(np.ones(SIZE), contexts[0])


def test_contents_differ_where_instances_do() -> None:
    own = problem()
    one = np.array([1.0])
    given = [one, np.array([2.0]), Sample(one, np.ones((1, SIZE))), Sample(one, ["a"])]
    assert len({own.content(one) for one in given}) == len(given)


def test_a_layer_that_was_overridden_is_called_with_its_instance() -> None:
    class Own(ContextProblem):
        def layer(self, theta, instance):
            return np.eye(SIZE)[int(instance[0])]

    rows = Own(None, size=SIZE).solve_rows(np.zeros((2, SIZE)), [np.array([1.0]), np.array([4.0])])
    assert rows.argmax(axis=1).tolist() == [1, 4]


def test_names_what_is_wrong() -> None:
    with rejects(InputError, where="size"):
        ContextProblem(lambda theta: theta)
    with rejects(InputError, where="outcomes"):
        problem().samples([[1.0], [2.0]], [[1.0] * SIZE])

    class Wrong(ContextProblem):
        def context(self, instance):
            return "warm"

    Wrong.__module__ = "elsewhere"
    with rejects(InputError, "context of pick"):
        bind(Wrong(lambda theta: theta, size=2, name="pick")).context(np.ones(1))
