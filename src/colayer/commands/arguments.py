"""The arguments and options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Problem = Annotated[str, typer.Argument(metavar="PROBLEM", help="A registered problem, or MODULE:NAME.")]
Folder = Annotated[str, typer.Argument(metavar="DIR", help="A folder of instances, NNNN.json or NNNN.npz.")]
Files = Annotated[list[str], typer.Argument(metavar="INSTANCE...", help="Instance files, JSON or npz.")]
FileProblem = Annotated[
    str | None, typer.Option("--problem", metavar="PROBLEM", help="MODULE:NAME, for files of a problem of yours.")
]
Decoder = Annotated[str | None, typer.Option(metavar="NAME", help="The decoder after the layer.")]
Features = Annotated[str | None, typer.Option(metavar="NAME", help="The feature set.")]
Seed = Annotated[str, typer.Option(metavar="N", help="Seed of every random draw.")]
Workers = Annotated[str | None, typer.Option(metavar="N", help="Processes or threads; all cores if not given.")]
TimeLimit = Annotated[str | None, typer.Option(metavar="SECONDS", help="Stop there, with the best so far.")]
ExactLimit = Annotated[
    str | None,
    typer.Option("--time-limit", metavar="SECONDS", help="For each instance, of the exact solver; 60 if not given."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, nothing else.")]
Out = Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="Write the JSON document here.")]
Plot = Annotated[str | None, typer.Option(metavar="FILE", help="Write a picture (.png, .svg, .pdf).")]
Samples = Annotated[str, typer.Option(metavar="K", help="Perturbed weights to try beside the learned ones.")]
Sigma = Annotated[str, typer.Option(metavar="S", help="Size of the perturbation.")]
Safe = Annotated[
    bool | None,
    typer.Option("--safe/--no-safe", help="With the safe weights as a fallback, or without; both if not given."),
]
Models = Annotated[list[str] | None, typer.Option(metavar="FILE", help="A trained model; may be repeated.")]
