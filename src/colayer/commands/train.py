"""`colayer train`: weights by experience, or by demonstration with --solutions, from a folder of instances."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from colayer.commands import arguments

if TYPE_CHECKING:
    from colayer.commands.lookup import SomePipeline
    from colayer.comparison.table import Summary
    from colayer.guarantees import Guarantees


def _sigma(text: str | float) -> float | str:
    """A number >= 0, or the word theory."""
    return text if text == "theory" else arguments.number(text)


def train(
    problem: arguments.Problem,
    folder: arguments.Folder,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", parser=arguments.file_name, help="The model file to write."),
    ],
    method: Annotated[str, typer.Option(metavar="NAME", help="How to learn.")] = "auto",
    evaluations: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=arguments.whole(1),
            help="Budget: loss evaluations, 1000; with --solutions passes over the data, 100.",
        ),
    ] = None,
    seed: arguments.Seed = 0,
    decoder: arguments.Decoder = None,
    learn_decoder: Annotated[str | None, typer.Option(metavar="NAME", help="The decoder while learning.")] = None,
    features: arguments.Features = None,
    radius: Annotated[
        float | None, typer.Option(metavar="R", parser=arguments.positive, help="Radius of the search ball.")
    ] = None,
    sigma: Annotated[
        Any, typer.Option(metavar="S", parser=_sigma, help="Perturbation of the loss; 0: none; or theory.")
    ] = 0.0,
    samples: Annotated[
        int, typer.Option(metavar="K", parser=arguments.whole(1), help="Draws of that perturbation.")
    ] = 100,
    solutions: Annotated[bool, typer.Option("--solutions", help="Learn from the labels beside the instances.")] = False,
    validation: Annotated[
        float, typer.Option(metavar="SHARE", parser=arguments.share, help="Share of the instances kept aside.")
    ] = 0.2,
    workers: arguments.Workers = None,
    device: Annotated[Literal["cpu", "cuda", "auto"], typer.Option(help="Where losses are computed.")] = "cpu",
    cluster: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Learn on a Ray cluster; or auto.")] = None,
    time_limit: arguments.TimeLimit = None,
    journal: Annotated[
        Path | None,
        typer.Option(metavar="FILE", parser=arguments.file_name, help="The journal; FILE.journal if not given."),
    ] = None,
    no_journal: Annotated[bool, typer.Option("--no-journal", help="Keep no journal.")] = False,
    plot: arguments.Plot = None,
    as_json: arguments.Json = False,
) -> None:
    """Learn weights from a folder of instances: by experience, or with --solutions by demonstration."""
    from colayer.commands.lookup import find
    from colayer.commands.output import emit, note
    from colayer.commands.outputs import output_file, picture_file
    from colayer.dataset import read_folder, read_solutions
    from colayer.errors import OptionError
    from colayer.evaluators.base import Backend
    from colayer.evaluators.ray.connection import connected
    from colayer.learning.guaranteed import guaranteed
    from colayer.learning.learner import check_uses, learner_for
    from colayer.pipeline import Pipeline
    from colayer.problem import check_decoder, declared

    learner = learner_for(method, "solutions" if solutions else "costs")
    check_uses(learner, {"radius": radius is not None, "sigma": sigma != 0, "cluster": cluster is not None})
    backend = Backend(workers, device, cluster)
    found = find(problem, decoder=decoder, features=features)
    if learn_decoder is not None:
        check_decoder(declared(found), learn_decoder, "--learn-decoder")
    output_file(output, "-o", folder=folder)
    if journal is not None and no_journal:
        raise OptionError("given with --journal, expected one of them", where="--no-journal")
    book = None if no_journal else journal or output.with_name(f"{output.name}.journal")
    output_file(book, "--journal", [output], folder=folder)
    drawing = picture_file(plot, inputs=[output, book])
    instances = read_folder(folder, found)
    labels = read_solutions(folder, found, instances) if solutions else None

    pipeline = Pipeline(found)
    with connected(cluster):  # one connection for all that follows
        begin = time.perf_counter()
        try:
            pipeline.fit(
                instances, solutions=labels, method=learner, evaluations=evaluations, seed=seed, radius=radius,
                sigma=sigma, samples=samples, learn_decoder=learn_decoder, validation=validation, workers=workers,
                device=device, cluster=cluster, journal=book, time_limit=time_limit, progress=True,
            )  # fmt: skip
        except KeyboardInterrupt:
            if book is not None:
                note(f"the same command goes on from {book}")
            raise
        seconds = time.perf_counter() - begin
        if pipeline.recalled_:
            note(f"{pipeline.recalled_} of {len(pipeline.history_)} evaluations from the journal")
        pipeline.save(output)
        promised = guaranteed(found, pipeline.model, instances, backend=backend)
    kept, rows = against_safe(pipeline, instances, validation, seed)
    document = {
        "problem": found.name,
        "model": str(output),
        "journal": None if book is None else str(book),
        "method": learner.name,
        "evaluations": pipeline.history_[-1].number,
        "loss": pipeline.loss_,
        "validation_loss": pipeline.validation_loss_,
        "seconds": seconds,
        "summary": [asdict(row) for row in rows],
        "guarantees": None if promised is None else promised.document(),
    }
    budget = pipeline.provenance["evaluations"]
    unit = "passes" if solutions else "evaluations"
    text = _text(document, rows, kept, unit, budget) + ("" if promised is None else _promise(promised))
    emit(document, text, as_json=as_json, out=None)
    if drawing is not None:
        _draw(pipeline, drawing, solutions)


def _draw(pipeline: SomePipeline, path: Path, by_demonstration: bool) -> None:
    from colayer.report.figures import learning_curve, save

    axes = learning_curve(pipeline.history_)
    if by_demonstration:
        axes.set(xlabel="pass over the instances", title="Learning by demonstration")
    save(axes, path)


def against_safe(
    pipeline: SomePipeline, instances: Sequence[Any], validation: float, seed: int
) -> tuple[str, list[Summary]]:
    """Learned and safe weights, each alone, on the instances kept aside (or on all, where none are)."""
    from colayer.comparison.contender import pipeline_contender, safe_contender
    from colayer.comparison.evaluate import evaluate
    from colayer.learning.learner import split
    from colayer.pipeline import Pipeline
    from colayer.text import counted

    problem = pipeline.problem
    _, held_out = split(len(instances), validation, seed)
    chosen = [instances[i] for i in held_out] or list(instances)
    learned = pipeline_contender("learned", Pipeline.from_model(problem, pipeline.model, safe=False))
    where = f"{counted(len(chosen), 'instance')} kept aside" if len(held_out) else _training(len(chosen))
    return where, evaluate(problem, chosen, [learned, *safe_contender(problem)]).summary()


def _training(count: int) -> str:
    from colayer.text import counted

    return counted(count, "training instance")


def _text(document: dict[str, Any], rows: Sequence[Summary], kept: str, unit: str, budget: int) -> str:
    from colayer.report.tables import duration, significant, summary_table

    done = document["evaluations"]
    lines = [
        f"model            {document['model']}",
        f"{unit:<17}{done}" + (f" of {budget}" if done < budget else ""),
        f"training loss    {significant(document['loss'], 6)}",
        f"validation loss  {significant(document['validation_loss'], 6)}",
        f"time             {duration(document['seconds'])}",
    ]
    return "\n".join(lines) + f"\n\non the {kept}:\n\n" + summary_table(rows).text()


def _promise(promised: Guarantees) -> str:
    """The guarantees beside the measured gap, in a few lines."""
    from colayer.report.tables import significant, table

    lines = [row for row in promised.rows() if any(cell is not None for cell in row[1:])]
    setting = f"n = {promised.instances}, d = {promised.dimension}, M = {promised.radius:g}, σ = {promised.sigma:.4g}"
    reach = f"R = {significant(promised.loss_range)} (seen)"
    head = f"\nguaranteed with probability {1 - promised.delta:g}, in units of the loss ({setting}, {reach}):\n\n"
    if all(row[0] == "measured" for row in lines):
        return "\nno guarantee without a perturbation (--sigma) and without a proven ratio\n"
    vacuous = all(b.excess is None or b.excess > promised.loss_range for b in promised.bounds)
    remark = "more than R says nothing: at this n the measured gap is what to go by\n" if vacuous else ""
    return head + table(promised.HEADERS, lines).text() + remark
