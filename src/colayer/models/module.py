"""θ from a context vector by a torch module: θ = s·module((context − mean)/spread)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.errors import InputError
from colayer.models.affine import FromContext

_NOT_WRITTEN = (
    "a torch module is not written as JSON: use torch.save(pipeline.model, FILE), "
    "then Pipeline.from_model(problem, torch.load(FILE, weights_only=False))"
)


@dataclass(frozen=True, eq=False)
class ModuleModel(FromContext):
    """A trained torch module; contexts go in at mean 0 and spread 1, and `size` times what comes out is θ."""

    kind = "module"

    module: Any = None
    mean: Floats = field(default_factory=lambda: np.empty(0))
    spread: Floats = field(default_factory=lambda: np.empty(0))
    size: float = 1.0

    def from_context(self, context: Floats) -> Floats:
        """Return θ of a context."""
        import torch

        if context.shape != self.mean.shape:
            raise InputError(f"shape {context.shape}, expected {self.mean.shape}", where="context")
        kind = next(self.module.parameters()).dtype
        inputs = torch.as_tensor((context - self.mean) / self.spread, dtype=kind)
        self.module.eval()
        with torch.no_grad():
            return np.asarray(self.size * self.module(inputs[None])[0].double().numpy())

    def save(self, path: str | Path) -> NoReturn:
        """Refuse, and say how to keep the model instead."""
        raise InputError(_NOT_WRITTEN, where=str(path))

    def written_weights(self) -> NoReturn:
        """Refuse, as `save` does."""
        raise InputError(_NOT_WRITTEN)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Refuse: no file holds such a model."""
        raise InputError(_NOT_WRITTEN)
