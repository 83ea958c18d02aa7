"""`colayer bound`: lower bounds on the optimal cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from colayer.commands import options
from colayer.commands.output import emit, search
from colayer.commands.solve import read_inputs


def run(
    files: list[str], *, problem: str | None, tight: bool, time_limit: str | None, as_json: bool, output: str | None
) -> None:
    """Bound every instance; nothing is computed before all files are read."""
    from colayer.report.tables import duration, table

    limit = options.limit(time_limit, "--tight", tight)
    paths = [Path(file) for file in files]
    out = options.output(output, "-o", paths)
    inputs = read_inputs(paths, None if problem is None else options.find(problem))
    if tight:
        for found, _ in inputs:
            options.need(found, "exact", "exact solver", "--tight")
    documents = []
    with search("bounding", len(inputs)) as shown:
        for found, instance in inputs:
            documents.append(bounded(found, instance, tight, limit, shown.told))
            shown.next()
    rows = [(str(p), d["bound"], duration(d["seconds"])) for p, d in zip(paths, documents, strict=True)]
    text = table(("file", "bound", "time"), rows).text()
    emit(documents if len(documents) > 1 else documents[0], text, as_json=as_json, out=out)


def bounded(
    problem: Any,
    instance: Any,
    tight: bool,
    limit: float | None,
    told: Callable[[float, float], None] | None = None,
) -> dict[str, Any]:
    """The cheap bound, or with `tight` the better one of it and the exact solver's."""
    begin = time.perf_counter()
    bounds = [problem.bound(instance)]
    if tight:
        bounds.append(problem.exact(instance, time_limit=limit, progress=told)[1])
    known = [float(bound) for bound in bounds if bound is not None]
    return {
        "problem": problem.name,
        "bound": max(known) if known else None,
        "seconds": time.perf_counter() - begin,
    }
