"""Labels: a data set solved with its exact solver, the solutions written beside the instances."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from colayer._runtime.temporary import sweep
from colayer._runtime.text import short
from colayer._runtime.threads import cores, limited
from colayer.errors import InputError
from colayer.evaluators.processes import each
from colayer.io.dataset import (
    ENVELOPE,
    FORMAT,
    LABEL_KEYS,
    Fields,
    check_envelope,
    instance_files,
    label_path,
    located,
    read_document,
    read_file,
    read_files,
)
from colayer.io.files import encode, write_atomic
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.protocol import Problem, X, Y, Z


@dataclass(frozen=True)
class Labelled:
    """The numbers of instances, of new labels, and of labels proved optimal."""

    instances: int
    labelled: int
    proved: int


def label(
    problem: Problem[X, Y, Z],
    folder: str | Path,
    *,
    time_limit: float = 60.0,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Labelled:
    """Solve every instance of a folder without a label; write `NNNN.solution.json` beside it.

    A run that was stopped continues where it was.

    Parameters
    ----------
    problem
        A problem with `exact` and `write_solution`.
    folder
        The data set.
    time_limit
        Seconds for each instance.
    workers
        Processes; by default one per core.
    progress
        Called with (labels done, instances in all).

    Returns
    -------
    Labelled
        How many instances there are, how many were labelled now, and how many labels are proved optimal.
    """
    own = bind(problem)
    for method in ("exact", "write_solution"):
        own.need(method, option="PROBLEM")
    sweep(Path(folder))
    paths = instance_files(folder)
    _, instances = read_files(paths, own)
    proved: dict[Path, bool] = {}
    for path, instance in zip(paths, instances, strict=True):
        if label_path(path).exists():
            read_solution(label_path(path), own, instance)
            proved[path] = read_document(label_path(path)).get("proved") is True
    todo = [path for path in paths if path not in proved]
    try:
        with closing(_label_all(own, todo, time_limit, workers or cores())) as labels:
            for path, optimal in labels:
                proved[path] = optimal
                if progress is not None:
                    progress(len(proved), len(paths))
    finally:
        sweep(Path(folder))  # an error may end a process in the middle of its file
    return Labelled(len(paths), len(todo), sum(proved.values()))


def _label_all(
    problem: BoundProblem[X, Y, Z], paths: Sequence[Path], limit: float, workers: int
) -> Generator[tuple[Path, bool]]:
    """Label the files, `workers` at a time in processes; yield (file, proved optimal) as they finish."""
    processes = max(1, min(workers, len(paths)))
    work = partial(label_one, problem, limit=limit, threads=workers // processes)
    yield from each(work, paths, processes) if processes > 1 else map(work, paths)


def label_one(problem: BoundProblem[X, Y, Z], path: Path, limit: float, threads: int) -> tuple[Path, bool]:
    """Solve one file with at most `threads` threads, and write its label."""
    _, instance = read_file(path, problem)
    with limited(threads):
        solution, bound, proved = problem.solve_exactly(instance, time_limit=limit)
    cost = problem.cost(solution, instance)
    write_solution(label_path(path), solution, instance, problem, cost=cost, bound=bound, proved=proved)
    return path, proved


def read_solutions(folder: str | os.PathLike[str], problem: BoundProblem[X, Y, Z], instances: Sequence[X]) -> list[Z]:
    """Return the solutions of the labels in a data set folder, in the order of the instances."""
    files = instance_files(folder)
    if len(files) != len(instances):
        raise InputError(f"{len(files)} instances, expected {len(instances)}", where=str(folder))
    return [read_solution(label_path(path), problem, instance) for path, instance in zip(files, instances, strict=True)]


def read_solution(path: str | os.PathLike[str], problem: BoundProblem[X, Y, Z], instance: X) -> Z:
    """Return the solution of a label, checked against its instance; output of `solve` is accepted too."""
    path = Path(path)
    document = read_document(path)
    bare = "format" not in document and "problem" not in document
    if not bare:
        check_envelope(document, problem, path)
    fields = Fields((key, value) for key, value in document.items() if bare or key not in ENVELOPE)
    for key, kinds in LABEL_KEYS.items():
        if key in fields and type(fields[key]) not in kinds:
            expected = "true or false" if bool in kinds else "a number"
            raise InputError(f"{short(fields[key])} is not {expected}", where=f"{path}: {key}")
    with located(path):
        own = Fields((key, value) for key, value in fields.items() if key not in LABEL_KEYS)
        solution: Z = problem.need("read_solution")(own, instance)
        return solution


def write_solution(
    path: Path, solution: Z, instance: X, problem: BoundProblem[X, Y, Z], *, cost: float, bound: float, proved: bool
) -> None:
    """Write a label: the solution with its cost, a lower bound, and whether it is proved optimal."""
    written = problem.need("write_solution")(solution, instance)
    label = {"cost": cost, "bound": bound, "proved": proved}
    write_atomic(path, encode({"format": FORMAT, "problem": problem.name, **written, **label}))
