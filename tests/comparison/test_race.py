"""Races: standings by hand, contenders that do not disturb each other, and all contenders of the built-in problems."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from colayer.comparison import cpsat
from colayer.comparison.contender import EXACT, HIGHS, SAFE, contenders_of, exact, once, perturbed
from colayer.comparison.figures import cost_over_time
from colayer.comparison.race import Race, race
from colayer.comparison.results import FIGURE, Results
from colayer.comparison.trajectory import Attempt, Trajectory
from colayer.errors import InputError
from colayer.pipeline import Pipeline
from colayer.problem import BaseProblem, completed
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from colayer.report.outcome import provenance, read_outcomes, write_outcome

SMALL: list[tuple[Any, dict[str, int]]] = [
    (SingleMachine(), {"jobs": 8}),
    (SpanningTree(), {"width": 3, "scenarios": 3}),
    (VehicleScheduling(), {"tasks": 10, "scenarios": 4}),
]


@dataclass
class Item:
    values: list[float]
    cache: dict[str, int] = field(default_factory=dict)


class Pick(BaseProblem):
    """Pick a number; a problem without weights, baselines or models."""

    name = "pick"
    feature_names = ("value",)

    def features(self, instance: Item) -> Any:
        return np.array(instance.values)[:, None]

    def layer(self, theta: Any, instance: Item) -> int:
        return int(np.argmin(theta))

    def cost(self, solution: int, instance: Item) -> float:
        return instance.values[solution]


def by_hand() -> Race:
    """Two instances. A is early and good; B, HiGHS, late, better on the second; C solves the first one alone."""
    rows = (
        (Trajectory(((0.05, 110.0), (5.0, 100.0))), Trajectory(((2.0, 120.0),)), Trajectory(((1.0, 100.0),), True)),
        (Trajectory(((0.1, -50.0),)), Trajectory(((0.5, -90.0), (9.0, -100.0))), Trajectory((), note="too large")),
    )
    return Race("pick", 10.0, 3, ("A", "HiGHS", "C"), ({"n": 1.0}, {"n": 2.0}), rows)


def test_standings_by_hand() -> None:
    a, b, c = by_hand().standings()
    assert by_hand().best == [100.0, -100.0]
    assert (a.solved, a.wins, a.proved, a.first) == (2, 1, 0, pytest.approx(0.075))
    assert a.gaps == (pytest.approx((0.1 + 0.5) / 2), pytest.approx((0.1 + 0.5) / 2), pytest.approx(0.25))
    assert (b.solved, b.wins, b.gaps[0], b.gaps[1]) == (2, 1, None, None)  # at 1 s the first instance has no solution
    assert b.gaps[2] == pytest.approx(0.1)
    assert (c.solved, c.wins, c.proved, c.gaps, c.note) == (1, 1, 1, (None, None, None), "too large")


def test_results_as_document_tables_and_outcome(tmp_path: Any) -> None:
    results = Results(by_hand(), {"A": 18.0}, ("D is left out",))
    document = results.document()
    # A has solved both after 5 s, with a mean gap of 25 %. B is at 15 % after 2 s, C never gets there.
    assert [row["rival_seconds"] for row in document["payback"]] == [2.0, 10.0]
    assert [row["payback"] for row in document["payback"]] == ["never", "≤ 4"]
    assert [row["reached"] for row in document["payback"]] == [1, 1]
    assert document["instances"][0]["trajectories"]["C"]["points"] == ((1.0, 100.0),)
    assert "too large" in results.notes()[0]
    folder = tmp_path / "run"
    write_outcome(folder, results.outcome({"command": "colayer compare", "seed": 3}))
    ((_, outcome),) = read_outcomes(folder)
    assert [sheet.name for sheet in outcome.sheets] == ["compare", "payback"]
    assert outcome.sheets[1].columns[2].name in results.payback_table().text()  # one name for one thing
    assert outcome.pictures[0].file == FIGURE
    assert (folder / "compare.csv").read_text().splitlines()[1].startswith("A,0.075")
    assert outcome.differences == ("D is left out", "C: too large")
    (conclusion,) = outcome.conclusions
    assert conclusion.claim == "A, solved once, is never worse than HiGHS after 10 s"
    assert (conclusion.holds, conclusion.numbers) == (False, "better on 1, equal on 0, worse on 1 instances")


def test_the_figure_begins_a_line_where_all_instances_have_a_solution() -> None:
    ax = cost_over_time(by_hand())
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert list(np.asarray(lines["HiGHS"].get_xdata())) == [2.0, 9.0, 10.0]
    assert np.asarray(lines["HiGHS"].get_ydata()) == pytest.approx([15.0, 10.0, 10.0])
    assert "C" not in lines
    assert cost_over_time(Race("pick", 1.0, 0, ("A",), ({},), ((Trajectory(()),),))).get_lines() == []


def test_every_contender_gets_an_instance_that_nobody_has_looked_at() -> None:
    seen = []

    def spoil(instance: Item, limit: float) -> Attempt:
        seen.append(dict(instance.cache))
        instance.cache["mine"] = 1
        instance.values.clear()
        return Attempt([(0.0, 1)])

    instances = [Item([3.0, 2.0]), Item([5.0, 7.0])]
    found = race(Pick(), instances, {"a": spoil, "b": spoil}, time_limit=1.0)
    assert seen == [{}] * 6  # two to warm up, then two on each instance
    assert [[t.cost for t in row] for row in found.rows] == [[2.0, 2.0], [7.0, 7.0]]
    assert [x.values for x in instances] == [[3.0, 2.0], [5.0, 7.0]]


def test_nothing_to_compare_is_refused() -> None:
    with pytest.raises(InputError, match="nothing to compare"):
        race(Pick(), [], {"a": lambda x, t: Attempt()}, time_limit=1.0)
    with pytest.raises(InputError, match="nothing to compare"):
        race(Pick(), [Item([1.0])], {}, time_limit=1.0)


def test_one_core_is_given_back() -> None:
    """Also where a contender fails."""

    def fail(instance: Item, limit: float) -> Attempt:
        raise RuntimeError(len(os.sched_getaffinity(0)))

    before = os.sched_getaffinity(0)
    with pytest.raises(RuntimeError, match="1"):
        race(Pick(), [Item([1.0])], {"a": fail}, time_limit=1.0)
    assert os.sched_getaffinity(0) == before


class Even(Pick):
    """A solution that is not even is none, as the problem itself can tell."""

    def violation(self, solution: int, instance: Item) -> str | None:
        return "odd" if solution % 2 else None


class Written(Pick):
    """The same, told by its solution files alone."""

    def write_solution(self, solution: int, instance: Item) -> dict[str, Any]:
        return {"pick": solution}

    def read_solution(self, document: Any, instance: Item) -> int:
        if document["pick"] % 2:
            raise ValueError("odd")
        return int(document["pick"])


@pytest.mark.parametrize(("problem", "said"), [(Even(), "violation says: odd"), (Written(), "odd")])
def test_a_solution_that_the_problem_calls_infeasible_does_not_count(problem: Any, said: str) -> None:
    """Also where its cost is the least of all."""
    found = race(problem, [Item([4.0, 1.0, 2.0])], {"a": lambda x, t: Attempt([(0.0, 2), (0.1, 1)])}, time_limit=1.0)
    assert found.rows[0][0].points == ((0.0, 2.0),)
    assert found.rows[0][0].note == f"a solution was not feasible ({said})"


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0]], ids=["warming up", "on the way"])
def test_a_rival_that_fails_loses_its_row_and_no_other(values: list[float]) -> None:
    """On the last instance, where all warm up, or on the first, in the race; the words say what and where."""

    def fail(instance: Item, limit: float) -> Attempt:
        return Attempt([(0.0, 1)]) if len(instance.values) > 2 else Attempt([(0.0, 1 // 0)])

    def well(instance: Item, limit: float) -> Attempt:
        return Attempt([(0.0, 0)])

    instances = [Item([3.0, 1.0]), Item([4.0, 5.0, 6.0] if len(values) > 1 else values)]
    found = race(Pick(), instances, {"a": fail, "b": well}, time_limit=1.0, may_fail=["a"])
    assert found.contenders == ("b",)
    assert [[t.cost for t in row] for row in found.rows] == [[3.0], [instances[1].values[0]]]
    (said,) = Results(found, {}, ()).document()["left_out"]
    assert said.startswith("a is left out: it raised ZeroDivisionError: ")
    assert "test_race.py, line " in said
    with pytest.raises(ZeroDivisionError):
        race(Pick(), instances, {"a": fail, "b": well}, time_limit=1.0)
    with pytest.raises(InputError, match="no contender is left: a is left out"):
        race(Pick(), instances, {"a": fail}, time_limit=1.0, may_fail=["a"])


def test_a_problem_without_models_is_told_what_is_left_out() -> None:
    problem = completed(Pick())
    found, missing = contenders_of(problem, {"mine": Pipeline(problem, [1.0], safe=False)})
    assert list(found) == ["mine", "mine, perturbed"]
    assert missing == [
        "HiGHS is left out: pick has no compact model",
        "CP-SAT is left out: pick has no constraint program",
    ]
    ended = race(problem, [Item([4.0, 1.0, 2.0])], found, time_limit=0.01)
    assert [t.cost for t in ended.rows[0]] == [1.0, 1.0]


@pytest.mark.parametrize(("problem", "sizes"), SMALL, ids=lambda value: getattr(value, "name", ""))
def test_all_contenders_of_a_problem_end_with_solutions_of_their_cost(
    problem: Any, sizes: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Feasible, as `write_solution` checks, not above the cost found first, and exact ones best of all."""
    monkeypatch.setattr(cpsat, "available", lambda: False)
    pipeline = Pipeline(problem, safe=False)
    contenders, missing = contenders_of(problem, {"learned": pipeline})
    assert missing == ["CP-SAT is left out: pip install 'colayer[compare]'"]
    assert {"learned", "learned, perturbed", SAFE, EXACT, HIGHS, *problem.baselines} == set(contenders)
    last: dict[str, list[Any]] = {name: [] for name in contenders}

    def kept(name: str) -> Any:
        def run(instance: Any, limit: float) -> Attempt:
            attempt = contenders[name](instance, limit)
            last[name].append(attempt.solutions[-1][1])
            return attempt

        return run

    instances = [problem.generate(seed, **sizes) for seed in (1, 2)]
    ended = race(problem, instances, {name: kept(name) for name in contenders}, time_limit=1.0)
    for name in contenders:
        for found, solution, instance in zip(ended.of(name), last[name][1:], instances, strict=True):
            problem.write_solution(solution, instance)
            assert found.cost is not None
            assert found.cost >= problem.cost(solution, instance)  # equal, where the last one came in time
            assert all(a[1] > b[1] for a, b in pairwise(found.points))
    for found, best in zip(ended.of(EXACT), ended.best, strict=True):
        assert found.proved
        assert found.cost == pytest.approx(best, rel=1e-9)
    assert ended.groups[0] == problem.group(instances[0])


def test_two_contenders_of_one_name_are_refused() -> None:
    problem = SingleMachine()
    pipeline = Pipeline(problem, problem.safe_weights, safe=False)
    for names in (["srpt"], ["exact"], ["a", "a, perturbed"]):
        with pytest.raises(InputError, match="is the name of another contender"):
            contenders_of(problem, dict.fromkeys(names, pipeline))


def test_the_perturbed_pipeline_starts_from_the_plain_one() -> None:
    """With no time there is one solve; with some there are draws, the same ones for the same seed."""
    problem = SpanningTree()
    pipeline = Pipeline(problem, problem.safe_weights, safe=False)
    instance = problem.generate(0, width=6, scenarios=4)
    plain = once(pipeline)(instance, 1.0).solutions
    alone = perturbed(pipeline)(instance, 0.0).solutions
    assert len(alone) == 1
    costs = [problem.cost(z, instance) for _, z in perturbed(pipeline)(instance, 0.3).solutions]
    assert costs[0] == problem.cost(plain[0][1], instance) == problem.cost(alone[0][1], instance)
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]


def test_an_exact_solver_that_tells_nothing_has_its_last_solution() -> None:
    class Silent(Pick):
        def exact(self, instance: Any, time_limit: Any = None, progress: Any = None, start: Any = None) -> Any:
            return 1, 0.0, True

    attempt = exact(Silent())(Item([3.0, 2.0]), 1.0)
    assert ([z for _, z in attempt.solutions], attempt.told, attempt.proved) == ([1], [], True)


def test_provenance_names_versions() -> None:
    assert "highspy" in str(provenance("colayer compare", seed=0)["versions"])
