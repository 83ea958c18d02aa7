"""`colayer demo`: generate, learn by experience, compare, draw; for any problem that generates instances."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from colayer.commands import options
from colayer.commands.evaluate import rules, tight_bounds
from colayer.commands.output import progress, say
from colayer.errors import InputError
from colayer.evaluation import Contender, compare

TRAINING, TEST, EVALUATIONS = 50, 50, 1000


def run(problem: str, *, output: str, seed: str, workers: str | None) -> None:
    """The whole story, told as it goes."""
    from colayer.pipeline import Pipeline
    from colayer.report.figures import gap_bars, learning_curve, save
    from colayer.report.tables import duration, significant, summary_table

    first = options.whole(seed, "--seed", maximum=2**63)
    count = None if workers is None else options.whole(workers, "--workers", 1)
    found = options.find(problem)
    options.need(found, "generate", "instance generator", "PROBLEM")
    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise InputError("is not a folder", where=f"-o: {folder}")
    options.output(str(folder if not folder.exists() else folder / "model.json"), "-o")

    sizes = ", ".join(f"{size.name} {size.default}" for size in found.sizes)
    say(f"{found.name}: {TRAINING} instances to learn from, {TEST} others to compare on ({sizes})\n")
    train, test = (
        [found.generate(child, **{size.name: size.default for size in found.sizes}) for child in part.spawn(number)]
        for part, number in zip(np.random.SeedSequence(first).spawn(2), (TRAINING, TEST), strict=True)
    )
    say(f"learning {len(found.feature_names)} weights by experience, from costs alone: {EVALUATIONS} evaluations\n")
    learner = Pipeline(found, found.safe_weights)
    learner.fit(train, evaluations=EVALUATIONS, seed=first, workers=count, progress=True)
    say(f"best mean loss {significant(learner.loss_, 6)}, {heaviest(learner.model)}\n\n")

    bounds = None if found.tight_seconds is None else tight_bounds(found, test, found.tight_seconds)
    with progress("comparing") as shown:
        comparison = compare(found, test, contenders(found, learner), bounds=bounds, progress=shown)
    say(summary_table(comparison.summary()).text())

    folder.mkdir(exist_ok=True)
    learner.save(folder / "model.json")
    save(learning_curve(learner.history_), folder / "learning.png")
    save(gap_bars(comparison), folder / "gaps.png")
    pictures = ["learning.png", "gaps.png"]
    solved = learner.solve(test[0])
    if options.provides(found, "plot"):
        save(found.plot(solved.solution, test[0]), folder / "solution.png")
        pictures.append("solution.png")
    least = solved.bound if bounds is None else bounds[0]
    bounded = "" if least is None else f", at least {least:g} for any solution"
    say(f"\none of them: cost {solved.cost:g}{bounded}, in {duration(solved.seconds)}\n")
    say(f"written to {folder}: model.json, {', '.join(pictures)}\n")


def heaviest(model: Any, most: int = 3) -> str:
    """How many weights are not zero, and the largest: a table alone hides a learner that found a plain rule."""
    order = sorted(np.flatnonzero(model.weights), key=lambda k: -abs(model.weights[k]))
    names = ", ".join(f"{model.feature_names[k]} {model.weights[k]:.3g}" for k in order[:most])
    return f"{len(order)} of {len(model.weights)} weights are not zero" + (f", the largest: {names}" if names else "")


def contenders(problem: Any, learner: Any) -> dict[str, Contender]:
    """Plain rules, safe weights, the learned weights through every decoder, and the pretrained ones."""
    from colayer.pipeline import Pipeline, pretrained

    chosen = rules(problem)
    own = problem.options.get("decoder")
    for decoder in problem.decoders or (None,):
        variant = options.variant(problem, decoder=None if decoder == own else decoder)
        through = "" if decoder is None or decoder == own else f" + {decoder}"
        chosen[f"learned{through}"] = Pipeline.from_model(variant, learner.model, safe=False)
        shipped = pretrained(variant)
        if shipped is not None:
            chosen[f"pretrained{through}"] = Pipeline.from_model(variant, shipped, safe=False)
    return chosen
