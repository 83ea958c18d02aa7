"""Gymnasium both ways: an environment that is learned on, and a problem that others step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from colayer import InputError, Pipeline, check_problem, from_gymnasium, to_gymnasium
from support.errors import rejects
from support.parcel_days import Parcels, days
from support.pick_problem import Pick


class Counter(gymnasium.Env[Any, Any]):
    """Of two numbers drawn in each of five steps, the action names one; its value is the reward."""

    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.left, self.values = 5, self.np_random.random(2)
        return self.values, {}

    def step(self, action: int) -> Any:
        reward, self.left, self.values = float(self.values[action]), self.left - 1, self.np_random.random(2)
        return self.values, reward, self.left == 0, False, {}


def features(state: Any) -> Any:
    return np.column_stack([state.observation, np.ones(2)])


def layer(theta: Any, state: Any) -> int:
    return int(np.argmin(theta))


def problem(safe: tuple[float, float] = (1.0, 0.0)) -> Any:
    return from_gymnasium(Counter(), "counter", ("value", "one"), features, layer, safe_weights=safe)


def test_an_environment_is_learned_on() -> None:
    """The safe weights take the smaller value, learning finds that the larger one pays."""
    data = list(range(8))
    learned = Pipeline(problem()).fit(data, evaluations=40)
    best = Pipeline(problem(), [-1.0, 0.0])
    assert all(learned.solve(seed).cost == best.solve(seed).cost for seed in range(100, 110))
    assert best.solve(3).cost < Pipeline(problem(), [1.0, 0.0]).solve(3).cost


def test_its_days_are_those_of_the_environment_itself() -> None:
    env = Counter()
    observation, total = env.reset(seed=4)[0], 0.0
    ended = False
    while not ended:
        observation, reward, ended, _, _ = env.step(int(np.argmax(observation)))
        total += reward
    assert Pipeline(problem(), [-1.0, 0.0]).solve(4).cost == pytest.approx(-total)


def test_it_has_no_mistakes_and_its_days_can_be_written(tmp_path: Path) -> None:
    report = check_problem(problem(), [1, 2, 3])
    assert report.ok, str(report)
    one = problem()
    assert one.read(one.write(7)) == 7
    assert one.generate(1) == one.generate(1) != one.generate(2)
    assert one.with_options() is one
    Pipeline(one, [-1.0, 0.0]).save(tmp_path / "m.json")
    assert Pipeline.load(tmp_path / "m.json", one).solve(3).cost == Pipeline(one, [-1.0, 0.0]).solve(3).cost


def test_a_problem_is_stepped_as_an_environment() -> None:
    (day,) = days(1)
    pipeline = Pipeline(Parcels(), Parcels.safe_weights)
    env = to_gymnasium(Parcels(), epochs=4)
    state, _ = env.reset(options={"day": day})
    total, ended = 0.0, False
    while not ended:
        state, reward, ended, truncated, info = env.step(pipeline.decide(state))
        total -= reward
        assert info["cost"] == -reward
        assert not truncated
    assert total == pytest.approx(pipeline.solve(day).cost)
    with rejects(InputError, "reset"):
        env.step(())


def test_resets_are_seeded_and_draws_are_feasible() -> None:
    env = to_gymnasium(Parcels(), epochs=4)
    first, again, other = (env.reset(seed=seed)[0] for seed in (3, 3, 4))
    assert first == again != other
    assert first.day == Parcels().generate(3, epochs=4)
    env.reset()
    for _ in range(4):
        action = env.action_space.sample()
        assert env.action_space.contains(action)
        assert Parcels().violation(action, env.state) is None
        env.step(action)


def test_both_ways_give_the_same_day() -> None:
    """A problem as an environment as a problem."""
    (day,) = days(1)
    inner = to_gymnasium(Parcels(), epochs=4)
    again = from_gymnasium(
        inner,
        "again",
        Parcels.feature_names,
        lambda state: Parcels().features(state.observation),
        lambda theta, state: Parcels().decode(Parcels().layer(theta, state.observation), state.observation),
    )
    weights = Parcels.safe_weights
    assert Pipeline(again, weights).solve(0).cost == Pipeline(Parcels(), weights).solve(day).cost


def test_what_is_none_is_refused() -> None:
    with rejects(InputError, "reset", where="env"):
        from_gymnasium(object(), "x", ("one",), features, layer)
    with rejects(InputError, "not dynamic", where="problem"):
        to_gymnasium(Pick())  # type: ignore[arg-type]
