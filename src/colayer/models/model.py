"""The base of all models: weights in model units, their provenance, and the file format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer._runtime.text import printable, short
from colayer.errors import InputError
from colayer.io.files import plain, write_atomic
from colayer.io.validate import number, table
from colayer.models.selector import Selector
from colayer.models.thetas import norm, thetas
from colayer.problem.structure import Structure

#: The number of the file format.
FORMAT = 1

_KEYS = ("format", "model", "problem", "options", "feature_names", "feature_scale", "weights", "provenance")
_OPTIONAL = ("sigma", "portfolio", "rounds", "selector")

#: More rounds than any use of them needs; beyond, a mistake is likelier.
MOST_ROUNDS = 10_000
#: Default σ, as a share of the norm of the weights.
SHARE = 0.1


@dataclass(frozen=True, eq=False)
class Model(ABC):
    """A model in model units: every feature is divided by `feature_scale`, its spread over the training rows."""

    feature_names: tuple[str, ...]
    weights: Floats
    feature_scale: Floats
    problem: str
    options: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
    #: σ of perturbed solves, in model units; if None, `default_sigma` applies.
    sigma: float | None = None
    #: Weight vectors that are good together, in model units, the first equal to `weights`; may be empty.
    portfolio: Floats = field(default_factory=lambda: np.empty((0, 0)))
    #: The number of rounds that the weights were learned with, the default of `solve` (see `rounds.py`).
    rounds: int = 1
    #: Orders the members of the portfolio for an instance; None: they come as they are.
    selector: Selector | None = None

    def __post_init__(self) -> None:
        for name in ("weights", "feature_scale"):
            given, count = getattr(self, name), len(self.feature_names)
            none = count == 0 and isinstance(given, list | tuple | np.ndarray) and len(given) == 0
            # a model of the context alone has none
            object.__setattr__(self, name, np.empty(0) if none else table(given, name, (count,)))
        if (self.feature_scale <= 0).any():
            raise InputError("every entry must be positive", where="feature_scale")
        with np.errstate(over="ignore"):
            finite = np.isfinite(self.weights / self.feature_scale)
        if not finite.all():
            where = f"feature_scale[{int(np.argmin(finite))}]"
            raise InputError("so small that the weight over it is not finite", where=where)
        if self.sigma is not None:
            object.__setattr__(self, "sigma", number(self.sigma, "sigma"))
            if self.sigma < 0:
                raise InputError(f"{self.sigma:g} is negative, expected a number >= 0", where="sigma")
        if type(self.rounds) is not int or not 1 <= self.rounds <= MOST_ROUNDS:
            raise InputError(f"{short(self.rounds)} is out of range, expected 1 to {MOST_ROUNDS}", where="rounds")
        self._check_portfolio()
        self._check_selector()

    def _check_portfolio(self) -> None:
        members: Any = self.portfolio
        if isinstance(members, list | tuple | np.ndarray) and len(members) == 0:
            object.__setattr__(self, "portfolio", np.empty((0, len(self.feature_names))))
            return
        members = table(members, "portfolio", (None, len(self.feature_names)))
        if not np.array_equal(members[0], self.weights):
            raise InputError("expected the weights of the model first", where="portfolio[0]")
        object.__setattr__(self, "portfolio", members)

    def _check_selector(self) -> None:
        if self.selector is None:
            return
        if not isinstance(self.selector, Selector):
            object.__setattr__(self, "selector", Selector.from_document(self.selector))
        if len(self.selector.losses) != len(self.portfolio):
            raise InputError(f"expected {len(self.portfolio)} rows, one per member", where="selector.losses")
        if any(k > 2 * len(self.feature_names) for k in self.selector.columns):
            raise InputError("a column that no instance has", where="selector.columns")

    def members(self, count: int, features: NDArray[Any] | None = None) -> list[int]:
        """Return the members of the portfolio to try first, at most `count`; the weights are the first member.

        The selector chooses for the instance of these features, where there are both.
        """
        if self.selector is None or features is None:
            return list(range(min(count, max(1, len(self.portfolio)))))
        return self.selector.order(features, self.feature_scale, count)

    @property
    def default_sigma(self) -> float:
        """Return the model's σ, or a tenth of the norm of its weights if it has none."""
        return SHARE * norm(self.weights) if self.sigma is None else self.sigma

    def raw(self, weights: Floats | None = None) -> Floats:
        """Convert weights (the model's own, or rows in model units) to raw feature units, w_k / s_k."""
        return np.asarray((self.weights if weights is None else weights) / self.feature_scale)

    @property
    def sees_structure(self) -> bool:
        """Return whether `theta` and `correction` need the structure: how the rows of an instance relate."""
        return False

    @property
    def linear_fallback(self) -> Floats | None:
        """Return the raw weights of a linear model that a network must not be worse than, or None."""
        return None

    def theta(self, features: NDArray[Any], structure: Structure = ()) -> Floats:
        """Return θ of one instance, from its (rows, d) features."""
        linear = thetas(features, self.raw()[None, :])[0]
        correction = self.correction(features, structure)
        return np.asarray(linear if correction is None else linear + correction)

    def correction(
        self, features: NDArray[Any], structure: Structure = (), after: Callable[[Floats], Structure] | None = None
    ) -> Floats | None:
        """Return what is added to the linear part of θ, whatever the weights; None for a linear model.

        `after(theta)` returns the structure once the layer has answered to θ, for networks in several stages.
        """
        return None

    @property
    @abstractmethod
    def kind(self) -> str:
        """Return the name of this kind of model in its file."""

    @abstractmethod
    def written_weights(self) -> Any:
        """Return the entry "weights" of the file."""

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the model file."""
        return {
            "format": FORMAT,
            "model": self.kind,
            "problem": self.problem,
            "options": self.options,
            "feature_names": list(self.feature_names),
            "feature_scale": self.feature_scale.tolist(),
            "weights": self.written_weights(),
            **({} if self.sigma is None else {"sigma": self.sigma}),
            **({"portfolio": self.portfolio.tolist()} if len(self.portfolio) else {}),
            **({"rounds": self.rounds} if self.rounds > 1 else {}),
            **({} if self.selector is None else {"selector": self.selector.document()}),
            "provenance": self.provenance,
        }

    def save(self, path: str | Path) -> None:
        """Write the model file, whole or not at all."""
        write_atomic(path, msgspec.json.format(msgspec.json.encode(self.document(), enc_hook=plain), indent=1) + b"\n")

    @classmethod
    @abstractmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Return the model of a decoded JSON object."""


def header(document: Mapping[str, Any]) -> dict[str, Any]:
    """Check the fields that the files of all models share, everything but the weights, and return them."""
    for key in document:
        if key not in (*_KEYS, *_OPTIONAL):
            raise InputError("unknown key", where=printable(str(key)))
    for key in _KEYS:
        if key not in document:
            raise InputError("missing key", where=key)
    if type(document["format"]) is not int or document["format"] != FORMAT:
        raise InputError(f"{short(document['format'])} is not supported, expected {FORMAT}", where="format")
    if not isinstance(document["problem"], str):
        raise InputError("expected the name of a problem", where="problem")
    for key in ("options", "provenance"):
        if not isinstance(document[key], Mapping):
            raise InputError("expected a JSON object", where=key)
    names = document["feature_names"]
    if not isinstance(names, list) or not set(map(type, names)) <= {str} or len(set(names)) < len(names):
        raise InputError("expected a list of names, each once", where="feature_names")
    return {
        "feature_names": tuple(names),
        "feature_scale": document["feature_scale"],
        "problem": document["problem"],
        "options": dict(document["options"]),
        "provenance": dict(document["provenance"]),
        **{key: document[key] for key in _OPTIONAL if key in document},
    }
