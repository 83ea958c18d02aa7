"""Learned pipelines against rules and general solvers at equal wall-clock time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from colayer.comparison.contender import (
    number_of_rounds,
    perturbed_contender,
    pipeline_contender,
    solver_contenders,
    words_of_draws,
)
from colayer.comparison.plain import distinct_names, plain_contenders
from colayer.comparison.race import race
from colayer.comparison.results import Results
from colayer.errors import InputError
from colayer.io.hashing import trained_on
from colayer.pipeline import Pipeline
from colayer.pretrained import pretrained
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.protocol import Problem, X, Y, Z


def compare(
    problem: Problem[X, Y, Z],
    instances: Sequence[X],
    pipelines: Mapping[str, Pipeline[X, Y, Z]] | None = None,
    *,
    time_limit: float = 10.0,
    seed: int = 0,
    rounds: int | None = None,
    learning_seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Results:
    """Race learned pipelines against rules and general solvers, at equal time on one core.

    The rivals are the safe weights and the best single feature, through the same decoder, the plain rules, the
    problem's exact solver, HiGHS and, if OR-Tools is installed, CP-SAT.

    Parameters
    ----------
    problem
        The problem.
    instances
        The instances to solve.
    pipelines
        The learned pipelines, by name; by default that of the shipped weights, if any.
    time_limit
        Seconds for each contender and instance.
    seed
        Seed of all random choices.
    rounds
        Rounds of a single solve, if features take the solution of the round before; by default as many as the model
        was learned with.
    learning_seconds
        Seconds of learning: the results then say after how many solves it has paid off.
    progress
        Called with (runs done, runs in all).

    Returns
    -------
    Results
        The race as tables, a JSON document and a report.
    """
    bound: BoundProblem[X, Y, Z] = bind(problem)
    missing: list[str] = []
    if pipelines is None:
        shipped = pretrained(problem)
        pipelines = {} if shipped is None else {"pretrained": Pipeline.from_model(problem, shipped, safe=False)}
    if not pipelines:
        missing.append(f"no learned weights are shipped for {bound.name}: pass --model M.json")
        if learning_seconds is not None:
            raise InputError("no learned pipeline, expected at least one", where="learning_seconds")
    pipelines = distinct_names(pipelines)
    learned = [
        contender
        for name, one in pipelines.items()
        for contender in (
            pipeline_contender(name, one, rounds=rounds),
            *([] if bound.dynamic else [perturbed_contender(name, one, seed)]),  # a day is played once
        )
    ]
    pipelines = {name + words_of_draws(rounds=number_of_rounds(one, rounds)): one for name, one in pipelines.items()}
    solvers, absent = solver_contenders(bound, next(iter(pipelines.values()), None), seed)
    perturbed = seed if pipelines and not bound.dynamic else None
    plain = plain_contenders(bound, instances, list(pipelines.values()), perturbed=perturbed, rounds=rounds)
    contenders = [*learned, *plain, *solvers]
    found = race(bound, instances, contenders, time_limit=time_limit, seed=seed, progress=progress)
    seen = {name: trained_on(one.model, one.bound_problem, instances) for name, one in pipelines.items()}
    return Results(found, dict.fromkeys(pipelines, learning_seconds), (*missing, *absent), seen)
