"""A dynamic problem, bound: seen from outside, its instances are days and its solutions lists of decisions.

    cost(decisions, day)       the day replayed             costs(…, weights, day)     the day played by each weights
    baseline(rule, day)        the day played by a rule     features(day)              the rows of all states visited

So everything that works on instances works on days. `layer`, `decode`, `embed`, `target` and `structure` take states,
as the user wrote them, and `state_features` gives the features of one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer.dynamic.play import InfeasibleError, Policy, play, replay, total_cost
from colayer.errors import InputError
from colayer.models import Model
from colayer.models.thetas import theta_blocks
from colayer.problem import guard
from colayer.problem.bind import BoundProblem
from colayer.problem.theta import correction_of

#: Of other problems; of a day they say nothing.
_NOT_OF_DAYS = (
    "approximation", "log_comparisons", "exact", "compact", "constraint_program", "best", "solved", "mixed", "smoothed",
)  # fmt: skip


class BoundDynamic(BoundProblem[Any, Any, Any]):
    """A bound problem whose instances are days; see the head of this module."""

    dynamic = True
    start: Callable[[Any], Any]
    step: Callable[[Any, Any], tuple[float, Any]]
    hindsight: Callable[..., Sequence[Any]] | None
    future: Callable[[Any, int], Any] | None
    day_costs: Callable[[Floats, Any], Any] | None

    def __init__(self, problem: Any, mistakes: list[InputError] | None = None) -> None:
        super().__init__(problem, mistakes)
        for method in _NOT_OF_DAYS:
            setattr(self, method, None)
        self.features_use_solution = False
        #: Whether `solve` has played a day with care: the first one shows a step that changes its state.
        self.watched = False
        #: (rule, state) → decision, and (decision, state) → what is wrong with it, as the user wrote them.
        self.rule_decision, self.decision_violation = self.baseline, self.violation
        self.cost = self._cost_of_day
        if self.baseline is not None:
            self.baseline = self._played_by_rule
        if self.violation is not None:
            self.violation = self._violation_of_day
        self._own_bound, self.bound = self.bound, self._bound_of_day

    def check_instance(self, instance: Any) -> None:
        """Refuse anything but a day where the problem says what that is; name a state as such."""
        try:
            super().check_instance(instance)
        except InputError:
            self.refuse_state(instance)
            raise

    def refuse_state(self, given: Any) -> None:
        """Raise an error that says so if what was refused as a day is a state."""
        if goes_through(self.state_features, given):
            said = "this is a state, expected a day: decide(state) returns the decision in a state"
            raise InputError(said, where="solve") from None

    def state_features(self, state: Any) -> NDArray[Any]:
        """Return φ of a state: one row per entry of θ, maybe none."""
        features: NDArray[Any] = self._features(state)
        return features

    def decision_at(self, weights: Floats, state: Any) -> Any:
        """Return the decision of weights (raw units) in a state."""
        ((_, (theta,)),) = theta_blocks(self.state_features(state), weights[None, :])
        return self.decode(self.layer(theta, state), state)

    def model_decision(self, model: Model, weights: Floats, state: Any) -> Any:
        """Return the decision of weights (raw units) and of what a network adds to their θ."""
        features = self.state_features(state)
        correction = correction_of(self, model, state, features) if len(features) else None
        ((_, (theta,)),) = theta_blocks(features, weights[None, :], correction)
        return self.decode(self.layer(theta, state), state)

    def model_policy(self, model: Model) -> Policy:
        """Return the policy of a model."""
        return partial(self.model_decision, model, model.raw())

    def policy(self, weights: Floats) -> Policy:
        """Return the policy of weights in raw units."""
        return partial(self.decision_at, weights)

    @property
    def plain_policy(self) -> Policy:
        """The policy on whose way features are measured: the safe weights, else the first rule, else θ = 0."""
        if self.safe_weights is None and self.baselines and self.rule_decision is not None:
            return partial(self.rule_decision, self.baselines[0])
        return self.policy(np.zeros(self.dimension) if self.safe_weights is None else self.safe_weights)

    def features(self, instance: Any, solution: Any = None) -> NDArray[Any]:
        """Return the rows of all states that the plain policy visits, one state after the other."""
        epochs = play(self, self.start(instance), self.plain_policy, careful=self.guarded)
        return np.concatenate([self.state_features(epoch.state) for epoch in epochs])

    def costs(self, features: NDArray[Any], weights: Floats, instance: Any, number_of_rounds: int = 1) -> Floats:
        """Return the total cost of the day under each row of `weights` (raw units)."""
        if self.day_costs is not None:
            found = self.day_costs(weights, instance)
            return guard.vector(found, len(weights), f"day_costs of {self.name}", "row of weights")
        return np.array([total_cost(play(self, self.start(instance), self.policy(row))) for row in weights])

    def hindsight_decisions(self, day: Any, state: Any = None) -> list[Any]:
        """Return the decisions of hindsight for the day, or for the rest of it."""
        hindsight = self.need("hindsight")
        return list(hindsight(day) if state is None else hindsight(day, state))

    def _cost_of_day(self, decisions: Sequence[Any], day: Any) -> float:
        return guard.finite(total_cost(replay(self, day, decisions)), f"cost of {self.name}")

    def _played_by_rule(self, rule: str, day: Any, **constants: float) -> list[Any]:
        assert self.rule_decision is not None
        decide = partial(self.rule_decision, rule, **constants)
        return [epoch.decision for epoch in play(self, self.start(day), decide)]

    def _violation_of_day(self, decisions: Sequence[Any], day: Any) -> str | None:
        try:
            total_cost(replay(self, day, decisions, careful=True))
        except InfeasibleError as error:
            return str(error)
        return None

    def _bound_of_day(self, day: Any) -> float | None:
        own = None if self._own_bound is None else self._own_bound(day)
        if own is not None or self.hindsight is None or not self.hindsight_is_exact:
            return own
        return self.cost(self.hindsight_decisions(day), day)


def goes_through(method: Callable[[Any], Any], given: Any) -> bool:
    """Tell whether a method takes what another one has refused."""
    try:
        method(given)
    except Exception:
        return False
    return True
