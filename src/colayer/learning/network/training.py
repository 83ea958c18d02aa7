"""The training loop: gradients with respect to θ, of any kind, propagated back through the network."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np
import torch

from colayer.clock import clock
from colayer.compose import decoded
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.demonstration.example import Example
from colayer.learning.demonstration.fit import Demonstration
from colayer.learning.network.method import Neural
from colayer.learning.network.module import Network
from colayer.models import NeuralModel
from colayer.problem import Floats, X, Y, Z
from colayer.threads import Threads

#: (θ, number of the instance, random numbers) → the gradient of its loss with respect to θ.
Gradient = Callable[[Floats, int, np.random.Generator], Floats]

_SPAWN_KEY = 0x9E


def experience_gradient(data: LocalEvaluator[X, Y, Z], method: Neural) -> Gradient:
    """That of E ℓ(θ + sZ), by antithetic differences."""

    def gradient(theta: Floats, x: int, random: np.random.Generator) -> Floats:
        spread = method.spread * (float(theta.std()) or 1.0)
        total = np.zeros(len(theta))
        for _ in range(method.pairs):
            Z = random.standard_normal(len(theta))
            ahead, behind = (instance_loss(data, theta + sign * spread * Z, x) for sign in (1.0, -1.0))
            total += (ahead - behind) * Z
        return total / (2.0 * spread * method.pairs)

    return gradient


def demonstration_gradient(examples: Sequence[Example[X, Y, Z]], loss: Demonstration) -> Gradient:
    """That of a demonstration loss; its draws are its own, fixed ones."""
    return lambda theta, x, _random: loss.loss(theta, examples[x])[1]


def instance_loss(data: LocalEvaluator[X, Y, Z], theta: Floats, x: int) -> float:
    """Cost over scale of instance x under θ."""
    return decoded(data.problem, theta, data.instances[x])[1] / float(data.scales[x])


@dataclass(eq=False)
class Training(Generic[X, Y, Z]):
    """A network on its way: the data it learns from and is validated on, and the best state so far."""

    network: Network
    data: LocalEvaluator[X, Y, Z]
    held_out: LocalEvaluator[X, Y, Z] | None
    gradient: Gradient
    method: Neural
    seed: int
    #: The fields of the model beside those of the network.
    described: dict[str, Any]
    threads: Threads
    model: NeuralModel | None = None
    loss: float = math.inf
    validation_loss: float | None = None

    def run(self, count: int, deadline: float = math.inf) -> Iterator[tuple[int, float, float | None]]:
        """Train; yields (passes made, training loss, validation loss), first of the start, till the time is over."""
        yield self._evaluated(0)
        scale = self.described["feature_scale"]
        inputs = [torch.tensor(features / scale) for features in self.data.features]
        optimizer = torch.optim.Adam(self.network.parameters(), lr=self.method.rate)
        batches = -(-len(inputs) // self.method.batch)
        for number in range(1, count + 1):
            if clock() >= deadline:
                return
            for group in optimizer.param_groups:
                group["lr"] = self.method.rate * (1.0 - (number - 1) / count)
            shuffled = self._random(number).permutation(len(inputs))
            for batch in np.array_split(shuffled, batches):
                optimizer.zero_grad()
                self._propagate(inputs, np.sort(batch).tolist(), number)
                optimizer.step()
            yield self._evaluated(number)

    def _propagate(self, inputs: list[torch.Tensor], batch: list[int], number: int) -> None:
        """The mean gradient over a batch, added to the gradients of the parameters, in the order of the instances."""
        thetas = {x: self.network(inputs[x]) for x in batch}
        values = {x: theta.detach().numpy() for x, theta in thetas.items()}
        slopes = self.threads.map(lambda x: self.gradient(values[x], x, self._random(number, x)), batch)
        for x, slope in zip(batch, slopes, strict=True):
            thetas[x].backward(torch.tensor(slope / len(batch)))

    def _evaluated(self, number: int) -> tuple[int, float, float | None]:
        """Evaluate the present state; it is kept if it is better than all before it."""
        model = self.network.model(**self.described)
        value = self._mean_loss(model, self.data)
        validation = None if self.held_out is None else self._mean_loss(model, self.held_out)
        if self.model is None or (
            value < self.loss
            if validation is None or self.validation_loss is None
            else validation < self.validation_loss
        ):
            self.model, self.loss, self.validation_loss = model, value, validation
        return number, value, validation

    def _mean_loss(self, model: NeuralModel, data: LocalEvaluator[X, Y, Z]) -> float:
        """Over all instances, through the numpy model: what `solve` does."""

        def one(x: int) -> float:
            return instance_loss(data, model.theta(data.features[x]), x)

        return math.fsum(self.threads.map(one, range(len(data.instances)))) / len(data.instances)

    def _random(self, *key: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(_SPAWN_KEY, *key)))
