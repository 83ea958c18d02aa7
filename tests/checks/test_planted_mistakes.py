"""Mistakes that are easily made, one at a time, in a problem without any: the check of its kind finds each, alone."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.selection_problem import Projects, Selection, instances

from colayer import BaseProblem, Size, check_problem
from colayer.evaluators.local import LocalEvaluator


class TakenName(Selection):
    name = "single-machine"


class BlankInName(Selection):
    name = "my projects"


class NamedTwice(Selection):
    feature_names = ("price", "risk", "price")


class UnnamedFeature(Selection):
    feature_names = ("price", "risk")


class InfiniteFeature(Selection):
    def features(self, instance):
        values = super().features(instance)
        values[:, 1] = np.log(instance.risk - instance.risk.min())
        return values


class IntegerFeatures(Selection):
    def features(self, instance):
        return np.rint(super().features(instance)).astype(int)


class FlatFeatures(Selection):
    def features(self, instance):
        return super().features(instance).ravel()


class NegativeScale(Selection):
    def scale(self, instance):
        return -float(instance.price.sum())


class LayerOfAnotherSize(Selection):
    """One θ more than there are rows of features."""

    def layer(self, theta, instance):
        return np.array([i for i in range(len(theta) + 1) if theta[i] <= np.median(theta)])


class LayerForgetsToReturn(Selection):
    def layer(self, theta, instance):
        super().layer(theta, instance)


class DecodeRaises(Selection):
    """Fails where two θ are equal."""

    def layer(self, theta, instance):
        return np.flatnonzero(theta <= np.sort(theta)[instance.choose - 1])

    def decode(self, y, instance):
        if len(y) != instance.choose:
            raise ValueError("a tie")
        return y


class InfiniteCost(Selection):
    """A penalty that cannot be averaged."""

    def cost(self, solution, instance):
        return super().cost(solution, instance) if 0 in solution else np.inf


class CostByProject(Selection):
    def cost(self, solution, instance):
        return instance.price[solution]


class LayerSortsTheta(Selection):
    def layer(self, theta, instance):
        chosen = super().layer(theta, instance)
        theta.sort()
        return chosen


class CostSpendsTheInstance(Selection):
    def cost(self, solution, instance):
        value = super().cost(solution, instance)
        instance.price[solution] = 0.0
        return value


class DecodeChangesY(Selection):
    def decode(self, y, instance):
        y[:] = np.sort(y)[::-1]
        return y.copy()


class GlobalNoise(Selection):
    def layer(self, theta, instance):
        return super().layer(theta + 0.1 * np.random.normal(size=len(theta)), instance)  # noqa: NPY002


class GlobalSeed(Selection):
    """Always the same noise, but the caller's generator is lost."""

    def features(self, instance):
        random.seed(0)
        return super().features(instance) + random.random()


class FreshNoise(Selection):
    def layer(self, theta, instance):
        return super().layer(theta + 0.1 * np.random.default_rng().normal(size=len(theta)), instance)


class ReusedBuffer(Selection):
    def __init__(self, decoder="none"):
        super().__init__(decoder)
        self._buffer = np.zeros(100, dtype=np.int64)

    def layer(self, theta, instance):
        self._buffer[: instance.choose] = super().layer(theta, instance)
        return self._buffer[: instance.choose]


class CacheWithTooSmallAKey(Selection):
    """Instances of one size share the features of the first."""

    def features(self, instance):
        if not hasattr(self, "_kept"):
            self._kept = {}
        return self._kept.setdefault(instance.choose, super().features(instance)[: len(instance.price)]).copy()


class WarmStart(Selection):
    """At ties it stays at its last answer."""

    _last = None

    def layer(self, theta, instance):
        last = self._last
        chosen = super().layer(theta, instance)
        if last is not None and len(last) == len(chosen) and last.max() < len(theta):
            chosen = last if theta[last].sum() <= theta[chosen].sum() else chosen
        self._last = chosen
        return chosen.copy()


class ThetaIgnored(Selection):
    def layer(self, theta, instance):
        return super().layer(instance.price, instance)


class InfeasibleDecode(Selection):
    """It drops the riskiest project, and then costs less than any solution."""

    def decode(self, y, instance):
        return np.delete(y, np.argmax(instance.risk[y]))


class BoundTooHigh(Selection):
    """The greedy solution's cost is no bound."""

    def bound(self, instance):
        return self.cost(self.layer(instance.price, instance), instance)


class CostToMaximise(Selection):
    def cost(self, solution, instance):
        return -super().cost(solution, instance)

    def decode(self, y, instance):
        return y


class SafeWeightsOfAnotherLength(Selection):
    safe_weights = np.array([1.0, 0.0])


class EmbedOfAnotherLength(Selection):
    def embed(self, y, instance):
        return np.asarray(y, dtype=float)


class EmbedIgnoresY(Selection):
    def embed(self, y, instance):
        return np.ones(len(instance.price))


class MaximisingLayer(Selection):
    def layer(self, theta, instance):
        return super().layer(-theta, instance)


class GreedyLayer(Selection):
    """Takes the least θ, then whatever comes first."""

    def layer(self, theta, instance):
        least = int(np.argmin(theta))
        others = [i for i in range(len(theta)) if i != least]
        return np.sort(np.array([least, *others[: instance.choose - 1]]))


class NotHomogeneous(Selection):
    """θ is held against a number of money."""

    def layer(self, theta, instance):
        return super().layer(np.minimum(theta, 1.0), instance)

    embed = BaseProblem.embed
    target = BaseProblem.target


class TargetBeyondTheHull(Selection):
    def target(self, solution, instance):
        return 2.0 * self.embed(solution, instance)


class BestForgetsTheFirst(Selection):
    def best(self, thetas, instance, seed):
        row, solution, cost = super().best(thetas[1:] * 0.0, instance, seed)
        return row + 1, solution, cost


class BestWithAnotherCost(Selection):
    def best(self, thetas, instance, seed):
        row, solution, cost = super().best(thetas, instance, seed)
        return row, solution, cost / self.scale(instance)


class BaselineInfeasible(Selection):
    def baseline(self, rule, instance):
        return super().baseline(rule, instance)[:-1]


class BaselineRaises(Selection):
    def baseline(self, rule, instance):
        raise KeyError(rule)


class BoundRaises(Selection):
    def bound(self, instance):
        raise ZeroDivisionError("no projects")


class LayerEndsTheProgram(Selection):
    def layer(self, theta, instance):
        raise SystemExit(3)


class BaselinesWithoutMethod(Selection):
    baseline = BaseProblem.baseline


class ExactIsNot(Selection):
    def exact(self, instance, time_limit=None, progress=None, start=None):
        solution = np.argsort(-instance.price)[: instance.choose]
        return solution, self.cost(solution, instance), True


class ExactBoundAboveCost(Selection):
    def exact(self, instance, time_limit=None, progress=None, start=None):
        solution, bound, _ = super().exact(instance)
        return solution, bound + 1.0, False


class FeatureOfThePlace(Selection):
    """A rank that comes from the order of the data."""

    def features(self, instance):
        values = super().features(instance)
        values[:, 2] = np.arange(len(values))
        return values


class FieldNotWritten(Selection):
    fields = ()

    def write(self, instance):
        return {"price": instance.price, "choose": instance.choose}

    def read(self, document):
        price = np.array(document["price"], dtype=float)
        return Projects(price, np.full(len(price), 0.5), int(document["choose"]))


class RoundedWhenWritten(Selection):
    def write(self, instance):
        return {**super().write(instance), "price": np.round(instance.price, 3)}


class SolutionHalfWritten(Selection):
    violation = BaseProblem.violation

    def write_solution(self, solution, instance):
        return {"chosen": np.full(len(solution), solution[0])}


class GenerateWithoutSeed(Selection):
    def generate(self, seed, projects=9):
        return super().generate(np.random.SeedSequence(), projects)


class GenerateIgnoresSeed(Selection):
    def generate(self, seed, projects=9):
        return super().generate(0, projects)


class GenerateTakesNoSeedSequence(Selection):
    """The command line seeds with a SeedSequence."""

    def generate(self, seed, projects=9):
        return super().generate(seed + 1, projects)


class MinimumTooLow(Selection):
    sizes = (Size("projects", int, 9, "number of projects", minimum=0),)

    def generate(self, seed, projects=9):
        made = super().generate(seed, projects)
        return replace(made, risk=made.risk / made.risk.max())


class HoldsALambda(Selection):
    def __init__(self, decoder="none"):
        super().__init__(decoder)
        self._key = lambda theta: theta


class EvaluatorOfItsOwn(Selection):
    def evaluator(self, instances):
        class Rounded(LocalEvaluator):
            def losses(self, weights):
                return np.round(super().losses(weights), 6)

        return Rounded(self, instances)


class OptionNotReturned(Selection):
    def __init__(self, decoder="none", power=2.0):
        super().__init__(decoder)
        self.power = power


class DecoderNotAnOption(Selection):
    def __init__(self):
        super().__init__()

    options = BaseProblem.options


#: mistake → (the check that finds it, words of what it says).
PLANTED: dict[Any, tuple[str, str]] = {
    TakenName: ("name", "a built-in problem: choose another"),
    BlankInName: ("name", "one word without blanks"),
    NamedTwice: ("feature names", "'price' twice"),
    UnnamedFeature: ("features", "3 columns, feature_names has 2 names"),
    InfiniteFeature: ("features", "instance 0: feature 'risk' is -inf in row"),
    IntegerFeatures: ("features", "return float64"),
    FlatFeatures: ("features", "one row for each entry of θ"),
    NegativeScale: ("scale", "> 0 also where costs are negative"),
    LayerOfAnotherSize: ("layer", "test_planted_mistakes.py, line"),
    LayerForgetsToReturn: ("layer", "layer returned None"),
    DecodeRaises: ("decode", "decode raised ValueError: a tie"),
    InfiniteCost: ("cost", "the cost of a decoded solution is inf: return a finite number"),
    CostByProject: ("cost", "return one number"),
    LayerSortsTheta: ("inputs unchanged", "layer changes its input theta["),
    CostSpendsTheInstance: ("inputs unchanged", "cost changes its input instance.price["),
    DecodeChangesY: ("inputs unchanged", "decode changes its input y[0]"),
    GlobalNoise: ("global random numbers", "layer uses the global generator of numpy"),
    GlobalSeed: ("global random numbers", "features uses the global generator of random"),
    FreshNoise: ("repeatable", "layer returned different answers"),
    ReusedBuffer: ("fresh answers", "what layer returned was changed by a later call"),
    CacheWithTooSmallAKey: ("no memory", "a cache with too small a key"),
    WarmStart: ("no memory", "a solver that starts from its last answer"),
    ThetaIgnored: ("theta matters", "does it use theta?"),
    InfeasibleDecode: ("feasible", "violation says: 2 projects, expected 3"),
    BoundTooHigh: ("bound", "a bound is at most every cost"),
    CostToMaximise: ("bound", "has the wrong sign"),
    SafeWeightsOfAnotherLength: ("safe weights", "one number for each of the 3 features"),
    EmbedOfAnotherLength: ("embed", "one number for each of the 6 rows"),
    EmbedIgnoresY: ("embed", "the same vector for different y"),
    MaximisingLayer: ("sign", "LARGEST"),
    GreedyLayer: ("optimal", "the layer is not optimal"),
    NotHomogeneous: ("homogeneous", "set homogeneous = False"),
    TargetBeyondTheHull: ("target", "no mean of embedded y"),
    BestForgetsTheFirst: ("best of many", "include every row"),
    BestWithAnotherCost: ("best of many", "return the true cost"),
    BaselineInfeasible: ("baselines", "baseline 'cheapest' returned an infeasible solution"),
    BaselineRaises: ("baselines", "baseline raised KeyError: 'cheapest' (test_planted_mistakes.py, line"),
    BoundRaises: ("bound", "bound raised ZeroDivisionError: no projects"),
    LayerEndsTheProgram: ("layer", "layer raised SystemExit: 3 (test_planted_mistakes.py, line"),
    BaselinesWithoutMethod: ("baselines", "there is no method baseline"),
    ExactIsNot: ("exact", "is optimal, but a decoded solution costs"),
    ExactBoundAboveCost: ("exact", "is above its cost"),
    FeatureOfThePlace: ("shuffled", "'price_times_risk' depends on the order"),
    FieldNotWritten: ("instance files", "features[0, 1] is not the same after write, JSON and read"),
    RoundedWhenWritten: ("instance files", "after write, JSON and read"),
    SolutionHalfWritten: ("solution files", "write all of it"),
    GenerateWithoutSeed: ("generate", "two different instances for the same seed"),
    GenerateIgnoresSeed: ("generate", "the same instance for the seeds 7 and 8"),
    GenerateTakesNoSeedSequence: ("generate", "a numpy SeedSequence"),
    MinimumTooLow: ("generate", "generate(7, projects=0)"),
    HoldsALambda: ("pickling", "no lambda"),
    EvaluatorOfItsOwn: ("evaluator", "let both call the same code"),
    OptionNotReturned: ("options", "has another `power`"),
    DecoderNotAnOption: ("options", "options has no 'decoder'"),
}


@pytest.mark.parametrize("mistake", PLANTED, ids=lambda mistake: mistake.__name__)
def test_a_planted_mistake_is_found_by_the_check_of_its_kind_alone(mistake: Any) -> None:
    check, words = PLANTED[mistake]
    problem = mistake(power=3.0) if mistake is OptionNotReturned else mistake()
    report = check_problem(problem, instances())
    assert [finding.check for finding in report.failures] == [check], str(report)
    assert words in report.failures[0].detail


@pytest.mark.parametrize("decoder", Selection.decoders)
def test_without_a_mistake_every_check_passes(decoder: str) -> None:
    report = check_problem(Selection(decoder), instances())
    assert {finding.result for finding in report.findings} == {"passed"}, str(report)
