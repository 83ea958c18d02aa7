"""Networks on days: rows of states in the place of rows of instances.

In each pass every day is played by the network as it is, one of its states is drawn, and the gradient with respect to θ
there is that of `srl`: towards the best of one's own decisions, each costed with the rest of the day.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from colayer._runtime import seeds
from colayer._runtime.threads import Threads
from colayer.dynamic.bound import BoundDynamic
from colayer.dynamic.play import Epoch, Policy, play, total_cost
from colayer.errors import InputError
from colayer.learning.network.instance_batches import Part
from colayer.learning.network.theta_gradients import DRAWN, TEMPERATURE, Gradient, imitated
from colayer.learning.search.own_best import towards_the_best_decision
from colayer.learning.search.own_best_days import drawn_epoch
from colayer.models import ContextModel


@dataclass(frozen=True, eq=False)
class DayPart(Part[Any, Any, Any]):
    """Days, and states of them that a network learns from; the loss is that of whole days."""

    def mean_loss(self, model: ContextModel, threads: Threads) -> float:
        """Return the mean loss over all days, played by the model."""
        data = self.data
        policy = own(data.problem).model_policy(model)

        def one(x: int) -> float:
            problem = own(data.problem)
            return total_cost(play(problem, problem.start(data.instances[x]), policy)) / float(data.scales[x])

        return math.fsum(threads.map(one, range(len(data.instances)))) / len(data.instances)


def own(problem: Any) -> BoundDynamic:
    """Return the problem as a dynamic one."""
    assert isinstance(problem, BoundDynamic)
    return problem


def drawn_epochs(problem: BoundDynamic, policy: Policy, days: Sequence[Any], seed: int, number: int) -> list[Epoch]:
    """Return one epoch of each day that the policy plays, of those in which there is something to decide."""
    found = []
    for k, day in enumerate(days):
        random = seeds.generator(seed, seeds.FRESH, number, k)
        epoch = drawn_epoch(problem, play(problem, problem.start(day), policy), random)
        found += [] if epoch is None else [epoch]
    if not found:
        raise InputError(f"features of {problem.name} have no rows on any day, expected something to decide")
    return found


def by_rests(
    problem: BoundDynamic, policy: Policy, epochs: Sequence[Epoch], samples: int, sigma: float | None
) -> Gradient:
    """Return the gradient in these epochs, with the rest of each day by the policy."""
    return imitated(
        lambda many, x: towards_the_best_decision(problem, policy, epochs[x], many, TEMPERATURE),
        problem.homogeneous,
        max(1, samples // 2),
        DRAWN if sigma is None else sigma,
    )
