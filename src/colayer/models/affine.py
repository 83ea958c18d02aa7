"""θ from a context vector, for a layer of fixed size: θ_i = Σ_k w_k·φ_k(i)/s_k + ⟨W_i, context⟩ + b_i."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.errors import InputError
from colayer.io.validate import table
from colayer.models.model import Model, header


class FromContext(Model):
    """A model that sees the context of an instance."""

    @abstractmethod
    def from_context(self, context: Floats) -> Floats:
        """Return what the context adds to θ."""


@dataclass(frozen=True, eq=False)
class AffineModel(FromContext):
    """A row of weights per entry of θ for the context, beside weights that all rows share; there may be none of these.

    `matrix` is W, (|θ|, |context|), in raw units of the context, and `offset` is b.
    """

    kind = "affine"

    matrix: Floats = field(default_factory=lambda: np.empty((0, 0)))
    offset: Floats = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "matrix", table(self.matrix, "weights.matrix", (None, None)))
        object.__setattr__(self, "offset", table(self.offset, "weights.offset", (len(self.matrix),)))

    def from_context(self, context: Floats) -> Floats:
        """Return W·context + b."""
        if context.shape != (self.matrix.shape[1],):
            raise InputError(f"shape {context.shape}, expected ({self.matrix.shape[1]},)", where="context")
        return np.asarray(self.offset + np.einsum("nk,k->n", self.matrix, context))

    def written_weights(self) -> dict[str, Any]:
        """Return the entry "weights" of the file."""
        shared = {"shared": self.weights.tolist()} if len(self.weights) else {}
        return {**shared, "matrix": self.matrix.tolist(), "offset": self.offset.tolist()}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Return the model of a decoded JSON object."""
        known, weights = header(document), document["weights"]
        if not isinstance(weights, Mapping) or set(weights) - {"shared"} != {"matrix", "offset"}:
            raise InputError("expected a JSON object with matrix and offset", where="weights")
        return cls(**known, weights=weights.get("shared", []), matrix=weights["matrix"], offset=weights["offset"])
