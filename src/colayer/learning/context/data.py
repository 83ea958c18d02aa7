"""Samples as arrays: contexts, features that rows share, and θ of some weights.

Weights are one vector: w, of the shared features, then W' by rows, with b as the last column. In these units contexts
have mean 0 and spread 1, shared features spread 1. All sums are einsums, in a fixed order: no BLAS, the same bits for
any number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer.errors import InputError
from colayer.models import AffineModel
from colayer.problem.bind import BoundProblem

#: The weight of the prior that W = 0, in samples: it matters where contexts are long or collinear.
RIDGE = 1.0


@dataclass(frozen=True, eq=False)
class ContextData:
    """The samples of a problem; `inputs` is (m, c + 1) with ones last, `shared` (m, n, d) with d ≥ 0."""

    inputs: Floats
    shared: Floats
    mean: Floats
    spread: Floats
    feature_scale: Floats

    @classmethod
    def of(cls, problem: BoundProblem[Any, Any, Any], instances: Sequence[Any]) -> ContextData:
        """Return the arrays of a problem with `context`; refuse contexts or θ of several lengths."""
        context = problem.need("context")
        rows = [context(instance) for instance in instances]
        features = [problem.features(instance) for instance in instances]
        for name, found in (("context", rows), ("features", features)):
            wrong = next((i for i, one in enumerate(found) if one.shape != found[0].shape), None)
            if wrong is not None:
                said = f"{name} of {problem.name} has shape {found[wrong].shape}, that of instance 0 {found[0].shape}"
                raise InputError(f"{said}: expected one size", where=f"instance {wrong}")
        contexts, shared = np.array(rows, dtype=np.float64), np.array(features, dtype=np.float64)
        if contexts.ndim != 2 or not np.isfinite(contexts).all():
            raise InputError(f"context of {problem.name}: expected vectors of finite numbers")
        mean, spread = contexts.mean(axis=0), contexts.std(axis=0)
        spread = np.where(spread > 1e-9 * np.maximum(1.0, np.abs(mean)), spread, 1.0)
        inputs = np.concatenate([(contexts - mean) / spread, np.ones((len(contexts), 1))], axis=1)
        scale = shared.std(axis=(0, 1))
        scale = np.where(scale > 1e-9, scale, 1.0)
        return cls(inputs, shared / scale, mean, spread, scale)

    @property
    def rows(self) -> int:
        """Return the length of θ."""
        return int(self.shared.shape[1])

    @property
    def dimension(self) -> int:
        """Return the number of weights."""
        return int(self.shared.shape[2] + self.rows * self.inputs.shape[1])

    def split(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return w and W'."""
        d = self.shared.shape[2]
        return weights[:d], weights[d:].reshape(self.rows, -1)

    def thetas(self, weights: Floats, chosen: Ints) -> Floats:
        """Return θ of the chosen samples, a row each."""
        w, W = self.split(weights)
        found = np.einsum("mk,nk->mn", self.inputs[chosen], W)
        return np.asarray(found + np.einsum("mnd,d->mn", self.shared[chosen], w) if len(w) else found)

    def pull_back(self, gradients: Floats, chosen: Ints) -> Floats:
        """Return the gradient in the weights of gradients in θ, averaged over the chosen samples."""
        own = np.einsum("mn,mk->nk", gradients, self.inputs[chosen]).ravel()
        if self.shared.shape[2]:
            own = np.concatenate([np.einsum("mnd,mn->d", self.shared[chosen], gradients), own])
        return np.asarray(own / len(chosen))

    def regression(self, values: Floats | None, chosen: Ints) -> Floats:
        """Return the weights of least squares of values (samples, n) of the chosen samples; 0 where there are none."""
        if values is None:
            return np.zeros(self.dimension)
        w, left = np.zeros(self.shared.shape[2]), values
        if len(w):
            phi = self.shared[chosen] - self.shared[chosen].mean(axis=(0, 1))
            gram = np.einsum("mnd,mne->de", phi, phi) + RIDGE * np.eye(len(w))
            w = np.linalg.solve(gram, np.einsum("mnd,mn->d", phi, values - values.mean()))
            left = values - np.einsum("mnd,d->mn", self.shared[chosen], w)
        inputs = self.inputs[chosen]
        gram = np.einsum("mk,ml->kl", inputs, inputs) + RIDGE * np.diag([*np.ones(inputs.shape[1] - 1), 0.0])
        W = np.linalg.solve(gram, np.einsum("mk,mn->kn", inputs, left)).T
        return np.concatenate([w, W.ravel()])

    def model(self, problem: BoundProblem[Any, Any, Any], weights: Floats, provenance: dict[str, Any]) -> AffineModel:
        """Return the model of some weights: W and b in raw units of the context, shared weights in model units."""
        w, W = self.split(weights)
        matrix = W[:, :-1] / self.spread
        offset = W[:, -1] - np.einsum("nk,k->n", matrix, self.mean)
        header = problem.feature_names, w, self.feature_scale, problem.name, problem.options, provenance
        return AffineModel(*header, matrix=matrix, offset=offset)
