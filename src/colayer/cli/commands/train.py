"""`colayer train`: weights by experience, or by demonstration with --solutions, from a folder of instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from colayer.cli import options as arguments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from colayer.analysis.guarantees import Guarantees
    from colayer.cli.lookup import SomePipeline
    from colayer.comparison.table import Comparison
    from colayer.display.tables import Table


def _sigma(text: str | float) -> float | str:
    """Parse a number >= 0, or the word theory."""
    return text if text == "theory" else arguments.number(text)


def train(
    problem: arguments.Problem,
    folder: arguments.Folder,
    output: Annotated[Path, arguments.out_file("The model file to write.")],
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The learner: auto, srl, direct, cma-es, sgd, bayes or neural; "
            "with --solutions fenchel-young, hinge or crf.",
        ),
    ] = "auto",
    evaluations: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=arguments.whole(1),
            help="Budget: loss evaluations (1000); with --solutions, passes over the data (100).",
        ),
    ] = None,
    seed: arguments.Seed = 0,
    decoder: arguments.Decoder = None,
    learn_decoder: Annotated[
        str | None, typer.Option(metavar="NAME", help="The decoder while learning, if not that of solving.")
    ] = None,
    features: arguments.Features = None,
    radius: Annotated[
        float | None, typer.Option(metavar="R", parser=arguments.positive, help="Radius of the search ball.")
    ] = None,
    sigma: Annotated[
        Any, typer.Option(metavar="S", parser=_sigma, help="Perturbation of the loss: a number, 0 for none, or theory.")
    ] = 0.0,
    samples: Annotated[
        int, typer.Option(metavar="K", parser=arguments.whole(1), help="Draws of the perturbation.")
    ] = 100,
    solutions: Annotated[
        bool, typer.Option("--solutions", help="Learn from the labels beside the instances; of days, from hindsight.")
    ] = False,
    validation: Annotated[
        float,
        typer.Option(metavar="SHARE", parser=arguments.share, help="Share of instances held out."),
    ] = 0.2,
    portfolio: Annotated[
        int,
        typer.Option(metavar="K", parser=arguments.whole(1), help="Weight vectors kept for solve --candidates."),
    ] = 32,
    rounds: Annotated[
        int,
        typer.Option(metavar="R", parser=arguments.whole(1, 10_000), help="Rounds to learn for: see solve --rounds."),
    ] = 1,
    workers: arguments.Workers = None,
    device: Annotated[
        Literal["cpu", "cuda", "auto"], typer.Option(metavar="cpu|cuda|auto", help="Where losses are computed.")
    ] = "cpu",
    cluster: Annotated[str | None, typer.Option(metavar="ADDRESS", help="A Ray cluster to learn on, or auto.")] = None,
    time_limit: arguments.TimeLimit = None,
    journal: Annotated[
        Path | None,
        typer.Option(metavar="FILE", parser=arguments.file_name, help="The journal; FILE.journal by default."),
    ] = None,
    no_journal: Annotated[bool, typer.Option("--no-journal", help="Keep no journal.")] = False,
    guarantees: Annotated[
        bool, typer.Option("--guarantees", help="Print the proved bounds and their assumptions.")
    ] = False,
    plot: arguments.Plot = None,
    as_json: arguments.Json = False,
) -> None:
    """Learn weights from a folder of instances."""
    from colayer._runtime.clock import clock
    from colayer._runtime.text import counted
    from colayer.cli.commands.evaluate import naming
    from colayer.cli.console import emit, note
    from colayer.cli.lookup import find
    from colayer.cli.outputs import output_file, picture_file
    from colayer.errors import OptionError
    from colayer.evaluators.base import Backend
    from colayer.evaluators.ray.connection import connected
    from colayer.evaluators.worth import workers_worth_starting
    from colayer.io.dataset import instance_files, read_files
    from colayer.io.label import read_solutions
    from colayer.learning.guaranteed import guaranteed
    from colayer.learning.imitation.days import HINDSIGHT
    from colayer.learning.learner import check_uses, learner_for
    from colayer.learning.search.fit import EVALUATIONS, Experience
    from colayer.pipeline import Pipeline
    from colayer.problem.instances import numbering
    from colayer.problem.rounds import check_rounds
    from colayer.problem.shares import loss_shares, range_of, ruled
    from colayer.solving.feasible import feasible_losses

    learner = learner_for(method, "solutions" if solutions else "costs")
    check_uses(
        learner,
        {"radius": radius is not None, "sigma": sigma != 0, "cluster": cluster is not None, "rounds": rounds > 1},
    )
    backend = Backend(workers, device, cluster)
    found = find(problem, decoder=decoder, features=features)
    check_rounds(found, rounds)
    if learn_decoder is not None:
        found.check_decoder(learn_decoder, "--learn-decoder")
    output_file(output, "-o", folder=folder)
    if journal is not None and no_journal:
        raise OptionError("pass either --journal or --no-journal, not both", where="--no-journal")
    book = None if no_journal else journal or output.with_name(f"{output.name}.journal")
    output_file(book, "--journal", [output], folder=folder)
    drawing = picture_file(plot, inputs=[output, book])
    paths = instance_files(folder)
    instances = read_files(paths, found)[1]
    labels: Any = None
    if solutions:
        labels = HINDSIGHT if found.dynamic else read_solutions(folder, found, instances)
    with naming(paths), numbering(instances):
        names = [str(path) for path in paths]
        if said := ruled(loss_shares(feasible_losses(found, instances)), names):  # before hours of learning
            note(f"warning: {said}")
        if workers is None and device == "cpu" and cluster is None and isinstance(learner, Experience):
            asked = (evaluations or EVALUATIONS) * (samples if sigma != 0 else 1)
            workers = workers_worth_starting(found, instances, asked, rounds)

    pipeline = Pipeline(found)
    with connected(cluster):  # one connection for all that follows
        begin = clock()
        try:
            with naming(paths):
                pipeline.fit(
                    instances, solutions=labels, method=learner, evaluations=evaluations, seed=seed, radius=radius,
                    sigma=sigma, samples=samples, learn_decoder=learn_decoder, validation=validation, workers=workers,
                    device=device, cluster=cluster, journal=book, time_limit=time_limit, progress=True,
                    portfolio=portfolio, rounds=rounds,
                )  # fmt: skip
            seconds = clock() - begin
            if pipeline.recalled_:
                note(f"{pipeline.recalled_} of {len(pipeline.history_)} evaluations from the journal")
            with naming(paths):
                losses = feasible_losses(found, instances, Pipeline.from_model(found, pipeline.model, safe=False))
            held_out, chosen = kept_aside(len(instances), validation, seed)
            with naming([paths[i] for i in chosen]):
                comparison = against_rules(pipeline, [instances[i] for i in chosen])
        except KeyboardInterrupt:
            if book is not None:
                note(f"run the same command to continue from {book}")
            raise
        pipeline.save(output)
        bound = pipeline.bound_problem
        promised = guaranteed(bound, pipeline.model, instances, backend=backend) if guarantees else None
    shares = loss_shares(losses)
    document = {
        "problem": found.name,
        "model": str(output),
        "journal": None if book is None else str(book),
        "method": learner.name,
        "evaluations": sum(done.cost for done in pipeline.history_),
        "loss": pipeline.loss_,
        "validation_loss": pipeline.validation_loss_,
        "seconds": seconds,
        "sigma": pipeline.model.sigma,
        "loss_shares": shares,
        "reference": comparison.reference,
        "summary": [asdict(row) for row in comparison.summary()],
        "trained_on": 0 if held_out else len(chosen),
        "guarantees": None if promised is None else promised.document(),
    }
    done, budget = document["evaluations"], pipeline.provenance["evaluations"]
    why = "out of time" if time_limit is not None and seconds >= time_limit else "the method had no more to try"
    ended = f" of {budget}: {why}" if done < budget else ""
    unit = "passes" if solutions else "evaluations"
    kept = f"{counted(len(chosen), 'instance')} kept aside" if held_out else counted(len(chosen), "training instance")
    whose = f" --problem {problem}" if ":" in problem else ""
    text = [
        *_text(document, comparison, kept, unit, ended, range_of(shares, names)),
        *([said] if (said := where_it_started(pipeline)) else []),
        *(_promise(promised) if promised else ["\nno guarantees of a model learned this way\n"] * guarantees),
        f"\nnext: colayer solve {paths[0]} --model {output}{'' if found.dynamic else ' --candidates 10'}{whose}\n",
    ]
    emit(document, text, as_json=as_json, out=None, plot=drawing, draw=lambda: _draw(pipeline, solutions))


def _draw(pipeline: SomePipeline, by_demonstration: bool) -> Axes:
    from colayer.learning.curve import learning_curve

    axes = learning_curve(pipeline.history_)
    if by_demonstration:
        axes.set(xlabel="pass over the instances", title="Learning by demonstration")
    return axes


def kept_aside(instances: int, validation: float, seed: int) -> tuple[bool, list[int]]:
    """Tell whether some instances were kept aside, and return their numbers; all numbers if none were."""
    from colayer.learning.learner import split

    held_out = [int(i) for i in split(instances, validation, seed)[1]]
    return bool(held_out), held_out or list(range(instances))


def against_rules(pipeline: SomePipeline, instances: Sequence[Any]) -> Comparison:
    """Compare the learned weights alone with all plain methods, of days with those that are quick (see `evaluate`)."""
    from colayer.comparison.contender import pipeline_contender
    from colayer.comparison.evaluate import evaluate
    from colayer.comparison.plain import plain_contenders
    from colayer.pipeline import Pipeline

    problem = pipeline.bound_problem
    alone = Pipeline.from_model(problem, pipeline.model, safe=False)
    plain = plain_contenders(problem, instances, [alone])
    shown = [one for one in plain if not (problem.dynamic and one.kind == "solver")]
    return evaluate(problem, instances, [pipeline_contender("learned", alone), *shown])


def where_it_started(pipeline: SomePipeline) -> str:
    """Return a line if learning did not improve on the weights it started from, and one if it chooses by instance."""
    said = ""
    if pipeline.loss_ == pipeline.history_[0].loss:
        said = "\nlearning found no better weights than those it started from\n"
    if pipeline.model.selector is not None:
        many = len(pipeline.model.portfolio)
        said += f"\na solve takes that of {many} weight vectors which did best on instances like its own\n"
    return said


def _text(
    document: dict[str, Any], comparison: Comparison, kept: str, unit: str, ended: str, shares: str
) -> list[str | Table]:
    from colayer.comparison.table import summary_table
    from colayer.display.tables import duration, significant

    lines = [
        f"model            {document['model']}",
        f"{unit:<17}{document['evaluations']}{ended}",
        f"training loss    {significant(document['loss'], 6)}",
        f"validation loss  {significant(document['validation_loss'], 6)}",
        *([f"loss shares      {shares}"] if shares else []),
        f"time             {duration(document['seconds'])}",
    ]
    said = "".join(f"\n{line}" for line in comparison.conclusions())
    head = "\n".join(lines) + f"\n\non the {kept}:\n\n"
    return [head, summary_table(comparison.summary()), said + "\n" * bool(said)]


def _promise(promised: Guarantees) -> list[str | Table]:
    """Return the proved bound beside the measured loss."""
    from colayer.display.tables import significant, table

    lines = [row for row in promised.rows() if any(cell is not None for cell in row[1:])]
    if {row[0] for row in lines} <= {"measured"}:
        return ["\nno guarantee without a perturbation (--sigma) and without a proven ratio\n"]
    setting = f"n = {promised.instances}, d = {promised.dimension}, M = {promised.radius:g}, σ = {promised.sigma:.4g}"
    setting += f", R = {significant(promised.loss_range)}"
    head = f"\nbounds of the theory at level {1 - promised.delta:g}, in units of the loss ({setting}):\n\n"
    said = (
        "\nproved: the form, for the minimiser over all weights (`cells`), or of the perturbed loss over a given ball\n"
        "estimated from the sample: the units of M and σ, R, κ and all expectations; so the bounds are estimates\n"
    )
    said += "the learned weights lie outside of M: only `cells` speaks of them\n" * (promised.reach > promised.radius)
    if all(b.excess is None or b.excess > promised.loss_range for b in promised.bounds):
        said += "a bound above R says nothing: at this n, go by the measured gap\n"
    return [head, table(promised.HEADERS, lines), said]
