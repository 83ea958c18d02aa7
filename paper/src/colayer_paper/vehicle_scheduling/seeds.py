"""`vsp-seeds`: the claims about learners that draw random numbers, judged over many seeds of each."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from colayer_paper.frame.config import Config
from colayer_paper.frame.store import Run
from colayer_paper.vehicle_scheduling.learners import Learner, Vehicles, learnings_of


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A learner and how many seeds of it there are, as the config has them."""

    loss: str
    train: str
    method: str
    evaluations: int
    seeds: int
    samples: int = 0

    def learners(self) -> list[Learner]:
        """Return the learner with each of its seeds."""
        once = Learner(self.loss, self.train, self.method, "23", self.evaluations, self.samples)
        return [replace(once, seed=seed) for seed in range(self.seeds)]


def learnings(run: Run, config: Config) -> list[Vehicles]:
    """Return what is learned."""
    return [learning for by_seed in _learnings(run, config).values() for learning in by_seed]


def _learnings(run: Run, config: Config) -> dict[Entry, list[Vehicles]]:
    """Return every learner of the config with its seeds; without those that need an extra that is not installed."""
    found = {}
    for entry in msgspec.convert(config["learners"], list[Entry]):
        by_seed = learnings_of(run, config, entry.learners()).values()
        # the stages of other experiments that have another budget go by another name
        found[entry] = [replace(one, what=f"{one.what}, {entry.evaluations} evaluations") for one in by_seed]
    return {entry: by_seed for entry, by_seed in found.items() if by_seed}
