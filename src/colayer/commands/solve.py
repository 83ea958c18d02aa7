"""`colayer solve`: instances through a learned pipeline, and on to a proof if asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from colayer.commands import options
from colayer.commands.output import emit, search
from colayer.cores import cores
from colayer.dataset import parse_instance, problem_of, read_document
from colayer.errors import OptionError
from colayer.evaluation import gap

if TYPE_CHECKING:
    from colayer.pipeline import Pipeline, Solved


def run(
    files: list[str],
    *,
    model: str | None,
    problem: str | None,
    decoder: str | None,
    samples: str,
    sigma: str,
    seed: str,
    certify: bool,
    time_limit: str | None,
    plot: str | None,
    as_json: bool,
    output: str | None,
    workers: str | None,
) -> None:
    """Solve every instance; nothing is solved before all options and files are checked."""
    from colayer.pipeline import Pipeline

    draws = {
        "samples": options.whole(samples, "--samples"),
        "sigma": options.number(sigma, "--sigma", zero=True),
        "seed": options.whole(seed, "--seed", maximum=2**63),
    }
    count = options.whole(workers, "--workers", 1) if workers is not None else cores()
    limit = options.limit(time_limit, "--certify", certify)
    paths = [Path(file) for file in files]
    if plot is not None and len(paths) > 1:
        raise OptionError(f"{len(paths)} instances, expected one to draw", where="--plot")
    sources = [*paths, *([Path(model)] if model else [])]
    out, drawing = options.output(output, "-o", sources), options.picture(plot, "--plot", sources)
    if out is not None and drawing is not None and out.resolve() == drawing.resolve():
        raise OptionError("the same file as -o, expected another one", where="--plot")
    given = None if problem is None else options.find(problem)
    trained = None
    if model is not None:
        trained = Pipeline.from_model(*options.load_model(Path(model), given, decoder))
    inputs = read_inputs(paths, given if trained is None else trained.problem)
    for found, _ in inputs:
        if certify:
            options.need(found, "exact", "exact solver", "--certify")
        if drawing is not None:
            options.need(found, "plot", "picture of a solution", "--plot")
    solved = solve_all(inputs, trained, decoder, draws, count)
    documents = []
    with search("certifying", len(inputs)) as shown:
        for k, (found, instance) in enumerate(inputs):
            certified = {}
            if certify:
                solved[k], proved = certify_one(found, instance, solved[k], limit, shown.told)
                certified = {"certified": proved}
                shown.next()
            documents.append({**document(found, instance, solved[k]), **certified})
    if drawing is not None:
        from colayer.report.figures import save

        save(inputs[0][0].plot(solved[0].solution, inputs[0][1]), drawing)
    text = table_text(paths, documents)
    emit(documents if len(documents) > 1 else documents[0], text, as_json=as_json, out=out)


def read_inputs(paths: Sequence[Path], problem: Any) -> list[tuple[Any, Any]]:
    """(problem, instance) of every file: of the problem given, else of the one it names."""
    from colayer.problems import problem_names

    found: dict[str, Any] = {}
    inputs = []
    for path in paths:
        content = read_document(path)
        if problem is None:
            named = content.get("problem")
            if isinstance(named, str) and named not in problem_names():
                raise options.unknown_problem(named, path)
            if not isinstance(named, str) or named not in found:
                found[str(named)] = problem_of(content, path)
        one = problem if problem is not None else found[str(content.get("problem"))]
        inputs.append((one, parse_instance(content, one, path)))
    return inputs


def solve_all(
    inputs: Sequence[tuple[Any, Any]],
    trained: Pipeline | None,
    decoder: str | None,
    draws: dict[str, Any],
    workers: int,
) -> list[Solved]:
    """Solve the instances of each problem together; in the order of the inputs."""
    from colayer.pipeline import Pipeline

    pipelines = {}
    for found, _ in inputs:
        if found.name not in pipelines:
            pipelines[found.name] = trained or Pipeline(options.variant(found, decoder=decoder))
            pipelines[found.name].model  # noqa: B018 without weights, refuse now
    solved: dict[int, Solved] = {}
    for name, pipeline in pipelines.items():
        mine = [k for k, (found, _) in enumerate(inputs) if found.name == name]
        # compiles what is not in the cache yet: not part of the times
        pipeline.solve(inputs[mine[0]][1], samples=min(1, draws["samples"]))
        answers = pipeline.solve_many([inputs[k][1] for k in mine], workers=min(workers, len(mine)), **draws)
        solved.update(zip(mine, answers, strict=True))
    return [solved[k] for k in range(len(inputs))]


def certify_one(
    problem: Any,
    instance: Any,
    solved: Solved,
    limit: float | None,
    told: Callable[[float, float], None] | None = None,
) -> tuple[Solved, bool]:
    """The better of the pipeline's and the exact solver's solution, the better bound, and whether it is optimal."""
    begin = time.perf_counter()
    solution, bound, proved = problem.exact(instance, time_limit=limit, progress=told, start=solved.solution)
    cost = float(problem.cost(solution, instance))
    if cost < solved.cost:
        solved = replace(solved, solution=solution, cost=cost, source="exact")
    bound = float(bound) if solved.bound is None else max(float(bound), solved.bound)
    seconds = solved.seconds + time.perf_counter() - begin
    solved = replace(solved, bound=bound, gap=gap(solved.cost, bound), seconds=seconds)
    return solved, bool(proved) or solved.cost <= bound


def document(problem: Any, instance: Any, solved: Solved) -> dict[str, Any]:
    """The object that `--json` prints for one instance; the solution is null where the problem cannot write it."""
    written = options.provides(problem, "write_solution")
    return {
        "problem": problem.name,
        "cost": solved.cost,
        "bound": solved.bound,
        "gap": solved.gap,
        "seconds": solved.seconds,
        "source": solved.source,
        "solution": problem.write_solution(solved.solution, instance) if written else None,
    }


def table_text(paths: Sequence[Path], documents: Sequence[dict[str, Any]]) -> str:
    """One row per instance."""
    from colayer.report.tables import duration, percent, table

    certified = "certified" in documents[0]
    rows = [
        (str(path), d["cost"], d["bound"], percent(d["gap"]), duration(d["seconds"]), d["source"])
        + ((("yes" if d["certified"] else "no"),) if certified else ())
        for path, d in zip(paths, documents, strict=True)
    ]
    headers = ("file", "cost", "bound", "gap", "time", "source", *(("optimal",) if certified else ()))
    return table(headers, rows).text()
