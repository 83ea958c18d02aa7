"""Portfolios for the weights that colayer ships: `python -m colayer_paper.portfolios [NAME…]`.

The weights of a file stay as they are, and are the first member: a solve without candidates is what it was. The others
are chosen greedily on the training instances of the recipe (`pretrain.py`) from draws around the weights, single
features, weights that `srl` learns anew, and then from draws around the first members. The same command gives the same
file. Weights learned in rounds have a portfolio from their recipe.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.evaluators.base import Backend
from colayer.io.hashing import content_hash
from colayer.learning.portfolio.choose import MEMBERS, greedy
from colayer.learning.search.srl import Srl
from colayer.models import Model, norm, read_model
from colayer.pipeline import Pipeline
from colayer.problem.abilities import Evaluator
from colayer.problem.bind import bind
from colayer_paper.pretrain import FOLDER, RECIPES, Recipe, chosen

#: Instances of each cell (sizes) of the paper's training set, and evaluations of the weights that are learned anew.
_PER_CELL, _EVALUATIONS = 5, 600
#: σ of draws, as shares of the norm of the weights. Some weights are so sharp that only small steps keep their worth.
_SHARES = (0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4)
#: How much of a single feature stands beside the weights.
_BESIDE = (0.03, 0.003, 3e-4)
#: Draws of every σ around the weights of the file and around those learned anew, then around each of the first members.
_DRAWS, _MORE, _FIRST = 16, 4, 8
#: Of how many members the mean gain over the weights alone, on the training instances, is told.
_COUNTS = (5, 10, 20)
#: Weight vectors that are evaluated in one call.
_TOGETHER = 32

NAMES = [name for name, recipe in RECIPES.items() if recipe.rounds == 1 and not bind(recipe.problem).dynamic]


def with_portfolio(
    model: Model, recipe: Recipe, *, per_cell: int | None = None, evaluations: int | None = None,
    workers: int | None = None,
) -> Model:  # fmt: skip
    """The model with a portfolio for the problem of the recipe."""
    data = recipe.data(min(recipe.per_cell, per_cell or _PER_CELL))
    anew = Pipeline(recipe.problem, weights=bind(recipe.problem).safe_weights).fit(
        data, method=Srl(), evaluations=evaluations or _EVALUATIONS, validation=0.0,
        learn_decoder=recipe.learn_decoder, workers=workers,
    )  # fmt: skip
    learned = anew.model.raw(anew.model.portfolio) * model.feature_scale  # in the units of the file
    random = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(0xF2,)))
    pool = np.vstack([
        model.weights[None, :], _around(random, model.weights, _DRAWS), _single(model.weights), learned,
        _around(random, learned[0], _DRAWS),
    ])  # fmt: skip
    with Backend(workers).evaluators(bind(recipe.problem)) as evaluator_of:
        evaluator = evaluator_of(data)
        losses = _losses(evaluator, model.raw(pool))
        unit = np.abs(losses[0])  # a percent counts the same on instances of all sizes
        first = greedy(losses / unit, 0, _FIRST)
        more = np.vstack([_around(random, pool[k], _MORE) for k in first])
        pool, losses = np.vstack([pool, more]), np.vstack([losses, _losses(evaluator, model.raw(more))])
    members = greedy(losses / unit, 0, MEMBERS)
    # costs below 0 gain where they grow in size
    gains = (np.sign(losses[0]) * (1.0 - losses[members[:k]].min(axis=0) / losses[0]) for k in _COUNTS)
    about = {
        "data": content_hash(bind(recipe.problem), data), "instances": len(data), "pool": len(pool),
        "anew": {"method": anew.provenance["method"], "evaluations": anew.provenance["evaluations"]},
        "gains": {str(k): math.fsum(gain.tolist()) / len(data) for k, gain in zip(_COUNTS, gains, strict=True)},
    }  # fmt: skip
    return dataclasses.replace(model, portfolio=pool[members], provenance={**model.provenance, "portfolio": about})


def _around(random: np.random.Generator, weights: Floats, count: int) -> Floats:
    """`count` draws for every σ."""
    Z = random.standard_normal((len(_SHARES), count, len(weights)))
    return np.vstack([weights + share * norm(weights) * part for share, part in zip(_SHARES, Z, strict=True)])


def _single(weights: Floats) -> Floats:
    """Every feature alone, and a little of it beside the weights, with either sign."""
    alone = norm(weights) * np.vstack([np.eye(len(weights)), -np.eye(len(weights))])
    return np.vstack([alone, *(weights + share * alone for share in _BESIDE)])


def _losses(evaluator: Evaluator, rows: Floats) -> Floats:
    parts: Sequence[Floats] = np.array_split(rows, max(1, len(rows) // _TOGETHER))
    return np.vstack([evaluator.losses(np.ascontiguousarray(part)) for part in parts])


def main() -> None:
    """Choose the portfolios of the named files, or of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the files are")
    arguments = chosen(parser, NAMES, "file")
    for name in arguments.names:
        path = arguments.folder / f"{name}.json"
        model = with_portfolio(
            read_model(path), RECIPES[name], per_cell=arguments.per_cell, evaluations=arguments.evaluations,
            workers=arguments.workers,
        )  # fmt: skip
        model.save(path)
        about = model.provenance["portfolio"]
        gains = ", ".join(f"best of {count} {100 * gain:.3f} %" for count, gain in about["gains"].items())
        sys.stdout.write(f"{name}: {len(model.portfolio)} members of {about['pool']}, gains {gains}\n")


if __name__ == "__main__":
    main()
