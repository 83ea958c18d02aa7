"""A bound problem: checked once, looked up once, under one guard; and x → θ → y → z → cost."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np
import pytest

from colayer import BaseProblem, InputError, OptionError, Pipeline
from colayer.problem.bind import NAMES, BoundProblem, bind
from colayer.problem.declarations import METHODS, OPTIONAL
from colayer.problem.guard import own_fault
from colayer.problem.structure import Order
from colayer.problems import SingleMachine, find_problem
from support.crowd_problem import Crowd
from support.errors import rejects
from support.pick_problem import Pick
from support.registry import static_names
from support.selection_problem import Selection, instances

X = np.array([[4.0, 0.0], [2.0, 8.0], [3.0, 1.0], [9.0, 2.0]])


def changed(**members: Any) -> Any:
    """`Pick` with members added or replaced, bound."""
    return bind(type("Changed", (Pick,), members)())


def able(**answers: Any) -> Any:
    """`Pick` with methods that return these values, bound."""
    return changed(**{name: lambda self, *a, value=v, **k: value for name, v in answers.items()})


def test_a_bound_problem_is_bound_once() -> None:
    problem = Pick()
    bound = bind(problem)
    assert bind(bound) is bound
    assert (bound.problem, repr(bound)) == (problem, repr(problem))
    with pytest.raises(InputError, match="Pick is a class"):
        bind(Pick)


def test_attributes_are_read_and_methods_looked_up() -> None:
    """What is missing has its default; an optional method is None."""
    bound = bind(Pick())
    assert (bound.name, bound.feature_names, bound.dimension, bound.radius) == ("pick", ("value", "noise"), 2, 10.0)
    assert (bound.decoder, bound.title, bound.features_use_solution) == (None, "pick", False)
    assert [method for method in OPTIONAL if getattr(bound, method) is not None] == []
    decoding = bind(Selection("swap"))
    assert (decoding.decoder, decoding.title) == ("swap", "selection (decoder=swap)")
    assert decoding.exact is not None
    assert bind(Crowd()).features_use_solution


@pytest.mark.parametrize("name", static_names())
def test_built_in_problems_are_called_as_they_are(name: str) -> None:
    problem = find_problem(name)
    bound = bind(problem)
    assert (bound.built_in, bound.guarded) == (True, False)
    for method in (*METHODS[1:], *OPTIONAL):
        assert getattr(bound, method) == getattr(problem, method, None), method
    assert bind(problem, []).guarded


def test_a_bound_problem_is_pickled_as_its_problem() -> None:
    bound = pickle.loads(pickle.dumps(bind(Selection("swap"))))
    assert isinstance(bound, BoundProblem)
    assert bound.options == {"decoder": "swap"}
    x = instances(1)[0]
    assert bound.solution_at(x.price, x)[1] == bind(Selection("swap")).solution_at(x.price, x)[1]


def test_wrong_attributes_are_raised_or_collected() -> None:
    wrong = type("Wrong", (Pick,), {"radius": "wide", "fields": 3})()
    with pytest.raises(InputError, match=r"^radius of Wrong"):
        bind(wrong)
    mistakes: list[InputError] = []
    bound = bind(wrong, mistakes)
    assert len(mistakes) == 2
    assert (bound.radius, bound.fields) == (10.0, ())


def test_what_is_needed_is_given_or_named() -> None:
    problem = able(exact=None)
    assert problem.need("exact") is problem.exact
    for method, name in NAMES.items():
        with rejects(InputError, f"pick has no {name}"):
            bind(Pick()).need(method)
    with pytest.raises(InputError, match=r"^pick has no target: it cannot learn"):
        bind(Pick()).need("target", why="it cannot learn")
    with pytest.raises(OptionError) as caught:
        bind(Pick()).need("exact", option="--certify")
    assert caught.value.where == "--certify"


def test_from_theta_to_the_cost() -> None:
    """Half of the items, those of least θ: 2 and 3 by value, 4 and 3 by noise."""
    solution, cost = bind(Pick()).solution_at(X[:, 0], X)
    assert (solution.tolist(), cost) == ([1, 2], 105.0)
    assert bind(Pick()).costs(X, np.array([[1.0, 0.0], [0.0, 1.0]]), X).tolist() == [105.0, 107.0]
    assert changed(decode=lambda self, y, x: y[:1]).solution_at(X[:, 0], X)[1] == 102.0


def test_rounds_are_an_argument_of_the_costs() -> None:
    problem, weights = bind(Crowd()), np.array([[1.0, 0.1, -0.2], [1.0, 0.0, 0.0]])
    x = Crowd().generate(0)
    features = problem.features(x)
    once, twice = (problem.costs(features, weights, x, rounds) for rounds in (1, 2))
    solution, first = problem.solution_at(features @ weights[0], x)
    _, second = problem.solution_at(problem.features(x, solution) @ weights[0], x)
    assert (once[0], twice[0]) == (first, min(first, second))
    assert (twice <= once).all()


@pytest.mark.parametrize("method", ["layer", "decode", "cost", "scale", "features"])
def test_answers_are_checked_and_faults_named(method: str) -> None:
    """What would mean something else further up is refused at once; other exceptions pass, and carry a note."""

    def call(problem: Any) -> Any:
        return (problem.features(X), problem.scale(X), problem.solution_at(X[:, 0], X))

    with pytest.raises(InputError, match=f"^{method} of pick returned None"):
        call(able(**{method: None}))
    with pytest.raises(InputError, match=rf"^{method} of pick raised SystemExit: 3 \(test_bind.py, line "):
        call(changed(**{method: lambda self, *_: sys.exit(3)}))
    with pytest.raises(ZeroDivisionError) as caught:
        call(changed(**{method: lambda self, *_: 1 / 0}))
    assert (own_fault(caught.value) or "").startswith(f"{method} of pick raised ZeroDivisionError")


def test_what_a_built_in_problem_raises_is_a_fault_of_ours() -> None:
    with pytest.raises(AttributeError) as caught:
        bind(SingleMachine()).scale("no instance")
    assert own_fault(caught.value) is None


def test_the_best_of_many_is_the_first_at_equal_cost() -> None:
    value, noise = X[:, 0], X[:, 1]
    row, solution, cost = bind(Pick()).best_of(np.array([noise, value, 2 * value]), X)
    assert (row, solution.tolist(), cost) == (1, [1, 2], 105.0)


def test_the_best_of_many_may_be_the_problems_own() -> None:
    """Where many θ share work, or parts of several solutions are put together: row −1."""
    seen: list[Any] = []
    own = changed(best=lambda self, many, x, seed: (seen.append((len(many), seed)), (-1, [1, 2], 105.0))[1])
    assert own.best_of(np.ones((3, 4)), X, seed=5) == (-1, [1, 2], 105.0)
    assert seen == [(3, 5)]


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        (None, "None"),
        ((0, [1, 2]), ""),
        ((3, [1, 2], 105.0), "3 as row"),
        ((-2, [1, 2], 105.0), "-2 as row"),
        ((True, [1, 2], 105.0), "True as row"),
        ((0, None, 105.0), "None as solution"),
        ((0, [1, 2], None), "None as cost"),
        ((0, [1, 2], 90.0), "the cost 90"),  # nor is one believed that costs less than its solution does
    ],
)
def test_a_best_that_is_none_is_refused(answer: Any, part: str) -> None:
    with pytest.raises(InputError, match=f"^best of pick returned {part}"):
        able(best=answer).best_of(np.ones((3, 4)), X)


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        (None, "None"),
        ([[1, 2], 2.0, True], ""),
        (([1, 2], 2.0), ""),
        ((None, 105.0, True), "None as solution"),
        (([1, 2], None, True), "None as bound"),
        (([1, 2], np.nan, True), "nan as bound"),
        (([1, 2], 106.0, True), "106.0 as bound"),
        (([1, 2], np.inf, True), "inf as bound"),
    ],
)
def test_an_exact_answer_that_is_none_or_contradicts_itself_is_refused(answer: Any, part: str) -> None:
    with pytest.raises(InputError, match=f"^exact of pick returned {part}"):
        able(exact=answer).solve_exactly(X)


def test_the_exact_solver_is_given_all_it_may_use_and_what_is_proved_is_measured() -> None:
    """Whatever the solver says, and up to what rounding may leave."""
    given: list[Any] = []
    solver = changed(exact=lambda self, x, **more: (given.append(more), ([1, 2], np.float32(105.0), False))[1])
    assert solver.solve_exactly(X, time_limit=5.0, progress=print, start=[0]) == ([1, 2], 105.0, True)
    assert given == [{"time_limit": 5.0, "progress": print, "start": [0]}]
    for bound, said, proved in ((104.0, True, False), (105.0 + 1e-9, False, True)):
        assert able(exact=([1, 2], bound, said)).solve_exactly(X) == ([1, 2], bound, proved)
    with pytest.raises(InputError, match=r"^pick has no exact solver$"):
        bind(Pick()).solve_exactly(X)


def test_bounds_are_numbers_or_none() -> None:
    """One of −∞ says nothing: none."""
    for given, expected in ((None, None), (3, 3.0), (np.float32(2.5), 2.5), (-np.inf, None), (np.array(4.0), 4.0)):
        assert able(bound=given).lower_bound(X) == expected
    assert bind(Pick()).lower_bound(X) is None
    with pytest.raises(InputError, match=r"^bound of pick returned 'low'"):
        able(bound="low").lower_bound(X)


def test_sizes_structure_and_vectors() -> None:
    assert (bind(Pick()).sizes_of(X), able(group={"jobs": 3}).sizes_of(X)) == ({}, {"jobs": 3})
    assert bind(Pick()).structure_of(X, 4) == ()
    answered = changed(structure=lambda self, x, y=None: Order(np.arange(4) if y is None else y))
    assert answered.structure_uses_answer
    ((order,), (other,)) = answered.structure_of(X, 4), answered.structure_of(X, 4, np.array([3, 2, 1, 0]))
    assert (order.permutation.tolist(), other.permutation.tolist()) == ([0, 1, 2, 3], [3, 2, 1, 0])
    with pytest.raises(InputError, match=r"^structure of pick"):
        answered.structure_of(X, 5)
    assert able(embed=[1, 0, 0, 1]).vector("embed", 4, None, X).tolist() == [1.0, 0.0, 0.0, 1.0]
    with pytest.raises(InputError, match=r"^embed of pick returned"):
        able(embed=[1.0]).vector("embed", 4, None, X)


def test_instances_are_those_of_the_declared_class() -> None:
    typed = changed(instance_type=np.ndarray)
    typed.check_instance(X)
    assert len(typed.check_instances((X, X))) == 2
    with pytest.raises(InputError, match="pick"):
        typed.check_instance("x")
    with pytest.raises(InputError) as caught:
        typed.check_instances(X)
    assert caught.value.where == "instances"


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
    problem = bind(Optioned(rate=0.25))
    assert problem.variant() is problem.variant(decoder=None, rate=None) is problem
    assert problem.variant(decoder="half").options == {"decoder": "half", "rate": 0.25}
    assert bind(SingleMachine("27")).variant(decoder="ls").options == {"features": "27", "decoder": "ls"}
    made = bind(Own(rate=0.25)).variant(decoder="half")
    assert (made.problem.made_by, made.options) == ("itself", {"decoder": "half", "rate": 0.25})


@pytest.mark.parametrize(
    ("problem", "changes", "where"),
    [
        (Optioned(), {"decoder": "magic"}, "--decoder"),
        (Own(), {"decoder": "magic"}, "--decoder"),
        (Optioned(), {"feature_set": "66"}, "--feature-set"),
        (Pick(), {"decoder": "ls"}, "--decoder"),
        (SingleMachine(), {"colour": "red"}, "--colour"),
    ],
)
def test_an_option_that_a_problem_has_not_is_refused(problem: Any, changes: dict[str, Any], where: str) -> None:
    with pytest.raises(OptionError) as caught:
        bind(problem).variant(**changes)
    assert caught.value.where == where


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "None"),
        ("half", "'half'"),
        (Pick(), "a problem with decoder None"),
        (Optioned(), "a problem with decoder 'none'"),
        (type("Other", (Optioned,), {"name": "other"})("half"), "a problem with name 'other'"),
    ],
)
def test_a_variant_that_is_none_is_refused(answer: Any, said: str) -> None:
    """One that kept its old options would learn and solve as if nothing had been asked."""
    problem = type("Wrong", (Optioned,), {"with_options": lambda self, **changes: answer})()
    with pytest.raises(InputError, match=f"^with_options of pick returned {said}"):
        bind(problem).variant(decoder="half")
    kept = type("Keeps", (Optioned,), {"__init__": lambda self, **_: Optioned.__init__(self)})()
    with pytest.raises(InputError, match=r"^the constructor of pick returned a problem with decoder 'none'"):
        bind(kept).variant(decoder="half")


def test_decoders_are_checked_by_the_option_that_names_them() -> None:
    bind(Optioned()).check_decoder("half", "--learn-decoder")
    for problem in (Optioned(), Pick()):
        with pytest.raises(OptionError) as caught:
            bind(problem).check_decoder("x", "--learn-decoder")
        assert caught.value.where == "--learn-decoder"


def test_the_defaults_of_the_base_class_are_methods() -> None:
    parts = {name: getattr(Pick, name) for name in ("name", "feature_names", "features", "layer", "cost")}
    bound = bind(type("Based", (BaseProblem,), parts)())
    assert (bound.scale(X), bound.decode(7, X), bound.lower_bound(X), bound.sizes_of(X)) == (1.0, 7, None, {})


def test_numbers_that_overflow_are_refused_for_built_in_problems_too() -> None:
    """The sum of completion times is beyond the largest number."""
    problem = SingleMachine(decoder="none")
    instance = problem.instance({"release": [0.0] * 10, "processing": [1.5e307] * 10})
    with np.errstate(over="ignore"), rejects(InputError, "single-machine"):
        Pipeline(problem).solve(instance)
    with np.errstate(over="ignore"), rejects(InputError, "bound", "single-machine"):
        bind(problem).lower_bound(instance)
