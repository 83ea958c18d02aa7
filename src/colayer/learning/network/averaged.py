"""A network that learns: Adam with warm-up and decay, the average of its weights, and its state as plain arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from colayer._runtime.arrays import Floats, Singles
from colayer._runtime.threads import Threads
from colayer.errors import InputError
from colayer.learning.network.context import ContextNetwork, Packed, pack
from colayer.learning.network.source import Item
from colayer.models.inputs import sequence_of

#: A gradient with respect to packed θ, divided by the number of instances, and how far solutions are from known ones.
Slope = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True, eq=False)
class Batch:
    """Packed instances, what the network adds to, and (θ, share of the training that is over) → slope."""

    rows: Packed
    start: torch.Tensor
    slope: Callable[[torch.Tensor, float], Slope]


def batch_of(
    items: Sequence[Item[Any]],
    gradient: Callable[[int, Floats, float], tuple[Floats, float]],
    threads: Threads,
    device: str,
    count: int | None = None,
    rows: Packed | None = None,
) -> Batch:
    """A batch whose gradients are computed instance by instance, on the processor, in threads.

    `gradient` of (place in the batch, θ by row, share of the training that is over) is that of the instance, and how
    far its solution is from the known one; sums are in the order of the instances. They are divided by `count`, by
    default the number of items: those of all batches that make one step. `rows` are the items packed, where they are.
    """
    among = len(items) if count is None else count
    sequences = [sequence_of(item.structure) for item in items]
    ends = np.cumsum([len(item.start) for item in items])
    start = np.concatenate([item.start for item in items]).astype(np.float32)

    def slope(theta: torch.Tensor, share: float) -> Slope:
        values = theta.cpu().numpy().astype(np.float64)
        if not np.isfinite(values).all():
            raise InputError("θ of the network is not finite, expected a smaller rate", where="method")
        out = np.empty(len(values), dtype=np.float32)

        def one(k: int) -> float:
            low, high, sequence = int(ends[k]) - len(items[k].start), int(ends[k]), sequences[k]
            own = values[low:high]
            if sequence is not None:
                own = np.empty(high - low)
                own[sequence] = values[low:high]
            found, behind = gradient(k, own, share)
            out[low:high] = (found if sequence is None else found[sequence]) / among
            return behind

        behind = threads.map(one, range(len(items)))
        return torch.from_numpy(out).to(theta.device), torch.tensor(float(np.mean(behind)))

    if rows is None:
        rows = pack([item.inputs for item in items], [item.structure for item in items], device)
    return Batch(rows, torch.from_numpy(start).to(device), slope)


@dataclass(frozen=True)
class Pace:
    """How to descend: the largest `rate`, reached after a share `warm` of the time, then falling to 0 with a cosine."""

    rate: float = 2e-3
    warm: float = 0.03
    #: Of the average of the weights, per step.
    decay: float = 0.998

    def at(self, share: float) -> float:
        """The rate once a share of the training is over."""
        return self.rate * min(1.0, share / self.warm) * 0.5 * (1.0 + math.cos(math.pi * share))


class Averaged:
    """A network on a device, its optimiser, and the running average of its weights, which is what is kept of it."""

    def __init__(self, network: ContextNetwork, pace: Pace, device: str) -> None:
        self.network, self.pace, self.device = network, pace, device
        network.to(device)
        self.optimizer = torch.optim.Adam(network.parameters(), lr=pace.rate, betas=(0.9, 0.99))
        self.average = [p.detach().clone() for p in network.parameters()]
        self.steps = 0

    def step(self, batches: Iterable[Batch], share: float) -> torch.Tensor:
        """Learn from batches together, one in memory at a time.

        Returns how far the solutions of the last were, on the device: reading it would wait for it.
        """
        behind = torch.tensor(0.0)
        self.optimizer.zero_grad()
        for batch in batches:
            theta = self.network(batch.rows) + batch.start
            slope, behind = batch.slope(theta.detach(), share)
            theta.backward(slope)
        for group in self.optimizer.param_groups:
            group["lr"] = self.pace.at(share)
        self.optimizer.step()
        self.steps += 1
        decay = min(self.pace.decay, self.steps / (self.steps + 10.0))
        with torch.no_grad():
            torch._foreach_lerp_(self.average, list(self.network.parameters()), 1.0 - decay)
        return behind

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

    def document(self) -> dict[str, Any]:
        """All that it takes to go on from here, as arrays."""
        found: dict[str, Any] = {"steps": self.steps}
        for k, parameter in enumerate(self.network.parameters()):
            state = self.optimizer.state[parameter]
            zero = torch.zeros_like(parameter)
            found[f"weights.{k}"] = parameter.detach().cpu().numpy()
            found[f"average.{k}"] = self.average[k].cpu().numpy()
            found[f"mean.{k}"] = state.get("exp_avg", zero).cpu().numpy()
            found[f"square.{k}"] = state.get("exp_avg_sq", zero).cpu().numpy()
        return found

    def take(self, document: Mapping[str, Any]) -> None:
        """Go on from a document, read back."""
        self.steps = int(document["steps"])

        def read(name: str, k: int) -> torch.Tensor:
            return torch.from_numpy(np.array(document[name][str(k)], dtype=np.float32)).to(self.device)

        for k, parameter in enumerate(self.network.parameters()):
            with torch.no_grad():
                parameter.copy_(read("weights", k))
            self.average[k] = read("average", k)
            self.optimizer.state[parameter] = {
                "step": torch.tensor(float(self.steps)),
                "exp_avg": read("mean", k),
                "exp_avg_sq": read("square", k),
            }
