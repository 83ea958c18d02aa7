"""Train the networks that colayer ships: `python -m colayer_paper.networks NAME --minutes 8 --out DIR`.

Each recipe is named like the pretrained model it starts from. Instances are generated without end. For jobs, the
smoothed cost is descended. Trees and vehicles come with a good solution (Lagrangian rounding, local search), and the
network imitates that and the best of its own perturbed solutions, or with `--own` those alone. Every 20 s a checkpoint,
DIR/NAME.npz, is written: a run that was stopped goes on from it. In the end DIR/NAME.json is the model and
DIR/NAME.result.json what it does on instances of the paper's test sets, through `--decoder`. With `--after FILE` the
network is another stage: it looks at what the network of FILE has made. With `--take FILE` nothing is trained: the
network of FILE, which was learned from all of the features or some, is put beside the linear weights for all of them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from colayer._runtime.threads import Threads
from colayer.errors import ColayerError, InputError
from colayer.evaluators.gpu.device import Cuda
from colayer.io.files import encode, write_atomic
from colayer.learning.network.source import Source, units_of
from colayer.models import ContextModel
from colayer.models.stage import kinds_of
from colayer.problem.protocol import declared, variant
from colayer_paper.network_models import concluded, earlier_model, model_of, network_in, widened
from colayer_paper.network_recipes import (
    EXAMPLES,
    RECIPES,
    Recipe,
    centre,
    linear_model,
    make,
    make_stack,
    recipe_named,
)
from colayer_paper.network_results import judge

#: Instances that say how large the amounts of rows are.
_SIZED = 10


def train(arguments: argparse.Namespace) -> None:
    """Train one network, write it and what it does."""
    import torch

    from colayer.learning.network.averaged import Pace
    from colayer.learning.network.context import ContextNetwork
    from colayer.learning.network.course import Course
    from colayer.learning.network.insertions import Smoothing
    from colayer.learning.network.resident import Resident
    from colayer.learning.network.towards import Draws, Layered, Placed

    if arguments.stream < 1:
        raise InputError(f"{arguments.stream} is out of range, expected 1 or more", where="--stream")
    name, begin = arguments.name, time.monotonic()
    recipe = recipe_named(name)
    if arguments.own and recipe.known is None:
        raise InputError("has no meaning where no good solution is known", where="--own")
    if arguments.sigma:
        first, last = arguments.sigma
        if not 0.0 < last <= first:
            raise InputError(f"{first:g} to {last:g} is out of range, expected to fall, above 0", where="--sigma")
        named = {"first": first, "last": last}
        if recipe.problem.name != "single-machine":
            named = {"sigma": first, "fall": last / first}
        recipe = replace(recipe, draws={**recipe.draws, **named})
    if arguments.after is not None:
        recipe = replace(recipe, dilations=recipe.later)
        if arguments.after.resolve().parent == arguments.out.resolve():
            raise InputError("lies where results are written, expected another --out", where="--after")
    rows = arguments.rows or recipe.batch
    device = arguments.device if arguments.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_num_threads(1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    center, spread = centre(name)
    earlier = earlier_model(arguments.after, recipe, center, make(name, center, EXAMPLES, 0, own=True)[0])
    examples = [make(name, center, EXAMPLES, number, earlier, own=True)[0] for number in range(_SIZED)]
    example, units = examples[0], units_of(examples)
    relations = kinds_of(example.structure)
    channels, seed = arguments.channels or recipe.channels, arguments.stream - 1
    network = ContextNetwork(len(example.inputs), relations, channels, recipe.dilations, 0.3 * spread, seed, units)
    pace = Pace(arguments.rate or recipe.rate)
    if arguments.warm:
        model = model_of(recipe, network.model, example.anchored, network.state(), center, {}, earlier)
        judge(replace(recipe, held_out=lambda _: [("warm", example.instance)]), model, 1, 1)
        return
    threads = Threads(arguments.workers)
    jobs = recipe.problem.name == "single-machine"
    if jobs and device == "cuda":
        Cuda()  # refused here where CuPy is missing
    made: Callable[[int], list[Any]] = (
        partial(make_stack, name, center, arguments.stream, after=earlier, rows=rows)
        if jobs
        else partial(make, name, center, arguments.stream, after=earlier, own=arguments.own)
    )
    placed: Callable[[Any], Any] = (lambda stack: stack.to(device)) if jobs else partial(Placed.on, device)

    def say(text: str) -> None:
        sys.stdout.write(f"{name}: {time.monotonic() - begin:.0f} s: {text}\n")
        sys.stdout.flush()

    # jobs are made by processes: their features hold the interpreter
    with Source(made, max(1, arguments.workers // 2), recipe.capacity, processes=jobs, placed=placed) as source:
        source.refresh(recipe.least)
        say(f"{source.made} made, {sum(p.numel() for p in network.parameters())} parameters, spread {spread:.3g}")
        feed = (
            Resident(source, Smoothing(**recipe.draws), device)
            if jobs
            else Layered(recipe.problem, source, rows, Draws(**recipe.draws), threads, device)  # type: ignore[arg-type]
        )
        remaining = 60.0 * arguments.minutes - (time.monotonic() - begin)
        course = Course(
            network, feed, pace, device, remaining, seed, checkpoint=arguments.out / f"{name}.npz",
            every=arguments.every,
        )  # fmt: skip

        def describe(course: Course) -> ContextModel:
            command = f"python -m colayer_paper.networks {name} --minutes {arguments.minutes:g}"
            command += f" --channels {channels}" if arguments.channels else ""
            command += " --sigma {:g} {:g}".format(*arguments.sigma) if arguments.sigma else ""
            command += f" --rows {arguments.rows}" if arguments.rows else ""
            command += f" --rate {arguments.rate:g}" if arguments.rate else ""
            command += " --own" if arguments.own else ""
            command += f" --stream {arguments.stream}" if arguments.stream != 1 else ""
            command += f" --after {arguments.after.name}" if arguments.after else ""
            seen = {"device": device, "steps": course.step, "made": source.made}
            return model_of(
                recipe, network.model, example.anchored, course.averaged(), center, {"command": command, **seen},
                earlier,
            )  # fmt: skip

        def watch(course: Course) -> None:
            last = course.history[-1]
            each = course.spent / max(1, course.step)
            say(
                f"step {course.step}, {1e3 * each:.1f} ms each, made {source.made}, behind {100 * last['behind']:.4f} %"
            )
            describe(course).save(arguments.out / f"{name}.json")

        course.run(watch)
    _finish(arguments, recipe, describe(course), course.history, say)
    threads.close()


def take(arguments: argparse.Namespace) -> None:
    """Put the network of a file beside the linear weights, write it and what it does."""
    recipe = recipe_named(arguments.name)
    network = network_in(arguments.take)
    command = f"python -m colayer_paper.networks {arguments.name} --take {arguments.take.name}"
    model = widened(network, linear_model(recipe.problem))
    model = replace(model, provenance={"command": command, "network": dict(network.provenance)})
    arguments.out.mkdir(parents=True, exist_ok=True)
    _finish(arguments, recipe, model, [], lambda text: print(f"{arguments.name}: {text}"))


def _finish(
    arguments: argparse.Namespace, recipe: Recipe, model: ContextModel, history: list[Any], say: Callable[[str], None]
) -> None:
    """Choose σ and portfolio, write the model and what it does on held-out instances, and say it."""
    model = concluded(arguments.name, model, arguments.workers)
    model.save(arguments.out / f"{arguments.name}.json")
    problem = recipe.problem
    if arguments.decoder:
        problem = variant(problem, decoder=arguments.decoder)
    found = judge(replace(recipe, problem=problem), model, arguments.per_cell, arguments.workers)
    known = {"name": arguments.name, "options": dict(declared(problem).options), "provenance": model.provenance}
    document = {**known, "history": history, "held_out": found}
    write_atomic(arguments.out / f"{arguments.name}.result.json", encode(document))
    for label, row in found.items():
        gaps = ", ".join(f"{key} {100 * value['mean_gap']:.4f} %" for key, value in row.items() if key != "instances")
        against = row["linear"]
        say(
            f"{label} ({row['instances']}): {gaps}; network - linear "
            f"{100 * against['network_minus']:+.4f} ± {100 * against['standard_error']:.4f}"
        )


def main(given: list[str] | None = None) -> None:
    """Train the named network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=RECIPES, metavar="NAME", help=", ".join(RECIPES))
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--out", type=Path, default=Path("runs") / "networks")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--device", choices=("cpu", "cuda", "auto"), default="auto")
    parser.add_argument("--per-cell", type=int, default=1)
    parser.add_argument("--every", type=float, default=20.0)
    parser.add_argument("--channels", type=int)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--sigma", type=float, nargs=2, metavar=("FIRST", "LAST"), help="from where to where it falls")
    parser.add_argument("--rows", type=int, help="jobs of a step, or instances of other problems")
    parser.add_argument("--stream", type=int, default=1, help="seed of instances and network, from 1 on")
    parser.add_argument("--warm", action="store_true", help="compile all that is needed, and train nothing")
    parser.add_argument("--own", action="store_true", help="learn from draws alone, without a good solution among them")
    parser.add_argument("--decoder", help="of the solves on held-out instances; by default the recipe's")
    parser.add_argument(
        "--after", type=Path, metavar="FILE", help="learn a network that looks at what that of FILE did"
    )
    parser.add_argument("--take", type=Path, metavar="FILE", help="a network to take as it is")
    arguments = parser.parse_args(given)
    try:
        (take if arguments.take else train)(arguments)
    except ColayerError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
