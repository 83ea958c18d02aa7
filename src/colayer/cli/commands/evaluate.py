"""`colayer evaluate`: learned pipelines and plain rules on one folder of instances."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from colayer.cli import options as arguments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from colayer.cli.lookup import SomePipeline, SomeProblem
    from colayer.comparison.contender import Contender
    from colayer.comparison.table import Comparison
    from colayer.display.tables import Table

_ROUNDING = 1e-9  # relative, between a bound and a cost that are equal
_MOST_GROUPS = 20  # in the text


def evaluate(
    problem: arguments.Problem,
    folder: arguments.Folder,
    model: arguments.Models = None,
    plan: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Compare with the plans NNNN.NAME.solution.json beside the instances."),
    ] = None,
    decoder: arguments.Decoder = None,
    candidates: arguments.Candidates = 1,
    samples: arguments.Samples = 0,
    sigma: arguments.Sigma = None,
    seed: arguments.Seed = 0,
    rounds: arguments.Rounds = None,
    safe: arguments.Safe = None,
    tight: Annotated[
        bool, typer.Option("--tight", help="Gaps to the labels' bounds, else to the exact solver's.")
    ] = False,
    time_limit: arguments.ExactLimit = None,
    best: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Gaps to best known costs: CSV (instance, best), or JSON {instance: cost}."),
    ] = None,
    plot: arguments.Plot = None,
    as_json: arguments.Json = False,
    output: arguments.Out = None,
) -> None:
    """Compare pipelines and plain rules on a folder of instances."""
    from colayer._runtime.text import counted
    from colayer.cli.console import emit, exact_limit, progress, search
    from colayer.cli.lookup import find, load_pipelines
    from colayer.cli.outputs import output_file, picture_file
    from colayer.comparison.evaluate import evaluate as run
    from colayer.comparison.evaluate import tight_bounds
    from colayer.comparison.plain import distinct_names, plain_contenders
    from colayer.comparison.table import summary_table
    from colayer.errors import OptionError
    from colayer.io.best_known import read_best_known
    from colayer.io.dataset import instance_files, read_files
    from colayer.problem.instances import numbering

    limit = exact_limit(time_limit, "--tight", tight)
    found = find(problem, decoder=decoder)
    if tight:
        found.need("exact", option="--tight")
        if best is not None:
            raise OptionError("expected without --tight: gaps are to one of the two", where="--best")
    files = [*(model or []), *([best] if best else [])]
    out = output_file(output, "-o", files, folder=folder)
    drawing = picture_file(plot, inputs=[*files, out])
    draws: dict[str, Any] = {"candidates": candidates, "samples": samples, "sigma": sigma, "seed": seed}
    draws["rounds"] = rounds
    pipelines = distinct_names(load_pipelines(found, model or [], decoder))
    check_rounds(found, pipelines, rounds)
    paths = instance_files(folder)
    known = None if best is None else read_best_known(best, paths)
    instances = read_files(paths, found)[1]
    with naming(paths), numbering(instances):
        plain = plain_contenders(found, instances, list(pipelines.values()), **draws)
    plans = [_plan(name, found, paths, instances) for name in plan or ()]
    contenders = [*_learned(pipelines, safe, draws), *plain, *plans]
    bounds = None
    if tight:
        labels = [labelled_bound(path, found, instance) for path, instance in zip(paths, instances, strict=True)]
        with naming(paths), search("bounding", len(instances)) as bounding:
            shown, done = bounding.progress, bounding.next
            bounds = tight_bounds(found, instances, time_limit=limit, known=labels, progress=shown, done=done)
    with naming(paths), progress("comparing") as advanced:
        comparison = run(found, instances, contenders, bounds=bounds, best=known, progress=advanced)
    seen = warn_of_seen(pipelines, instances)
    head = f"{counted(len(instances), 'instance')} of {found.name}\n\n"
    said = "".join(f"\n{line}" for line in comparison.conclusions())
    table = summary_table(comparison.summary(), to_best=comparison.to_best)
    text: list[str | Table] = [head, table, said + "\n" * bool(said)]
    groups = comparison.by(*comparison.groups) if comparison.groups else []
    fewer = len(groups) <= len(comparison.results) // 2  # of single instances there are no means
    if fewer and 0 < len(groups) <= _MOST_GROUPS * len(contenders):  # more would hide the rest; `--json` has them all
        text += ["\n", summary_table(groups, to_best=comparison.to_best)]
    document = {**comparison.to_document(), "trained_on": seen}
    emit(document, text, as_json=as_json, out=out, plot=drawing, draw=lambda: draw(comparison))


def _learned(
    pipelines: Mapping[str, SomePipeline], safe: bool | None, draws: dict[str, Any]
) -> Sequence[Contender[Any, Any]]:
    """Return the pipelines without and with the safe weights as a fallback, or one of the two."""
    from colayer.comparison.contender import pipeline_contender
    from colayer.pipeline import Pipeline

    chosen = []
    for name, pipeline in pipelines.items():
        has_safe = pipeline.bound_problem.safe_weights is not None and not pipeline.bound_problem.dynamic
        for guarded in (False, True):
            if safe in (None, guarded) and not (guarded and safe is None and not has_safe):
                variant = Pipeline.from_model(pipeline.bound_problem, pipeline.model, safe=guarded)
                chosen.append(pipeline_contender(f"{name}, safe" if guarded else name, variant, **draws))
    return chosen


def _plan(name: str, problem: SomeProblem, paths: Sequence[Path], instances: Sequence[Any]) -> Contender[Any, Any]:
    """Return the plans of a name that lie beside the instances as a contender."""
    from colayer.comparison.contender import function_contender
    from colayer.io.hashing import content_hash
    from colayer.io.label import read_solution
    from colayer.io.new_folder import LABEL_SUFFIX

    known = {}
    for path, instance in zip(paths, instances, strict=True):
        file = path.with_name(f"{path.stem}.{name}{LABEL_SUFFIX}")
        known[content_hash(problem, [instance])] = read_solution(file, problem, instance)
    return function_contender(name, lambda instance: known[content_hash(problem, [instance])])  # it is given copies


def check_rounds(problem: SomeProblem, pipelines: Mapping[str, SomePipeline], rounds: int | None) -> None:
    """Refuse rounds that no pipeline can use; a pipeline whose features take no solution solves once."""
    from colayer.problem.rounds import check_rounds as check

    problems = [pipeline.bound_problem for pipeline in pipelines.values()] or [problem]
    if rounds is not None and not any(one.features_use_solution for one in problems):
        check(problems[0], rounds)


def warn_of_seen(pipelines: Mapping[str, SomePipeline], instances: Sequence[Any]) -> dict[str, int]:
    """Count the instances each pipeline was trained on; warn on stderr if there are any."""
    from colayer.cli.console import note
    from colayer.comparison.paired import seen_before
    from colayer.io.hashing import trained_on

    seen = {name: trained_on(pipeline.model, pipeline.bound_problem, instances) for name, pipeline in pipelines.items()}
    for name, count in seen.items():
        if count:
            note(f"warning: {seen_before(name, count, len(instances))}")
    return seen


@contextmanager
def naming(paths: Sequence[Path]) -> Iterator[None]:
    """Name the file in errors about `instance 3`."""
    from colayer.errors import InputError

    try:
        yield
    except InputError as error:
        place = re.fullmatch(r"instance (\d+)", error.where or "")
        if place is None or int(place[1]) >= len(paths):
            raise
        raise InputError(error.message, where=str(paths[int(place[1])])) from error


def labelled_bound(path: Path, problem: SomeProblem, instance: object) -> float | None:
    """Return the bound that `colayer label` wrote beside the instance; None where there is no label."""
    from colayer.errors import InputError
    from colayer.io.dataset import label_path, read_document
    from colayer.io.label import read_solution

    label = label_path(path)
    if not label.exists():
        return None
    cost = problem.cost(read_solution(label, problem, instance), instance)
    bound = read_document(label).get("bound")  # a number, or `read_solution` had refused
    if bound is not None and bound > cost + _ROUNDING * abs(cost):
        raise InputError(f"{bound} is above {cost:g}, the cost of the solution", where=f"{label}: bound")
    return None if bound is None else float(bound)


def draw(comparison: Comparison) -> Axes:
    """Draw mean gaps by the first group key that tells instances apart, else one bar per contender."""
    from colayer.comparison.charts import gap_bars, gap_by

    keys = [key for key in comparison.results[0].group if len({r.group.get(key) for r in comparison.results}) > 1]
    return gap_by(comparison, keys[0]) if keys else gap_bars(comparison)
