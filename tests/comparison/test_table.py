"""The table of a comparison against numbers computed by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from colayer.comparison.race import Race
from colayer.comparison.table import Comparison, Result, comparison_of, summary_table, value
from colayer.comparison.trajectory import Trajectory
from colayer.errors import InputError
from support.errors import rejects

#: (bound, scale, size) of three instances.
INSTANCES = ((100.0, 10.0, 2.0), (200.0, 20.0, 1.0), (50.0, 5.0, 2.0))


def comparison(instances: Any = INSTANCES, rule: float = 1.1, above: Any = (1.2, 1.4, 1.6)) -> Comparison:
    """A rule 10 % above its bound, and a pipeline 20, 40, 60 % above."""
    results = []
    for i, (bound, scale, size) in enumerate(instances):
        for name, factor, seconds in (("rule", rule, 0.5), ("pipeline", above[i], 2.0)):
            results.append(Result(name, i, factor * (bound or 1), bound, scale, seconds, {"size": size}))
    return Comparison("toy", ("rule", "pipeline"), tuple(results), ("rule", "learned"))


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
    with rejects(InputError, "rho"):
        comparison().by("rho")


def test_ratio() -> None:
    """The ratio of mean gaps; it is not defined against a reference without gap."""
    assert comparison().ratio("pipeline", "rule") == pytest.approx(4.0)
    assert comparison().ratio("rule", "rule") == 1.0
    with rejects(InputError, "x"):
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
    assert list(document) == ["format", "problem", "contenders", "reference", "summary", "by_group", "results"]
    assert (document["format"], document["problem"], document["contenders"]) == (1, "toy", ["rule", "pipeline"])
    assert [row.pop("gap") for row in document["results"]] == [result.gap for result in found.results]
    assert tuple(Result(**row) for row in document["results"]) == found.results
    assert [row["mean_gap"] for row in document["summary"]] == [row.mean_gap for row in found.summary()]


def raced(*rows: tuple[Trajectory, ...]) -> Race:
    count = len(rows)
    return Race(
        "toy", 9.0, 0, ("a", "b"), ({"n": 4.0},) * count, rows, (5.0,) * count, (2.0,) * count, ("rule", "rule")
    )


def test_the_last_solution_of_a_race_counts() -> None:
    found = raced((Trajectory(((1.0, 9.0), (3.0, 6.0))), Trajectory(((2.0, 7.0),))))
    a, b = comparison_of(found).results
    assert a == Result("a", 0, 6.0, 5.0, 2.0, 3.0, {"n": 4.0})
    assert (b.cost, b.seconds, b.loss, b.gap) == (7.0, 2.0, 3.5, pytest.approx(0.4))
    assert [r.bound for r in comparison_of(found, [5.5]).results] == [5.5, 5.5]
    assert [r.gap for r in comparison_of(found, [None]).results] == [None, None]


def test_a_cost_below_a_bound_is_no_solution() -> None:
    """But for what the tolerance of a general solver leaves."""
    found = raced((Trajectory(((1.0, 9.0),)), Trajectory(((2.0, 7.0),))))
    with pytest.raises(
        InputError, match=r"^instance 0: b returned an infeasible .*: it costs 7, less than .* bound 8$"
    ):
        comparison_of(found, [8.0])
    assert [r.bound for r in comparison_of(found, [7.0 + 1e-6]).results] == [7.0 + 1e-6] * 2


def test_a_contender_without_a_solution_has_no_place_in_a_table() -> None:
    there, missing = Trajectory(((1.0, 9.0),)), Trajectory((), note="no solution in time")
    with pytest.raises(InputError, match=r"^instance 1: b has no solution: no solution in time$"):
        comparison_of(raced((there, there), (there, missing)))


def compared(kinds: tuple[Any, ...], *costs: tuple[float, ...]) -> Comparison:
    """Contenders a, b, … of these kinds; one tuple of costs per instance."""
    names = tuple("abcd"[: len(kinds)])
    results = [
        Result(name, i, cost, None, 1.0, 1.0, {"n": float(i % 2)})
        for i, row in enumerate(costs)
        for name, cost in zip(names, row, strict=True)
    ]
    return Comparison("toy", names, tuple(results), kinds)


def test_the_reference_is_the_best_that_is_plain() -> None:
    """In relative cost, so that large instances do not decide alone; what searches or is learned is no reference."""
    rows = ((1.0, 4.0, 2.0, 1.0), (100.0, 101.0, 110.0, 100.0))
    assert compared(("learned", "rule", "safe", "solver"), *rows).reference == "c"
    assert compared(("rule", "rule", "rule", "rule"), *rows).reference == "a"
    alone = compared(("learned", "learned"), (1.0, 2.0))
    assert alone.reference is None
    assert [row.difference for row in alone.summary()] == [None, None]
    assert alone.conclusions() == []


def test_differences_are_paired_over_all_and_in_groups() -> None:
    found = compared(("rule", "learned"), (10.0, 9.0), (20.0, 20.0), (10.0, 8.0), (40.0, 42.0))
    reference, learned = found.summary()
    assert reference.difference is None
    assert learned.difference is not None
    assert learned.difference.mean == pytest.approx((-0.1 + 0.0 - 0.2 + 0.05) / 4)
    assert learned.difference.to == "a"
    assert found.groups == ("n",)
    even, odd = (row.difference for row in found.by("n") if row.contender == "b")
    assert even is not None
    assert odd is not None
    assert (even.mean, odd.mean) == (pytest.approx(-0.15), pytest.approx(0.025))
    document = json.loads(json.dumps(found.to_document()))
    assert [(row["group"], row["contender"]) for row in document["by_group"]] == [
        ({"n": 0.0}, "a"), ({"n": 0.0}, "b"), ({"n": 1.0}, "a"), ({"n": 1.0}, "b"),
    ]  # fmt: skip
    assert document["reference"] == "a"
    assert document["summary"][1]["difference"] == {
        "to": "a", "mean": learned.difference.mean, "standard_error": learned.difference.standard_error,
        "verdict": "no measurable difference",
    }  # fmt: skip


def test_one_table_has_one_reference() -> None:
    """Whatever searches or was learned, and in whichever group: what else is compared is said in words."""
    found = compared(
        ("safe", "rule", "solver", "learned"), (3.0, 2.0, 1.0, 4.0), (1.0, 2.0, 1.0, 0.5), (1.0, 2.0, 1.0, 1.5)
    )
    for rows in (found.summary(), found.by("n")):
        assert {row.difference.to for row in rows if row.difference is not None} == {"a"}
        assert {row.contender for row in rows if row.difference is None} == {"a"}
        assert {row[-2] == "reference" for row in summary_table(rows).cells if "a" in row} == {True}
        assert all(row[-2] != "reference" for row in summary_table(rows).cells if "a" not in row)


def test_instances_of_one_group_are_not_told_apart() -> None:
    assert compared(("rule",), (1.0,), (2.0,), (3.0,)).groups == ("n",)
    assert compared(("rule",), (1.0,)).groups == ()
    assert compared(("rule",), (1.0,)).to_document()["by_group"] == []


def test_conclusions_begin_with_what_gains_nothing() -> None:
    costs = [(100.0, 90.0 + i % 2, 100.0 + (-1) ** i, 111.0 - i % 2) for i in range(8)]
    ties, worse, better = compared(("rule", "learned", "learned", "learned"), *costs).conclusions()
    assert ties == "no measurable difference between c and a: 0 ± 0.378 %"
    assert worse.startswith("d is worse than a: +10.5 ± ")
    assert better.startswith("b is better than a: -9.50 ± ")


def three_costs(bound: float | None, *kinds: Any) -> Comparison:
    """A rule, a learned pipeline and one more, on three instances."""
    kinds = kinds or ("rule",)
    costs = ((110.0, 99.0, 121.0), (110.0, 100.0, 98.0), (110.0, 98.0, 111.0))
    names = ("rule", "learned", "other")[: len(kinds)]
    results = [
        Result(name, i, cost, bound, 10.0, 0.002, {"jobs": 50})
        for i, row in enumerate(costs)
        for name, cost in zip(names, row, strict=False)
    ]
    return Comparison("toy", names, tuple(results), kinds)


def test_summary_table() -> None:
    """Percent and milliseconds for people."""
    rows = summary_table(three_costs(88.0, "solver").summary())
    assert rows.headers == ("contender", "mean gap", "worst gap", "mean time")
    assert rows.cells == (("rule", "25.0 %", "25.0 %", "2.00 ms"),)


def test_summary_table_says_that_gaps_are_to_best_known_costs() -> None:
    assert summary_table(comparison().summary(), to_best=True).headers[1:3] == ("mean gap to best known", "worst")


def test_summary_table_by_group_and_without_bounds() -> None:
    rows = summary_table(three_costs(None, "solver").by("jobs"))
    assert rows.headers == ("jobs", "contender", "mean cost", "mean time")
    assert rows.cells == (("50", "rule", "110.00", "2.00 ms"),)


def test_summary_table_has_differences_to_the_reference_and_verdicts() -> None:
    """By hand: −10, −9.09 and −10.9 % of the rule's cost."""
    found = three_costs(50.0, "rule", "learned", "solver")
    rows = summary_table(found.summary())
    assert rows.headers[-2:] == ("difference", "verdict")
    assert [row[0] for row in rows.cells] == ["learned", "rule", "other"]  # the best comes first
    assert rows.best == {0}
    assert [row[-2:] for row in rows.cells[:2]] == [("-10.0 ± 0.525 %", "better"), ("reference", "")]
    assert rows.cells[2][-1] == "no measurable difference"
    by_group = summary_table(found.by("jobs"))
    assert by_group.headers[:2] == ("jobs", "contender")
    assert [row[-2:] for row in by_group.cells] == [row[-2:] for row in rows.cells]
