"""`colayer label`: a data set solved with the best solver there is, the solutions written beside the instances."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import Any

from colayer.commands import options
from colayer.commands.output import emit, progress
from colayer.cores import cores
from colayer.dataset import instance_files, label_path, read_document, read_files, read_instance, read_solution
from colayer.dataset import write_solution as write_label


def run(problem: str, folder: str, *, time_limit: str, workers: str | None, as_json: bool) -> None:
    """Label what has no label yet; a run that was stopped goes on where it was."""
    limit = options.number(time_limit, "--time-limit")
    count = options.whole(workers, "--workers", 1) if workers is not None else cores()
    found = options.find(problem)
    options.need(found, "exact", "exact solver", "PROBLEM")
    options.need(found, "write_solution", "solution format", "PROBLEM")
    paths = instance_files(folder)
    _, instances = read_files(paths, found)
    proved: dict[Path, bool] = {}
    for path, instance in zip(paths, instances, strict=True):
        if label_path(path).exists():
            read_solution(label_path(path), found, instance)
            proved[path] = read_document(label_path(path)).get("proved") is True
    todo = [path for path in paths if path not in proved]
    with progress("labelling") as shown:
        for path, optimal in label_all(found, todo, limit, count):
            proved[path] = optimal
            if shown is not None:
                shown(len(proved), len(paths))
    document = {
        "problem": found.name,
        "instances": len(paths),
        "labelled": len(todo),
        "proved": sum(proved.values()),
    }
    text = f"{len(todo)} labelled, {len(paths) - len(todo)} had a label; {document['proved']} proved optimal\n"
    emit(document, text, as_json=as_json, out=None)


def label_all(problem: Any, paths: Sequence[Path], limit: float, workers: int) -> Iterator[tuple[Path, bool]]:
    """Label the files, `workers` at a time, in processes; (file, proved optimal) as they are done."""
    task = partial(label_one, problem, limit=limit)
    if min(workers, len(paths)) <= 1:
        yield from map(task, paths)
        return
    context = multiprocessing.get_context("spawn")  # safe with threads, the same on every platform
    pool = ProcessPoolExecutor(min(workers, len(paths)), mp_context=context, initializer=_ignore_interrupt)
    try:
        for done in as_completed([pool.submit(task, path) for path in paths]):
            yield done.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():  # else they would go on to their time limit
            process.terminate()
        raise
    pool.shutdown()


def label_one(problem: Any, path: Path, limit: float) -> tuple[Path, bool]:
    """Solve one file and write its label."""
    instance = read_instance(path, problem)
    solution, bound, proved = problem.exact(instance, time_limit=limit)
    cost = float(problem.cost(solution, instance))
    write_label(label_path(path), solution, instance, problem, cost=cost, bound=float(bound), proved=bool(proved))
    return path, bool(proved)


def _ignore_interrupt() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
