"""CP-SAT in its own process: it proves the optimum of tiny instances, with and without a hint."""

from __future__ import annotations

from typing import Any

import pytest

from colayer.comparison.contender import CP_SAT, CP_SAT_HINT, pipeline_contender, solver_contenders
from colayer.comparison.cpsat import solve_constraints
from colayer.comparison.race import race
from colayer.comparison.results import Results
from colayer.comparison.trajectory import trajectory
from colayer.errors import ColayerError
from colayer.pipeline import Pipeline
from colayer.problem.bind import bind
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from support.errors import rejects
from support.plain_jobs import brute_force

TINY: list[tuple[Any, dict[str, int]]] = [
    (SingleMachine(), {"jobs": 6}),
    (SpanningTree(), {"width": 3, "scenarios": 3}),
    (VehicleScheduling(), {"tasks": 8, "scenarios": 4}),
]
IDS = [problem.name for problem, _ in TINY]


@pytest.mark.parametrize(("seed", "hint"), [(0, False), (1, True)])
@pytest.mark.parametrize(("problem", "sizes"), TINY, ids=IDS)
def test_it_proves_the_optimum(problem: Any, sizes: dict[str, int], seed: int, hint: bool) -> None:
    instance = problem.generate(seed, **sizes)
    solution, _, proved = problem.exact(instance, time_limit=20.0)
    assert proved
    best = problem.cost(solution, instance)
    if problem.name == "single-machine":
        assert best == brute_force(instance)[1]
    start = Pipeline(problem, safe=False).solve(instance).solution if hint else None
    attempt = solve_constraints(bind(problem), instance, 30.0, start=start)
    found = trajectory(attempt, lambda z: problem.cost(z, instance), 30.0)
    assert attempt.proved
    assert found.cost == pytest.approx(best, rel=1e-5)  # vehicle scheduling: times are rounded to 1/1000 of a minute


@pytest.mark.parametrize(("problem", "sizes"), TINY, ids=IDS)
def test_it_starts_from_the_hint(problem: Any, sizes: dict[str, int]) -> None:
    """A complete and feasible hint is the first solution it reports: given the optimum, there is no other one."""
    instance = problem.generate(5, **sizes)
    solution, _, _ = problem.exact(instance, time_limit=20.0)
    found = trajectory(
        solve_constraints(bind(problem), instance, 30.0, start=solution), lambda z: problem.cost(z, instance), 30.0
    )
    assert [cost for _, cost in found.points] == pytest.approx([problem.cost(solution, instance)], rel=1e-5)


def test_a_race_with_and_without_the_hint() -> None:
    problem = SingleMachine()
    pipeline = Pipeline(problem, safe=False)
    solvers, missing = solver_contenders(bind(problem), pipeline)
    assert missing == []
    instances = [problem.generate(seed, jobs=7) for seed in (0, 1)]
    few = [pipeline_contender("learned", pipeline), *(s for s in solvers if s.name in (CP_SAT, CP_SAT_HINT))]
    assert [contender.name for contender in few] == ["learned", CP_SAT, CP_SAT_HINT]
    results = Results(race(bind(problem), instances, few, time_limit=10.0), {"learned": 3.0})
    assert len(results.hints()) == 2
    for i, once, without, hinted in results.hints():
        assert hinted == without == brute_force(instances[i])[1]
        assert once is not None
        assert once >= hinted
    assert [sheet.name for sheet in results.outcome({}).sheets] == ["compare", "payback", "hint"]
    assert all(t.proved for t in results.race.of(CP_SAT_HINT))


def test_too_little_time_and_too_large_models() -> None:
    problem = SingleMachine()
    instance = problem.generate(0, jobs=30)
    assert solve_constraints(bind(problem), instance, 1e-6).solutions == []
    large = VehicleScheduling().generate(0, tasks=400, scenarios=100)
    assert "400" not in solve_constraints(bind(VehicleScheduling()), large, 1.0).note
    assert solve_constraints(bind(VehicleScheduling()), large, 1.0).note.startswith("the model has a row for each of")


def test_a_process_that_fails_is_an_error_that_says_why() -> None:
    class Broken(SingleMachine):
        def constraint_program(self, instance: Any) -> Any:
            program = super().constraint_program(instance)
            program.no_overlap[0][0] = (99, 1)
            return program

    with rejects(ColayerError, "CP-SAT", "IndexError"):
        solve_constraints(bind(Broken()), SingleMachine().generate(0, jobs=3), 5.0)


def test_a_race_without_a_pipeline_has_no_hint() -> None:
    solvers, _ = solver_contenders(bind(SingleMachine()))
    assert CP_SAT in [contender.name for contender in solvers]
    assert CP_SAT_HINT not in [contender.name for contender in solvers]


def test_a_program_without_a_solution_is_an_error_that_says_so() -> None:
    class Impossible(SingleMachine):
        def constraint_program(self, instance: Any) -> Any:
            program = super().constraint_program(instance)
            program.no_overlap[0] = [(start, 10**6) for start, _ in program.no_overlap[0]]
            return program

    with rejects(ColayerError, "CP-SAT", "single-machine"):
        solve_constraints(bind(Impossible()), SingleMachine().generate(0, jobs=3), 5.0)
