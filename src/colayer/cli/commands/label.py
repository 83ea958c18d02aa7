"""`colayer label`: a data set solved with the best solver there is."""

from __future__ import annotations

from typing import Annotated

import typer

from colayer.cli import options as arguments


def label(
    problem: arguments.Problem,
    folder: arguments.Folder,
    time_limit: Annotated[
        float, typer.Option(metavar="SECONDS", parser=arguments.seconds, help="Time limit for each instance.")
    ] = 60.0,
    workers: arguments.Workers = None,
    as_json: arguments.Json = False,
) -> None:
    """Solve a folder of instances with the exact solver.

    The solution of NNNN.json is written beside it, as NNNN.solution.json.
    """
    from colayer.cli.console import emit, progress
    from colayer.cli.lookup import find
    from colayer.io.label import label as label_folder

    found = find(problem)
    with progress("labelling") as shown:
        done = label_folder(found, folder, time_limit=time_limit, workers=workers, progress=shown)
    document = {
        "problem": found.name,
        "instances": done.instances,
        "labelled": done.labelled,
        "proved": done.proved,
    }
    had = done.instances - done.labelled
    text = f"{done.labelled} labelled, {had} had a label; {done.proved} proved optimal\n"
    emit(document, text, as_json=as_json, out=None)
