"""`colayer train`: weights by experience, or by demonstration with --solutions, from a folder of instances."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from colayer.commands import options
from colayer.commands.output import emit, note
from colayer.dataset import instance_files, read_files, read_solutions
from colayer.errors import OptionError
from colayer.evaluation import Contender, Summary, compare

if TYPE_CHECKING:
    from colayer.guarantees import Guarantees


def run(
    problem: str,
    folder: str,
    *,
    output: str,
    method: str,
    evaluations: str | None,
    seed: str,
    decoder: str | None,
    learn_decoder: str | None,
    features: str | None,
    radius: str | None,
    sigma: str,
    samples: str,
    solutions: bool,
    validation: str,
    workers: str | None,
    cluster: str | None,
    time_limit: str | None,
    journal: str | None,
    no_journal: bool,
    plot: str | None,
    as_json: bool,
) -> None:
    """Learn, write the model, print how it went; all options are checked before the data is read."""
    from colayer.evaluators.connection import connected
    from colayer.learning.guaranteed import guaranteed
    from colayer.pipeline import Pipeline

    method = _method(method, solutions)
    settings: dict[str, Any] = {
        "method": method,
        "evaluations": None if evaluations is None else options.whole(evaluations, "--evaluations", 1),
        "seed": options.whole(seed, "--seed", maximum=2**63),
        "radius": None if radius is None else options.number(radius, "--radius"),
        "sigma": sigma if sigma == "theory" else options.number(sigma, "--sigma", zero=True),
        "samples": options.whole(samples, "--samples", 1),
        "validation": options.share(validation, "--validation"),
        "workers": None if workers is None else options.whole(workers, "--workers", 1),
        "time_limit": None if time_limit is None else options.number(time_limit, "--time-limit"),
        "learn_decoder": learn_decoder,
    }
    if cluster is not None:
        settings["cluster"] = _cluster(cluster, method, solutions)
    found = options.find(problem, decoder=decoder, features=features)
    if learn_decoder is not None:
        options.check_decoder(found, learn_decoder, "--learn-decoder")
    data = Path(folder)
    model = Path(output)
    options.output(output, "-o", folder=data)
    if journal is not None and no_journal:
        raise OptionError("given with --journal, expected one of them", where="--no-journal")
    book = None if no_journal else Path(journal or f"{output}.journal")
    options.output(None if book is None else str(book), "--journal", [model], folder=data)
    drawing = options.picture(plot, "--plot", [model, *([book] if book else [])])
    instances = read_files(instance_files(data), found)[1]
    if solutions:
        settings["solutions"] = read_solutions(data, found, instances)

    pipeline = Pipeline(found, safe=False) if found.safe_weights is None else Pipeline(found, found.safe_weights)
    # one connection for all that follows; Ray prints what happens to its nodes, and stdout is for results
    with redirect_stdout(sys.stderr), connected(cluster):
        begin = time.perf_counter()
        try:
            pipeline.fit(instances, journal=book, progress=True, **settings)
        except KeyboardInterrupt:
            if book is not None:
                note(f"the same command goes on from {book}")
            raise
        seconds = time.perf_counter() - begin
        pipeline.save(model)
        promised = guaranteed(found, pipeline.model, instances, workers=settings["workers"], cluster=cluster)
    if drawing is not None:
        from colayer.report.figures import learning_curve, save

        axes = learning_curve(pipeline.history_)
        if solutions:
            axes.set(xlabel="pass over the instances", title="Learning by demonstration")
        save(axes, drawing)
    kept, rows = against_safe(pipeline, instances, settings["validation"], settings["seed"])
    document = {
        "problem": found.name,
        "model": output,
        "journal": None if book is None else str(book),
        "method": method,
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


def _method(method: str, solutions: bool) -> str:
    """The name, checked: with solutions the methods that learn by demonstration, without those by experience."""
    from colayer.learning.losses import demonstration_named, demonstration_names
    from colayer.learning.optimizers import method_names

    imitating = tuple(name for name in demonstration_names() if not demonstration_named(name).from_theta)
    if solutions:
        return options.choice(imitating[0] if method == "auto" else method, "--method", (*imitating, "neural"))
    if method in imitating:
        raise OptionError(f"{method} learns from solutions, expected --solutions with it", where="--method")
    return options.choice(method, "--method", (*method_names(extras=True), "neural"))


def _cluster(address: str, method: str, solutions: bool) -> str:
    """The address, checked, for a method that learns on a cluster."""
    from colayer.evaluators.connection import check_address

    if solutions or method == "neural":
        raise OptionError(f"has no meaning for {method}, which learns on this machine", where="--cluster")
    return check_address(address)


def against_safe(pipeline: Any, instances: Sequence[Any], validation: float, seed: int) -> tuple[str, list[Summary]]:
    """Learned and safe weights, each alone, on the instances kept aside (or on all, where none are)."""
    from colayer.learning.fit import split
    from colayer.pipeline import Pipeline

    problem = pipeline.problem
    _, held_out = split(len(instances), validation, seed)
    chosen = [instances[i] for i in held_out] or list(instances)
    contenders: dict[str, Contender] = {"learned": Pipeline.from_model(problem, pipeline.model, safe=False)}
    if problem.safe_weights is not None:
        contenders["safe weights"] = Pipeline(problem, problem.safe_weights, safe=False)
    some = f"instance{'s' if len(chosen) > 1 else ''}"
    where = f"{len(chosen)} {some} kept aside" if len(held_out) else f"{len(chosen)} training {some}"
    return where, compare(problem, chosen, contenders).summary()


def _text(document: dict[str, Any], rows: list[Summary], kept: str, unit: str, budget: int) -> str:
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
    if len(lines) == 1:
        return "\nno guarantee without a perturbation (--sigma) and without a proven ratio\n"
    vacuous = all(b.excess is None or b.excess > promised.loss_range for b in promised.bounds)
    remark = "more than R says nothing: at this n the measured gap is what to go by\n" if vacuous else ""
    return head + table(promised.HEADERS, lines).text() + remark
