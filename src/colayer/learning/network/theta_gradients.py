"""Gradients with respect to θ at one instance, for networks that learn from costs or from known solutions.

By experience there are three, the first that the problem allows:

- `smoothed`: the problem says what each row of θ does to the cost, a gradient of E ℓ(θ + σZ) that is exact in that row;
- embedded solutions: towards the best of one's own perturbed solutions, as `srl` (see `learning.search.own_best`);
- costs alone: antithetic differences Σ_k (ℓ(θ + sZ_k) − ℓ(θ − sZ_k)) Z_k/(2s·pairs).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.imitation.example import Example, inner
from colayer.learning.imitation.fit import Demonstration
from colayer.learning.search.own_best import towards_the_best
from colayer.problem.protocol import X, Y, Z

#: (θ, number of the instance, share of the training that is over, random numbers) → a gradient with respect to θ.
Gradient = Callable[[Floats, int, float, np.random.Generator], Floats]

#: What σ is multiplied by in the course of the training.
_FALL = 0.3
#: σ of draws, as a share of the spread of θ; and of smoothed costs, in mean distances of neighbours.
DRAWN, _SMOOTHED = 0.05, 0.8
TEMPERATURE = 0.4


def by_experience(data: LocalEvaluator[X, Y, Z], samples: int, sigma: float | None) -> Gradient:
    """Return the gradient by costs; `samples` draws where it needs them, σ as said above where none is given."""
    problem = data.problem
    if problem.smoothed is not None:
        rows = len(data.features[0])
        able = problem.smoothed(np.arange(rows, dtype=np.float64), np.zeros(rows), 1.0, data.instances[0])
        if able is not None:
            return _smoothed(data, _SMOOTHED if sigma is None else sigma)
    width = DRAWN if sigma is None else sigma
    pairs = max(1, samples // 2)
    if problem.embed is not None or problem.solved is not None:
        return imitated(
            lambda many, x: towards_the_best(problem, many, data.instances[x], TEMPERATURE),
            problem.homogeneous,
            pairs,
            width,
        )
    return _differences(data, pairs, width)


def by_demonstration(examples: Sequence[Example[X, Y, Z]], loss: Demonstration) -> Gradient:
    """Return the gradient of a demonstration loss; its draws are its own, fixed ones."""
    return lambda theta, x, _share, _random: loss.loss(theta, examples[x])[1]


def instance_loss(data: LocalEvaluator[X, Y, Z], theta: Floats, x: int) -> float:
    """Cost over scale of instance x under θ."""
    return data.problem.solution_at(theta, data.instances[x])[1] / float(data.scales[x])


def _smoothed(data: LocalEvaluator[X, Y, Z], sigma: float) -> Gradient:
    def gradient(theta: Floats, x: int, share: float, random: np.random.Generator) -> Floats:
        noise = random.standard_normal(len(theta))
        width = sigma * _FALL**share
        total = np.zeros(len(theta))
        for sign in (1.0, -1.0):
            given = theta.copy(), sign * noise, width, data.instances[x]
            total += data.problem.vector("smoothed", len(theta), *given)
        return _across(total / (2.0 * float(data.scales[x])), theta)

    return gradient


def imitated(best: Callable[[Floats, int], Floats], homogeneous: bool, pairs: int, sigma: float) -> Gradient:
    """Return the gradient towards `best` of (perturbed θ, number of the instance)."""

    def gradient(theta: Floats, x: int, share: float, random: np.random.Generator) -> Floats:
        half = random.standard_normal((pairs, len(theta)))
        many = np.vstack([np.zeros((1, len(theta))), half, -half])
        many *= sigma * _FALL**share * (float(theta.std()) or 1.0)
        many += theta
        found = best(many, x)
        size = float(np.abs(found).sum())
        if size == 0.0:
            return found
        return _across(found / size, theta) if homogeneous else found / size

    return gradient


def _differences(data: LocalEvaluator[X, Y, Z], pairs: int, sigma: float) -> Gradient:
    def gradient(theta: Floats, x: int, share: float, random: np.random.Generator) -> Floats:
        spread = sigma * _FALL**share * (float(theta.std()) or 1.0)
        total = np.zeros(len(theta))
        for _ in range(pairs):
            drawn = random.standard_normal(len(theta))
            ahead, behind = (instance_loss(data, theta + sign * spread * drawn, x) for sign in (1.0, -1.0))
            total += (ahead - behind) * drawn
        return np.asarray(total / (2.0 * spread * pairs))

    return gradient


def _across(gradient: Floats, theta: Floats) -> Floats:
    """Remove the part along θ, whose scale a homogeneous layer does not see: a fixed norm, to first order.

    Where a gradient adds up to 0 the place of θ does not matter either, and it is θ less its mean.
    """
    total = abs(float(gradient.sum()))
    along = theta - theta.mean() if total <= 1e-9 * float(np.abs(gradient).sum()) else theta
    square = inner(along, along)
    return gradient if square == 0.0 else np.asarray(gradient - inner(gradient, along) / square * along)
