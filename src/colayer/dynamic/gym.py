"""Gymnasium, both ways: an environment as a dynamic problem, and a dynamic problem as an environment.

problem = from_gymnasium(env, "taxi", ("waited", "distance"), features, layer)
env = to_gymnasium(problem)
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer.dynamic.bound import BoundDynamic
from colayer.dynamic.protocol import Dynamic, DynamicProblem
from colayer.errors import InputError, need_extra
from colayer.problem.bind import bind


class EnvironmentState(NamedTuple):
    """What the environment shows, and a copy of it, which nobody steps."""

    observation: Any
    info: dict[str, Any]
    env: Any


class EnvironmentProblem(DynamicProblem):
    """A Gymnasium environment: a day is a seed, a decision an action, a cost a reward with the other sign."""

    def __init__(
        self,
        env: Any,
        name: str,
        feature_names: Sequence[str],
        features: Callable[[EnvironmentState], NDArray[Any]],
        layer: Callable[[Floats, EnvironmentState], Any],
        safe_weights: Sequence[float] | None = None,
    ) -> None:
        self.env, self.name, self.feature_names, self.safe_weights = env, name, tuple(feature_names), safe_weights
        self._features, self._layer = features, layer

    @property
    def options(self) -> dict[str, Any]:
        """None: a model of it is loaded with the problem at hand."""
        return {}

    def with_options(self, **changes: Any) -> EnvironmentProblem:
        """Return the problem itself, which has no options."""
        return self

    def start(self, day: int) -> EnvironmentState:
        """Return a copy of the environment, reset with the seed."""
        env = copy.deepcopy(self.env)
        observation, info = env.reset(seed=int(day))
        return EnvironmentState(observation, info, env)

    def features(self, state: EnvironmentState) -> NDArray[Any]:
        """Return the rows of the state."""
        return self._features(state)

    def layer(self, theta: Floats, state: EnvironmentState) -> Any:
        """Return the action of least θ."""
        return self._layer(theta, state)

    def step(self, state: EnvironmentState, decision: Any) -> tuple[float, EnvironmentState | None]:
        """Return the negative reward, and the state after a step of another copy."""
        env = copy.deepcopy(state.env)
        observation, reward, terminated, truncated, info = env.step(decision)
        return -float(reward), None if terminated or truncated else EnvironmentState(observation, info, env)

    def generate(self, seed: int | np.random.SeedSequence) -> int:
        """Return a day, which is a seed."""
        return int(np.random.default_rng(seed).integers(2**31))

    def write(self, day: int) -> dict[str, Any]:
        """Return the seed."""
        return {"seed": int(day)}

    def read(self, document: Any) -> int:
        """Return the seed of a file."""
        return int(document["seed"])


def from_gymnasium(
    env: Any,
    name: str,
    feature_names: Sequence[str],
    features: Callable[[EnvironmentState], NDArray[Any]],
    layer: Callable[[Floats, EnvironmentState], Any],
    *,
    safe_weights: Sequence[float] | None = None,
) -> EnvironmentProblem:
    """Return a Gymnasium environment as a dynamic problem, whose days are seeds.

    Parameters
    ----------
    env
        The environment, which can be copied; all that it draws comes from the seed of `reset`.
    name, feature_names
        As of every problem.
    features, layer
        Functions of a state, which has `observation`, `info` and `env`: the rows, and the action of least θ.
    safe_weights
        Weights known to be good, from which learning starts.

    Returns
    -------
    EnvironmentProblem
        The problem; the cost of a day is the sum of its rewards with the other sign.
    """
    for method in ("reset", "step"):
        if not callable(getattr(env, method, None)):
            raise InputError(f"no environment: it has no {method}", where="env")
    return EnvironmentProblem(env, name, feature_names, features, layer, safe_weights)


def to_gymnasium(problem: Dynamic, **sizes: Any) -> Any:
    """Return a dynamic problem as a Gymnasium environment: it shows states and takes decisions.

    `reset(seed=…)` generates a day, of these sizes; `reset(options={"day": day})` takes one. A reward is a cost with
    the other sign. Draws of the action space are the decisions at random θ.
    """
    need_extra("gymnasium", "an environment needs Gymnasium", "gym")
    import gymnasium

    own = bind(problem)
    if not isinstance(own, BoundDynamic):
        raise InputError(f"{own.name} is not dynamic: it has no start and step", where="problem")
    dynamic = own

    class Anything(gymnasium.Space[Any]):
        """Any object; a draw is the decision at a random θ in the state of the environment."""

        def contains(self, x: Any) -> bool:
            return x is not None

        def sample(self, mask: Any = None, probability: Any = None) -> Any:
            theta = self.np_random.standard_normal(len(dynamic.state_features(env.state)))
            return dynamic.decode(dynamic.layer(theta, env.state), env.state)

    class Environment(gymnasium.Env[Any, Any]):
        """Days of a dynamic problem."""

        observation_space, action_space = Anything(), Anything()
        state: Any = None

        def reset(
            self, *, seed: int | None = None, options: dict[str, Any] | None = None
        ) -> tuple[Any, dict[str, Any]]:
            super().reset(seed=seed)
            given = (options or {}).get("day")
            if given is None:
                drawn = int(self.np_random.integers(2**31)) if seed is None else seed
                given = dynamic.need("generate")(drawn, **sizes)
            self.state = dynamic.start(given)
            return self.state, {}

        def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            if self.state is None:
                raise InputError("the day is over, or has not begun: call reset")
            before = self.state
            cost, self.state = dynamic.step(before, action)
            return (before if self.state is None else self.state), -cost, self.state is None, False, {"cost": cost}

    env = Environment()
    return env
