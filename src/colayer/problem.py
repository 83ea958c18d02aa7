"""The problem protocol: what a user writes for a problem of their own.

    instance x ──features φ(i, x)──▶ θ ──layer──▶ y ──decode──▶ z ──cost──▶ C(z, x)

Everything is minimised. `Problem` is what is needed, `BaseProblem` adds defaults for what is optional. A class that
has the methods of `Problem` and does not inherit from `BaseProblem` works as well: the library always goes through
`completed`, which fills in the optional methods.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from colayer.compose import best_decoded, features_of
from colayer.errors import InputError, OptionError
from colayer.files import plain, short

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from colayer.evaluators import Evaluator
    from colayer.guarantees import Approximation
    from colayer.programs import CompactModel, ConstraintProgram

Array = NDArray[Any]


@runtime_checkable
class Problem(Protocol):
    """A hard problem and the easy layer that approximates it."""

    name: str
    feature_names: tuple[str, ...]

    def features(self, instance: Any) -> Array:
        """Raw features, float64 or float32, one row per dimension of θ, one column per name."""
        ...

    def layer(self, theta: Array, instance: Any) -> Any:
        """argmin over y of g(y, θ): a function of its arguments alone."""
        ...

    def decode(self, y: Any, instance: Any) -> Any:
        """The solution z = h(y); the identity where y is already a solution."""
        ...

    def cost(self, solution: Any, instance: Any) -> float:
        """C(z, x), to be minimised."""
        ...

    def scale(self, instance: Any) -> float:
        """u(x) > 0, the order of magnitude of an optimal cost; 1.0 where there is no idea."""
        ...


@dataclass(frozen=True)
class Size:
    """A size that `generate` takes: `colayer generate PROBLEM DIR --NAME VALUE`."""

    name: str
    kind: type
    default: Any
    help: str
    minimum: float | None = None
    #: Where the size is a word (`kind` is str): those to choose from.
    choices: tuple[str, ...] = ()

    def parse(self, text: str) -> Any:
        """The value of one command-line word, checked."""
        option = "--" + self.name.replace("_", "-")
        if self.choices:
            if text not in self.choices:
                raise OptionError(f"{text!r}, expected one of {', '.join(self.choices)}", where=option)
            return text
        try:
            value = self.kind(text)
            finite = math.isfinite(value)
        except (ValueError, OverflowError):
            kind = "a whole number" if self.kind is int else "a number"
            raise OptionError(f"{text!r} is not {kind}", where=option) from None
        if not finite or (self.minimum is not None and value < self.minimum):
            least = "a finite number" if self.minimum is None else f"at least {self.minimum:g}"
            raise OptionError(f"{text} is out of range, expected {least}", where=option)
        return value


class BaseProblem:
    """Defaults for the optional part of a problem. Inherit, and override what the problem knows better."""

    name: str
    feature_names: tuple[str, ...]

    #: Radius of the L∞ ball of weights (in model units) in which `fit` searches.
    radius: float = 10.0
    #: The layer does not change when θ is multiplied by a positive number, as where g is linear in θ: then `fit` may
    #: start from a multiple of the safe weights that fills the ball, so that σ means the same from any start.
    homogeneous: bool = False
    #: w̃ in raw feature units, whose pipeline carries a proven ratio or bound; None where there is none.
    safe_weights: Array | None = None
    #: Keys of the instance files beside "format" and "problem"; others are refused. Empty: `read` looks for itself.
    fields: tuple[str, ...] = ()
    #: What `generate` takes beside the seed.
    sizes: tuple[Size, ...] = ()
    #: The decoders to choose from, the first being the default; empty where there is no choice.
    decoders: tuple[str, ...] = ()
    #: decoder → the cheaper one that `fit` learns through by default; the decoder itself where it is not named.
    learn_decoders: Mapping[str, str] = MappingProxyType({})
    #: group → its features, every feature once: what `explain` leaves out together; None: by their names.
    feature_groups: Mapping[str, tuple[str, ...]] | None = None
    #: Names of the plain rules of `baseline`, for comparison tables.
    baselines: tuple[str, ...] = ()
    #: Seconds in which `exact` gives a bound worth having for a small instance: the demo then compares against it.
    #: None where the cheap bound does.
    tight_seconds: float | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in self.options.items())})"

    @property
    def options(self) -> dict[str, Any]:
        """The constructor's arguments: with `name`, what a model file needs to rebuild the problem."""
        return {}

    def with_options(self, **changes: Any) -> Self:
        """The same problem with other options (`decoder=`, for instance)."""
        unknown = sorted(set(changes) - set(self.options))
        if unknown:
            raise OptionError(f"{self.name} has no such option", where="--" + unknown[0].replace("_", "-"))
        return self._remade({**self.options, **changes})

    def _remade(self, options: dict[str, Any]) -> Self:
        return type(self)(**options)

    def decode(self, y: Any, instance: Any) -> Any:
        """The identity: y is already a solution."""
        return y

    def scale(self, instance: Any) -> float:
        """1: no idea of the order of magnitude."""
        return 1.0

    def bound(self, instance: Any) -> float | None:
        """A cheap lower bound on the optimal cost; None where there is none."""
        return None

    def approximation(self, instance: Any) -> Approximation | None:
        """What is proved for the safe weights on this instance, whatever is added to θ; None where nothing is."""
        return None

    def embed(self, y: Any, instance: Any) -> Array:
        """The vector with g(y, θ) = ⟨θ, embed(y)⟩, one entry a dimension of θ; learning by demonstration needs it."""
        raise InputError(f"{self.name} has no embed: it cannot learn by demonstration")

    def target(self, solution: Any, instance: Any) -> Array:
        """ȳ, what a solution asks of the layer: a mean of embedded y; learning by demonstration needs it."""
        raise InputError(f"{self.name} has no target: it cannot learn from solutions")

    def augmented(self, theta: Array, target: Array, instance: Any) -> tuple[Array, float]:
        """(θ′, a) with ⟨θ, y⟩ − Δ(y, ȳ) = ⟨θ′, y⟩ − a for every embedded y: the layer call of the structured hinge.

        The default is the Hamming distance of 0/1 vectors, Δ = Σ_i |y_i − ȳ_i| = Σ_i ȳ_i + ⟨1 − 2ȳ, y⟩.
        """
        return theta - (1.0 - 2.0 * target), float(target.sum())

    def likelihood(self, theta: Array, target: Array, instance: Any) -> tuple[float, Array]:
        """The negative log-likelihood of ȳ, or a surrogate of it, and its gradient with respect to θ."""
        raise InputError(f"{self.name} has no likelihood: crf cannot learn it")

    def best(self, thetas: Array, instance: Any, seed: int) -> tuple[int, Any, float]:
        """The best decoded solution over the rows of `thetas` (the first at equal cost): (row, solution, cost).

        Override it where many θ of one instance can share work, or where the decoder has random choices of its own
        to draw from `seed` (rows after the first only, so that row 0 is always the plain pipeline). The row is −1 for
        a solution put together from several rows.
        """
        return best_decoded(self, thetas, instance)  # type: ignore[arg-type]

    def evaluator(self, instances: Sequence[Any], workers: int | None = None) -> Evaluator | None:
        """A fused, compiled batch evaluator, or None: then the generic one loops over the five methods."""
        return None

    def baseline(self, rule: str, instance: Any) -> Any:
        """The solution of the plain rule `rule`, one of `baselines`."""
        raise InputError(f"{self.name} has no baseline {rule!r}")

    def exact(
        self,
        instance: Any,
        time_limit: float | None = None,
        progress: Callable[[float, float], None] | None = None,
        start: Any = None,
    ) -> tuple[Any, float, bool]:
        """The best solver there is: (solution, bound, proved optimal).

        `progress` is told (bound, best cost); `start` is a solution known already, where there is one.
        """
        raise InputError(f"{self.name} has no exact solver")

    def compact(self, instance: Any) -> CompactModel:
        """A mixed-integer program for a general solver, which `colayer compare` gives to HiGHS."""
        raise InputError(f"{self.name} has no compact model")

    def constraint_program(self, instance: Any) -> ConstraintProgram:
        """A constraint program for a general solver, which `colayer compare` gives to CP-SAT."""
        raise InputError(f"{self.name} has no constraint program")

    def generate(self, seed: int | np.random.SeedSequence, **sizes: Any) -> Any:
        """A random instance; the same seed and sizes give the same instance."""
        raise InputError(f"{self.name} has no instance generator")

    def read(self, document: Mapping[str, Any]) -> Any:
        """The instance of a decoded JSON object (arrays may be lists or numpy arrays)."""
        raise InputError(f"{self.name} has no file format")

    def write(self, instance: Any) -> dict[str, Any]:
        """The JSON object of an instance; `read` inverts it."""
        raise InputError(f"{self.name} has no file format")

    def read_solution(self, document: Mapping[str, Any], instance: Any) -> Any:
        """The solution of a decoded JSON object, checked against the instance."""
        raise InputError(f"{self.name} has no solution format")

    def write_solution(self, solution: Any, instance: Any) -> dict[str, Any]:
        """The JSON object of a solution."""
        raise InputError(f"{self.name} has no solution format")

    def violation(self, solution: Any, instance: Any) -> str | None:
        """What makes a solution infeasible, in a sentence; None where it is feasible. `check_problem` asks."""
        return None

    def shuffled(self, instance: Any, seed: int) -> tuple[Any, Array]:
        """The same instance with its parts in another order, and for each row of its features the row it was before.

        `check_problem` asks, to see that features(shuffled) == features[order] and that costs stay the same.
        """
        raise InputError(f"{self.name} has no shuffled")

    def group(self, instance: Any) -> dict[str, float]:
        """What tables and pictures group instances by (`{"jobs": 100, "rho": 1.0}`)."""
        return {}

    def plot(self, solution: Any, instance: Any, ax: Axes | None = None) -> Axes:
        """A picture of a solution."""
        raise InputError(f"{self.name} has no picture of a solution")

    def content(self, instance: Any) -> bytes:
        """What the instance is, as bytes: data sets are told apart by their hash.

        The document of the file format; for a problem without one, what learning sees of it: features and scale.
        """
        if getattr(self.write, "__func__", None) is BaseProblem.write:
            features = features_of(self, instance)  # type: ignore[arg-type]
            return np.ascontiguousarray(features).tobytes() + np.float64(self.scale(instance)).tobytes()
        return msgspec.json.encode(self.write(instance), order="deterministic", enc_hook=plain)


def content_hash(problem: BaseProblem, instances: Sequence[Any]) -> str:
    """SHA-256 over the contents of the instances, in order."""
    digest = hashlib.sha256()
    for instance in instances:
        content = problem.content(instance)
        digest.update(len(content).to_bytes(8, "little"))
        digest.update(content)
    return digest.hexdigest()


def completed(problem: Any) -> Any:
    """`problem` itself where it has the optional methods, else a wrapper that adds the defaults."""
    if isinstance(problem, type):
        raise InputError(f"{problem.__name__} is a class, expected an object: {problem.__name__}()")
    needed = ("name", "feature_names", "features", "layer", "decode", "cost", "scale")
    missing = [name for name in needed if not hasattr(problem, name)]
    if missing:
        raise InputError(f"{type(problem).__name__} is not a problem: it has no {', '.join(missing)}")
    if hasattr(problem, "generate"):  # which takes what `sizes` declares
        sizes = getattr(problem, "sizes", ())
        if not isinstance(sizes, Sequence) or not all(isinstance(size, Size) for size in sizes):
            like = 'expected a tuple like (Size("items", int, 10, "number of items"),)'
            raise InputError(f"sizes of {type(problem).__name__} is {short(sizes)}, {like}")
    return problem if isinstance(problem, BaseProblem) else _Completed(problem)


def provides(problem: Any, method: str) -> bool:
    """Whether the problem has an optional method of its own, rather than the default."""
    return getattr(getattr(problem, method), "__func__", None) is not getattr(BaseProblem, method)


def safe_weights_of(problem: Any) -> Array | None:
    """The safe weights as float64, checked: one finite number a feature; None where the problem has none."""
    if problem.safe_weights is None:
        return None
    weights = np.array(problem.safe_weights, dtype=np.float64)
    if weights.shape != (len(problem.feature_names),) or not np.isfinite(weights).all():
        raise InputError(f"safe_weights of {problem.name}: expected {len(problem.feature_names)} finite numbers")
    return weights


class _Completed(BaseProblem):
    """A problem of the user's that does not inherit from `BaseProblem`, with its optional methods filled in."""

    def __init__(self, problem: Any) -> None:
        self._problem = problem

    def _remade(self, options: dict[str, Any]) -> Any:
        return completed(type(self._problem)(**options))

    def __getattribute__(self, key: str) -> Any:
        if key.startswith("_"):
            return object.__getattribute__(self, key)
        problem = object.__getattribute__(self, "_problem")
        return getattr(problem, key) if hasattr(problem, key) else object.__getattribute__(self, key)
