"""The learner `neural`: its options can be made, written and compared without torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from colayer.errors import OptionError
from colayer.learning.demonstration.fit import Demonstration
from colayer.learning.learner import Fitted, Lesson, Needs
from colayer.learning.options import at_least_one, positive
from colayer.problem import X, Y, Z


@dataclass(frozen=True)
class Neural:
    """A network that corrects a linear model, which is learned first; `colayer.models.network` says what it computes.

    **The model.** `hidden` are the widths of the hidden layers; with `context`, every row also sees the mean and the
    maximum of the features over the instance. The last layer starts at 0: training starts from the linear model, and
    what is kept is the state of least validation loss (training loss, without validation), the start included.

    **The linear start** is learned with `share` of the evaluations, by `auto`, or by demonstration with the same
    `loss`; with `share=0` it is the safe weights. `start` gives it instead, in raw feature units.

    **Training** goes through the instances in batches of `batch`, with Adam, whose `rate` falls linearly to 0. By
    experience, θ is perturbed: with s = `spread` times the standard deviation of θ over the rows of the instance,
    Σ_j (ℓ(θ + sZ_j) − ℓ(θ − sZ_j)) Z_j/(2s·pairs) over `pairs` draws estimates the gradient of E ℓ(θ + sZ) with
    respect to θ, and is propagated back through the network. A pass over the instances counts as 2·`pairs` + 1
    evaluations. By demonstration the gradient is that of `loss` (by default fenchel-young for solutions, spo+ for true
    θ), and a pass is a pass.
    """

    hidden: tuple[int, ...] = (64, 32)
    context: bool = False
    share: float = 0.5
    start: tuple[float, ...] | None = None
    rate: float = 3e-4
    batch: int = 16
    spread: float = 0.03
    pairs: int = 8
    loss: Demonstration | None = None

    name: ClassVar[str] = "neural"
    needs: ClassVar[tuple[Needs, ...]] = ("costs", "solutions", "thetas")
    uses: ClassVar[frozenset[str]] = frozenset({"radius"})

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", tuple(self.hidden))
        if self.start is not None:
            object.__setattr__(self, "start", tuple(float(value) for value in self.start))
        if any(not isinstance(width, int) or width < 1 for width in self.hidden):
            raise OptionError(f"hidden {self.hidden} is out of range, expected positive widths", where="--method")
        if not 0.0 <= self.share < 1.0:
            raise OptionError(f"share {self.share} is out of range, expected a share >= 0 and < 1", where="--method")
        positive(self, "rate", "spread")
        at_least_one(self, "batch", "pairs")

    def options(self) -> dict[str, Any]:
        """What, with the data and the seed, determines the run; JSON-able."""
        loss = None if self.loss is None else {"name": self.loss.name, **self.loss.options()}
        start = None if self.start is None else list(self.start)
        return {**asdict(self), "hidden": list(self.hidden), "start": start, "loss": loss}

    def fit(self, lesson: Lesson[X, Y, Z]) -> Fitted:
        """Learn a linear model, then a network on top of it."""
        from colayer.learning.network.fit import fit_network

        return fit_network(self, lesson)
