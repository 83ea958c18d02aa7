"""The learner `neural`: its options can be made, written and compared without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from colayer.errors import OptionError, need_extra
from colayer.learning.imitation.fit import Demonstration
from colayer.learning.learner import Fitted, Needs, TrainingJob
from colayer.learning.options import at_least_one, positive
from colayer.problem.protocol import X, Y, Z


@dataclass(frozen=True)
class Neural:
    """A network that sees how rows relate, beside a linear model; `colayer.models.context` says what it computes.

    **The model.** `channels` numbers per row, `depth` blocks (by default 6 where rows stand in an order, else 3). What
    rows say to each other is what `structure` of the problem says; without it, every row is on its own. The head starts
    at 0: training starts from the linear model, or, in an order with positions, from where rows stand. What is kept is
    the state of least validation loss (training loss, without validation), the start included, among those that are no
    worse than it on the training instances.

    **Stages.** With `stages` above 1, and a problem whose `structure` takes an answer of the layer as well, as many
    networks are learned one after the other, each on what those before it have made, with equal parts of the budget. Of
    such a problem, where θ starts from the linear model, the first network looks at what that makes.

    **The linear model** is learned with `share` of the evaluations, by `auto`, or by demonstration with the same
    `loss`; with `share=0` it is the safe weights. `start` gives it instead, in raw feature units. Where safety is asked
    for, `solve` tries it too. The budget is four times the usual one where nothing is said: 4000, or 400 passes.

    **Training** goes through the instances in batches of `batch`, with Adam: `rate` is reached after a few steps and
    falls to 0, and what is evaluated is an average of the weights over steps. By experience the gradient with respect
    to θ is one of `colayer.learning.network.theta_gradients`, from `samples` draws at `sigma`, which falls to a third
    (None: one that suits it); a pass counts as `samples` + 1 evaluations. By demonstration it is that of `loss` (by
    default fenchel-young for solutions, spo+ for true θ), and a pass is a pass.

    **An endless training set.** With `fresh`, sizes that `generate` of the problem takes (`{"jobs": (50, 100)}`: of
    several values one is drawn for each instance), every pass goes over new instances, as many as it would have. Those
    that are given teach the linear model, and validate.
    """

    channels: int = 16
    depth: int | None = None
    stages: int = 1
    share: float = 0.25
    start: tuple[float, ...] | None = None
    rate: float = 4e-3
    batch: int = 8
    samples: int = 16
    sigma: float | None = None
    loss: Demonstration | None = None
    fresh: Mapping[str, Any] | tuple[tuple[str, tuple[Any, ...]], ...] | None = None

    name: ClassVar[str] = "neural"
    needs: ClassVar[tuple[Needs, ...]] = ("costs", "solutions", "thetas")
    uses: ClassVar[frozenset[str]] = frozenset({"radius", "device"})

    def __post_init__(self) -> None:
        if self.start is not None:
            object.__setattr__(self, "start", tuple(float(value) for value in self.start))
        if isinstance(self.fresh, Mapping):
            object.__setattr__(self, "fresh", tuple((name, _several(value)) for name, value in self.fresh.items()))
        if not 0.0 <= self.share < 1.0:
            raise OptionError(f"share {self.share} is out of range, expected a share >= 0 and < 1", where="--method")
        positive(self, "rate", *(["sigma"] if self.sigma is not None else []))
        at_least_one(self, "channels", "depth", "stages", "batch", "samples")

    def options(self) -> dict[str, Any]:
        """Return what, with the data and the seed, determines the run; JSON-able."""
        loss = None if self.loss is None else {"name": self.loss.name, **self.loss.options()}
        start = None if self.start is None else list(self.start)
        fresh = None if self.fresh is None else {name: list(values) for name, values in self.sizes.items()}
        return {**asdict(self), "start": start, "loss": loss, "fresh": fresh}

    @property
    def sizes(self) -> dict[str, tuple[Any, ...]]:
        """Return the sizes of new instances, each with the values to draw from."""
        return dict(self.fresh or ())

    def fit(self, job: TrainingJob[X, Y, Z]) -> Fitted:
        """Learn a linear model, then a network beside it."""
        if job.problem.dynamic:
            raise OptionError("neural does not learn from days, expected another method", where="--method")
        need_extra("torch", "neural needs torch", "neural")
        from colayer.learning.network.fit import fit_network

        return fit_network(self, job)


def _several(value: Any) -> tuple[Any, ...]:
    """Return the values to draw from: those of a list, or the one."""
    values = tuple(value) if isinstance(value, list | tuple) else (value,)
    if not values:
        raise OptionError("fresh has no value to draw from, expected one or more", where="--method")
    return values
