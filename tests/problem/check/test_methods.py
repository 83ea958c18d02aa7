"""Mistakes in what the methods return, one at a time: the check of its kind finds each, alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from colayer import InputError, check_problem
from colayer.problem.check.methods import above
from colayer.problems import VehicleScheduling
from support.crowd_problem import Crowd
from support.planted import assert_found
from support.selection_problem import Selection
from support.selection_problem import instances as projects


class UnnamedFeature(Selection):
    feature_names = ("price", "risk")
    safe_weights = None


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


class NoRows(Selection):
    def features(self, instance):
        return super().features(instance)[:0]


class ScaleOfWords(Selection):
    def scale(self, instance):
        return "large"


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


class DecodeForgetsToReturn(Selection):
    def decode(self, y, instance):
        super().decode(y, instance)


class InfiniteCost(Selection):
    """A penalty that cannot be averaged."""

    def cost(self, solution, instance):
        return super().cost(solution, instance) if 0 in solution else np.inf


class CostByProject(Selection):
    def cost(self, solution, instance):
        return instance.price[solution]


class ThetaIgnored(Selection):
    def layer(self, theta, instance):
        return super().layer(instance.price, instance)


class InfeasibleDecode(Selection):
    """It drops the riskiest project, and then costs less than any solution."""

    def decode(self, y, instance):
        return np.delete(y, np.argmax(instance.risk[y]))


class CostForgetsToReturn(Selection):
    def cost(self, solution, instance):
        super().cost(solution, instance)


class BoundOfWords(Selection):
    def bound(self, instance):
        return "12"


class BoundAboveTheOptimumAlone(Selection):
    """Below all that is decoded without a search, above what the exact solver finds."""

    decoders = ()

    def bound(self, instance):
        least = self.exact(instance)[1]
        found = [self.cost(self.layer(theta, instance), instance) for theta in np.eye(len(instance.price))]
        return least + 1e-4 * (min(found) - least)

    def layer(self, theta, instance):
        """One project too dear for the optimum is always taken."""
        worst = int(np.argmax(instance.price + 9 * instance.risk))
        return super().layer(np.where(np.arange(len(theta)) == worst, -1e9, theta), instance)

    embed = target = None
    homogeneous = False
    safe_weights = None


class BoundTooHigh(Selection):
    """The greedy solution's cost is no bound."""

    def bound(self, instance):
        return self.cost(self.layer(instance.price, instance), instance)


class CostToMaximise(Selection):
    def cost(self, solution, instance):
        return -super().cost(solution, instance)

    def decode(self, y, instance):
        return y


class BoundRaises(Selection):
    def bound(self, instance):
        raise ZeroDivisionError("no projects")


class LayerEndsTheProgram(Selection):
    def layer(self, theta, instance):
        raise SystemExit(3)


class EmbedOfAnotherLength(Selection):
    def embed(self, y, instance):
        return np.asarray(y, dtype=float)


class EmbedNotFinite(Selection):
    def embed(self, y, instance):
        return super().embed(y, instance) / 0.0


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

    embed = None
    target = None


class TargetBeyondTheHull(Selection):
    def target(self, solution, instance):
        return 2.0 * self.embed(solution, instance)


class ExactIsNot(Selection):
    def exact(self, instance, time_limit=None, progress=None, start=None):
        solution = np.argsort(-instance.price)[: instance.choose]
        return solution, self.cost(solution, instance), True


class ExactWithoutProof(Selection):
    def exact(self, instance, time_limit=None, progress=None, start=None):
        return super().exact(instance)[:2]


class ExactBoundAboveCost(Selection):
    def exact(self, instance, time_limit=None, progress=None, start=None):
        solution, bound, _ = super().exact(instance)
        return solution, bound + 1.0, False


class ExactInfeasible(Selection):
    def exact(self, instance, time_limit=None, progress=None, start=None):
        solution, bound, proved = super().exact(instance)
        return solution[:-1], min(bound, self.cost(solution[:-1], instance)), proved


class OneWordForAllFeatures(Selection):
    feature_names = "price"


class NoFeatures(Selection):
    feature_names = ()
    safe_weights = None


class NamedTwice(Selection):
    feature_names = ("price", "risk", "price")


class SafeWeightsOfAnotherLength(Selection):
    safe_weights = np.array([1.0, 0.0])


class SafeWeightNotFinite(Selection):
    safe_weights = np.array([1.0, np.nan, 0.0])


class SafeWeightsOfWords(Selection):
    safe_weights = "price"


class SafeWeightsWithATypo(Selection):
    @property
    def safe_weights(self):
        return self.safe_wieghts_of_all


class LayerRefuses(Selection):
    def layer(self, theta, instance):
        raise InputError("no θ today")


#: mistake → (the check that finds it, words of what it says).
PLANTED: dict[Any, tuple[str, str]] = {
    OneWordForAllFeatures: ("declarations", "feature_names of OneWordForAllFeatures is 'price'"),
    NoFeatures: ("features", "feature_names is empty"),
    NamedTwice: ("declarations", "'price'"),
    UnnamedFeature: ("features", "instance 0: features of selection have shape (6, 3), expected (rows, 2)"),
    InfiniteFeature: ("features", "instance 0: features of selection: feature 'risk' is "),
    IntegerFeatures: ("features", "expected float64 or float32"),
    FlatFeatures: ("features", "have shape (18,), expected (rows, 3)"),
    NoRows: ("features", "have shape (0, 3), expected (rows, 3)"),
    ScaleOfWords: ("scale", "instance 0: scale of selection returned 'large', expected a number > 0"),
    NegativeScale: ("scale", "expected a number > 0"),
    LayerOfAnotherSize: ("layer", "layer of selection raised IndexError: "),
    LayerForgetsToReturn: ("layer", "layer of selection returned None"),
    LayerEndsTheProgram: ("layer", "layer of selection raised SystemExit: 3 (test_methods.py, line"),
    LayerRefuses: ("layer", "layer of selection raised InputError: no θ today (test_methods.py, line"),
    DecodeRaises: ("decode", "decode of selection raised ValueError: a tie (test_methods.py, line"),
    DecodeForgetsToReturn: ("decode", "decode of selection returned None"),
    InfiniteCost: ("cost", "cost of selection returned inf, expected a finite number"),
    CostByProject: ("cost", "expected a finite number"),
    CostForgetsToReturn: ("cost", "instance 0: cost of selection returned None, expected a finite number"),
    ThetaIgnored: ("theta", "the same y for every θ"),
    NotHomogeneous: ("theta", "set homogeneous = False"),
    InfeasibleDecode: ("feasible", "violation says: 2 projects, expected 3"),
    BoundTooHigh: ("bound", "lower the bound"),
    CostToMaximise: ("bound", "a sign that cost forgets"),
    BoundOfWords: ("bound", "instance 0: bound of selection returned '12', expected a number or None"),
    BoundRaises: ("bound", "bound of selection raised ZeroDivisionError: no projects (test_methods.py, line"),
    BoundAboveTheOptimumAlone: ("exact", "but the solution of exact costs"),
    SafeWeightsOfAnotherLength: ("declarations", "expected 3 finite numbers"),
    SafeWeightNotFinite: ("declarations", "expected 3 finite numbers"),
    SafeWeightsOfWords: ("declarations", "expected 3 finite numbers, found 'price'"),
    SafeWeightsWithATypo: ("declarations", "safe_weights of SafeWeightsWithATypo raised AttributeError: "),
    EmbedOfAnotherLength: ("objective", "an array of 6 numbers, one per row of the features"),
    EmbedNotFinite: ("objective", "embed of selection returned nan in entry"),
    EmbedIgnoresY: ("objective", "the same vector for different y"),
    MaximisingLayer: ("objective", "LARGEST"),
    GreedyLayer: ("objective", "layer is not optimal for"),
    TargetBeyondTheHull: ("target", "no mean of embedded y"),
    ExactIsNot: ("exact", "exact says that no solution costs less than"),
    ExactWithoutProof: ("exact", "exact of selection returned (array(["),
    ExactBoundAboveCost: ("exact", "as bound, expected at most the cost of its solution"),
    ExactInfeasible: ("exact", "exact returned an infeasible solution (violation says: "),
}


@pytest.mark.parametrize("mistake", PLANTED, ids=lambda mistake: mistake.__name__)
def test_a_planted_mistake_is_found_by_the_check_of_its_kind_alone(mistake: Any) -> None:
    assert_found(mistake(), *PLANTED[mistake])


def test_a_layer_that_is_a_search_is_not_asked_for_the_best() -> None:
    """Of one that says so, neither the objective nor targets are looked at."""
    searching = type("Searching", (GreedyLayer,), {"layer_is_exact": False})()
    found = {finding.check: finding for finding in check_problem(searching, projects(), decoder="none").findings}
    assert {found[name].detail for name in ("objective", "target")} == {"the layer is a search: it may miss the best y"}


def test_a_bound_that_rounding_puts_above_a_cost_is_no_mistake() -> None:
    assert not above(1.0 + 1e-7, 1.0)
    assert above(1.0 + 1e-5, 1.0)
    assert not above(-1.0 + 1e-7, -1.0)
    assert above(-1.0 + 1e-5, -1.0)


DATA = [Crowd().generate(seed, jobs=4) for seed in range(3)]


class Shorter(Crowd):
    """Rows are lost in the second round."""

    def features(self, instance: Any, solution: Any = None) -> Any:
        return super().features(instance, solution)[solution is not None :]


class Dividing(Crowd):
    """Where the load is 0 there is nothing to divide by."""

    def features(self, instance: Any, solution: Any = None) -> Any:
        values = super().features(instance, solution)
        if solution is not None:
            with np.errstate(divide="ignore"):
                values[:, 1] = 1.0 / values[:, 1]
        return values


class Writing(Crowd):
    """The solution is written to."""

    def features(self, instance: Any, solution: Any = None) -> Any:
        values = super().features(instance, solution)
        if solution is not None:
            solution[0] = 1 - min(solution[0], 1)
        return values


class Counting(Crowd):
    """Every call gives something else."""

    calls = 0

    def features(self, instance: Any, solution: Any = None) -> Any:
        values = super().features(instance, solution)
        if solution is not None:
            type(self).calls += 1
            values[:, 2] += self.calls
        return values


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (Shorter(), "have 11 rows after a solution, expected 12 as in round 1"),
        (Dividing(), "expected a finite number"),
        (Writing(), "features changes solution[0]: work on a copy"),
        (Counting(), "features differ"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_mistake_of_later_rounds_is_found(problem: Any, words: str) -> None:
    report = check_problem(problem, DATA)
    assert [finding.check for finding in report.failures] == ["rounds"], str(report)
    assert words in report.failures[0].detail


def test_problems_without_mistakes_pass_and_those_that_do_not_look_back_are_left_out() -> None:
    found = {finding.check: finding for finding in check_problem(Crowd(), DATA).findings}
    assert found["rounds"].result == "passed"
    vehicles = VehicleScheduling("rounds")
    report = check_problem(vehicles, [vehicles.generate(seed, tasks=5, scenarios=3) for seed in range(2)])
    assert report.ok, str(report)
    left = next(f for f in check_problem(Selection(), projects(), decoder="none").findings if f.check == "rounds")
    assert left.detail == "features take no solution"


class Crude(Selection):
    """One scale for projects of all sizes."""

    def scale(self, instance):
        return 1.0


def test_a_scale_that_lets_one_instance_rule_the_loss_is_doubted() -> None:
    """It is no mistake of a method, and fails nothing; the scale of the sound problem fits sizes of all orders."""
    data = projects()
    large = replace(data[-1], price=1000.0 * data[-1].price, risk=30.0 * data[-1].risk)
    for problem, result in ((Selection(), "passed"), (Crude(), "doubtful")):
        report = check_problem(problem, [*data[:-1], large], decoder="none")
        found = next(finding for finding in report.findings if finding.check == "loss shares")
        assert (report.ok, found.result) == (True, result), str(report)
        assert found.detail.startswith(f"instance {len(data) - 1}, of ") == (result == "doubtful")
    assert f"loss shares       doubtful: instance {len(data) - 1}, of " in str(report)


def test_two_rows_are_enough_to_see_that_y_depends_on_theta() -> None:
    pairs = [Selection().generate(seed, projects=2) for seed in range(3)]
    found = {finding.check: finding for finding in check_problem(Selection(), pairs, decoder="none").findings}
    assert found["theta"].result == "passed", found["theta"].detail
