"""`colayer tune`: the best constants of a rule on a folder of instances."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from colayer._runtime.text import short
from colayer.cli import options as arguments
from colayer.errors import OptionError

_SET = "--set"


def tune(
    problem: arguments.Problem,
    folder: arguments.Folder,
    rule: Annotated[str, typer.Option(metavar="NAME", help="The rule, one of the problem's baselines.")],
    values: Annotated[
        list[str],
        typer.Option(_SET, metavar="NAME=VALUES", help="Values of a constant, as in k=0.5,1,2; may be repeated."),
    ],
    decoder: arguments.Decoder = None,
    journal: Annotated[
        Path | None,
        typer.Option(metavar="FILE", parser=arguments.file_name, help="A journal, to go on from if stopped."),
    ] = None,
    as_json: arguments.Json = False,
    output: arguments.Out = None,
) -> None:
    """Find the best constants of a rule on training instances."""
    from colayer.cli.commands.evaluate import naming
    from colayer.cli.console import emit, note, progress
    from colayer.cli.lookup import find
    from colayer.cli.outputs import output_file
    from colayer.comparison.tune import tune as run
    from colayer.io.dataset import instance_files, read_files

    grid = parse_grid(values)
    found = find(problem, decoder=decoder)
    out = output_file(output, "-o", folder=folder)
    book = output_file(journal, "--journal", [] if out is None else [out], folder=folder)
    paths = instance_files(folder)
    instances = read_files(paths, found)[1]
    try:
        with naming(paths), progress("tuning") as advanced:
            tuned = run(found, rule, instances, grid, journal=book, progress=advanced)
    except OptionError as error:
        raise OptionError(error.message, where=_SET) if error.where == "grid" else error from None
    except KeyboardInterrupt:
        if book is not None:
            note(f"run the same command to continue from {book}")
        raise
    if tuned.recalled:
        note(f"{tuned.recalled} of {len(tuned.combinations)} combinations from the journal")
    emit(tuned.document(), tuned.parts(), as_json=as_json, out=out)


def parse_grid(given: Sequence[str]) -> dict[str, list[float]]:
    """Return the values of each constant, from texts such as `k=0.5,1,2`."""
    grid: dict[str, list[float]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise OptionError(f"{short(text)} is not NAME=VALUES, expected as in k=0.5,1,2", where=_SET)
        if name in grid:
            raise OptionError(f"{name} is given twice, expected once", where=_SET)
        grid[name] = [_number(name, value.strip()) for value in values.split(",")]
    return grid


def _number(name: str, text: str) -> float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise OptionError(f"{name} has the value {short(text)}, expected numbers", where=_SET)
