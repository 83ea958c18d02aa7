"""Learn the weights that colayer ships: `python -m colayer.experiments.pretrain [DECODER…]`, or `make pretrained`.

The data are the paper's experience set (section 5.3): 12 sizes × 10 ρ × 20 instances, by seed. Journals are kept in
`runs/`, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from colayer.learning.optimizers import Auto, Optimizer
from colayer.models import LinearModel
from colayer.pipeline import Pipeline
from colayer.problems import SingleMachine
from colayer.problems.single_machine.datasets import paper_set


@dataclass(frozen=True)
class Recipe:
    """How the weights of one decoder are learned."""

    learn_decoder: str
    evaluations: int
    method: Optimizer


RECIPES = {
    "none": Recipe("none", 10_000, Auto()),
    "ls": Recipe("ls", 10_000, Auto()),
    "rdi": Recipe("rdi", 400, Auto(safe_share=0.1)),
}


def pretrain(decoder: str, output: Path, *, per_cell: int = 20, evaluations: int | None = None) -> LinearModel:
    """Learn and write the weights of one decoder."""
    recipe = RECIPES[decoder]
    problem = SingleMachine(decoder=decoder)
    runs = Path("runs")
    runs.mkdir(exist_ok=True)
    pipeline = Pipeline(problem, weights=problem.safe_weights).fit(
        paper_set("experience", per_cell),
        method=recipe.method,
        evaluations=evaluations or recipe.evaluations,
        seed=0,
        learn_decoder=recipe.learn_decoder,
        journal=runs / f"pretrain-{decoder}.journal",
        progress=True,
    )
    command = f"python -m colayer.experiments.pretrain {decoder}"
    model = dataclasses.replace(pipeline.model, provenance={"command": command, **pipeline.model.provenance})
    output.mkdir(parents=True, exist_ok=True)
    name = "-".join([problem.name, *problem.options.values()])
    model.save(output / f"{name}.json")
    return model


def main() -> None:
    """Learn the named decoders, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("decoders", nargs="*", default=list(RECIPES), metavar="DECODER", help=", ".join(RECIPES))
    parser.add_argument("--output", type=Path, default=Path(__file__).parent.parent / "pretrained")
    parser.add_argument("--per-cell", type=int, default=20)
    parser.add_argument("--evaluations", type=int)
    arguments = parser.parse_args()
    for decoder in arguments.decoders:
        if decoder not in RECIPES:
            parser.error(f"no decoder {decoder!r}, expected {', '.join(RECIPES)}")
        model = pretrain(decoder, arguments.output, per_cell=arguments.per_cell, evaluations=arguments.evaluations)
        heaviest = np.argsort(-np.abs(model.weights), kind="stable")[:6]
        words = ", ".join(f"{model.feature_names[k]} {model.weights[k]:.3g}" for k in heaviest)
        loss, validated = model.provenance["loss"], model.provenance["validation_loss"]
        sys.stdout.write(f"{decoder}: loss {loss:.5f}, validation {validated:.5f}; {words}\n")


if __name__ == "__main__":
    main()
