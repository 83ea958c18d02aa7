"""`colayer demo`: what you had, what learning costs, what you have then; for any problem that generates instances."""

from __future__ import annotations

import resource
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from colayer.cli import options as arguments

if TYPE_CHECKING:
    from colayer.cli.demos.catalogue import Demo
    from colayer.cli.lookup import SomeProblem

#: What a demo writes.
FILES = {"model.json", "learning.png", "gaps.png", "solution.png", "instance.json", "tardiness.py", "city_dispatch.py"}


def demo(
    problem: Annotated[
        str,
        typer.Argument(
            metavar="PROBLEM",
            help="dynamic-vehicle-scheduling or another problem, dispatch or own (example files), or MODULE:NAME.",
        ),
    ] = "dynamic-vehicle-scheduling",
    output: Annotated[Path, arguments.out_folder("Where model and pictures go.")] = Path("demo"),
    seed: arguments.Seed = 0,
    workers: arguments.Workers = None,
) -> None:
    """Show in a minute what learning costs and what it gains."""
    import numpy as np

    from colayer._runtime.text import counted, short
    from colayer.cli.console import progress, say, search
    from colayer.cli.demos.catalogue import DEFAULT, DEMOS
    from colayer.cli.demos.contenders import candidates_of, contenders, tuned_rules
    from colayer.cli.demos.exact import exact_answers, with_exact, with_hindsight
    from colayer.cli.demos.story import story
    from colayer.cli.outputs import output_file, output_folder
    from colayer.comparison.charts import gap_bars
    from colayer.comparison.evaluate import evaluate
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
    shown = DEMOS.get(problem, DEFAULT)
    with ExitStack() as stack:
        found = shown.problem(problem, stack)
        generate = found.need("generate", option="PROBLEM")
        if shown.file:
            say(checked(found, shown))
        sizes = {size.name: size.default for size in found.sizes} | dict(shown.sizes)
        described = ", ".join(f"{name} {value}" for name, value in {**shown.options, **sizes}.items())
        what = "day" if found.dynamic else "instance"
        say(f"{found.name}: {counted(shown.training, what)} for training, {shown.test} for testing ({described})\n\n")
        train, test = (
            [generate(child, **sizes) for child in part.spawn(count)]
            for part, count in zip(np.random.SeedSequence(seed).spawn(2), (shown.training, shown.test), strict=True)
        )
        warm(found)  # compiling is no part of what learning costs
        begin = cpu()
        learner = Pipeline(found).fit(train, evaluations=shown.evaluations, seed=seed, workers=workers, progress=True)
        seconds = cpu() - begin
        with progress("tuning the rules") as done:
            tuned = tuned_rules(found, shown, train, done)
        answers, bounds = None, None
        if found.tight_seconds is not None:
            with search("bounding", len(test)) as bounding:
                answers = exact_answers(found, test, bounding.progress, bounding.next)
                bounds = answers.bounds
        with progress("comparing") as done:
            among = contenders(found, learner.model, test, shown, tuned)
            comparison = evaluate(found, test, among, bounds=bounds, progress=done)
        comparison = with_hindsight(comparison, found, test) if answers is None else with_exact(comparison, answers)
        cost = f"{found.dimension} weights, {shown.evaluations} evaluations, {seconds:.1f} s of CPU"
        say(*story(comparison, learner, cost, what))

        names = ["model.json", "learning.png", "gaps.png"]
        with whole_folder(folder) as place:
            learner.save(place / "model.json")
            save(learning_curve(learner.history_, kept=learner.weights_), place / "learning.png")
            save(gap_bars(comparison), place / "gaps.png")
            if found.plot is not None:
                solved = learner.solve(test[0], candidates=candidates_of(found, shown))
                save(drawn(found, solved.solution, test[0]), place / "solution.png")
                names.append("solution.png")
            if found.write is not None:
                write_instance(place / "instance.json", test[0], found)
                names.append("instance.json")
            if shown.file:
                (place / shown.file).write_text(shown.source, "utf-8")
                names.append(shown.file)
    say(f"\nwritten to {folder}: {', '.join(names)}\n")
    if "instance.json" in names:
        name = shown.argument if shown.file else problem
        say(f"next: {next_command(folder, name, bool(shown.file), candidates_of(found, shown))}\n")


def next_command(folder: Path, problem: str, inside: bool, candidates: int) -> str:
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


def checked(problem: SomeProblem, shown: Demo) -> str:
    """Return what `colayer check` finds, in one line."""
    from colayer.errors import InputError
    from colayer.problem.check import check_problem, small_instances

    report = check_problem(problem, small_instances(problem, 0))
    if not report.ok:
        raise InputError(str(report))
    return f"{shown.file}, {len(shown.source.splitlines())} lines: colayer check finds no mistakes\n"
