"""Learned pipelines against rules and general solvers at equal wall-clock time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from colayer.comparison.contender import (
    drawn,
    perturbed_contender,
    pipeline_contender,
    rounds_of,
    solver_contenders,
)
from colayer.comparison.plain import named_apart, plain_contenders
from colayer.comparison.race import race
from colayer.comparison.results import Results
from colayer.errors import InputError
from colayer.io.hashing import trained_on
from colayer.pipeline import Pipeline
from colayer.pretrained import pretrained
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
    """Race learned pipelines against everything there is for the problem, `time_limit` seconds each, on one core.

    `pipelines` are the learned ones, by name; without, that of the shipped weights, where there are some. Beside them
    run, through the same decoder, the safe weights and the best single feature, then the plain rules, the problem's
    exact solver, HiGHS and, where OR-Tools is installed, CP-SAT.
    Where features take the solution of the round before, all weights but those that use all the time solve in `rounds`
    rounds, by default as many as the model beside them was learned with; names say so.
    `learning_seconds` is what learning took: the results then say after how many solves it has paid for itself.
    `progress` is called with (runs done, runs in all).
    """
    missing: list[str] = []
    if pipelines is None:
        shipped = pretrained(problem)
        pipelines = {} if shipped is None else {"pretrained": Pipeline.from_model(problem, shipped, safe=False)}
    if not pipelines:
        missing.append(f"no learned weights: none are shipped for {problem.name}, give --model M.json")
        if learning_seconds is not None:
            raise InputError("there is no learned pipeline, expected one", where="learning_seconds")
    pipelines = named_apart(pipelines)
    learned = [
        contender
        for name, pipeline in pipelines.items()
        for contender in (
            pipeline_contender(name, pipeline, rounds=rounds),
            perturbed_contender(name, pipeline, seed),
        )
    ]
    pipelines = {name + drawn(rounds=rounds_of(one, rounds)): one for name, one in pipelines.items()}
    solvers, absent = solver_contenders(problem, next(iter(pipelines.values()), None), seed)
    perturbed = seed if pipelines else None
    plain = plain_contenders(problem, instances, list(pipelines.values()), perturbed=perturbed, rounds=rounds)
    contenders = [*learned, *plain, *solvers]
    found = race(problem, instances, contenders, time_limit=time_limit, seed=seed, progress=progress)
    seen = {name: trained_on(pipeline.model, pipeline.problem, instances) for name, pipeline in pipelines.items()}
    return Results(found, dict.fromkeys(pipelines, learning_seconds), (*missing, *absent), seen)
