"""The contenders of the arena: rules, single features, draws around a rule, pycma on its own, and colayer's learners.

All are given the same training instances and no others. What has a choice (a feature, σ, which rules) makes it there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from arena_problems.contest import Contest, Rule

from colayer import Pipeline
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.perturbation import draws
from colayer.learning.portfolio.choose import greedy
from colayer.models import norm

#: instance → (solution, cost).
Solver = Callable[[Any], tuple[Any, float]]
#: Test instances of a contest that solves are timed on, at most.
TIMED = 40
#: σ that are tried: of draws as shares of the norm of the weights, of noise as shares of the spread of θ.
SIGMAS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003)
SAFE, DRAWS, NOISE = "safe weights", "draws around the unlearned", "safe weights, noise on each row"
TOGETHER = "rules and features together"


@dataclass(frozen=True)
class Made:
    """A contender, ready: how it solves with so many solves, what was chosen, and CPU seconds of learning."""

    solvers: dict[int, Solver]
    chosen: str = ""
    seconds: float | None = None


@dataclass(frozen=True)
class Contender:
    """A name, how it is made from a seed, and whether the seed matters. Rules that do not search may be a reference."""

    name: str
    make: Callable[[int], Made]
    seeded: bool = False
    rule: bool = False


class Stand:
    """A contest with what its contenders share: features and losses on the training instances."""

    def __init__(self, contest: Contest) -> None:
        self.contest, self.problem, self.several = contest, contest.problem, contest.candidates

    def contenders(self, methods: Sequence[str], budgets: Sequence[int]) -> Iterator[Contender]:
        """Yield all contenders; learners with the first budget, and `auto` with the others too."""
        for name, rule in self.contest.rules.items():
            yield Contender(name, lambda _, rule=rule: Made({1: self.by_rule(rule)}), rule=True)
        yield Contender(SAFE, lambda _: Made({1: self.best_of([self.safe])}), rule=True)
        yield Contender("best single feature", lambda _: self.single_feature())
        yield Contender("pycma on its own", lambda seed: self.pycma(budgets[0], seed), seeded=True)
        yield Contender(TOGETHER, lambda _: self.together())
        yield Contender(DRAWS, self.around, seeded=True)
        if hasattr(self.problem, "embed"):  # a row is an item to sort
            yield Contender(NOISE, self.noisy, seeded=True)
        for name, search in self.contest.searches.items():
            yield Contender(name, lambda seed, search=search: self.searched(search, seed), seeded=True)
        for method in methods:
            if method == "srl" and not hasattr(self.problem, "embed"):
                continue
            for budget in budgets if method == "auto" else budgets[:1]:
                yield Contender(
                    f"{method}, {budget} evaluations",
                    lambda seed, method=method, budget=budget: self.learned(method, budget, seed),
                    seeded=True,
                )

    # --- what is known of the training instances

    @cached_property
    def train(self) -> LocalEvaluator:
        return LocalEvaluator(self.problem, self.contest.train)

    @cached_property
    def spread(self) -> np.ndarray:
        """Standard deviation of each feature over the training rows, 1 where that is 0."""
        found = np.vstack(self.train.features).std(axis=0)
        return np.where(found < 1e-12, 1.0, found)

    @property
    def safe(self) -> np.ndarray:
        return np.asarray(self.problem.safe_weights, dtype=float)

    @cached_property
    def singles(self) -> tuple[np.ndarray, np.ndarray]:
        """Every feature alone, with either sign, and the losses (weights, training instances)."""
        one = np.eye(len(self.spread))
        axes = np.vstack([one, -one])
        return axes, self.train.losses(axes)

    def feature(self, k: int) -> str:
        """Return the sign and name of a single feature."""
        return f"{'+-'[k // len(self.spread)]}{self.problem.feature_names[k % len(self.spread)]}"

    # --- solvers

    def by_rule(self, rule: Rule) -> Solver:
        def solve(instance: Any) -> tuple[Any, float]:
            solution = rule(instance)
            return solution, self.problem.cost(solution, instance)

        return solve

    def best_of(self, weights: Sequence[np.ndarray], rules: Sequence[Rule] = ()) -> Solver:
        """Return the best of the pipelines of some weights, and of some rules: a bare loop over the five methods."""

        def solve(instance: Any) -> tuple[Any, float]:
            tried = [rule(instance) for rule in rules]
            if len(weights):
                features = self.problem.features(instance)
                tried += [self.solution(features @ one, instance) for one in weights]
            costs = [self.problem.cost(solution, instance) for solution in tried]
            best = int(np.argmin(costs))
            return tried[best], costs[best]

        return solve

    def solution(self, theta: np.ndarray, instance: Any) -> Any:
        return self.problem.decode(self.problem.layer(theta, instance), instance)

    # --- contenders

    def single_feature(self) -> Made:
        axes, losses = self.singles
        best = int(np.argmin(losses.mean(axis=1)))
        return Made({1: self.best_of([axes[best]])}, self.feature(best))

    def together(self) -> Made:
        """K rules and single features, chosen greedily for the best of them on each training instance."""
        rules = {**self.contest.rules, **self.contest.more_rules}
        costs = [[self.problem.cost(rule(x), x) for x in self.contest.train] for rule in rules.values()]
        axes, losses = self.singles
        losses = np.vstack([np.array(costs) / self.train.scales, losses])
        first = int(np.argmin(losses.mean(axis=1)))
        chosen = greedy(losses, first, self.several)
        plain = [rule for k, rule in enumerate(rules.values()) if k in chosen]
        weights = [axes[k - len(rules)] for k in chosen if k >= len(rules)]
        names = [list(rules)[k] if k < len(rules) else self.feature(k - len(rules)) for k in chosen]
        return Made({self.several: self.best_of(weights, plain)}, "; ".join(names))

    def around(self, seed: int) -> Made:
        """Safe weights or the best single feature, and K − 1 draws w + σZ, in units of the features' spread.

        Which of the two, and σ, are best on training.
        """
        axes, losses = self.singles
        single = int(np.argmin(losses.mean(axis=1)))
        Z = draws(seed, self.several - 1, len(self.spread))
        found = []
        for name, weights in ((SAFE, self.safe), (self.feature(single), axes[single])):
            middle = weights * self.spread
            for share in SIGMAS:
                tried = np.vstack([middle, middle + share * norm(middle) * Z]) / self.spread
                found.append((self.train.losses(tried).min(axis=0).mean(), tried, f"{name}, σ {share:g} of the norm"))
        _, tried, chosen = min(found, key=lambda one: one[0])
        return Made({self.several: self.best_of(tried)}, chosen)

    def noisy(self, seed: int) -> Made:
        """The rule, and K − 1 times with noise on every row of θ; its σ is best on training."""

        def solver(share: float) -> Solver:
            def solve(instance: Any) -> tuple[Any, float]:
                theta = self.problem.features(instance) @ self.safe
                noise = np.random.default_rng(seed).standard_normal((self.several, len(theta)))
                noise[0] = 0.0
                tried = [self.solution(theta + share * theta.std() * row, instance) for row in noise]
                costs = [self.problem.cost(solution, instance) for solution in tried]
                return tried[int(np.argmin(costs))], min(costs)

            return solve

        solvers = [solver(share) for share in SIGMAS]
        means = [np.mean([solve(x)[1] for x in self.contest.train] / self.train.scales) for solve in solvers]
        best = int(np.argmin(means))
        return Made({self.several: solvers[best]}, f"σ {SIGMAS[best]:g} of the spread")

    def searched(self, search: Callable[[Any, int], Any], seed: int) -> Made:
        return Made({self.several: self.by_rule(lambda instance: search(instance, seed))})

    def pycma(self, evaluations: int, seed: int) -> Made:
        """What a user would write in ten lines: pycma on the mean loss, standardised features, from the rule."""
        import cma

        train = fresh(self.contest.train)
        begin, problem = time.process_time(), self.problem
        features, scales = [problem.features(x) for x in train], [problem.scale(x) for x in train]
        spread = np.vstack(features).std(axis=0)
        spread[spread < 1e-12] = 1.0

        def loss(weights: np.ndarray) -> float:
            return float(np.mean([
                problem.cost(self.solution(phi @ (weights / spread), x), x) / scale
                for phi, x, scale in zip(features, train, scales, strict=True)
            ]))  # fmt: skip

        start = self.safe * spread / (norm(self.safe * spread) or 1.0)
        search = cma.CMAEvolutionStrategy(start, 0.3, {"seed": seed + 1, "verbose": -9, "maxfevals": evaluations})
        best, least, used = start, loss(start), 1
        while used < evaluations:
            asked = search.ask()
            losses = [loss(weights) for weights in asked]
            search.tell(asked, losses)
            used += len(asked)
            if min(losses) < least:
                best, least = asked[int(np.argmin(losses))], min(losses)
        seconds = time.process_time() - begin
        return Made({1: self.best_of([best / spread])}, seconds=seconds)

    def learned(self, method: str, evaluations: int, seed: int) -> Made:
        """A learner at its defaults but the budget, from the safe weights, which are no fallback."""
        train = fresh(self.contest.train)
        begin, pipeline = time.process_time(), Pipeline(self.problem, self.safe, safe=False)
        pipeline.fit(train, method=method, evaluations=evaluations, seed=seed, workers=1)
        seconds = time.process_time() - begin

        def solver(candidates: int) -> Solver:
            def solve(instance: Any) -> tuple[Any, float]:
                found = pipeline.solve(instance, candidates=candidates, bound=False)
                return found.solution, found.cost

            return solve

        return Made({count: solver(count) for count in (1, self.several)}, seconds=seconds)


def measured(contest: Contest, solve: Solver) -> tuple[list[float], float]:
    """Return the costs of the test instances, each of a feasible solution, and CPU milliseconds per solve.

    Times are of some of the instances, spread over all.
    """
    costs = []
    for number, instance in enumerate(contest.test):
        solution, cost = solve(instance)
        if (said := contest.problem.violation(solution, instance)) is not None:
            raise ValueError(f"{contest.title}, test instance {number}: {said}")
        costs.append(float(cost))
    timed = fresh(contest.test[:: max(1, len(contest.test) // TIMED)])
    begin = time.process_time()
    for instance in timed:
        solve(instance)
    return costs, 1000.0 * (time.process_time() - begin) / len(timed)


def fresh(instances: Sequence[Any]) -> list[Any]:
    """Return copies of instances that remember nothing, as a relaxation: what is timed computes it."""
    return [replace(instance) for instance in instances]
