"""`colayer bound`: lower bounds on the optimal cost."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from colayer.cli import options as arguments


def bound(
    files: arguments.Files,
    problem: arguments.FileProblem = None,
    tight: Annotated[bool, typer.Option("--tight", help="Use the exact solver.")] = False,
    time_limit: arguments.ExactLimit = None,
    as_json: arguments.Json = False,
    output: arguments.Out = None,
) -> None:
    """Compute lower bounds on the optimal cost of instances."""
    from colayer._runtime.clock import clock
    from colayer.cli.commands.solve import read_inputs
    from colayer.cli.console import emit, exact_limit, search
    from colayer.cli.lookup import find
    from colayer.cli.outputs import output_file
    from colayer.comparison.evaluate import tight_bounds
    from colayer.display.tables import duration, table

    limit = exact_limit(time_limit, "--tight", tight)
    out = output_file(output, "-o", files)
    inputs = read_inputs(files, None if problem is None else find(problem))
    if tight:
        for found, _ in inputs:
            found.need("exact", option="--tight")
    documents: list[dict[str, Any]] = []
    with search("bounding", len(inputs)) as shown:
        for found, instance in inputs:
            begin = clock()
            value: float | None
            if tight:
                value = tight_bounds(found, [instance], time_limit=limit, progress=shown.progress)[0]
            else:
                value = found.lower_bound(instance)
            documents.append({"problem": found.name, "bound": value, "seconds": clock() - begin})
            shown.next()
    rows = [(str(p), d["bound"], duration(d["seconds"])) for p, d in zip(files, documents, strict=True)]
    text = [table(("file", "bound", "time"), rows)]
    emit(documents if len(documents) > 1 else documents[0], text, as_json=as_json, out=out)
