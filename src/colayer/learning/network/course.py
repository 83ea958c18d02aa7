"""A network on its way: Adam with warm-up and decay, averaged weights, and checkpoints to go on from."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

from colayer.files import write_atomic
from colayer.learning.network.context import ContextNetwork, Packed, Singles
from colayer.learning.network.source import Source
from colayer.npz import npz_bytes, parse_npz

#: A gradient with respect to packed θ, divided by the number of instances, and how far solutions are from known ones.
Slope = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True, eq=False)
class Batch:
    """Packed instances, what the network adds to, and (θ, share of the training that is over) → slope."""

    rows: Packed
    start: torch.Tensor
    slope: Callable[[torch.Tensor, float], Slope]


class Feed(Protocol):
    """Batches to learn from, and where their instances come from."""

    @property
    def source(self) -> Source[Any]:
        """The training set."""

    def batch(self, random: np.random.Generator, /) -> Batch:
        """A batch that was drawn."""


@dataclass(frozen=True)
class Pace:
    """How to descend: the largest `rate`, reached after a share `warm` of the time, then falling to 0 with a cosine."""

    rate: float = 2e-3
    warm: float = 0.03
    #: Of the average of the weights, per step.
    decay: float = 0.998


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
    step: int = 0
    history: list[dict[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.network.to(self.device)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=self.pace.rate, betas=(0.9, 0.99))
        self.average = [p.detach().clone() for p in self.network.parameters()]
        self._recent: list[torch.Tensor] = []
        if self.checkpoint is not None and self.checkpoint.exists():
            self._load(self.checkpoint)

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
                    self._save(self.checkpoint)
                if watch is not None:
                    watch(self)

    def _step(self) -> None:
        random = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(0xC0, self.step)))
        batch = self.feed.batch(random)
        theta = self.network(batch.rows) + batch.start
        share = self.spent / self.seconds
        slope, behind = batch.slope(theta.detach(), share)
        self._recent.append(behind)  # a number on the device: reading it would wait for it
        self.optimizer.zero_grad()
        theta.backward(slope)
        for group in self.optimizer.param_groups:
            group["lr"] = self.pace.rate * min(1.0, share / self.pace.warm) * 0.5 * (1.0 + math.cos(math.pi * share))
        self.optimizer.step()
        self.step += 1
        decay = min(self.pace.decay, self.step / (self.step + 10.0))
        with torch.no_grad():
            torch._foreach_lerp_(self.average, list(self.network.parameters()), 1.0 - decay)

    def averaged(self) -> dict[str, Singles]:
        """The average of the weights, name → array."""
        own = [p.detach().clone() for p in self.network.parameters()]
        self._put(self.average)
        state = self.network.state()
        self._put(own)
        return state

    def _put(self, values: list[torch.Tensor]) -> None:
        with torch.no_grad():
            for parameter, value in zip(self.network.parameters(), values, strict=True):
                parameter.copy_(value)

    def _save(self, path: Path) -> None:
        document: dict[str, Any] = {"step": self.step, "spent": self.spent}
        for k, parameter in enumerate(self.network.parameters()):
            state = self.optimizer.state[parameter]
            document[f"weights.{k}"] = parameter.detach().cpu().numpy()
            document[f"average.{k}"] = self.average[k].cpu().numpy()
            document[f"mean.{k}"] = state["exp_avg"].cpu().numpy()
            document[f"square.{k}"] = state["exp_avg_sq"].cpu().numpy()
        write_atomic(path, npz_bytes(document, path))

    def _load(self, path: Path) -> None:
        document = parse_npz(path.read_bytes(), path)
        self.step, self.spent = int(document["step"]), float(document["spent"])

        def read(name: str, k: int) -> torch.Tensor:
            return torch.from_numpy(np.array(document[name][str(k)], dtype=np.float32)).to(self.device)

        for k, parameter in enumerate(self.network.parameters()):
            with torch.no_grad():
                parameter.copy_(read("weights", k))
            self.average[k] = read("average", k)
            self.optimizer.state[parameter] = {
                "step": torch.tensor(float(self.step)),
                "exp_avg": read("mean", k),
                "exp_avg_sq": read("square", k),
            }
