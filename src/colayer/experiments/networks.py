"""Train the networks that colayer ships: `python -m colayer.experiments.networks NAME --minutes 8 --out DIR`.

Each recipe is named like the pretrained model it starts from. Instances are generated without end. For jobs, the
smoothed cost is descended. Trees and vehicles come with a good solution (Lagrangian rounding, local search), and the
network imitates that and the best of its own perturbed solutions. Every 20 s a checkpoint, DIR/NAME.npz, is written: a
run that was stopped goes on from it. In the end DIR/NAME.json is the model and DIR/NAME.result.json what it does on
instances of the paper's test sets, through `--decoder`. With `--after FILE` the network is another stage: it looks at
what the network of FILE has made. With `--take FILE` nothing is trained: the network of FILE,
which was learned from all of the features or some, is put beside the linear weights for all of them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from colayer import __version__
from colayer.errors import ColayerError, InputError
from colayer.evaluators.gpu.device import Cuda
from colayer.evaluators.local import LocalEvaluator
from colayer.experiments.network_recipes import (
    EXAMPLES,
    RECIPES,
    Recipe,
    centre,
    linear_model,
    make,
    make_stack,
    recipe_named,
)
from colayer.experiments.network_results import judge
from colayer.files import encode, write_atomic
from colayer.learning.experience.fit import EVALUATIONS
from colayer.learning.network.ending import Corrected, conclude_network
from colayer.learning.network.source import Source
from colayer.learning.portfolio import MEMBERS
from colayer.models import ContextModel, Model, read_model
from colayer.models.context import followed
from colayer.models.stage import kinds_of
from colayer.problem import Floats, declared, variant
from colayer.structure import looks_again
from colayer.threads import Threads

#: The stream of instances that σ and portfolio are chosen on.
_CHOOSING = 10_003


def widened(network: ContextModel, linear: Model) -> ContextModel:
    """The same network where there are more features, to which it is blind; the fallback are the weights for these."""
    places = [linear.feature_names.index(name) for name in network.feature_names]
    old, new = len(network.feature_names), len(linear.feature_names)
    scale, center = linear.feature_scale.copy(), np.zeros(new)
    scale[places], center[places] = network.feature_scale, network.center

    def wider(arrays: Mapping[str, Any]) -> dict[str, Any]:
        narrow = arrays["input.matrix"]
        matrix = np.zeros((len(narrow), new + narrow.shape[1] - old), np.float32)
        matrix[:, places], matrix[:, new:] = narrow[:, :old], narrow[:, old:]
        return {**arrays, "input.matrix": matrix}

    weights = np.zeros(new)
    weights[places] = network.weights
    return replace(
        network,
        feature_names=linear.feature_names,
        feature_scale=scale,
        problem=linear.problem,
        options=linear.options,
        weights=weights,
        center=center,
        arrays=wider(network.arrays),
        then=tuple(replace(stage, arrays=wider(stage.arrays)) for stage in network.then),
        fallback=linear.raw() * scale,
        sigma=None,
        portfolio=np.empty((0, 0)),
    )


def _model(
    recipe: Recipe,
    made: Callable[..., ContextModel],
    anchored: bool,
    state: Any,
    center: Floats,
    by: Any,
    earlier: ContextModel | None,
) -> ContextModel:
    """The model of a state of the network: on top of the pretrained linear one, beside it, or after an earlier one."""
    linear = linear_model(recipe.problem)
    model = made(
        state,
        feature_names=linear.feature_names,
        feature_scale=linear.feature_scale,
        problem=linear.problem,
        options=linear.options,
        weights=np.zeros(len(linear.weights)) if anchored else linear.weights,
        center=center,
        fallback=linear.weights,
        provenance={**by, "colayer": __version__, "linear": linear.provenance.get("command")},
    )
    if earlier is None:
        return model
    return followed(earlier, replace(model, provenance={**model.provenance, "after": earlier.provenance}))


def concluded(name: str, model: ContextModel, workers: int, count: int = 60) -> ContextModel:
    """The model with the σ of its draws and a portfolio, both chosen on instances of the recipe made for that."""
    recipe = recipe_named(name)
    items = [item for number in range(count) for item in make(name, model.center, _CHOOSING, number)]
    with Threads(workers) as threads:
        data = LocalEvaluator(recipe.problem, [item.instance for item in items])
        evaluator = Corrected(data, model, threads)
        ending = conclude_network(evaluator, None, model, 0, EVALUATIONS, MEMBERS)
    return replace(model, sigma=ending.sigma, portfolio=ending.portfolio)


def train(arguments: argparse.Namespace) -> None:
    """Train one network, write it and what it does."""
    import torch

    from colayer.learning.network.averaged import Pace
    from colayer.learning.network.context import ContextNetwork
    from colayer.learning.network.course import Course
    from colayer.learning.network.insertions import Smoothing
    from colayer.learning.network.resident import Resident
    from colayer.learning.network.towards import Draws, Layered

    if arguments.stream < 1:
        raise InputError(f"{arguments.stream} is out of range, expected 1 or more", where="--stream")
    name, begin = arguments.name, time.monotonic()
    recipe = recipe_named(name)
    if arguments.sigma:
        first, last = arguments.sigma
        recipe = replace(recipe, draws={**recipe.draws, "first": first, "last": last})
    if arguments.after is not None:
        if not looks_again(recipe.problem):
            raise InputError(f"needs structure(instance, y), which {recipe.problem.name} has not", where="--after")
        recipe = replace(recipe, dilations=recipe.later)
        if arguments.after.resolve().parent == arguments.out.resolve():
            raise InputError("lies where results are written, expected another --out", where="--after")
    rows = arguments.rows or recipe.batch
    device = arguments.device if arguments.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_num_threads(1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    center, spread = centre(name)
    earlier = None if arguments.after is None else network_in(arguments.after)
    example = make(name, center, EXAMPLES, 0, earlier)[0]
    relations = kinds_of(example.structure)
    channels, seed = arguments.channels or recipe.channels, arguments.stream - 1
    network = ContextNetwork(
        len(example.inputs), relations, channels, recipe.dilations, 0.3 * spread, seed, example.moments or 1
    )
    pace = Pace(arguments.rate or recipe.rate)
    if arguments.warm:
        model = _model(recipe, network.model, example.anchored, network.state(), center, {}, earlier)
        judge(replace(recipe, held_out=lambda _: [("warm", example.instance)]), model, 1, 1)
        return
    threads = Threads(arguments.workers)
    jobs = recipe.problem.name == "single-machine"
    if jobs and device == "cuda":
        Cuda()  # refused here where CuPy is missing
    made: Callable[[int], list[Any]] = (
        partial(make_stack, name, center, arguments.stream, after=earlier, rows=rows)
        if jobs
        else partial(make, name, center, arguments.stream, after=earlier)
    )
    placed = (lambda stack: stack.to(device)) if jobs else None

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
            command = f"python -m colayer.experiments.networks {name} --minutes {arguments.minutes:g}"
            command += f" --channels {channels}" if arguments.channels else ""
            command += " --sigma {:g} {:g}".format(*arguments.sigma) if arguments.sigma else ""
            command += f" --rows {arguments.rows}" if arguments.rows else ""
            command += f" --rate {arguments.rate:g}" if arguments.rate else ""
            command += f" --stream {arguments.stream}" if arguments.stream != 1 else ""
            command += f" --after {arguments.after.name}" if arguments.after else ""
            seen = {"device": device, "steps": course.step, "made": source.made}
            return _model(
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


def network_in(path: Path) -> ContextModel:
    """The network of a file."""
    network = read_model(path)
    if not isinstance(network, ContextModel):
        raise InputError("is no network", where=str(path))
    return network


def take(arguments: argparse.Namespace) -> None:
    """Put the network of a file beside the linear weights, write it and what it does."""
    recipe = recipe_named(arguments.name)
    network = network_in(arguments.take)
    command = f"python -m colayer.experiments.networks {arguments.name} --take {arguments.take.name}"
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
    parser.add_argument("--sigma", type=float, nargs=2, metavar=("FIRST", "LAST"), help="of jobs, in the training")
    parser.add_argument("--rows", type=int, help="jobs of a step, or instances of other problems")
    parser.add_argument("--stream", type=int, default=1, help="seed of instances and network, from 1 on")
    parser.add_argument("--warm", action="store_true", help="compile all that is needed, and train nothing")
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
