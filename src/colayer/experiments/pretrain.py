"""Learn the weights that colayer ships: `python -m colayer.experiments.pretrain [NAME…]`, or `make pretrained`.

The data are the paper's experience set (section 5.3), by seed: 12 sizes × 10 ρ × 20 instances, fewer of each where the
decoder is slow. Journals are kept in `runs/`, so that a run that was stopped goes on where it was.
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
    """How the weights of one feature set and decoder are learned."""

    learn_decoder: str
    evaluations: int
    method: Optimizer
    #: Instances for each of the 12 sizes and ten ρ.
    per_cell: int = 20


#: By feature set and decoder.
RECIPES = {
    "66-none": Recipe("none", 5000, Auto()),
    "66-ls": Recipe("ls", 5000, Auto()),
    "66-rdi": Recipe("rdi", 600, Auto(safe_share=0.1), per_cell=5),
    "27-none": Recipe("none", 5000, Auto()),
}


def pretrain(name: str, output: Path, *, per_cell: int | None = None, evaluations: int | None = None) -> LinearModel:
    """Learn and write the weights of one recipe."""
    recipe = RECIPES[name]
    features, decoder = name.split("-")
    problem = SingleMachine(features=features, decoder=decoder)
    runs = Path("runs")
    runs.mkdir(exist_ok=True)
    pipeline = Pipeline(problem, weights=problem.safe_weights).fit(
        paper_set("experience", per_cell or recipe.per_cell),
        method=recipe.method,
        evaluations=evaluations or recipe.evaluations,
        seed=0,
        learn_decoder=recipe.learn_decoder,
        journal=runs / f"pretrain-{name}.journal",
        progress=True,
    )
    command = f"python -m colayer.experiments.pretrain {name}"
    model = dataclasses.replace(pipeline.model, provenance={"command": command, **pipeline.model.provenance})
    output.mkdir(parents=True, exist_ok=True)
    model.save(output / f"{problem.name}-{name}.json")
    return model


def main() -> None:
    """Learn the named recipes, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(RECIPES), metavar="NAME", help=", ".join(RECIPES))
    parser.add_argument("--output", type=Path, default=Path(__file__).parent.parent / "pretrained")
    parser.add_argument("--per-cell", type=int)
    parser.add_argument("--evaluations", type=int)
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in RECIPES:
            parser.error(f"no recipe {name!r}, expected {', '.join(RECIPES)}")
        model = pretrain(name, arguments.output, per_cell=arguments.per_cell, evaluations=arguments.evaluations)
        heaviest = np.argsort(-np.abs(model.weights), kind="stable")[:6]
        words = ", ".join(f"{model.feature_names[k]} {model.weights[k]:.3g}" for k in heaviest)
        loss, validated = model.provenance["loss"], model.provenance["validation_loss"]
        sys.stdout.write(f"{name}: loss {loss:.5f}, validation {validated:.5f}; {words}\n")


if __name__ == "__main__":
    main()
