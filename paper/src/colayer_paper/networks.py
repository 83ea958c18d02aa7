"""Train the networks that colayer ships: `python -m colayer_paper.networks NAME --minutes 8 --out DIR`.

Each recipe is named like the pretrained model it starts from. Instances are generated without end. For jobs, the
smoothed cost is descended. Trees and vehicles come with a good solution (Lagrangian rounding, local search), and the
network imitates that and the best of its own perturbed solutions, or with `--own` those alone. Every 20 s a checkpoint,
DIR/NAME.npz, is written: a run that was stopped goes on from it. In the end DIR/NAME.json is the model and
DIR/NAME.result.json what it does on validation instances, through `--decoder`: what is chosen (sizes, rates, stages,
which run to ship) is chosen by these. `--judge test` is for the network that is shipped, once. With `--after FILE` the
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

import torch

from colayer._runtime.threads import Threads
from colayer.errors import ColayerError, InputError
from colayer.evaluators.gpu.device import Cuda
from colayer.io.files import encode, write_atomic
from colayer.learning.checkpoint import Checkpoint
from colayer.learning.network.context import ContextNetwork
from colayer.learning.network.items import units_of
from colayer.learning.network.trainer import EmaTrainer, RateSchedule
from colayer.learning.run import Evaluation, Run
from colayer.models import ContextModel
from colayer.models.stage import kinds_of
from colayer_paper.network_imitation import Draws, ImitationBatches
from colayer_paper.network_jobs import JobBatches, Smoothing
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
from colayer_paper.network_source import EndlessBatches, Source

#: Instances that say how large the amounts of rows are.
_SIZED = 10


def train(arguments: argparse.Namespace) -> None:
    """Train one network, write it and what it does."""
    name, recipe, begin = arguments.name, _recipe(arguments), time.monotonic()
    jobs = recipe.problem.name == "single-machine"
    device = arguments.device if arguments.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    if jobs and device == "cuda":
        Cuda()  # refused here where CuPy is missing
    torch.set_num_threads(1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    center, spread = centre(name)
    earlier = earlier_model(arguments.after, recipe, center, make(name, center, EXAMPLES, 0, own=True))
    examples = [make(name, center, EXAMPLES, number, earlier, own=True) for number in range(_SIZED)]
    example, seed = examples[0], arguments.stream - 1
    network = ContextNetwork(
        len(example.inputs), kinds_of(example.structure), recipe.channels, recipe.dilations, 0.3 * spread, seed,
        units_of(examples),
    )  # fmt: skip
    describe = partial(model_of, recipe, network.model, example.anchored, center=center, earlier=earlier)

    def say(text: str) -> None:
        sys.stdout.write(f"{name}: {time.monotonic() - begin:.0f} s: {text}\n")
        sys.stdout.flush()

    def placed(item: Any) -> Any:
        return item.to(device) if jobs else item

    def model() -> ContextModel:
        by = {"command": _command(arguments), "device": device, "steps": trainer.steps, "made": source.made}
        return describe(trainer.kept, by=by)

    def watch(done: Evaluation) -> None:
        if done.cost == 0 or len(run.history) <= run.recalled:  # the start, or known from the checkpoint
            return
        history.append({"step": trainer.steps, "seconds": done.number / 1e3, "behind": done.loss, "made": source.made})
        each = done.number / trainer.steps
        say(f"step {trainer.steps}, {each:.1f} ms each, made {source.made}, behind {100 * done.loss:.4f} %")
        model().save(arguments.out / f"{name}.json")

    made: Callable[[int], Any] = (
        partial(make_stack, name, center, arguments.stream, after=earlier, rows=recipe.batch)
        if jobs
        else partial(make, name, center, arguments.stream, after=earlier, own=arguments.own)
    )
    history: list[dict[str, float]] = []
    # jobs are made by processes: their features hold the interpreter
    with (
        Threads(arguments.workers) as threads,
        Source(made, max(1, arguments.workers // 2), recipe.capacity, processes=jobs, placed=placed) as source,
    ):
        source.refresh(recipe.least)
        say(f"{source.made} made, {sum(p.numel() for p in network.parameters())} parameters, spread {spread:.3g}")
        batches = (
            JobBatches(source, Smoothing(**recipe.draws), device)
            if jobs
            else ImitationBatches(recipe.problem, source, recipe.batch, Draws(**recipe.draws), threads, device)
        )
        trainer = EmaTrainer(network, RateSchedule(recipe.rate), device, keep="last")
        budget = round(1000.0 * (60.0 * arguments.minutes - (time.monotonic() - begin)))
        checkpoint = Checkpoint(arguments.out / f"{name}.npz", {"name": name, "options": _options(arguments)})
        run = Run(budget, listeners=[watch], checkpoint=checkpoint)
        trainer.train(EndlessBatches(source, batches.batch, run, arguments.every, seed), run, budget)
    _finish(arguments, recipe, model(), history, say)


def _recipe(arguments: argparse.Namespace) -> Recipe:
    """Return the recipe with the options given; refuse those that are wrong."""
    recipe = recipe_named(arguments.name)
    if arguments.stream < 1:
        raise InputError(f"{arguments.stream} is out of range, expected 1 or more", where="--stream")
    if arguments.own and recipe.known is None:
        raise InputError("has no meaning where no good solution is known", where="--own")
    draws = recipe.draws
    if arguments.sigma:
        first, last = arguments.sigma
        if not 0.0 < last <= first:
            raise InputError(f"{first:g} to {last:g} is out of range, expected to fall, above 0", where="--sigma")
        jobs = recipe.problem.name == "single-machine"
        draws = draws | ({"first": first, "last": last} if jobs else {"sigma": first, "fall": last / first})
    if arguments.after is not None and arguments.after.resolve().parent == arguments.out.resolve():
        raise InputError("lies where results are written, expected another --out", where="--after")
    return replace(
        recipe,
        draws=draws,
        dilations=recipe.dilations if arguments.after is None else recipe.later,
        channels=arguments.channels or recipe.channels,
        rate=arguments.rate or recipe.rate,
        batch=arguments.rows or recipe.batch,
    )


def _command(arguments: argparse.Namespace) -> str:
    """Return the command that makes this network."""
    words = [f"python -m colayer_paper.networks {arguments.name} --minutes {arguments.minutes:g}"]
    for key, value in _options(arguments).items():
        values = value if isinstance(value, list) else [] if value is True else [value]
        words += [f"--{key}", *(f"{one:g}" if isinstance(one, float) else str(one) for one in values)]
    return " ".join(words)


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options given that make another network; with the name they tell checkpoints apart."""
    given = {key: getattr(arguments, key) for key in ("channels", "sigma", "rows", "rate", "own")}
    given["stream"] = None if arguments.stream == 1 else arguments.stream
    given["after"] = arguments.after and arguments.after.name
    return {key: value for key, value in given.items() if value}


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
        problem = problem.variant(decoder=arguments.decoder)
    found = judge(replace(recipe, problem=problem), model, arguments.per_cell, arguments.workers, arguments.judge)
    known = {
        "name": arguments.name,
        "options": dict(problem.options),
        "provenance": model.provenance,
        "set": arguments.judge,
    }
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
    parser.add_argument("--judge", choices=("validation", "test"), default="validation", help="the set to judge on")
    parser.add_argument("--per-cell", type=int, default=1)
    parser.add_argument("--every", type=float, default=20.0)
    parser.add_argument("--channels", type=int)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--sigma", type=float, nargs=2, metavar=("FIRST", "LAST"), help="from where to where it falls")
    parser.add_argument("--rows", type=int, help="jobs of a step, or instances of other problems")
    parser.add_argument("--stream", type=int, default=1, help="seed of instances and network, from 1 on")
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
