"""Context in, decisions out: a layer of fixed size whose costs are predicted from a context vector.

    problem = ContextProblem(Knapsack(weights, capacity=20))
    pipeline = Pipeline(problem).fit(contexts, thetas=-values)
    decisions = pipeline.decide(new_contexts)

An instance is a context vector, or a `Sample` that also knows what came of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats, finite_numbers
from colayer._runtime.snapshot import snapshot
from colayer.errors import InputError
from colayer.layers.many import solve_rows
from colayer.problem.guard import described, finite, listed, vector
from colayer.problem.protocol import BaseProblem

#: Entries of θ.
MOST = 10**9


@dataclass(frozen=True, eq=False)
class Sample:
    """A context and the outcomes recorded or drawn under it: vectors of costs, or whatever the problem's cost takes."""

    context: Floats
    outcomes: Any


class ContextProblem(BaseProblem):
    """A problem of fixed size: θ = W·context + b.

    Override `cost`, `layer`, `decode` for more; a subclass with `features` and `feature_names` adds weights that all
    rows share, θ_i = ⟨w, φ_i⟩ + (W·context + b)_i.

    Parameters
    ----------
    layer
        What minimises ⟨θ, y⟩: a layer of `colayer.layers`, or any function from a vector to a vector.
    size
        The length of θ; by default that of the layer.
    outcome_cost
        (y, outcome) → cost, to be minimised; by default ⟨outcome, y⟩. The cost of a decision is its mean over the
        outcomes of the sample.
    name
        The name in files and models.
    """

    feature_names: tuple[str, ...] = ()
    homogeneous = True

    def __init__(
        self,
        layer: Callable[[Floats], Any],
        *,
        size: int | None = None,
        outcome_cost: Callable[[Floats, Any], float] | None = None,
        name: str = "context",
    ) -> None:
        if not callable(layer) and type(self).layer is ContextProblem.layer:
            raise InputError(f"{described(layer)} is no layer, expected a function from a vector to a vector")
        self.name, self.solve = name, layer
        self.size = getattr(layer, "size", None) if size is None else size
        if self.size is None:
            raise InputError("expected the length of θ, which this layer does not say", where="size")
        whole = isinstance(self.size, int | np.integer) and not isinstance(self.size, bool)
        if not whole or not 1 <= self.size <= MOST:
            said = f"{described(self.size)}, expected the length of θ, a whole number from 1 to {MOST}"
            raise InputError(said, where="size")
        self.outcome_cost = outcome_cost

    def samples(self, contexts: ArrayLike, outcomes: Iterable[Any]) -> list[Sample]:
        """Return a sample per row of the contexts, each with its outcome; a list, or a matrix, has several."""
        rows = finite_numbers(contexts, "contexts")
        found = listed(outcomes, "an outcome per row", "outcomes")
        if rows.ndim != 2 or len(rows) != len(found):
            said = f"{len(found)} outcomes for contexts of shape {rows.shape}"
            raise InputError(f"{said}, expected an outcome per row", where="outcomes")
        several = [self._several(one, f"outcomes[{i}]") for i, one in enumerate(found)]
        return [Sample(row, own) for row, own in zip(rows, several, strict=True)]

    def context(self, instance: Any) -> Floats:
        """Return the context vector."""
        return finite_numbers(instance.context if isinstance(instance, Sample) else instance, "context")

    def features(self, instance: Any) -> Floats:
        """Return no columns: all weights are of the context."""
        return np.empty((self.size or 0, 0))

    def layer(self, theta: Floats, instance: Any) -> Any:
        """Return the y that minimises ⟨θ, y⟩."""
        return vector(self.solve(theta), len(theta), f"the layer of {self.name}")

    def embed(self, y: Any, instance: Any) -> Floats:
        """Return y, a vector already."""
        return vector(y, int(self.size or 0), f"layer of {self.name}")

    def target(self, solution: Any, instance: Any) -> Floats:
        """Return the solution, a vector already."""
        return np.asarray(solution, dtype=np.float64)

    def cost(self, solution: Any, instance: Any) -> float:
        """Return the mean cost of a decision over the outcomes of the sample."""
        if not isinstance(instance, Sample):
            raise InputError("a context without outcomes has no cost: use decide, or problem.samples(contexts, costs)")
        cost = self.outcome_cost
        if cost is None:
            return float(np.mean([float((outcome * solution).sum()) for outcome in instance.outcomes]))
        said = f"outcome_cost of {self.name}"
        return float(np.mean([finite(cost(solution, outcome), said) for outcome in instance.outcomes]))

    def mean_costs(self, instance: Any) -> Floats | None:
        """Return the θ* whose ⟨θ*, y⟩ is the cost of each y; None where the cost is not known to be linear."""
        linear = self.outcome_cost is None and type(self).cost is ContextProblem.cost
        if not (linear and isinstance(instance, Sample)):
            return None
        return np.asarray(np.mean(instance.outcomes, axis=0))

    def solve_rows(self, thetas: Floats, instances: Sequence[Any], workers: int = 1) -> Floats:
        """Return the embedded y of each row of θ, in one call of the layer where nothing was overridden."""
        own = type(self)
        if own.layer is ContextProblem.layer and own.embed is ContextProblem.embed:
            return solve_rows(self.solve, thetas, workers)
        rows = zip(thetas, instances, strict=True)
        return np.array([self.embed(self.layer(theta, one), one) for theta, one in rows])

    def content(self, instance: Any) -> bytes:
        """Return the bytes of an instance."""
        context = np.asarray(self.context(instance)).tobytes()
        if not isinstance(instance, Sample):
            return context
        outcomes = instance.outcomes
        known = outcomes.tobytes() if isinstance(outcomes, np.ndarray) else repr(snapshot(outcomes)).encode()
        return context + known

    def _several(self, outcome: Any, where: str) -> Any:
        """Return the outcomes of one sample: rows of costs, or a list; what is neither is one outcome."""
        if self.outcome_cost is None:
            rows = np.atleast_2d(finite_numbers(outcome, where))
            own = type(self).cost is ContextProblem.cost
            if rows.ndim != 2 or not len(rows) or (own and rows.shape[1] != self.size):
                raise InputError(f"{described(outcome)}, expected {self.size} costs, or rows of so many", where=where)
            return rows
        several = outcome if isinstance(outcome, list) else [outcome]
        if not several:
            raise InputError("no outcomes, expected at least one", where=where)
        return several
