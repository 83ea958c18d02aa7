"""The trainer of networks: Adam on batches of any source, the average of the weights, and the run around it.

A source gives the steps of an epoch and evaluates the average after it: `InstanceBatches` for the instances of a user.
After each epoch the run writes the whole state, as plain arrays, to its checkpoint.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import torch

from colayer._runtime.arrays import Floats, Singles
from colayer._runtime.clock import clock
from colayer._runtime.threads import Threads
from colayer.errors import InputError
from colayer.learning.journal import Record
from colayer.learning.network.context import ContextNetwork, Packed, pack
from colayer.learning.network.items import Item
from colayer.learning.run import Run
from colayer.models.inputs import sequence_of

#: A gradient with respect to packed θ, divided by the number of instances, and how far solutions are from known ones.
ThetaGradient = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True, eq=False)
class Batch:
    """Packed instances, what the network adds to, and (θ, share of the training that is over) → gradient."""

    rows: Packed
    start: torch.Tensor
    gradient: Callable[[torch.Tensor, float], ThetaGradient]


def batch_of(
    items: Sequence[Item[Any]],
    gradient: Callable[[int, Floats, float], tuple[Floats, float]],
    threads: Threads,
    device: str,
    count: int | None = None,
) -> Batch:
    """Return a batch whose gradients are computed instance by instance, on the processor, in threads.

    `gradient` of (place in the batch, θ by row, share of the training that is over) is that of the instance, and how
    far its solution is from the known one; sums are in the order of the instances. They are divided by `count`, by
    default the number of items: those of all batches that make one step.
    """
    among = len(items) if count is None else count
    sequences = [sequence_of(item.structure) for item in items]
    ends = np.cumsum([len(item.start) for item in items])
    start = np.concatenate([item.start for item in items]).astype(np.float32)

    def of_all(theta: torch.Tensor, share: float) -> ThetaGradient:
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

    rows = pack([item.inputs for item in items], [item.structure for item in items], device)
    return Batch(rows, torch.from_numpy(start).to(device), of_all)


class BatchSource(Protocol):
    """Where batches come from, and what the averaged network is worth after each epoch of them."""

    @property
    def cost(self) -> int:
        """Return how much of the budget an epoch takes, at least."""

    def steps(self, epoch: int, step: int, /) -> Iterator[tuple[Iterable[Batch], float]]:
        """Yield the steps of an epoch, from 1, the first of them number `step` of all.

        A step is the batches that make it, and the share of the training that is over.
        """

    def evaluate(self, state: dict[str, Singles], behind: Sequence[torch.Tensor], /) -> tuple[float, float | None, int]:
        """Return training loss, validation loss and cost of the epoch that led to these averaged weights.

        `behind` are how far the solutions of its steps were from the known ones; none at the start.
        """


@dataclass(frozen=True)
class RateSchedule:
    """The learning rate: `rate` is reached after a share `warm` of the training, then it falls to 0 with a cosine."""

    rate: float = 2e-3
    warm: float = 0.03
    #: Of the average of the weights, per step.
    decay: float = 0.998

    def at(self, share: float) -> float:
        """Return the rate once a share of the training is over."""
        return self.rate * min(1.0, share / self.warm) * 0.5 * (1.0 + math.cos(math.pi * share))


class EmaTrainer:
    """A network on a device, its optimiser, and the running average of its weights, of which the best or last is kept.

    The best has the least validation loss (training loss, without validation) among the averages that are no worse
    than the start on the training instances.
    """

    def __init__(
        self, network: ContextNetwork, schedule: RateSchedule, device: str, keep: Literal["best", "last"] = "best"
    ) -> None:
        self.network, self.schedule, self.device, self.keep = network, schedule, device, keep
        network.to(device)
        self.optimizer = torch.optim.Adam(network.parameters(), lr=schedule.rate, betas=(0.9, 0.99))
        self.average = [p.detach().clone() for p in network.parameters()]
        self.steps = 0
        self.kept = self.averaged()
        #: The epoch whose average is kept; 0 is the start.
        self.best = 0

    def train(self, source: BatchSource, run: Run, budget: int, deadline: float = math.inf) -> None:
        """Train until the run has spent `budget`, or the deadline is over; from its checkpoint, where it has one."""
        records: list[Record] = []
        state = run.restore_state()
        if state is None or run.checkpoint is None:
            self._keep(run, records, source.evaluate(self.kept, ()))
        else:
            records += run.checkpoint.records
            self.restore_state(state)
            run.select_answer(records[self.best])
            if self.keep == "best" and source.evaluate(self.kept, ())[:2] != (run.loss, run.validation_loss):
                what = "the problem (features, structure, layer, decode, cost, scale)"
                raise run.checkpoint.refuse(f"{what} changed since, or does not repeat itself")
        while run.spent + source.cost <= budget and clock() < deadline:
            behind = [self.step(batches, share) for batches, share in source.steps(len(records), self.steps)]
            self._keep(run, records, source.evaluate(self.averaged(), behind))

    def _keep(self, run: Run, records: list[Record], found: tuple[float, float | None, int]) -> None:
        """Follow the best average; let the run write everything down."""
        loss, validation, cost = found
        cost = cost if records else 0
        records.append(Record(run.spent + cost, [], loss, validation, cost=cost))
        if self._better(records):
            self.best, self.kept = len(records) - 1, self.averaged()
            run.select_answer(records[-1])
        run.keep(records[-1:], self.state())

    def _better(self, records: list[Record]) -> bool:
        """Whether the last is to be kept. What is worse than the start on training instances is luck, if validated."""
        start, best, last = records[0], records[self.best], records[-1]
        if self.keep == "last" or len(records) == 1:
            return True
        if last.validation is None or best.validation is None:
            return last.loss < best.loss
        return last.loss <= start.loss and last.validation < best.validation

    def step(self, batches: Iterable[Batch], share: float) -> torch.Tensor:
        """Learn from batches together, one in memory at a time.

        Returns how far the solutions of the last were, on the device: reading it would wait for it.
        """
        behind = torch.tensor(0.0)
        self.optimizer.zero_grad()
        for batch in batches:
            theta = self.network(batch.rows) + batch.start
            gradient, behind = batch.gradient(theta.detach(), share)
            theta.backward(gradient)
        for group in self.optimizer.param_groups:
            group["lr"] = self.schedule.at(share)
        self.optimizer.step()
        self.steps += 1
        decay = min(self.schedule.decay, self.steps / (self.steps + 10.0))
        with torch.no_grad():
            torch._foreach_lerp_(self.average, list(self.network.parameters()), 1.0 - decay)
        return behind

    def averaged(self) -> dict[str, Singles]:
        """Return the average of the weights, name → array."""
        return self.network.named(self.average)

    def state(self) -> dict[str, Any]:
        """Return all that it takes to go on from here, as arrays."""
        found: dict[str, Any] = {"steps": self.steps, "best": self.best}
        found |= {f"kept.{name.replace('.', '_')}": array for name, array in self.kept.items()}
        for k, parameter in enumerate(self.network.parameters()):
            state, zero = self.optimizer.state[parameter], torch.zeros_like(parameter)
            found[f"weights.{k}"] = parameter.detach().cpu().numpy()
            found[f"average.{k}"] = self.average[k].cpu().numpy()
            found[f"mean.{k}"] = state.get("exp_avg", zero).cpu().numpy()
            found[f"square.{k}"] = state.get("exp_avg_sq", zero).cpu().numpy()
        return found

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Go on from a state, read back."""
        self.steps, self.best = int(state["steps"]), int(state["best"])
        self.kept = {name: np.array(state["kept"][name.replace(".", "_")], np.float32) for name in self.kept}

        def read(name: str, k: int) -> torch.Tensor:
            return torch.from_numpy(np.array(state[name][str(k)], dtype=np.float32)).to(self.device)

        for k, parameter in enumerate(self.network.parameters()):
            with torch.no_grad():
                parameter.copy_(read("weights", k))
            self.average[k] = read("average", k)
            self.optimizer.state[parameter] = {
                "step": torch.tensor(float(self.steps)),
                "exp_avg": read("mean", k),
                "exp_avg_sq": read("square", k),
            }
