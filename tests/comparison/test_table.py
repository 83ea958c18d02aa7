"""The table of a comparison against numbers computed by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from colayer.comparison.race import Race
from colayer.comparison.table import Comparison, Result, tabled, value
from colayer.comparison.trajectory import Trajectory
from colayer.errors import InputError

#: (bound, scale, size) of three instances.
INSTANCES = ((100.0, 10.0, 2.0), (200.0, 20.0, 1.0), (50.0, 5.0, 2.0))


def comparison(instances: Any = INSTANCES, rule: float = 1.1, above: Any = (1.2, 1.4, 1.6)) -> Comparison:
    """A rule 10 % above its bound, and a pipeline 20, 40, 60 % above."""
    results = []
    for i, (bound, scale, size) in enumerate(instances):
        for name, factor, seconds in (("rule", rule, 0.5), ("pipeline", above[i], 2.0)):
            results.append(Result(name, i, factor * (bound or 1), bound, scale, seconds, {"size": size}))
    return Comparison("toy", ("rule", "pipeline"), tuple(results))


def test_gap_and_loss_of_a_result() -> None:
    """A maximisation has a positive gap as well; with bound 0 there is none."""
    results = [Result("a", 0, cost, bound, 20.0, 0.0, {}) for cost, bound in ((-90.0, -100.0), (1.0, 0.0), (1.0, None))]
    assert [result.gap for result in results] == [pytest.approx(0.1), None, None]
    assert results[0].loss == -4.5


def test_summary_by_hand() -> None:
    """Mean gap, worst gap, mean loss and mean time of three instances."""
    rule, pipeline = comparison().summary()
    assert (rule.contender, pipeline.contender) == ("rule", "pipeline")
    assert rule.mean_gap == pytest.approx(0.1)
    assert pipeline.mean_gap == pytest.approx(0.4)
    assert pipeline.worst_gap == pytest.approx(0.6)
    assert pipeline.mean_loss == pytest.approx(10 * (1.2 + 1.4 + 1.6) / 3)
    assert pipeline.mean_cost == pytest.approx((120 + 280 + 80) / 3)
    assert (rule.mean_seconds, pipeline.mean_seconds) == (0.5, 2.0)
    assert rule.instances == rule.gaps == 3


def test_by_group() -> None:
    """Groups come in increasing order, contenders in theirs; instances 0 and 2 share a size."""
    rows = comparison().by("size")
    assert [(r.group["size"], r.contender) for r in rows] == [
        (1, "rule"), (1, "pipeline"), (2, "rule"), (2, "pipeline"),
    ]  # fmt: skip
    assert rows[1].mean_gap == pytest.approx(0.4)
    assert rows[3].mean_gap == pytest.approx((0.2 + 0.6) / 2)
    assert rows[3].instances == 2


def test_unknown_group_key_is_refused() -> None:
    with pytest.raises(InputError, match="instance 0 has no 'rho' to group by, it has size"):
        comparison().by("rho")


def test_ratio() -> None:
    """The ratio of mean gaps; it is not defined against a reference without gap."""
    assert comparison().ratio("pipeline", "rule") == pytest.approx(4.0)
    assert comparison().ratio("rule", "rule") == 1.0
    with pytest.raises(InputError, match="no contender 'x', expected one of rule, pipeline"):
        comparison().ratio("x", "rule")
    perfect = comparison(rule=1.0)
    assert perfect.ratio("pipeline", "rule") is None
    assert perfect.ratio("rule", "pipeline") == 0.0
    assert comparison(rule=1.0, above=(1.0, 1.0, 1.0)).ratio("rule", "pipeline") == 1.0


def test_instances_without_a_gap_are_left_out_for_all() -> None:
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


def test_without_bounds_costs_are_compared() -> None:
    unbounded = comparison([(None, 1.0, 1.0), (None, 1.0, 1.0)], rule=6.0, above=(3.0, 3.0))
    assert unbounded.measure == "cost"
    assert unbounded.summary()[0].mean_gap is None
    assert unbounded.ratio("rule", "pipeline") == 2.0
    assert [value(row, "cost") for row in unbounded.summary()] == [6.0, 3.0]
    assert [value(row, "gap") for row in comparison().summary()] == pytest.approx([0.1, 0.4])


@pytest.mark.parametrize("instances", [INSTANCES, [(None, 1.0, 1.0), (0.0, 1.0, 1.0)]])
def test_the_document_holds_every_result_bit_for_bit(instances: Any) -> None:
    """Through text and back, missing bounds and gaps included; the summary is that of the results."""
    found = comparison(instances)
    document = json.loads(json.dumps(found.to_document()))
    assert list(document) == ["format", "problem", "contenders", "summary", "results"]
    assert (document["format"], document["problem"], document["contenders"]) == (1, "toy", ["rule", "pipeline"])
    assert [row.pop("gap") for row in document["results"]] == [result.gap for result in found.results]
    assert tuple(Result(**row) for row in document["results"]) == found.results
    assert [row["mean_gap"] for row in document["summary"]] == [row.mean_gap for row in found.summary()]


def raced(*rows: tuple[Trajectory, ...]) -> Race:
    count = len(rows)
    return Race("toy", 9.0, 0, ("a", "b"), ({"n": 4.0},) * count, rows, (5.0,) * count, (2.0,) * count)


def test_the_last_solution_of_a_race_counts() -> None:
    found = raced((Trajectory(((1.0, 9.0), (3.0, 6.0))), Trajectory(((2.0, 7.0),))))
    a, b = tabled(found).results
    assert a == Result("a", 0, 6.0, 5.0, 2.0, 3.0, {"n": 4.0})
    assert (b.cost, b.seconds, b.loss, b.gap) == (7.0, 2.0, 3.5, pytest.approx(0.4))
    assert [r.bound for r in tabled(found, [5.5]).results] == [5.5, 5.5]
    assert [r.gap for r in tabled(found, [None]).results] == [None, None]


def test_a_contender_without_a_solution_has_no_place_in_a_table() -> None:
    there, missing = Trajectory(((1.0, 9.0),)), Trajectory((), note="no solution in time")
    with pytest.raises(InputError, match=r"^instance 1: b has no solution: no solution in time$"):
        tabled(raced((there, there), (there, missing)))
