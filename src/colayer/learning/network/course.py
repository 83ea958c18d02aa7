"""A network that learns from an endless training set until its time is over, with checkpoints to go on from."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

from colayer._runtime import seeds
from colayer._runtime.arrays import Singles
from colayer.io.files import write_atomic
from colayer.io.npz import npz_bytes, parse_npz
from colayer.learning.network.averaged import Averaged, Batch, Pace
from colayer.learning.network.context import ContextNetwork
from colayer.learning.network.source import Source


class Feed(Protocol):
    """Batches to learn from, and where their instances come from."""

    @property
    def source(self) -> Source[Any]:
        """The training set."""

    def batch(self, random: np.random.Generator, /) -> Batch:
        """A batch that was drawn."""


@dataclass(eq=False)
class Course:
    """Training until `seconds` are spent, those of earlier runs with the same checkpoint included."""

    network: ContextNetwork
    feed: Feed
    pace: Pace
    device: str
    seconds: float
    seed: int = 0
    checkpoint: Path | None = None
    #: Every so many seconds a checkpoint is written and `watch` is called.
    every: float = 20.0
    spent: float = 0.0
    history: list[dict[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._learning = Averaged(self.network, self.pace, self.device)
        self._recent: list[torch.Tensor] = []
        if self.checkpoint is not None and self.checkpoint.exists():
            document = parse_npz(self.checkpoint.read_bytes(), self.checkpoint)
            self.spent = float(document["spent"])
            self._learning.take(document)

    @property
    def step(self) -> int:
        """How many steps were made."""
        return self._learning.steps

    def run(self, watch: Callable[[Course], None] | None = None) -> None:
        """Train till the time is spent."""
        begin, before, last = time.monotonic(), self.spent, self.spent
        while self.spent < self.seconds:
            self.feed.source.refresh()
            self._step()
            self.spent = before + time.monotonic() - begin
            if self.spent - last >= self.every or self.spent >= self.seconds:
                last = self.spent
                behind = float(torch.stack(self._recent).mean())
                self.history.append(
                    {"step": self.step, "seconds": self.spent, "behind": behind, "made": self.feed.source.made}
                )
                self._recent.clear()
                if self.checkpoint is not None:
                    document = {"spent": self.spent, **self._learning.document()}
                    write_atomic(self.checkpoint, npz_bytes(document, self.checkpoint))
                if watch is not None:
                    watch(self)

    def _step(self) -> None:
        random = seeds.generator(self.seed, seeds.COURSE, self.step)
        self._recent.append(self._learning.step([self.feed.batch(random)], self.spent / self.seconds))

    def averaged(self) -> dict[str, Singles]:
        """The average of the weights, name → array."""
        return self._learning.averaged()
