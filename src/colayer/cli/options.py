"""The arguments and options that several commands share."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from colayer._runtime.text import short

#: Seconds that a clock can count.
_LONGEST = 1e9


def whole(minimum: int = 0, maximum: int = 2**31 - 1) -> Callable[[str | int], int]:
    """Return a parser of whole numbers from `minimum` to `maximum`."""

    def parse(text: str | int) -> int:
        if not re.fullmatch(r"[+-]?[0-9]{1,20}", str(text).strip()):
            raise typer.BadParameter(f"{short(text)} is not a whole number, expected {minimum} or more")
        value = int(text)
        if not minimum <= value <= maximum:
            limit = f"at least {minimum}" if value < minimum else f"at most {maximum}"
            raise typer.BadParameter(f"{value} is out of range, expected {limit}")
        return value

    return parse


def number(text: str | float) -> float:
    """Parse a finite number >= 0."""
    return _number(text, ">= 0")


def positive(text: str | float) -> float:
    """Parse a finite number > 0."""
    value = _number(text, "> 0")
    if value == 0.0:
        raise typer.BadParameter("0 is out of range, expected a number > 0")
    return value


def seconds(text: str | float) -> float:
    """Parse a time limit: more than 0 and at most 1e9 seconds, some thirty years."""
    value = positive(text)
    if value > _LONGEST:
        raise typer.BadParameter(f"{value:g} is out of range, expected at most {_LONGEST:g} seconds")
    return value


def share(text: str | float) -> float:
    """Parse a number >= 0 and < 1."""
    value = number(text)
    if value >= 1.0:
        raise typer.BadParameter(f"{value:g} is out of range, expected a share >= 0 and < 1")
    return value


def file_name(text: str | Path) -> Path:
    """Parse the path of an output file."""
    return _path(text, "a file name")


def folder_name(text: str | Path) -> Path:
    """Parse the path of an output folder."""
    return _path(text, "a folder")


def out_folder(words: str) -> Any:
    """Return the option `-o DIR` with this help text."""
    return typer.Option("-o", "--output", metavar="DIR", parser=folder_name, help=words)


def out_file(words: str) -> Any:
    """Return the option `-o FILE` with this help text."""
    return typer.Option("-o", "--output", metavar="FILE", parser=file_name, help=words)


def _path(text: str | Path, expected: str) -> Path:
    if not str(text).strip():  # as a variable of the shell that is not set leaves it: it would be the folder one is in
        raise typer.BadParameter(f"empty, expected {expected}")
    return Path(text)


def _number(text: str | float, expected: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise typer.BadParameter(f"{short(text)} is not a number, expected a number {expected}") from None
    if not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not finite, expected a number {expected}")
    if value < 0.0:
        raise typer.BadParameter(f"{value:g} is out of range, expected a number {expected}")
    return value


Problem = Annotated[str, typer.Argument(metavar="PROBLEM", help="A registered problem, or MODULE:NAME.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder of instances, NNNN.json or NNNN.npz.")]
Files = Annotated[
    list[Path],
    typer.Argument(metavar="INSTANCE...", help="Instance files: JSON, npz or CSV."),
]
FileProblem = Annotated[
    str | None,
    typer.Option("--problem", metavar="PROBLEM", help="The problem of CSV files; for your own problem, MODULE:NAME."),
]
Decoder = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The decoder after the layer: none, ls, rdi (single-machine); none, ls (vehicle-scheduling); none, wait "
        "(dynamic problems).",
    ),
]
Features = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Feature set: 66, 27 (single-machine); cost, indicator, prices (spanning-tree); "
        "23, extended, rounds (vehicle-scheduling).",
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", parser=whole(maximum=2**63), help="Seed of every random draw.")]
Rounds = Annotated[
    int | None,
    typer.Option(
        metavar="R",
        parser=whole(1, 10_000),
        help="Solve R times, each time with features of the last solution; as the model was learned by default.",
    ),
]
Workers = Annotated[
    int | None, typer.Option(metavar="N", parser=whole(1), help="Threads or processes; one per core by default.")
]
TimeLimit = Annotated[
    float | None, typer.Option(metavar="SECONDS", parser=seconds, help="Stop after this time, with the best so far.")
]
ExactLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        parser=seconds,
        help="Time limit of the exact solver for each instance; 60 by default.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Out = Annotated[Path | None, out_file("Write the JSON document here.")]
Plot = Annotated[
    Path | None, typer.Option(metavar="FILE", parser=file_name, help="Draw a picture: .png, .svg or .pdf.")
]
Candidates = Annotated[int, typer.Option(metavar="K", parser=whole(1), help="Weight vectors of the portfolio to try.")]
Samples = Annotated[int, typer.Option(metavar="K", parser=whole(), help="Perturbed weights to try as well.")]
Sigma = Annotated[
    float | None,
    typer.Option(metavar="S", parser=number, help="Size of the perturbation; the model's by default."),
]
Safe = Annotated[
    bool | None,
    typer.Option("--safe/--no-safe", help="With or without the safe weights as a fallback; both by default."),
]
Models = Annotated[list[Path] | None, typer.Option(metavar="FILE", help="A trained model; may be repeated.")]
