"""θ = f_w(x) by an equivariant network on top of a linear model, in numpy: solving needs no torch, only training does.

    u_i = clip(φ_i/s − c, ±8); in a "context-mlp" with the mean and the maximum of u over the rows of the instance
          beside it
    g(u_i) = A_L·relu(… relu(A_1·u_i + b_1) …) + b_L, the same network for every row: d + 1 numbers
    θ_i = ⟨w + g_1..d(u_i), φ_i/s⟩ + g_{d+1}(u_i)

So the network says how the weights of the linear model change with the row (and, with context, with the instance).
Rows that are permuted give θ permuted alike. Where g = 0 the model is the linear one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from colayer.errors import InputError
from colayer.io.validate import table
from colayer.models.model import Model, header
from colayer.models.thetas import Floats, accumulate
from colayer.problem.structure import Structure

#: model of the file → whether the network sees the whole instance.
KINDS = {"mlp": False, "context-mlp": True}
#: Inputs of the network are clipped here, in standard deviations: beyond, it is not to be trusted.
CLIP = 8.0


@dataclass(frozen=True, eq=False)
class NeuralModel(Model):
    """A linear model and the network that corrects it; `weights` are those of the linear part.

    `layers` are pairs of a matrix (outputs, inputs) and a vector (outputs,). Perturbed weights w + σZ perturb the
    linear part.
    """

    #: "mlp", or "context-mlp": every row also sees the mean and the maximum over the instance.
    architecture: str = "mlp"
    center: Floats = field(default_factory=lambda: np.empty(0))
    layers: tuple[tuple[Floats, Floats], ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.architecture not in KINDS:
            raise InputError(
                f"{self.architecture!r} is not supported, expected one of {', '.join(KINDS)}", where="model"
            )
        d = len(self.feature_names)
        object.__setattr__(self, "center", table(self.center, "weights.center", (d,)))
        if not isinstance(self.layers, tuple) or not self.layers:
            raise InputError("expected at least one layer", where="weights.layers")
        inputs = 3 * d if KINDS[self.architecture] else d
        checked = []
        for k, (matrix, bias) in enumerate(self.layers):
            where = f"weights.layers[{k}]"
            last = k == len(self.layers) - 1
            outputs = d + 1 if last or not hasattr(bias, "__len__") else len(bias)
            vector = table(bias, f"{where}.bias", (outputs,))
            checked.append((table(matrix, f"{where}.matrix", (outputs, inputs)), vector))
            inputs = outputs
        object.__setattr__(self, "layers", tuple(checked))

    @property
    def kind(self) -> str:
        """What the file calls this model."""
        return self.architecture

    def correction(
        self, features: NDArray[Any], structure: Structure = (), after: Callable[[Floats], Structure] | None = None
    ) -> Floats:
        """What the network adds to the θ of the linear model: (rows,). Sums are in a fixed order, without BLAS."""
        x = np.ascontiguousarray(features.T, dtype=np.float64) / self.feature_scale[:, None]
        values = np.clip(x - self.center[:, None], -CLIP, CLIP)
        if KINDS[self.architecture]:
            pooled = np.concatenate([values.mean(axis=1), values.max(axis=1)])
            values = np.vstack([values, np.broadcast_to(pooled[:, None], (len(pooled), x.shape[1]))])
        for k, (matrix, bias) in enumerate(self.layers):
            out = np.empty((len(bias), x.shape[1]))
            accumulate(np.ascontiguousarray(values), matrix.copy(), out)  # a copy: kernels take writable arrays
            values = out + bias[:, None]
            if k < len(self.layers) - 1:
                np.maximum(values, 0.0, out=values)
        total: Floats = values[-1].copy()
        for weight, column in zip(values[:-1], x, strict=True):
            total += weight * column
        return total

    def written_weights(self) -> dict[str, Any]:
        """The entry "weights" of the file."""
        return {
            "linear": self.weights.tolist(),
            "center": self.center.tolist(),
            "layers": [{"matrix": matrix.tolist(), "bias": bias.tolist()} for matrix, bias in self.layers],
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """The model of a decoded JSON object."""
        known = header(document)
        weights = _keys(document["weights"], ("linear", "center", "layers"), "weights")
        if not isinstance(weights["layers"], list):
            raise InputError("expected a list of layers", where="weights.layers")
        layers = [_keys(layer, ("matrix", "bias"), f"weights.layers[{k}]") for k, layer in enumerate(weights["layers"])]
        return cls(
            weights=weights["linear"],
            architecture=document["model"],
            center=weights["center"],
            layers=tuple((layer["matrix"], layer["bias"]) for layer in layers),
            **known,
        )


def _keys(value: Any, keys: tuple[str, ...], where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or set(value) != set(keys):
        raise InputError(f"expected a JSON object with {', '.join(keys)}", where=where)
    return value
