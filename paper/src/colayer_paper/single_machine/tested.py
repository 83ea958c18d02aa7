"""Every learner of the single machine through every decoder on the test set, and gaps to the best known solutions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer.display.outcome import Cell
from colayer.models import Model
from colayer.problems import SingleMachine
from colayer.problems.single_machine.instance import Instance
from colayer_paper.frame.config import Config
from colayer_paper.frame.learned import Data
from colayer_paper.frame.predict import gaps, kept_costs, predict, prediction
from colayer_paper.frame.sharing import Items
from colayer_paper.frame.sheets import beside
from colayer_paper.frame.store import Run
from colayer_paper.single_machine import learners as scheduling
from colayer_paper.single_machine.learners import Row

#: As in the tables of the paper: no decoder, ls, rdi after ls, and the best of perturbed weights through the latter.
PIPELINES = ("none", "ls", "rdi", "perturbed rdi")
#: Those for which the seeds of a learner are told apart.
SEEDED = ("none", "ls")
SHIPPED = "shipped with colayer, 66 features"
LOOK_AHEAD = "rule: look-ahead"
#: What needs no learning → the feature, of the 66, by which it sorts.
RULES = {
    LOOK_AHEAD: "rank_lookahead",
    "rule: aprtf": "rank_aprtf",
    "rule: shortest available": "rank_shortest",
    "safe weights (SRPT order)": "srpt_completion_over_makespan",
}
#: The perturbed pipeline of the shipped weights on the whole test set: for the best known costs.
_EVERY = ("shipped", "whole test set")


@dataclass(frozen=True)
class Tested:
    """A learner on the test set: gaps in percent and CPU seconds by pipeline, over the instances `jobs` tells apart.

    `paper` is the key of its row in the paper's tables (learner, iterations, learn decoder), or None.
    """

    name: str
    features: str
    paper: tuple[str, str, str] | None
    row: Row | None
    gaps: dict[str, Floats]
    cpu: dict[str, Floats]
    jobs: dict[str, NDArray[np.int64]]
    #: Costs by pipeline, on the same instances.
    costs: dict[str, Floats]
    #: Mean gaps of each seed, by pipeline, where there are several.
    seeds: dict[str, Floats]
    #: Whether it is a rule, or the safe weights: nothing was learned.
    plain: bool = False

    def head(self, paper: Mapping[str, str] | None) -> list[Cell]:
        """The cells "learner" and "iterations" of its row, beside the paper's row."""
        if self.row is None:
            return [Cell(self.name), Cell()]
        return [Cell(self.name), beside(self.row.iterations, paper, "iterations", int)]


@dataclass(frozen=True)
class _Candidate:
    """A learner with the model it uses through each decoder."""

    name: str
    features: str
    paper: tuple[str, str, str] | None
    row: Row | None
    models: Mapping[str, Model]
    pipelines: tuple[str, ...] = PIPELINES


def tested(run: Run, config: Config) -> list[Tested]:
    """All learners, predicted (from the cache where it can), their gaps to the best cost that any of them found."""
    candidates = _candidates(run, config)
    sets = {pipeline: _set(config, pipeline) for pipeline in PIPELINES}
    stages = {(c.name, p): _prediction(config, c, p, sets[p]) for c in candidates for p in c.pipelines}
    shipped = next((c for c in candidates if c.name == SHIPPED), None)
    if shipped is not None:
        stages[_EVERY] = _prediction(config, shipped, PIPELINES[-1], sets["none"])
    by_stage = dict(zip(stages, predict(run, list(stages.values())), strict=True))
    found = [{p: by_stage[c.name, p] for p in c.pipelines} for c in candidates]
    extra = [by_stage[_EVERY].costs] if _EVERY in by_stage else []
    best = reduce(np.minimum, extra + [result[p].costs for result in found for p in PIPELINES[:-1]])
    few = _positions(config)
    perturbed = [result[PIPELINES[-1]].costs for result in found if PIPELINES[-1] in result]
    best[few] = reduce(np.minimum, perturbed, best[few])
    known = {pipeline: best[few] if pipeline == PIPELINES[-1] else best for pipeline in PIPELINES}
    jobs = {pipeline: np.array([x.jobs for x in sets[pipeline].values]) for pipeline in PIPELINES}
    return [
        Tested(
            name=candidate.name,
            features=candidate.features,
            paper=candidate.paper,
            row=candidate.row,
            gaps={p: gaps(result[p].costs, known[p]) for p in result},
            cpu={p: result[p].cpu for p in result},
            jobs=jobs,
            costs={p: result[p].costs for p in result},
            seeds=_by_seed(run, config, candidate.row, best),
            plain=candidate.name in RULES,
        )
        for candidate, result in zip(candidates, found, strict=True)
    ]


def _by_seed(run: Run, config: Config, row: Row | None, best: Floats) -> dict[str, Floats]:
    """Mean gaps of every seed of a row, without a decoder and through ls."""
    if row is None or len(row.models) == 1:
        return {}
    data, weights = scheduling.held_out(config), np.array([model.raw() for model in row.models])
    found = {}
    for decoder in SEEDED:
        problem = SingleMachine().with_options(features=row.learner.features, decoder=decoder)
        costs = kept_costs(run, problem, weights, data, what=f"seeds of {row.learner.words}")
        found[decoder] = gaps(costs, best).mean(axis=1)
    return found


def _candidates(run: Run, config: Config) -> list[_Candidate]:
    decoders = PIPELINES[:-1]
    imitation = scheduling.by_demonstration(run, config).learn(run).linear()
    key = ("fenchel_young", "0", "none")
    name = "by demonstration (Fenchel-Young), 27 features"
    candidates = [_Candidate(name, "27", key, None, dict.fromkeys(decoders, imitation))]
    for row in scheduling.rows(run, config):
        words = f"{row.learner.words}, {row.iterations} iterations"
        models = dict.fromkeys(decoders, row.model)
        candidates.append(_Candidate(words, row.learner.features, row.paper, row, models))
    shipped = scheduling.shipped(decoders)
    if len(shipped) == len(decoders):
        candidates.append(_Candidate(SHIPPED, "66", None, None, shipped))
    for name, feature in RULES.items():
        alone = scheduling.one_feature(feature)
        candidates.append(_Candidate(name, "66", None, None, dict.fromkeys(decoders, alone), decoders))
    return candidates


def _prediction(config: Config, candidate: _Candidate, pipeline: str, data: Data[Instance]) -> Items[Instance]:
    decoder = pipeline.removeprefix("perturbed ")
    problem = SingleMachine().with_options(features=candidate.features, decoder=decoder)
    samples = config["perturbed_samples"] if pipeline != decoder else 0
    what = f"test set, {pipeline}, {candidate.name}"
    return prediction(problem, candidate.models[decoder], data, what=what, samples=samples)


def _set(config: Config, pipeline: str) -> Data[Instance]:
    return scheduling.held_out(config, "perturbed_per_cell" if pipeline == PIPELINES[-1] else "test_per_cell")


def _positions(config: Config) -> NDArray[np.int64]:
    """Where the instances of the perturbed pipeline lie in the whole test set: the first of every cell."""
    whole, few = config["test_per_cell"], config["perturbed_per_cell"]
    return np.flatnonzero(np.arange(len(scheduling.held_out(config).values)) % whole < few)
