"""The gradient of structured reinforcement learning at one day: towards the best of one's own decisions in a state.

The day is played with the weights w, and one of its states is drawn. There y_k solves the layer at θ + sZ_k, and C_k is
what its decision costs with the rest of the day under w. From there on it is the gradient of `own_best`.

One state per day and pass: K decisions and their rests take at most K days, which is what a pass of `srl` counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.dynamic.bound import BoundDynamic
from colayer.dynamic.play import Epoch, Policy, play, total_cost

if TYPE_CHECKING:
    from collections.abc import Iterable


def drawn_epoch(problem: BoundDynamic, epochs: Iterable[Epoch], random: np.random.Generator) -> Epoch | None:
    """Return one of the epochs in which there is something to decide; None if there is none."""
    deciding = [epoch for epoch in epochs if len(problem.state_features(epoch.state))]
    return deciding[random.integers(len(deciding))] if deciding else None


def cost_of_rest(problem: BoundDynamic, policy: Policy, epoch: Epoch, decision: Any) -> float:
    """Return what a decision costs in the state of an epoch, with the rest of the day by the policy."""
    first = [decision]
    decide: Policy = lambda state: first.pop() if first else policy(state)  # noqa: E731
    return total_cost(play(problem, epoch.state, decide, first=epoch.number))


def solved_with_rests(
    problem: BoundDynamic, policy: Policy, epoch: Epoch, thetas: Floats
) -> tuple[list[Floats], Floats]:
    """Return the embedded y of each θ in the state of an epoch, and what each costs; equal ones are played once."""
    vectors, costs, known = [], [], dict[bytes, float]()
    for theta in thetas:
        y = problem.layer(theta, epoch.state)
        vector = problem.vector("embed", len(theta), y, epoch.state)
        key = np.asarray(vector).tobytes()
        if key not in known:
            known[key] = cost_of_rest(problem, policy, epoch, problem.decode(y, epoch.state))
        vectors.append(vector)
        costs.append(known[key])
    return vectors, np.array(costs)
