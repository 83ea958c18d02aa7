"""Comparisons against numbers computed by hand."""

import json
import math
from types import SimpleNamespace

import pytest
from colayer.evaluation import compare

from colayer.comparison.table import Comparison, Result
from colayer.compose import gap
from colayer.errors import InputError


class Toy:
    """A solution is its own cost; an instance is (bound, scale, size)."""

    name = "toy"
    feature_names = ("one",)
    bounds = 0

    def features(self, instance):
        raise NotImplementedError

    def layer(self, theta, instance):
        raise NotImplementedError

    def decode(self, y, instance):
        return y

    def cost(self, solution, instance):
        return solution

    def scale(self, instance):
        return instance[1]

    def bound(self, instance):
        self.bounds += 1
        return instance[0]

    def group(self, instance):
        return {"size": instance[2]}


INSTANCES = [(100.0, 10.0, 2), (200.0, 20.0, 1), (50.0, 5.0, 2)]


def toy_comparison(instances=INSTANCES):
    """One contender 10 % above its bound, and one that solves like a pipeline: 20, 40, 60 % above."""
    above = {x: 1 + 0.2 * (k + 1) for k, x in enumerate(instances)}
    pipeline = SimpleNamespace(solve=lambda x: SimpleNamespace(cost=above[x] * (x[0] or 1), seconds=2.0, solution=None))
    return compare(Toy(), instances, {"rule": lambda x: 1.1 * (x[0] or 1), "pipeline": pipeline})


@pytest.mark.parametrize(
    ("cost", "bound", "expected"),
    [
        (110.0, 100.0, 0.1),
        (-90.0, -100.0, 0.1),  # a maximisation: the gap is still positive
        (0.0, 0.0, 0.0),
        (1.0, 0.0, None),
        (-100.0, -100.0, 0.0),
        (1.0, None, None),
        (90.0, 100.0, -0.1),  # a wrong bound shows, it is not clipped
    ],
)
def test_gap(cost, bound, expected):
    assert gap(cost, bound) == (None if expected is None else pytest.approx(expected))


def test_summary_by_hand():
    """Mean gap, worst gap, mean loss and mean time of three instances."""
    rule, pipeline = toy_comparison().summary()
    assert (rule.contender, pipeline.contender) == ("rule", "pipeline")
    assert rule.mean_gap == pytest.approx(0.1)
    assert pipeline.mean_gap == pytest.approx(0.4)
    assert pipeline.worst_gap == pytest.approx(0.6)
    assert pipeline.mean_loss == pytest.approx(10 * (1.2 + 1.4 + 1.6) / 3)
    assert pipeline.mean_cost == pytest.approx((120 + 280 + 80) / 3)
    assert pipeline.mean_seconds == 2.0  # the pipeline's own clock
    assert 0 < rule.mean_seconds < 1.0
    assert rule.instances == rule.gaps == 3


def test_by_group():
    """Groups come in increasing order, contenders in theirs; instances 0 and 2 share a size."""
    rows = toy_comparison().by("size")
    assert [(r.group["size"], r.contender) for r in rows] == [
        (1, "rule"), (1, "pipeline"), (2, "rule"), (2, "pipeline"),
    ]  # fmt: skip
    assert rows[1].mean_gap == pytest.approx(0.4)
    assert rows[3].mean_gap == pytest.approx((0.2 + 0.6) / 2)
    assert rows[3].instances == 2


def test_unknown_group_key_is_refused():
    with pytest.raises(InputError, match="no 'rho' to group by, it has size"):
        toy_comparison().by("rho")


def test_ratio():
    """The ratio of mean gaps; it is not defined against a reference without gap."""
    comparison = toy_comparison()
    assert comparison.ratio("pipeline", "rule") == pytest.approx(4.0)
    assert comparison.ratio("rule", "rule") == 1.0
    with pytest.raises(InputError, match="no contender 'x'"):
        comparison.ratio("x", "rule")
    perfect = compare(Toy(), INSTANCES, {"perfect": lambda x: x[0], "rule": lambda x: 2 * x[0]})
    assert perfect.ratio("rule", "perfect") is None
    assert perfect.ratio("perfect", "rule") == 0.0


def test_instances_without_a_gap_are_left_out_for_all():
    """With bound 0 one contender may have a gap and another none: both means are over the other instances."""
    results = [
        Result("a", 0, 0.0, 0.0, 1.0, 0.0, {}),
        Result("b", 0, 5.0, 0.0, 1.0, 0.0, {}),
        Result("a", 1, 12.0, 10.0, 1.0, 0.0, {}),
        Result("b", 1, 11.0, 10.0, 1.0, 0.0, {}),
    ]
    a, b = Comparison("toy", ("a", "b"), tuple(results)).summary()
    assert (a.gaps, a.instances) == (1, 2)
    assert (a.mean_gap, b.mean_gap) == (pytest.approx(0.2), pytest.approx(0.1))


def test_without_bounds_costs_are_compared():
    comparison = compare(Toy(), [(None, 1.0, 1), (None, 1.0, 1)], {"a": lambda x: 6.0, "b": lambda x: 3.0})
    assert comparison.measure == "cost"
    assert comparison.summary()[0].mean_gap is None
    assert comparison.ratio("a", "b") == 2.0


def test_bound_once_and_progress_for_every_run():
    """Bounds may be dear: one per instance, not one per contender."""
    problem, seen = Toy(), []
    contenders = {"a": lambda x: 300.0, "b": lambda x: 400.0}
    compare(problem, INSTANCES, contenders, progress=lambda done, total: seen.append((done, total)))
    assert problem.bounds == 3
    assert seen == [(k, 6) for k in range(1, 7)]


def test_warm_up_runs_the_first_instance_once_more():
    """Compilation must not be timed; a slow contender can do without."""
    calls = []
    compare(Toy(), INSTANCES, {"a": lambda x: calls.append(x) or 1.0})
    assert calls == [INSTANCES[0], *INSTANCES]
    calls.clear()
    compare(Toy(), INSTANCES, {"a": lambda x: calls.append(x) or 1.0}, warm_up=False)
    assert calls == INSTANCES


def test_a_cost_that_is_no_number_is_refused():
    with pytest.raises(InputError, match="bad has cost nan on instance 0"):
        compare(Toy(), INSTANCES, {"bad": lambda x: math.nan})


@pytest.mark.parametrize(("instances", "contenders"), [([], {"a": lambda x: 1.0}), (INSTANCES, {})])
def test_nothing_to_compare_is_refused(instances, contenders):
    with pytest.raises(InputError, match="nothing to compare"):
        compare(Toy(), instances, contenders)


@pytest.mark.parametrize("instances", [INSTANCES, [(None, 1.0, 1), (0.0, 1.0, 1)]])
def test_json_and_csv_round_trip(instances):
    """Through text and back, bit for bit, missing bounds included."""
    comparison = toy_comparison(instances)
    assert Comparison.from_document(json.loads(json.dumps(comparison.to_document()))) == comparison
    assert Comparison.from_csv(comparison.to_csv(), "toy") == comparison


def test_documents_that_are_no_comparison_are_refused():
    document = toy_comparison().to_document()
    with pytest.raises(InputError, match="format"):
        Comparison.from_document({**document, "format": 2})
    with pytest.raises(InputError, match="results"):
        Comparison.from_document({**document, "results": [{"cost": "high"}]})
    with pytest.raises(InputError, match=r"results\[0\]: expected 'rule' on instance 0"):
        Comparison.from_document({**document, "results": document["results"][1:]})
    with pytest.raises(InputError, match="lacks contenders"):
        Comparison.from_document({**document, "results": document["results"][:-1]})
    with pytest.raises(InputError, match="line 1"):
        Comparison.from_csv("a,b\n", "toy")
    with pytest.raises(InputError, match="line 2"):
        Comparison.from_csv("instance,contender,cost,bound,gap,scale,seconds\n0,a,x,,,1,1\n", "toy")
