"""`colayer check`: look for mistakes in a problem of the user's.

The table is the result of the check and goes to stdout, with mistakes or without; where there are any, the exit
status is 2, and the one line on stderr names the first of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from colayer.cli import options as arguments


def check(
    problem: Annotated[str, typer.Argument(metavar="MODULE:NAME", help="A problem of yours, or a registered one.")],
    data: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", help="Instances to check on; else some are generated.")
    ] = None,
    decoder: Annotated[
        str | None, typer.Option(metavar="NAME", help="Check this decoder; all that there are if not given.")
    ] = None,
    seed: arguments.Seed = 0,
    as_json: arguments.Json = False,
    output: arguments.Out = None,
) -> None:
    """Look for mistakes in a problem: layer, decoder, cost, features, determinism. Each one says what to fix."""
    from colayer.cli.console import emit
    from colayer.cli.lookup import find
    from colayer.cli.outputs import output_file
    from colayer.errors import InputError, OptionError
    from colayer.io.dataset import instance_files, read_files
    from colayer.problem.check import check_problem, small_instances

    found = find(problem, mistakes=[])
    out = output_file(output, "-o", folder=data)
    if data is not None:
        instances = read_files(instance_files(data), found)[1]
    elif found.generate is not None:
        instances = small_instances(found, seed)
    else:
        raise OptionError(f"{found.name} has no generate, expected a folder of instances to check on", where="--data")
    report = check_problem(found, instances, seed=seed, decoder=decoder)
    emit(report.document(), f"{report}\n", as_json=as_json, out=out)
    try:
        report.raise_for_failures()
    except InputError as error:
        raise InputError(error.message, where=problem) from None
