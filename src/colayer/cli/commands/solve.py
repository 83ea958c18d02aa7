"""`colayer solve`: instances through a learned pipeline, and on to a proof if asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from colayer.cli import options as arguments

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from colayer.cli.lookup import SomePipeline, SomeProblem
    from colayer.display.tables import Table
    from colayer.pipeline import Solved


def solve(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="INSTANCE...", help="Instance files (JSON, npz or CSV), or folders of them."),
    ],
    model: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A trained model; the pretrained one by default.")
    ] = None,
    problem: arguments.FileProblem = None,
    decoder: arguments.Decoder = None,
    candidates: arguments.Candidates = 1,
    samples: arguments.Samples = 0,
    sigma: arguments.Sigma = None,
    seed: arguments.Seed = 0,
    rounds: arguments.Rounds = None,
    certify: Annotated[bool, typer.Option("--certify", help="Go on with the exact solver, to a proof.")] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            parser=arguments.seconds,
            help="Time limit for each instance, to try more weight vectors; with --certify, of the exact solver.",
        ),
    ] = None,
    plot: arguments.Plot = None,
    as_json: arguments.Json = False,
    output: Annotated[
        Path | None,
        arguments.out_file("Write the JSON document here; with a name that ends with .csv, the solutions as a table."),
    ] = None,
    workers: arguments.Workers = None,
) -> None:
    """Solve instances with a learned pipeline."""
    from colayer._runtime.threads import cores
    from colayer.cli.console import emit, search
    from colayer.cli.lookup import find, load_model
    from colayer.cli.outputs import output_file, picture_file, same_file
    from colayer.errors import OptionError
    from colayer.io.csv_files import without_companions
    from colayer.io.dataset import instance_files
    from colayer.io.files import is_folder
    from colayer.pipeline import Pipeline
    from colayer.solving.certify import certify as go_on

    files = [file for path in files for file in (instance_files(path) if is_folder(path) else [path])]
    files = without_companions(files)
    limit = 60.0 if time_limit is None else time_limit  # of the exact solver
    if plot is not None and len(files) > 1:
        raise OptionError(f"{len(files)} instances, expected one to draw", where="--plot")
    sources = [*files, *([model] if model else [])]
    out, drawing = output_file(output, "-o", sources), picture_file(plot, inputs=sources)
    if out is not None and drawing is not None and same_file(out, drawing):
        raise OptionError("the same file as -o, expected another one", where="--plot")
    given = None if problem is None else find(problem)
    trained = None if model is None else Pipeline.from_model(*load_model(model, given, decoder))
    inputs = read_inputs(files, given if trained is None else trained.bound_problem)
    for found, _ in inputs:
        if certify:
            found.need("exact", option="--certify")
        if drawing is not None:
            found.need("plot", option="--plot")
    draws = {"candidates": candidates, "samples": samples, "sigma": sigma, "seed": seed}
    draws["rounds"] = rounds
    draws["time_limit"] = None if certify else time_limit
    many = candidates > 1 or draws["time_limit"] is not None
    solved = solve_all(inputs, trained, decoder, draws, workers or cores())
    check_solutions(files, inputs, solved)
    if certify:
        with search("certifying", len(inputs)) as shown:
            for k, (found, instance) in enumerate(inputs):
                solved[k] = go_on(found, instance, solved[k], time_limit=limit, progress=shown.progress)
                shown.next()
        check_solutions(files, inputs, solved)
    documents = [document(found, instance, one, many) for (found, instance), one in zip(inputs, solved, strict=True)]
    parts: list[str | Table] = [solved_table(files, documents), hints(inputs, solved, out, documents)]
    first, instance = inputs[0]
    emit(
        documents if len(documents) > 1 else documents[0],
        parts,
        as_json=as_json,
        out=out,
        plot=drawing,
        draw=lambda: _drawn(first, solved[0].solution, instance),
        table=solution_csv(files, inputs, solved) if out is not None and out.suffix == ".csv" else None,
    )


def _drawn(problem: SomeProblem, solution: object, instance: object) -> Axes | Figure:
    """Return the problem's picture, loading matplotlib only now."""
    from colayer.display.charts import drawn

    return drawn(problem, solution, instance)


def read_inputs(paths: Sequence[Path], problem: SomeProblem | None) -> list[tuple[SomeProblem, Any]]:
    """Return (problem, instance) for every file; without a given problem, of the one the file names."""
    from colayer.io.dataset import read_file

    return [read_file(path, problem) for path in paths]


def check_solutions(
    paths: Sequence[Path], inputs: Sequence[tuple[SomeProblem, Any]], solved: Sequence[Solved[Any]]
) -> None:
    """Refuse an infeasible solution, or one that costs less than a proved bound; name its file."""
    from colayer.errors import InputError
    from colayer.problem.bind import bind
    from colayer.problem.feasibility import refusal

    for path, (problem, instance), one in zip(paths, inputs, solved, strict=True):
        said = refusal(bind(problem), one.solution, instance, cost=one.cost, bound=one.bound)
        if said is not None:
            raise InputError(f"{problem.name} decoded an infeasible solution: {said}", where=str(path))


def solve_all(
    inputs: Sequence[tuple[SomeProblem, Any]],
    trained: SomePipeline | None,
    decoder: str | None,
    draws: dict[str, Any],
    workers: int,
) -> list[Solved[Any]]:
    """Solve the instances of each problem together; return them in the order of the inputs."""
    from colayer.cli.console import progress
    from colayer.pipeline import Pipeline
    from colayer.solving.warmup import warm_up

    pipelines: dict[str, SomePipeline] = {}
    places: dict[str, list[int]] = {}
    for k, (found, _) in enumerate(inputs):
        if found.name not in pipelines:
            pipelines[found.name] = trained or Pipeline(found.variant(decoder=decoder))
            pipelines[found.name].model  # noqa: B018 without weights, refuse now
        places.setdefault(found.name, []).append(k)
    solved: dict[int, Solved[Any]] = {}
    for name, pipeline in pipelines.items():
        mine = [inputs[k][1] for k in places[name]]
        many = any(draws.get(key) for key in ("samples", "time_limit")) or draws.get("candidates", 1) > 1
        warm_up(pipeline, int(many))  # compilation is no part of the times
        done: list[Solved[Any]] = []
        with progress("solving") as shown:
            block = len(mine) if shown is None else 4 * workers
            for first in range(0, len(mine), block):
                done += pipeline.solve_many(mine[first : first + block], workers=workers, **draws)
                if shown is not None:
                    shown(len(done), len(mine))
        solved.update(zip(places[name], done, strict=True))
    return [solved[k] for k in range(len(inputs))]


def document(problem: SomeProblem, instance: object, solved: Solved[Any], many: bool = False) -> dict[str, Any]:
    """Return the object `--json` prints for one instance; `solution` is null where it has no JSON form.

    Where `many` candidates were asked for, it says how many were tried; and in how many rounds, where in several.
    """
    from colayer.solving.solved import document as solved_document

    more = {"candidates": solved.candidates} if many else {}
    return {
        **solved_document(problem, instance, solved),
        **more,
        **({"rounds": solved.rounds} if solved.rounds > 1 else {}),
    }


def solution_csv(
    paths: Sequence[Path], inputs: Sequence[tuple[SomeProblem, Any]], solved: Sequence[Solved[Any]]
) -> bytes:
    """Return the solutions as CSV, one row per job, edge or task; with several instances, add their files."""
    from colayer.errors import OptionError
    from colayer.io.csv_files import csv_bytes

    parts = [problem.need("table")(one.solution, x) for (problem, x), one in zip(inputs, solved, strict=True)]
    if len({tuple(columns) for columns in parts}) > 1:
        raise OptionError("instances of several problems, expected one problem, or a .json name", where="-o")
    if len(parts) == 1:
        return csv_bytes(parts[0])
    rows = [len(next(iter(columns.values()), [])) for columns in parts]
    files = [str(path) for path, count in zip(paths, rows, strict=True) for _ in range(count)]
    return csv_bytes({"file": files, **{name: [v for columns in parts for v in columns[name]] for name in parts[0]}})


def hints(
    inputs: Sequence[tuple[SomeProblem, Any]],
    solved: Sequence[Solved[Any]],
    out: Path | None,
    documents: Sequence[dict[str, Any]],
) -> str:
    """Say which bound the gap refers to, and where the solutions are, or why they are not there."""
    from colayer.problem.gap import PROVED

    lines = []
    open_gap = any(one.bound_kind == "cheap" and (one.gap is None or one.gap > PROVED) for one in solved)
    if open_gap:
        more = "; --certify looks for a better one" if all(problem.exact is not None for problem, _ in inputs) else ""
        lines.append(f"gap: to a cheap lower bound, so the cost is at most this far from optimal{more}")
    what = "solution" if len(solved) == 1 else "solutions"
    lost = out is not None and out.suffix != ".csv" and any(one["solution"] is None for one in documents)
    why = f", as null: {inputs[0][0].name} has no write_solution(solution, instance)" if lost else ""
    lines.append(f"{what}: {out}{why}" if out is not None else f"{what}: -o FILE writes the {what}, as JSON or CSV")
    return "\n" + "\n".join(lines) + "\n"


def solved_table(paths: Sequence[Path], documents: Sequence[dict[str, Any]]) -> Table:
    """Return a table with one row per instance."""
    from colayer.display.tables import duration, percent, table

    certified = "certified" in documents[0]
    rows = [
        (str(path), d["cost"], d["bound"], percent(d["gap"]), duration(d["seconds"]), d["source"])
        + ((("yes" if d["certified"] else "no"),) if certified else ())
        for path, d in zip(paths, documents, strict=True)
    ]
    headers = ("file", "cost", "bound", "gap", "time", "source", *(("optimal",) if certified else ()))
    return table(headers, rows)
