"""What a problem may be able to do beside the five methods: one small protocol per ability.

A problem of the user's need not know of these classes: one with a method `exact` is `Exact`. Inside colayer, a bound
problem (`bind.py`) has each of these methods, or None in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.problem.approximation import Approximation
from colayer.problem.protocol import X_contra, Z

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from colayer.problem.programs import CompactModel, ConstraintProgram

X_co = TypeVar("X_co", covariant=True)
Y_contra = TypeVar("Y_contra", contravariant=True)
Z_co = TypeVar("Z_co", covariant=True)
Z_contra = TypeVar("Z_contra", contravariant=True)

Progress = Callable[[float, float], None]  # called with (bound, best cost) while an exact solver runs


class Evaluator(Protocol):
    """An object that computes losses of weight vectors (raw feature units) on its instances.

    Every number is a function of one weight vector and one instance: it does not depend on the batch, on the number
    of workers or on the backend. `losses` may be called by several threads at once.

    An evaluator may also have `rows_at_once`, how many weight vectors it likes to be given in one call, and
    `map_features` (see `statistics.py`), which spares computing the features again.
    """

    def losses(self, weights: Floats, /) -> Floats:
        """Return cost / scale of each of m instances (columns) under each of k weight vectors: (k, d) → (k, m)."""

    def close(self) -> None:
        """Release threads, processes and memory."""


@runtime_checkable
class Generates(Protocol[X_co]):
    """A problem that makes random instances."""

    def generate(self, seed: int | np.random.SeedSequence, **sizes: Any) -> X_co:
        """Return a random instance; the same seed and sizes give the same instance."""


@runtime_checkable
class TakesTables(Protocol[X_co]):
    """A problem that makes instances from a user's tables."""

    def instance(self, table: Any, /, **more: Any) -> X_co:
        """Return the instance of a table with named columns; other tables and options by name."""


@runtime_checkable
class Tabulates(Protocol[X_contra, Z_contra]):
    """A problem that writes solutions as tables."""

    def table(self, solution: Z_contra, instance: X_contra, /) -> Mapping[str, Sequence[Any]]:
        """Return columns of equal length by name, with the user's names: one row per job, edge or task."""


@runtime_checkable
class ReadsInstances(Protocol[X_co]):
    """A problem that reads instances from files."""

    def read(self, document: Mapping[str, Any], /) -> X_co:
        """Return the instance of a decoded JSON object (arrays may be lists or numpy arrays)."""


@runtime_checkable
class WritesInstances(Protocol[X_contra]):
    """A problem that writes instances to files."""

    def write(self, instance: X_contra, /) -> dict[str, Any]:
        """Return the JSON object of an instance; `read` inverts it."""


@runtime_checkable
class ReadsSolutions(Protocol[X_contra, Z_co]):
    """A problem that reads solutions from files."""

    def read_solution(self, document: Mapping[str, Any], instance: X_contra, /) -> Z_co:
        """Return the solution of a decoded JSON object, checked against the instance."""


@runtime_checkable
class WritesSolutions(Protocol[X_contra, Z_contra]):
    """A problem that writes solutions to files."""

    def write_solution(self, solution: Z_contra, instance: X_contra, /) -> dict[str, Any]:
        """Return the JSON object of a solution."""


@runtime_checkable
class Hashes(Protocol[X_contra]):
    """A problem that turns instances into bytes for their hash."""

    def content(self, instance: X_contra, /) -> bytes:
        """Return the whole instance as bytes; data sets are recognised by their hash."""


@runtime_checkable
class Bounds(Protocol[X_contra]):
    """A problem with a cheap lower bound."""

    def bound(self, instance: X_contra, /) -> float | None:
        """Return a lower bound on the optimal cost; None if there is none for this instance."""


@runtime_checkable
class Approximates(Protocol[X_contra]):
    """A problem with a proven ratio of the safe weights."""

    def approximation(self, instance: X_contra, /) -> Approximation | None:
        """Return what is proved for the safe weights on this instance; None if nothing is."""


@runtime_checkable
class Compares(Protocol[X_contra]):
    """A problem whose layer only asks which of two linear functions of θ is larger."""

    def log_comparisons(self, instance: X_contra, /) -> float | None:
        """Return log H: H comparisons of ⟨a, θ⟩ with ⟨b, θ⟩ decide what the layer answers; None if none do."""


@runtime_checkable
class Exact(Protocol[X_contra, Z]):
    """A problem with an exact solver, or the best one there is."""

    def exact(
        self,
        instance: X_contra,
        /,
        time_limit: float | None = None,
        progress: Progress | None = None,
        start: Z | None = None,
    ) -> tuple[Z, float, bool]:
        """Return (solution, bound, proved optimal). `progress` is called with (bound, best cost)."""


#: Rows of weights, in raw units → (row, solution, cost) of the best one, at equal cost the first.
ByWeights = Callable[[Floats], tuple[int, Z, float]]


@runtime_checkable
class SolvesByWeights(Protocol[X_contra, Z_co]):
    """A problem that needs the features of few rows alone to know what the layer answers to all."""

    def by_weights(self, instance: X_contra, /) -> Callable[[Floats], tuple[int, Z_co, float]] | None:
        """Return what finds the solutions of weights as features, layer and decoder do; None: use those."""


@runtime_checkable
class Quick(Protocol[X_contra, Z_co]):
    """A problem with a solution at once."""

    def quick(self, instance: X_contra, /) -> Z_co:
        """Return the solution of the quickest rule, with which `solve` begins where it has a time limit."""


@runtime_checkable
class Baselines(Protocol[X_contra, Z_co]):
    """A problem with plain rules to compare with, named in its attribute `baselines`."""

    def baseline(self, rule: str, instance: X_contra, /) -> Z_co:
        """Return the solution of the plain rule `rule`. Keywords with a default are constants that `tune` may set."""


@runtime_checkable
class Embeds(Protocol[X_contra, Y_contra]):
    """A problem that writes y as a vector, as learning from gradients needs."""

    def embed(self, y: Y_contra, instance: X_contra, /) -> Floats:
        """Return the vector with g(y, θ) = ⟨θ, embed(y)⟩, one entry per dimension of θ."""


@runtime_checkable
class Targets(Protocol[X_contra, Z_contra]):
    """A problem that says which y a solution asks of the layer, as learning from solutions needs."""

    def target(self, solution: Z_contra, instance: X_contra, /) -> Floats:
        """Return ȳ, a mean of embedded y."""


@runtime_checkable
class Augments(Protocol[X_contra]):
    """A problem whose structured hinge loss uses another distance than the Hamming distance of 0/1 vectors."""

    def augmented(self, theta: Floats, target: Floats, instance: X_contra, /) -> tuple[Floats, float]:
        """Return (θ′, a) with ⟨θ, y⟩ − Δ(y, ȳ) = ⟨θ′, y⟩ − a for every embedded y."""


@runtime_checkable
class HasLikelihood(Protocol[X_contra]):
    """A problem with a likelihood of targets."""

    def likelihood(self, theta: Floats, target: Floats, instance: X_contra, /) -> tuple[float, Floats]:
        """Return the negative log-likelihood of ȳ, or a surrogate of it, and its gradient with respect to θ."""


@runtime_checkable
class ChoosesBest(Protocol[X_contra, Z_co]):
    """A problem that decodes many θ of one instance together, to share work or random choices."""

    def best(self, thetas: Floats, instance: X_contra, seed: int, /) -> tuple[int, Z_co, float]:
        """Return the best decoded solution over the rows of `thetas`, the first at equal cost: (row, solution, cost).

        Random choices are drawn from `seed`, for rows after the first only, so that row 0 is always the plain
        pipeline. The row is −1 for a solution put together from several rows.
        """


@runtime_checkable
class SolvesMany(Protocol[X_contra]):
    """A problem that solves many θ of one instance at once, for learners that need many solutions."""

    def solved(self, thetas: Floats, instance: X_contra, /) -> tuple[Any, Floats]:
        """Return the y of every row of `thetas`, in the problem's own form, and the costs once decoded."""

    def mixed(self, ys: Any, coefficients: Floats, instance: X_contra, /) -> Floats:
        """Return Σ_k c_k·embed(y_k), added up in the order of k."""


@runtime_checkable
class Compiles(Protocol[X_contra]):
    """A problem with a compiled evaluator of its own."""

    def evaluator(self, instances: Sequence[X_contra], /, workers: int | None = None) -> Evaluator | None:
        """Return a fused batch evaluator, or None to use the generic one, which loops over the five methods."""


@runtime_checkable
class CompactPrograms(Protocol[X_contra]):
    """A problem with a mixed-integer program for a general solver."""

    def compact(self, instance: X_contra, /) -> CompactModel:
        """Return the program that `compare` gives to HiGHS."""


@runtime_checkable
class ConstraintPrograms(Protocol[X_contra]):
    """A problem with a constraint program for a general solver."""

    def constraint_program(self, instance: X_contra, /) -> ConstraintProgram:
        """Return the program that `compare` gives to CP-SAT."""


@runtime_checkable
class ChecksFeasibility(Protocol[X_contra, Z_contra]):
    """A problem that tells whether a solution is feasible."""

    def violation(self, solution: Z_contra, instance: X_contra, /) -> str | None:
        """Return in a sentence what makes a solution infeasible; None if it is feasible."""


@runtime_checkable
class GroupsInstances(Protocol[X_contra]):
    """A problem with sizes by which tables group instances."""

    def group(self, instance: X_contra, /) -> dict[str, float]:
        """Return what tables and pictures group instances by (`{"tasks": 100, "scenarios": 20}`)."""


@runtime_checkable
class Plots(Protocol[X_contra, Z_contra]):
    """A problem that draws solutions."""

    def plot(self, solution: Z_contra, instance: X_contra, /, ax: Axes | None = None) -> Axes:
        """Return the axes with a picture of a solution."""


@runtime_checkable
class HasContext(Protocol[X_contra]):
    """A problem of fixed size that also sees a context: θ_i = ⟨w, φ_i⟩ + (W·context + b)_i (`ContextProblem`)."""

    def context(self, instance: X_contra, /) -> Floats:
        """Return the context vector, of one length for all instances."""
