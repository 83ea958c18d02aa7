"""The generalised linear model: θ_i = Σ_k w_k·φ_k(i)/s_k."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from colayer.models.model import Model, header


class LinearModel(Model):
    """A model linear in its weights: one weight per feature, the same for every row of every instance."""

    kind = "linear"

    def written_weights(self) -> list[float]:
        """Return the entry "weights" of the file."""
        return list(map(float, self.weights))

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Return the model of a decoded JSON object."""
        return cls(**header(document), weights=document["weights"])
