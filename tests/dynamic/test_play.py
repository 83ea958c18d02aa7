"""Days, played: no policy beats hindsight, replays agree, and every mistake is named with its epoch."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

from colayer import InputError, Pipeline
from colayer.dynamic.bound import BoundDynamic
from colayer.dynamic.play import Epoch, play, replay, total_cost
from colayer.problem.bind import bind
from colayer.problem.guard import own_fault
from support.errors import rejects
from support.parcel_days import Parcels, State, bound_parcels, days, subsets

DAY = days(1, first=3)[0]


def bound(problem: Any) -> BoundDynamic:
    found = bind(problem)
    assert isinstance(found, BoundDynamic)
    return found


def played(problem: Parcels, careful: bool = True) -> float:
    own = bound(problem)
    return total_cost(play(own, own.start(DAY), own.plain_policy, careful=careful))


def all_days(state: State, problem: Parcels) -> Any:
    """Every sequence of decisions from a state on."""
    for decision in subsets(len(state.waiting)):
        _, after = problem.step(state, decision)
        rests = [[]] if after is None else all_days(after, problem)
        yield from ([decision, *rest] for rest in rests)


@pytest.mark.parametrize("seed", range(6))
def test_hindsight_is_the_best_of_all_sequences_and_below_every_policy(seed: int) -> None:
    """Whatever a policy decides is one of the sequences of decisions that end with an empty depot."""
    problem, own = Parcels(), bound_parcels()
    (day,) = days(1, first=seed, epochs=3)
    allowed = [
        total_cost(iter(epochs))
        for decisions in all_days(problem.start(day), problem)
        for epochs in [list(replay(own, day, decisions))]
        if len(epochs[-1].decision) == len(epochs[-1].state.waiting)
    ]
    least = own.cost(problem.hindsight(day), day)
    assert least == pytest.approx(min(allowed))
    rules = [own.cost(own.need("baseline")(rule, day), day) for rule in problem.baselines]
    weights = itertools.product((-1.0, 0.5), repeat=3)
    learned = [Pipeline(problem, list(row)).solve(day).cost for row in weights]
    assert min(rules + learned) >= least - 1e-12
    assert own.lower_bound(day) == least


def test_a_replay_costs_the_same_and_shows_the_same_states() -> None:
    own = bound_parcels()
    epochs = list(play(own, own.start(DAY), own.plain_policy))
    again = list(replay(own, DAY, [epoch.decision for epoch in epochs]))
    assert again == epochs
    assert [epoch.number for epoch in epochs] == [0, 1, 2, 3]


def test_the_total_cost_is_the_sum_over_the_epochs() -> None:
    assert total_cost(iter([])) == 0.0
    assert total_cost(Epoch(k, None, None, cost) for k, cost in enumerate((2.0, 0.5))) == 2.5


def test_a_day_can_be_played_from_the_middle() -> None:
    own = bound_parcels()
    epochs = list(play(own, own.start(DAY), own.plain_policy))
    assert list(play(own, epochs[2].state, own.plain_policy, first=2)) == epochs[2:]


def test_too_few_and_too_many_decisions_are_refused() -> None:
    own = bound_parcels()
    decisions = Parcels().hindsight(DAY)
    with rejects(InputError, "after 3 decisions", where="epoch 3"):
        own.cost(decisions[:-1], DAY)
    with rejects(InputError, "5 decisions, expected 4"):
        own.cost([*decisions, ()], DAY)


def test_decisions_of_another_day_are_refused() -> None:
    own, other = bound_parcels(), Parcels().generate(11, epochs=4)
    with rejects(InputError, "violation of parcels", where="epoch 1"):
        list(replay(own, other, [(), (0, 1, 2, 3), (), ()], careful=True))


@pytest.fixture(autouse=True)
def few_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A day that does not end is given up soon."""
    monkeypatch.setattr("colayer.dynamic.play.MOST_EPOCHS", 300)


class ChangesState(Parcels):
    def step(self, state: State, decision: Any) -> Any:
        if state.epoch == 1:
            object.__setattr__(state, "waiting", ())
        return super().step(state, ())


class NeverEnds(Parcels):
    def step(self, state: State, decision: Any) -> Any:
        return 0.0, state


class NotANumber(Parcels):
    def step(self, state: State, decision: Any) -> Any:
        cost, after = super().step(state, decision)
        return math.nan if state.epoch == 2 else cost, after


class NoTuple(Parcels):
    def step(self, state: State, decision: Any) -> Any:
        return super().step(state, decision)[0]


class Infeasible(Parcels):
    def decode(self, y: Any, state: State) -> Any:
        return (7,) if state.epoch == 1 else super().decode(y, state)


class NoState(Parcels):
    def start(self, day: Any) -> Any:
        return None


@pytest.mark.parametrize(
    ("problem", "names", "where"),
    [
        (ChangesState(), ["state.waiting"], "epoch 1"),
        (NeverEnds(), ["step of parcels", "300 epochs"], None),
        (NotANumber(), ["step of parcels", "nan"], "epoch 2"),
        (NoTuple(), ["step of parcels", "(cost, next state or None)"], "epoch 0"),
        (Infeasible(), ["violation of parcels", "no such parcel"], "epoch 1"),
        (NoState(), ["start of parcels", "None"], None),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Parcels) else "",
)
def test_mistakes_are_named_with_their_epoch(problem: Parcels, names: list[str], where: str | None) -> None:
    with rejects(InputError, *names, where=where):
        played(problem)
    with rejects(InputError, *names, where=where):  # learning plays every day once with care
        Pipeline(problem).fit([DAY], evaluations=3)


def test_an_exception_of_a_method_keeps_its_type_and_gets_the_epoch() -> None:
    class Raises(Parcels):
        def step(self, state: State, decision: Any) -> Any:
            return super().step(state, decision)[0], [][state.epoch]

    with pytest.raises(IndexError) as caught:
        played(Raises())
    said = own_fault(caught.value)
    assert said is not None
    assert said.startswith("epoch 0: step of parcels raised IndexError")
