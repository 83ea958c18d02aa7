"""What a demonstration loss is given, one instance at a time, and what it must offer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from colayer.errors import InputError, OptionError

Floats = NDArray[np.float64]

#: θ → the embedded solution of the layer, argmin over y of ⟨θ, y⟩.
Solve = Callable[[Floats], Floats]

OPTIMIZERS = ("adam", "l-bfgs")


@dataclass(frozen=True, eq=False)
class Example:
    """An instance and what is known of its solution: the target ȳ, and the true θ* where the data has it.

    `sequence` seeds the random numbers of this instance, the same for every θ (common random numbers).
    """

    problem: Any
    instance: Any
    target: Floats
    true_theta: Floats | None
    sequence: np.random.SeedSequence

    def solve(self, theta: Floats) -> Floats:
        """The layer at θ, embedded."""
        y = self.problem.embed(self.problem.layer(theta, self.instance), self.instance)
        return vector(y, len(theta), f"embed of {self.problem.name}")

    def draws(self, samples: int) -> Floats:
        """Z_1..Z_K, standard Gaussian, (samples, |θ|)."""
        return np.random.default_rng(self.sequence).standard_normal((samples, len(self.target)))


@dataclass(frozen=True, kw_only=True)
class Demonstration:
    """A demonstration loss and how it is minimised: the options that all of them share.

    `optimizer`: "adam" on mini-batches of `batch` instances, whose step `rate`, in model units, falls linearly to zero
    over the passes; or "l-bfgs" on all instances at once (then `batch` and `rate` have no meaning), for smooth losses.
    """

    optimizer: str = "adam"
    rate: float = 0.1
    batch: int = 4

    #: The name on the command line.
    name: ClassVar[str]
    #: The loss is learned from the true θ*, and not from solutions.
    from_theta: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.optimizer not in OPTIMIZERS:
            raise OptionError(
                f"no optimizer {self.optimizer!r}, expected one of {', '.join(OPTIMIZERS)}", where="--method"
            )
        if not 0.0 < self.rate < math.inf:
            raise OptionError(f"rate {self.rate} is out of range, expected a positive number", where="--method")
        if self.batch < 1:
            raise OptionError(f"batch {self.batch} is out of range, expected at least 1", where="--method")

    @property
    def homogeneous(self) -> bool:
        """The loss of cθ is c times that of θ, c > 0: then θ = 0 is best, and learning must hold the norm of w."""
        return False

    def options(self) -> dict[str, Any]:
        """What, with the data and the seed, determines the run; JSON-able, part of a journal's identity."""
        return asdict(self)

    def loss(self, theta: Floats, example: Example) -> tuple[float, Floats]:
        """The loss of θ for one instance and its gradient with respect to θ."""
        raise NotImplementedError


def inner(a: Floats, b: Floats) -> float:
    """⟨a, b⟩, summed by numpy and not by BLAS: the same bits for any number of threads."""
    return float((a * b).sum())


def vector(values: Any, length: int, what: str) -> Floats:
    """`values` as float64, checked: `length` finite numbers."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (length,):
        raise InputError(f"shape {array.shape}, expected one entry a row of the features, ({length},)", where=what)
    if not np.isfinite(array).all():
        raise InputError("not finite", where=f"{what}[{int(np.argmin(np.isfinite(array)))}]")
    return array
