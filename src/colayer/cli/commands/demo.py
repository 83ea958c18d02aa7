"""`colayer demo`: what you had, what learning costs, what you have then; for any problem that generates instances."""

from __future__ import annotations

import resource
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from colayer.cli import options as arguments

if TYPE_CHECKING:
    from colayer.cli.lookup import SomeProblem
    from colayer.comparison.contender import Contender
    from colayer.comparison.paired import Difference
    from colayer.comparison.table import Comparison, Summary
    from colayer.display.tables import Table
    from colayer.models import Model

TRAINING, TEST, EVALUATIONS, CANDIDATES = 50, 50, 1000, 10
LEARNED = "learned"
#: Without the features that hold the solution of a search: what is learned from data alone, and solves in milliseconds.
FEATURES = {"vehicle-scheduling": "23"}
#: Sizes that tell the most in a minute, where they are not the defaults.
SIZES: dict[str, dict[str, Any]] = {"vehicle-scheduling": {"tasks": 100, "scenarios": 30}}
#: What a demo writes.
FILES = {"model.json", "learning.png", "gaps.png", "solution.png", "instance.json", "tardiness.py"}
#: The word for a problem that is written on the spot, and where it lies then.
OWN, OWN_NAME = "own", "tardiness:Tardiness"


def demo(
    problem: Annotated[
        str,
        typer.Argument(
            metavar="PROBLEM",
            help="spanning-tree, vehicle-scheduling, single-machine, own (an example file), or MODULE:NAME.",
        ),
    ] = "spanning-tree",
    output: Annotated[Path, arguments.out_folder("Where model and pictures go.")] = Path("demo"),
    seed: arguments.Seed = 0,
    workers: arguments.Workers = None,
) -> None:
    """Show in a minute what learning costs and what it gains."""
    import numpy as np

    from colayer._runtime.text import short
    from colayer.cli.console import progress, say, search
    from colayer.cli.lookup import find
    from colayer.cli.outputs import output_file, output_folder
    from colayer.comparison.charts import gap_bars
    from colayer.comparison.evaluate import evaluate, tight_bounds
    from colayer.display.charts import drawn, save
    from colayer.errors import OptionError
    from colayer.io.dataset import write_instance
    from colayer.io.files import whole_folder
    from colayer.learning.curve import learning_curve
    from colayer.pipeline import Pipeline
    from colayer.solving.warmup import warm

    folder = output_folder(output)
    if folder.exists() and (others := sorted({entry.name for entry in folder.iterdir()} - FILES)):
        message = f"{folder} holds other files ({short(others[0])}), expected a new folder, or one of an earlier demo"
        raise OptionError(message, where="-o")
    output_file(folder / "model.json" if folder.exists() else folder, "-o")
    with ExitStack() as stack:
        found = own_problem(stack) if problem == OWN else find(problem, features=FEATURES.get(problem))
        generate = found.need("generate", option="PROBLEM")
        if problem == OWN:
            say(checked(found))
        sizes = {size.name: size.default for size in found.sizes} | SIZES.get(found.name, {})
        described = ", ".join(f"{name} {value}" for name, value in sizes.items())
        if problem in FEATURES:
            described = f"features {FEATURES[problem]}, {described}"
        say(f"{found.name}: {TRAINING} instances for training, {TEST} for testing ({described})\n\n")
        train, test = (
            [generate(child, **sizes) for child in part.spawn(count)]
            for part, count in zip(np.random.SeedSequence(seed).spawn(2), (TRAINING, TEST), strict=True)
        )
        warm(found)  # compiling is no part of what learning costs
        begin = cpu()
        learner = Pipeline(found).fit(train, evaluations=EVALUATIONS, seed=seed, workers=workers, progress=True)
        seconds = cpu() - begin
        bounds = None
        if found.tight_seconds is not None:
            with search("bounding", len(test)) as bounding:
                limit, shown = found.tight_seconds, bounding.progress
                bounds = tight_bounds(found, test, time_limit=limit, progress=shown, done=bounding.next)
        with progress("comparing") as done:
            comparison = evaluate(found, test, contenders(found, learner.model, test), bounds=bounds, progress=done)
        cost = f"{found.dimension} weights, {EVALUATIONS} evaluations, {seconds:.1f} s of CPU"
        say(*story(comparison, cost, learner.model))

        names = ["model.json", "learning.png", "gaps.png"]
        with whole_folder(folder) as place:
            learner.save(place / "model.json")
            save(learning_curve(learner.history_), place / "learning.png")
            save(gap_bars(comparison), place / "gaps.png")
            if found.plot is not None:
                solved = learner.solve(test[0], candidates=candidates_of(found))
                save(drawn(found, solved.solution, test[0]), place / "solution.png")
                names.append("solution.png")
            if found.write is not None:
                write_instance(place / "instance.json", test[0], found)
                names.append("instance.json")
            if problem == OWN:
                (place / "tardiness.py").write_text(source())
                names.append("tardiness.py")
    say(f"\nwritten to {folder}: {', '.join(names)}\n")
    if "instance.json" in names:
        name, many = OWN_NAME if problem == OWN else problem, candidates_of(found)
        say(f"next: {next_command(folder, name, problem == OWN, many)}\n")


def candidates_of(problem: SomeProblem) -> int:
    """Return how many weight vectors a solve tries; on a day, which is played once, one."""
    return 1 if problem.dynamic else CANDIDATES


def next_command(folder: Path, problem: str, inside: bool, candidates: int = CANDIDATES) -> str:
    """Return the command to try next: solve one of the instances with the learned weights."""
    place = Path() if inside else folder
    whose = f" --problem {problem}" if ":" in problem else ""
    many = f" --candidates {candidates}" if candidates > 1 else ""
    solve = f"colayer solve {place / 'instance.json'} --model {place / 'model.json'}{many}{whose}"
    return f"cd {folder} && {solve}" if inside else solve


def cpu() -> float:
    """Return the processor seconds used by this process and its finished children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def source() -> str:
    """Return the source of the example problem."""
    from importlib.resources import files

    return files("colayer.cli.commands").joinpath("own_problem.txt").read_text()


def own_problem(stack: ExitStack) -> SomeProblem:
    """Return the example problem, imported as a user's file is."""
    from colayer.cli.lookup import find

    place = stack.enter_context(TemporaryDirectory())
    Path(place, "tardiness.py").write_text(source())
    sys.path.insert(0, place)
    stack.callback(sys.path.remove, place)
    stack.callback(sys.modules.pop, "tardiness", None)
    return find(OWN_NAME)


def checked(problem: SomeProblem) -> str:
    """Return what `colayer check` finds, in one line."""
    from colayer.errors import InputError
    from colayer.problem.check import check_problem, small_instances

    report = check_problem(problem, small_instances(problem, 0))
    if not report.ok:
        raise InputError(str(report))
    return f"tardiness.py, {len(source().splitlines())} lines: colayer check finds no mistakes\n"


def story(comparison: Comparison, cost: str, model: Model) -> list[str | Table]:
    """Return the story in words: the best plain rule, the cost of learning, the gain."""
    from colayer.comparison.paired import verdicts_in_words
    from colayer.comparison.table import summary_table, value
    from colayer.display.tables import duration, percent, significant

    kinds = dict(zip(comparison.contenders, comparison.kinds, strict=True))
    rows, measure = comparison.summary(), comparison.measure
    learned, plain = ([row for row in rows if (kinds[row.contender] == "learned") == own] for own in (True, False))
    reached = min(mean for row in learned if (mean := value(row, measure)) is not None)
    ahead = [
        f"\nstill ahead: {row.contender}, {percent(mean) if measure == 'gap' else significant(mean, 5)} in "
        f"{duration(row.mean_seconds)}"
        for row in plain
        if (mean := value(row, measure)) is not None and mean < reached
    ]
    judged = ((row.contender, like_for_like(comparison, row), row.instances) for row in learned)
    said = verdicts_in_words((name, found, count) for name, found, count in judged if found is not None)
    return [
        "What you had:\n\n",
        summary_table(plain),
        f"\nWhat learning cost: {cost}\n{heaviest(model)}\n\nWhat you have now:\n\n",
        summary_table(learned),
        "".join(f"\n{line}" for line in said) + "".join(ahead) + "\n",
    ]


def like_for_like(comparison: Comparison, row: Summary) -> Difference | None:
    """Return the difference that the words tell: of many candidates, to safe weights with as many."""
    from colayer.comparison.contender import SAFE
    from colayer.comparison.paired import difference

    like = SAFE + row.contender.removeprefix(LEARNED)
    if not row.contender.startswith(f"{LEARNED}, ") or like not in comparison.contenders:
        return row.difference
    costs, reference_costs = (
        [r.cost for r in comparison.results if r.contender == name] for name in (row.contender, like)
    )
    return difference(costs, reference_costs, like)


def heaviest(model: Model, most: int = 3) -> str:
    """Name the largest weights, since a table alone hides a learner that found a plain rule."""
    order = sorted((k for k, w in enumerate(model.weights) if w != 0.0), key=lambda k: -abs(model.weights[k]))
    names = ", ".join(f"{model.feature_names[k]} {model.weights[k]:.3g}" for k in order[:most])
    return f"{len(order)} of {len(model.weights)} weights are not zero" + (f", the largest: {names}" if names else "")


def contenders(problem: SomeProblem, model: Model, instances: Sequence[Any]) -> list[Contender[Any, Any]]:
    """Return the plain methods, the learned weights, and the best of ten members of their portfolio."""
    from colayer.comparison.contender import pipeline_contender, safe_contender
    from colayer.comparison.plain import plain_contenders
    from colayer.pipeline import Pipeline

    pipeline = Pipeline.from_model(problem, model, safe=False)
    counts = sorted({1, candidates_of(pipeline.bound_problem)})
    many = [one for count in counts[1:] for one in safe_contender(problem, model, candidates=count)]
    return [
        *plain_contenders(problem, instances, [pipeline]),
        *(replace(contender, kind="solver") for contender in many),  # a search, and no reference
        *(pipeline_contender(LEARNED, pipeline, candidates=count) for count in counts),
    ]
