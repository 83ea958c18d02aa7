"""θ = f_w(x): the generalised linear model θ_i = Σ_k w_k·φ_k(i)/s_k, and its file format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from colayer.errors import InputError
from colayer.files import plain, read_json, write_atomic

Floats = NDArray[np.float64]

_KEYS = ("format", "model", "problem", "options", "feature_names", "feature_scale", "weights", "provenance")


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Weights in model units: every feature is divided by `feature_scale`, its spread over the training rows."""

    feature_names: tuple[str, ...]
    weights: Floats
    feature_scale: Floats
    problem: str
    options: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        d = len(self.feature_names)
        for name in ("weights", "feature_scale"):
            object.__setattr__(self, name, _vector(getattr(self, name), name, d))
        if (self.feature_scale <= 0).any():
            raise InputError("every entry must be positive", where="feature_scale")

    def raw(self, weights: Floats | None = None) -> Floats:
        """Weights (the model's own, or rows of others in model units) in raw feature units: w_k / s_k."""
        return np.asarray((self.weights if weights is None else weights) / self.feature_scale)

    def correction(self, features: NDArray[Any]) -> Floats | None:
        """What is added to the θ of the linear model for one instance, whatever the weights: nothing."""
        return None

    def save(self, path: str | Path) -> None:
        """Write the model file, whole or not at all."""
        write_atomic(path, msgspec.json.format(msgspec.json.encode(self.document(), enc_hook=plain), indent=1) + b"\n")

    def document(self) -> dict[str, Any]:
        """The JSON object of the model file."""
        return {
            "format": 1,
            "model": "linear",
            "problem": self.problem,
            "options": self.options,
            "feature_names": list(self.feature_names),
            "feature_scale": self.feature_scale.tolist(),
            "weights": self.weights.tolist(),
            "provenance": self.provenance,
        }

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model file; what is wrong is named as `FILE: field: …`."""
        try:
            return cls.from_document(read_json(path))
        except InputError as error:
            raise (error if error.where and error.where.startswith(str(path)) else error.at(str(path))) from None

    @classmethod
    def from_document(cls, document: Any) -> Self:
        """The model of a decoded JSON object."""
        known = header(document, ("linear",))
        return cls(weights=document["weights"], **known)


def read_model(path: str | Path) -> LinearModel:
    """The model of a file, linear or neural; what is wrong is named as `FILE: field: …`."""
    from colayer.networks import KINDS, NeuralModel

    document = read_json(path)
    neural = isinstance(document, Mapping) and document.get("model") in list(KINDS)
    return (NeuralModel if neural else LinearModel).load(path)


def header(document: Any, kinds: tuple[str, ...]) -> dict[str, Any]:
    """What the files of all models have in common, checked: everything but the weights."""
    if not isinstance(document, Mapping):
        raise InputError("not a model: expected a JSON object")
    for key in document:
        if key not in _KEYS:
            raise InputError("unknown key", where=str(key))
    for key in _KEYS:
        if key not in document:
            raise InputError("missing key", where=key)
    if type(document["format"]) is not int or document["format"] != 1:
        raise InputError(f"{document['format']!r} is not supported, expected 1", where="format")
    if document["model"] not in kinds:
        known = " or ".join(repr(kind) for kind in kinds)
        raise InputError(f"{document['model']!r} is not supported, expected {known}", where="model")
    if not isinstance(document["problem"], str):
        raise InputError("expected the name of a problem", where="problem")
    for key in ("options", "provenance"):
        if not isinstance(document[key], Mapping):
            raise InputError("expected a JSON object", where=key)
    names = document["feature_names"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError("expected a list of names", where="feature_names")
    return {
        "feature_names": tuple(names),
        "feature_scale": document["feature_scale"],
        "problem": document["problem"],
        "options": dict(document["options"]),
        "provenance": dict(document["provenance"]),
    }


def thetas(features: NDArray[Any], weights: Floats) -> Floats:
    """θ of every weight vector (rows of `weights`, raw units) from the (n, d) features of one instance: (k, n)."""
    if weights.ndim != 2 or weights.shape[1] != features.shape[1]:
        raise InputError(f"weights of shape {weights.shape}, expected rows of {features.shape[1]} numbers")
    rows = np.ascontiguousarray(features.T)
    out = np.empty((len(weights), rows.shape[1]))
    accumulate(rows, np.ascontiguousarray(weights, dtype=np.float64), out)
    return out


@njit(cache=True, nogil=True)
def accumulate(features, weights, out):  # type: ignore[no-untyped-def]
    """out[j, i] = Σ_k weights[j, k]·features[k, i], summed in the order of k from 0, in float64.

    The order of the sum is fixed, so θ does not depend on how many weight vectors or instances are handled at once
    (a BLAS product does not promise that). Rows are taken in blocks whose features stay in cache for all weight
    vectors; four features at a time keep the running sum in registers. O(k·d·n); for k = 1 the limit is the memory
    bandwidth of reading the features once. Zero weights are skipped: adding zero changes nothing.
    """
    d, n = features.shape
    active = np.empty(d, np.int64)
    block = 512
    for start in range(0, n, block):
        stop = min(start + block, n)
        for j in range(weights.shape[0]):
            count = 0
            for k in range(d):
                if weights[j, k] != 0.0:
                    active[count] = k
                    count += 1
            row = out[j, start:stop]
            row[:] = 0.0
            c = 0
            while c + 4 <= count:
                k0, k1, k2, k3 = active[c], active[c + 1], active[c + 2], active[c + 3]
                w0, w1, w2, w3 = weights[j, k0], weights[j, k1], weights[j, k2], weights[j, k3]
                f0 = features[k0, start:stop]
                f1 = features[k1, start:stop]
                f2 = features[k2, start:stop]
                f3 = features[k3, start:stop]
                for i in range(stop - start):
                    row[i] = (((row[i] + w0 * f0[i]) + w1 * f1[i]) + w2 * f2[i]) + w3 * f3[i]
                c += 4
            while c < count:
                w0 = weights[j, active[c]]
                f0 = features[active[c], start:stop]
                for i in range(stop - start):
                    row[i] += w0 * f0[i]
                c += 1


def column_sums(features: NDArray[Any]) -> Floats:
    """Sum of each feature over the rows of one instance, from its (d, n) matrix: one contiguous sum a feature."""
    return np.asarray(np.ascontiguousarray(features, dtype=np.float64).sum(axis=1))


def column_squares(features: NDArray[Any], center: Floats) -> Floats:
    """Sum of (φ − center)² over the rows of one instance, from its (d, n) matrix."""
    return np.asarray(((np.ascontiguousarray(features, dtype=np.float64) - center[:, None]) ** 2).sum(axis=1))


def _vector(values: ArrayLike, name: str, length: int) -> Floats:
    if isinstance(values, list):
        for i, value in enumerate(values):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InputError(f"{value!r} is not a number", where=f"{name}[{i}]")
    try:
        vector = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError("expected a list of numbers", where=name) from None
    if vector.shape != (length,):
        raise InputError(f"an array of shape {vector.shape}, expected {length} numbers, one a feature", where=name)
    if not np.isfinite(vector).all():
        raise InputError("not finite", where=f"{name}[{int(np.argmin(np.isfinite(vector)))}]")
    vector.setflags(write=False)
    return vector
