"""`colayer check`: look for mistakes in a problem of the user's.

The table is the result of the check and goes to stdout, with mistakes or without; where there are any, the exit
status is 2, and the one line on stderr names the first of them.
"""

from __future__ import annotations

from pathlib import Path

from colayer.commands import options
from colayer.commands.output import emit
from colayer.dataset import instance_files, read_files
from colayer.errors import InputError, OptionError


def run(problem: str, *, data: str | None, seed: str, as_json: bool, output: str | None) -> None:
    """Check on the instances of a folder, else on small ones that the problem generates."""
    from colayer.checks import check_problem, small_instances

    first = options.whole(seed, "--seed", maximum=2**63)
    found = options.find(problem)
    out = options.output(output, "-o", folder=None if data is None else Path(data))
    if data is not None:
        instances = read_files(instance_files(data), found)[1]
    elif options.provides(found, "generate"):
        instances = small_instances(found, first)
    else:
        raise OptionError(f"{found.name} has no generate, expected a folder of instances to check on", where="--data")
    report = check_problem(found, instances, seed=first)
    emit(report.document(), f"{report}\n", as_json=as_json, out=out)
    try:
        report.raise_for_failures()
    except InputError as error:
        raise InputError(error.message, where=problem) from None
