"""The problem protocol: what a user writes for a problem of their own.

    instance x ──features φ(i, x)──▶ θ ──layer──▶ y ──decode──▶ z ──cost──▶ C(z, x)

Everything is minimised. `Problem` is what is needed: any class with these members works. What a problem may have
besides is in `abilities.py`, one small protocol per ability. `BaseProblem` holds the defaults of the attributes and
methods that have one; inheriting from it is a convenience.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

from numpy.typing import NDArray

from colayer._runtime.arrays import Features, Floats
from colayer._runtime.text import one_of, short
from colayer.errors import OptionError
from colayer.problem.prepared import PreparedCache
from colayer.problem.sizes import Size

#: Instance x, solution y of the layer, solution z.
X = TypeVar("X")
Y = TypeVar("Y")
Z = TypeVar("Z")
X_contra = TypeVar("X_contra", contravariant=True)
Z_contra = TypeVar("Z_contra", contravariant=True)


@runtime_checkable
class Problem(Protocol[X_contra, Y, Z]):
    """A hard problem and the easy layer that approximates it.

    Any class with these members is one. Instances, y and solutions are whatever the problem makes of them; methods
    depend on their arguments alone and do not change them.
    """

    @property
    def name(self) -> str:
        """One word that names the problem in files and models."""

    @property
    def feature_names(self) -> tuple[str, ...]:
        """One name per column of `features`."""

    def features(self, instance: X_contra, /) -> Features:
        """Return raw features, float64 or float32: one row per dimension of θ, one column per name.

        With a second argument `solution=None`, the features see the solution of the round before (`LooksBack`); an
        attribute `features_use_solution = False` says that they do not although they take it.
        """

    def layer(self, theta: Floats, instance: X_contra, /) -> Y:
        """Return the y that minimises g(y, θ); a function of its arguments alone."""

    def decode(self, y: Y, instance: X_contra, /) -> Z:
        """Return the solution z = h(y); y itself if it is already a solution."""

    def cost(self, solution: Z, instance: X_contra, /) -> float:
        """Return C(z, x), to be minimised."""

    def scale(self, instance: X_contra, /) -> float:
        """Return u(x) > 0, the order of magnitude of an optimal cost; 1.0 if unknown."""


class LooksBack(Protocol[X_contra, Z_contra]):
    """A problem whose features take the previous round's solution: `features(self, instance, solution=None)`."""

    def features(self, instance: X_contra, solution: Z_contra | None = None, /) -> Features:
        """Return raw features given a solution, or None in the first round; always as many rows."""


#: A problem of which nothing more is known: one that was found by its name.
SomeProblem = Problem[Any, Any, Any]


class BaseProblem:
    """A base class with defaults for the optional part of a problem.

    Inherit, and override the attributes and methods that you know better.
    """

    name: str
    feature_names: tuple[str, ...]

    #: Radius of the L∞ ball of weights (in model units) in which `fit` searches.
    radius: float = 10.0
    #: The layer does not change when θ is multiplied by a positive number, as where g is linear in θ. Then `fit` may
    #: start from a multiple of the safe weights that fills the ball, so that σ means the same from any start.
    homogeneous: bool = False
    #: w̃ in raw feature units, whose pipeline carries a proven ratio or bound; None where there is none.
    safe_weights: Sequence[float] | NDArray[Any] | None = None
    #: Keys of the instance files beside "format" and "problem"; others are refused. Empty: `read` checks them itself.
    fields: tuple[str, ...] = ()
    #: Keys of the instance files that may be missing.
    optional_fields: tuple[str, ...] = ()
    #: Names of the further tables that `instance` takes, each from a CSV file of its own (`monday.scenarios.csv`).
    tables: tuple[str, ...] = ()
    #: The class of the instances: `solve` and `fit` refuse what is none. None where anything may be one.
    instance_type: type | None = None
    #: What `generate` takes beside the seed.
    sizes: tuple[Size, ...] = ()
    #: The decoders to choose from, the first being the default; empty where there is no choice.
    decoders: tuple[str, ...] = ()
    #: decoder → the cheaper one that `fit` learns through by default; the decoder itself where it is not named.
    learn_decoders: Mapping[str, str] = MappingProxyType({})
    #: group → its features, every feature once: what `explain` leaves out together; None: by their names.
    feature_groups: Mapping[str, tuple[str, ...]] | None = None
    #: Features that pull towards the solution of the round before: later rounds draw their weights (`rounds.py`).
    memory_features: tuple[str, ...] = ()
    #: Names of the plain rules of `baseline`, for comparison tables.
    baselines: tuple[str, ...] = ()
    #: Those of them that search for longer than the pipeline does: they are shown, but are not what it is measured by.
    searches: tuple[str, ...] = ()
    #: Options that say how long to search: weights do not depend on them, and the same ones are shipped for all.
    budget_options: tuple[str, ...] = ()
    #: Whether the layer finds the best y: if not, `colayer check` does not ask for it.
    layer_is_exact: bool = True
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
        """Return the same problem with other options (`decoder=`, for instance)."""
        return type(self)(**changed_options(self.name, self.options, changes))

    def decode(self, y: Any, instance: Any, /) -> Any:
        """Return y, for a problem whose y is already a solution."""
        return y

    def scale(self, instance: Any, /) -> float:
        """Return 1, for an unknown order of magnitude."""
        return 1.0

    def bound(self, instance: Any, /) -> float | None:
        """Return a cheap lower bound on the optimal cost; None if there is none."""
        return None

    def group(self, instance: Any, /) -> dict[str, float]:
        """Return what tables and pictures group instances by (`{"tasks": 100, "scenarios": 20}`)."""
        return {}

    def prepare(self, instance: Any, /) -> Any:
        """Return what several methods need to know about an instance, the solution of an LP say; see `prepared`."""
        return None

    def prepared(self, instance: Any, /) -> Any:
        """Return `prepare(instance)`, computed when it is first asked for, and kept as long as the instance lives."""
        cache = self.__dict__.get("_prepared_cache") or self.__dict__.setdefault("_prepared_cache", PreparedCache())
        return cache.get(instance, self.prepare)


def changed_options(name: str, options: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with these changes; refuse one that the problem does not have."""
    unknown = sorted(set(changes) - set(options))
    if unknown:
        raise OptionError(f"{name} has no such option", where="--" + unknown[0].replace("_", "-"))
    return {**options, **changes}


def check_decoder(name: str, decoders: Sequence[str], decoder: str, option: str) -> None:
    """Refuse a decoder that a problem does not have."""
    if not decoders:
        raise OptionError(f"{name} has no decoders to choose from", where=option)
    if decoder not in decoders:
        raise OptionError(f"no decoder {short(decoder)}, expected {one_of(str(decoder), decoders)}", where=option)
