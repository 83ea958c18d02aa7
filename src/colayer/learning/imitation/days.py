"""Examples from days: states with the decision that hindsight takes there, first on its own way, then on the policy's.

A policy that errs comes to states that hindsight never sees. So before some of the passes the policy plays the days,
and hindsight, from each state on, labels what it visits. All examples are kept.

DAgger: Ross, Gordon and Bagnell (2011), A reduction of imitation learning and structured prediction to no-regret online
learning.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer._runtime.text import short
from colayer._runtime.threads import Threads
from colayer.dynamic.bound import BoundDynamic
from colayer.dynamic.play import play, replay
from colayer.errors import InputError
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.imitation.example import Example
from colayer.learning.imitation.examples import Examples, as_rows
from colayer.learning.learner import TrainingJob

#: The word that asks for the decisions of hindsight.
HINDSIGHT = "hindsight"
#: How often states are collected, the first time on the way of hindsight.
ROUNDS = 5

#: A day is played by its weights; it needs no features.
_NONE: Floats = np.empty((0, 0))


class DayExamples(Examples[Any, Any, Any]):
    """States of days and what to decide there; `pipeline` is the loss of whole days.

    `solutions` are the decisions of each day, or the word "hindsight"; None for days that are only played.
    """

    def __init__(
        self,
        evaluator: LocalEvaluator[Any, Any, Any],
        solutions: Sequence[Sequence[Any]] | str | None,
        threads: Threads,
        seed: int,
    ) -> None:
        super().__init__(evaluator, [], threads)
        assert isinstance(evaluator.problem, BoundDynamic)
        self.own, self.days, self.seed = evaluator.problem, evaluator.instances, seed
        self.examples: list[Example[Any, Any, Any]] = []
        self.features = []
        #: Whether hindsight labels states that the policy visits.
        self.grows = isinstance(solutions, str) and takes_state(self.own)
        if isinstance(solutions, str):
            solutions = threads.map(self.own.hindsight_decisions, self.days)
        if solutions is not None:
            for day, decisions in zip(self.days, solutions, strict=True):
                self._add((epoch.state, epoch.decision) for epoch in replay(self.own, day, decisions))

    def collect(self, number: int, passes: int, weights: Floats) -> None:
        """Add the states that the weights (raw units) visit, before the first pass of each round but the first."""
        each = max(2, math.ceil(passes / ROUNDS))
        if not self.grows or number == 1 or number % each != 1:
            return
        policy = self.own.policy(weights)

        def labelled(day: Any) -> list[tuple[Any, Any]]:
            visited = [epoch.state for epoch in play(self.own, self.own.start(day), policy)]
            return [(state, self.own.hindsight_decisions(day, state)[0]) for state in visited]

        for states in self._threads.map(labelled, self.days):
            self._add(states)

    def pipeline(self, weights: Floats) -> float:
        """Return the mean of cost / scale over the days, for weights in raw feature units."""

        def one(x: int) -> float:
            return float(self.own.costs(_NONE, weights[None, :], self.days[x])[0] / self.scales[x])

        return math.fsum(self._threads.map(one, range(len(self.days)))) / len(self.days)

    def _add(self, states: Iterable[tuple[Any, Any]]) -> None:
        self.own.need("target", why="it cannot learn from decisions")
        for state, decision in states:
            features = self.own.state_features(state)
            if len(features):
                target = self.own.vector("target", len(features), decision, state)
                sequence = seeds.sequence(self.seed, seeds.DEMONSTRATION, 1, len(self.examples))
                self.examples.append(Example(self.own, state, target, None, sequence))
                self.features.append(as_rows(features))


def day_solutions(job: TrainingJob[Any, Any, Any]) -> Sequence[Sequence[Any]] | str:
    """Return the decisions of each day to learn on, or the word "hindsight"."""
    given, name = job.solutions, job.problem.name
    if given is None:
        raise InputError(f"{name} is dynamic: it learns from decisions, not from thetas", where="thetas")
    if isinstance(given, str):
        if given != HINDSIGHT:
            raise InputError(
                f"{short(given)}, expected a list of decisions per day, or {HINDSIGHT!r}", where="solutions"
            )
        job.problem.need("hindsight", option="--solutions")
        return given
    if len(given) != len(job.instances):
        raise InputError(f"{len(given)} of them, expected {len(job.instances)}, one per day", where="solutions")
    return [given[i] for i in job.split[0]]


def takes_state(problem: BoundDynamic) -> bool:
    """Tell whether `hindsight` also decides from a state of the day on."""
    return len(inspect.signature(problem.need("hindsight")).parameters) > 1
