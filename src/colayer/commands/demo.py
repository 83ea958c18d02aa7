"""`colayer demo`: generate, learn by experience, compare, draw; for any problem that generates instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from colayer.commands import arguments

if TYPE_CHECKING:
    from colayer.comparison.contender import Contender
    from colayer.models import Model
    from colayer.problem import SomeProblem

TRAINING, TEST, EVALUATIONS = 50, 50, 1000
#: What a demo writes.
FILES = {"model.json", "learning.png", "gaps.png", "solution.png"}


def demo(
    problem: Annotated[
        str, typer.Argument(metavar="[PROBLEM]", help="A registered problem, or MODULE:NAME.")
    ] = "single-machine",
    output: Annotated[
        Path,
        arguments.out_folder("Where the pictures go."),
    ] = Path("demo"),
    seed: arguments.Seed = 0,
    workers: arguments.Workers = None,
) -> None:
    """The whole story in about a minute: generate, learn by experience, compare, draw."""
    import numpy as np

    from colayer.capabilities import Draws, Generates, need
    from colayer.commands.lookup import find
    from colayer.commands.output import progress, say, search
    from colayer.commands.outputs import output_file, output_folder
    from colayer.comparison.evaluate import evaluate, tight_bounds
    from colayer.comparison.table import joined
    from colayer.errors import OptionError
    from colayer.files import whole_folder
    from colayer.pipeline import Pipeline
    from colayer.problem import declared
    from colayer.report.figures import drawn, gap_bars, learning_curve, save
    from colayer.report.tables import duration, significant, summary_table
    from colayer.text import short

    found = find(problem)
    known, generate = declared(found), need(found, Generates, option="PROBLEM").generate
    folder = output_folder(output)
    if folder.exists() and (others := sorted({entry.name for entry in folder.iterdir()} - FILES)):
        message = f"{folder} holds other files ({short(others[0])}), expected a new folder, or one of an earlier demo"
        raise OptionError(message, where="-o")
    output_file(folder / "model.json" if folder.exists() else folder, "-o")

    sizes = {size.name: size.default for size in known.sizes}
    described = ", ".join(f"{name} {value}" for name, value in sizes.items())
    say(f"{found.name}: {TRAINING} instances to learn from, {TEST} others to compare on ({described})\n")
    train, test = (
        [generate(child, **sizes) for child in part.spawn(count)]
        for part, count in zip(np.random.SeedSequence(seed).spawn(2), (TRAINING, TEST), strict=True)
    )
    say(f"learning {known.dimension} weights by experience, from costs alone: {EVALUATIONS} evaluations\n")
    learner = Pipeline(found).fit(train, evaluations=EVALUATIONS, seed=seed, workers=workers, progress=True)
    say(f"best mean loss {significant(learner.loss_, 6)}, {heaviest(learner.model)}\n\n")

    bounds = None
    if known.tight_seconds is not None:
        with search("bounding", len(test)) as bounding:
            limit, shown = known.tight_seconds, bounding.progress
            bounds = tight_bounds(found, test, time_limit=limit, progress=shown, done=bounding.next)
    compared = []
    for decoder, chosen in contenders(found, learner.model, test).items():
        with progress("comparing") as done:
            comparison = evaluate(found, test, chosen, bounds=bounds, progress=done)
        compared.append(comparison)
        say(f"through the decoder {decoder}:\n\n" if decoder else "")
        say(summary_table(comparison.summary()).text())
        say("".join(f"\n{line}" for line in comparison.conclusions()) + "\n\n")

    solved = learner.solve(test[0])
    pictures = ["learning.png", "gaps.png"]
    with whole_folder(folder) as place:
        learner.save(place / "model.json")
        save(learning_curve(learner.history_), place / "learning.png")
        save(gap_bars(joined(compared)), place / "gaps.png")
        if isinstance(found, Draws):
            save(drawn(found, solved.solution, test[0]), place / "solution.png")
            pictures.append("solution.png")
    least = solved.bound if bounds is None else bounds[0]
    bounded = "" if least is None else f", at least {least:g} for any solution"
    say(f"one of them: cost {solved.cost:g}{bounded}, in {duration(solved.seconds)}\n")
    say(f"written to {folder}: model.json, {', '.join(pictures)}\n")


def heaviest(model: Model, most: int = 3) -> str:
    """How many weights are not zero, and the largest: a table alone hides a learner that found a plain rule."""
    order = sorted((k for k, w in enumerate(model.weights) if w != 0.0), key=lambda k: -abs(model.weights[k]))
    names = ", ".join(f"{model.feature_names[k]} {model.weights[k]:.3g}" for k in order[:most])
    return f"{len(order)} of {len(model.weights)} weights are not zero" + (f", the largest: {names}" if names else "")


def contenders(problem: SomeProblem, model: Model, instances: Sequence[Any]) -> dict[str, list[Contender[Any, Any]]]:
    """By decoder ("" where there is none to choose): learned and pretrained weights, and all that is plain, with it."""
    from colayer.comparison.contender import pipeline_contender
    from colayer.comparison.plain import plain_contenders
    from colayer.pipeline import Pipeline
    from colayer.pretrained import pretrained
    from colayer.problem import declared, variant

    known = declared(problem)
    parts: dict[str, list[Contender[Any, Any]]] = {}
    for decoder in known.decoders or (None,):
        through = "" if decoder in (None, known.decoder) else f" + {decoder}"
        changed = variant(problem, decoder=decoder)
        plain = plain_contenders(changed, instances)
        rules = declared(changed).baselines
        shown = {c.name for part in parts.values() for c in part}
        parts[decoder or ""] = [
            *(
                pipeline_contender(f"{name}{through}", Pipeline.from_model(changed, weights, safe=False))
                for name, weights in (("learned", model), ("pretrained", pretrained(changed)))
                if weights is not None
            ),
            *(
                c if c.name in rules else replace(c, name=c.name + through)
                for c in plain
                if c.name not in shown or c.name not in rules or c.name.endswith(f"+{decoder}")
            ),
        ]
    return parts
