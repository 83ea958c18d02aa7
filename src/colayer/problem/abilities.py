"""What a problem may be able to do beside the five methods: one small protocol per ability.

    if isinstance(problem, Exact):
        solution, bound, proved = problem.exact(instance)

A problem of the user's need not know of these classes: it has an ability where it has the methods. The functions at
the end give the value of an ability, or its default where the problem lacks it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.text import printable
from colayer.errors import InputError, OptionError
from colayer.problem import answers
from colayer.problem.faults import calling
from colayer.problem.protocol import Problem, X, X_contra, Y, Z, declared

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from colayer.problem.programs import CompactModel, ConstraintProgram

X_co = TypeVar("X_co", covariant=True)
Y_contra = TypeVar("Y_contra", contravariant=True)
Z_co = TypeVar("Z_co", covariant=True)
Z_contra = TypeVar("Z_contra", contravariant=True)

#: Called with (bound, best cost) while an exact solver runs.
Progress = Callable[[float, float], None]


@dataclass(frozen=True)
class Approximation:
    """What is proved for the safe weights on one instance, whatever p is added to their θ (paper, theorem 2):

    cost − c* ≤ a·|c*| + b·‖p‖_β, for every solution of the layer at f_w̃(x) + p, decoded.
    """

    a: float
    b: float
    beta: float = 1.0

    def __post_init__(self) -> None:
        if not (self.a >= 0 and 0 < self.b < math.inf and self.beta in (1.0, 2.0, math.inf)):
            raise InputError(f"{self} is no guarantee, expected a >= 0, b > 0 and a norm of 1, 2 or infinity")


class Evaluator(Protocol):
    """Losses of weight vectors (raw feature units) on the instances it holds.

    Every number is a function of one weight vector and one instance: it does not depend on the batch, on the number
    of workers or on the backend. `losses` may be called by several threads at once.

    An evaluator may also have `rows_at_once`, how many weight vectors it likes to be given in one call, and
    `map_features` (see `statistics.py`), which spares computing the features again.
    """

    def losses(self, weights: Floats, /) -> Floats:
        """Cost / scale of each of m instances (columns) under each of k weight vectors (rows): (k, d) → (k, m)."""

    def close(self) -> None:
        """Give back threads, processes and memory."""


@runtime_checkable
class Generates(Protocol[X_co]):
    """Random instances."""

    def generate(self, seed: int | np.random.SeedSequence, **sizes: Any) -> X_co:
        """A random instance; the same seed and sizes give the same instance."""


@runtime_checkable
class TakesTables(Protocol[X_co]):
    """Instances from tables of the user's."""

    def instance(self, table: Any, /, **more: Any) -> X_co:
        """The instance of a table with named columns; other tables and options by name."""


@runtime_checkable
class Tabulates(Protocol[X_contra, Z_contra]):
    """Solutions as tables."""

    def table(self, solution: Z_contra, instance: X_contra, /) -> Mapping[str, Sequence[Any]]:
        """Columns of equal length by name, in the user's words: one row per job, edge or task."""


@runtime_checkable
class ReadsInstances(Protocol[X_co]):
    """Instances from files."""

    def read(self, document: Mapping[str, Any], /) -> X_co:
        """The instance of a decoded JSON object (arrays may be lists or numpy arrays)."""


@runtime_checkable
class WritesInstances(Protocol[X_contra]):
    """Instances to files."""

    def write(self, instance: X_contra, /) -> dict[str, Any]:
        """The JSON object of an instance; `read` inverts it."""


@runtime_checkable
class ReadsSolutions(Protocol[X_contra, Z_co]):
    """Solutions from files."""

    def read_solution(self, document: Mapping[str, Any], instance: X_contra, /) -> Z_co:
        """The solution of a decoded JSON object, checked against the instance."""


@runtime_checkable
class WritesSolutions(Protocol[X_contra, Z_contra]):
    """Solutions to files."""

    def write_solution(self, solution: Z_contra, instance: X_contra, /) -> dict[str, Any]:
        """The JSON object of a solution."""


@runtime_checkable
class Hashes(Protocol[X_contra]):
    """Bytes that tell instances apart."""

    def content(self, instance: X_contra, /) -> bytes:
        """What the instance is, as bytes: data sets are told apart by their hash."""


@runtime_checkable
class Bounds(Protocol[X_contra]):
    """A cheap lower bound."""

    def bound(self, instance: X_contra, /) -> float | None:
        """A lower bound on the optimal cost; None where there is none for this instance."""


@runtime_checkable
class Approximates(Protocol[X_contra]):
    """A proven ratio of the safe weights."""

    def approximation(self, instance: X_contra, /) -> Approximation | None:
        """What is proved for the safe weights on this instance, whatever is added to θ; None where nothing is."""


@runtime_checkable
class Exact(Protocol[X_contra, Z]):
    """The best solver there is."""

    def exact(
        self,
        instance: X_contra,
        /,
        time_limit: float | None = None,
        progress: Progress | None = None,
        start: Z | None = None,
    ) -> tuple[Z, float, bool]:
        """(solution, bound, proved optimal). `progress` is called with (bound, best cost)."""


@runtime_checkable
class Baselines(Protocol[X_contra, Z_co]):
    """Plain rules to compare with; their names are in the attribute `baselines`."""

    def baseline(self, rule: str, instance: X_contra, /) -> Z_co:
        """The solution of the plain rule `rule`."""


@runtime_checkable
class Embeds(Protocol[X_contra, Y_contra]):
    """y as a vector: learning from gradients needs it."""

    def embed(self, y: Y_contra, instance: X_contra, /) -> Floats:
        """The vector with g(y, θ) = ⟨θ, embed(y)⟩, one entry per dimension of θ."""


@runtime_checkable
class Targets(Protocol[X_contra, Z_contra]):
    """What a solution asks of the layer: learning from solutions needs it."""

    def target(self, solution: Z_contra, instance: X_contra, /) -> Floats:
        """ȳ, a mean of embedded y."""


@runtime_checkable
class Augments(Protocol[X_contra]):
    """The layer call of the structured hinge loss, where the Hamming distance of 0/1 vectors is not what is meant."""

    def augmented(self, theta: Floats, target: Floats, instance: X_contra, /) -> tuple[Floats, float]:
        """(θ′, a) with ⟨θ, y⟩ − Δ(y, ȳ) = ⟨θ′, y⟩ − a for every embedded y."""


@runtime_checkable
class HasLikelihood(Protocol[X_contra]):
    """A likelihood of targets."""

    def likelihood(self, theta: Floats, target: Floats, instance: X_contra, /) -> tuple[float, Floats]:
        """The negative log-likelihood of ȳ, or a surrogate of it, and its gradient with respect to θ."""


@runtime_checkable
class ChoosesBest(Protocol[X_contra, Z_co]):
    """Many θ of one instance that share work, or a decoder with random choices of its own."""

    def best(self, thetas: Floats, instance: X_contra, seed: int, /) -> tuple[int, Z_co, float]:
        """The best decoded solution over the rows of `thetas`, the first at equal cost: (row, solution, cost).

        Random choices are drawn from `seed`, for rows after the first only, so that row 0 is always the plain
        pipeline. The row is −1 for a solution put together from several rows.
        """


@runtime_checkable
class SolvesMany(Protocol[X_contra]):
    """Many θ of one instance at once, for learners that look at many solutions."""

    def solved(self, thetas: Floats, instance: X_contra, /) -> tuple[Any, Floats]:
        """The y of every row of `thetas`, in a form of the problem's own, and the cost of each decoded."""

    def mixed(self, ys: Any, coefficients: Floats, instance: X_contra, /) -> Floats:
        """Σ_k c_k·embed(y_k), added up in the order of k."""


@runtime_checkable
class Compiles(Protocol[X_contra]):
    """A compiled evaluator of its own."""

    def evaluator(self, instances: Sequence[X_contra], /, workers: int | None = None) -> Evaluator | None:
        """A fused batch evaluator, or None: then the generic one loops over the five methods."""


@runtime_checkable
class CompactPrograms(Protocol[X_contra]):
    """A mixed-integer program for a general solver."""

    def compact(self, instance: X_contra, /) -> CompactModel:
        """The program, which `compare` gives to HiGHS."""


@runtime_checkable
class ConstraintPrograms(Protocol[X_contra]):
    """A constraint program for a general solver."""

    def constraint_program(self, instance: X_contra, /) -> ConstraintProgram:
        """The program, which `compare` gives to CP-SAT."""


@runtime_checkable
class Judges(Protocol[X_contra, Z_contra]):
    """A test of feasibility."""

    def violation(self, solution: Z_contra, instance: X_contra, /) -> str | None:
        """What makes a solution infeasible, in a sentence; None where it is feasible."""


@runtime_checkable
class Groups(Protocol[X_contra]):
    """Sizes that tell instances apart."""

    def group(self, instance: X_contra, /) -> dict[str, float]:
        """What tables and pictures group instances by (`{"jobs": 100, "rho": 1.0}`)."""


@runtime_checkable
class Draws(Protocol[X_contra, Z_contra]):
    """Pictures of solutions."""

    def plot(self, solution: Z_contra, instance: X_contra, /, ax: Axes | None = None) -> Axes:
        """A picture of a solution."""


#: ability → how messages name it.
NAMES: dict[type, str] = {
    Generates: "instance generator",
    ReadsInstances: "file format",
    WritesInstances: "file format",
    ReadsSolutions: "solution format",
    WritesSolutions: "solution format",
    Exact: "exact solver",
    Embeds: "embed",
    Targets: "target",
    HasLikelihood: "likelihood",
    CompactPrograms: "compact model",
    ConstraintPrograms: "constraint program",
    Draws: "picture of a solution",
}

A = TypeVar("A")


def need(problem: object, ability: type[A], *, option: str | None = None, why: str = "") -> A:
    """The problem, known to have an ability; raise an error that names what is missing where it has not."""
    if isinstance(problem, ability):
        return problem
    message = f"{declared(problem).name} has no {NAMES[ability]}{why and ': '}{why}"
    raise InputError(message) if option is None else OptionError(message, where=option)


def bound_of(problem: Problem[X, Y, Z], instance: X) -> float | None:
    """The cheap lower bound; None where there is none, or where it says nothing, −∞."""
    bound = getattr(problem, "bound", None)  # on every solve: `isinstance` takes longer than a small instance
    if bound is None:
        return None
    with calling(problem, "bound"):
        given = bound(instance)
    if given is None:
        return None
    what = f"bound of {problem.name}"
    value = answers.real(given, what, "a number or None")
    if value == math.inf:
        raise answers.refused(what, given, "a number or None")
    return None if value == -math.inf else value


def group_of(problem: Problem[X, Y, Z], instance: X) -> dict[str, float]:
    """What tables group the instance by."""
    if not isinstance(problem, Groups):
        return {}
    with calling(problem, "group"):
        group = problem.group(instance)
    what = f"group of {problem.name}"
    found = answers.document(group, what, "a dict of numbers")
    for key, value in found.items():
        answers.finite(value, what, part=printable(key))
    return found
