"""θ = f_w(x) by a network that sees how rows relate, on top of a linear model; numpy alone, no torch.

    u_i      = features, centred and clipped; positions and sizes, in an order, of the row and its neighbours; and
               the θ offsets of a graph
    h_i      = relu(A·u_i + b)
    x_i      = h_i + what its relations add (below);           h_i ← h_i + a·s(b), (a, b) = W·x_i + c     in each block
    θ_i      = ⟨w, φ_i/s⟩ + t_i + ⟨v, h_i⟩ + v_0 + Σ_k (⟨v_k, h_i⟩ + v_k0)·o_ik

In each block a row receives from its relations:

- order: taps·(h_{i−δ}, h_i, h_{i+δ}), channel by channel, δ being the block's dilation (a gated, dilated convolution);
- graph: V·(mean, maximum of h over the rows at a node), for both of its nodes; with arcs, rows out of a node and rows
  into it are pooled apart, and tail and head have a V each;
- groups: V·(mean, maximum of h over its group).

t is the first position of the order, 0 without one. o_k are its other positions less t, so that a row can be sent to
any of them, and the θ offsets of a graph. Any number of rows will do; permuted rows give θ permuted alike.

Networks may follow one another: each after the first sees the structure that the problem gives once the layer has
answered to the θ before it. It adds to the first position of that structure, or to the θ before if there is none. The
first may be silent: then the second sees the answer to the linear model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Singles
from colayer.errors import InputError
from colayer.io.validate import table
from colayer.models.inputs import scaled_features
from colayer.models.model import Model, header
from colayer.models.stage import Stage
from colayer.models.thetas import thetas
from colayer.problem.structure import Structure, has_positions


@dataclass(frozen=True, eq=False)
class ContextModel(Model):
    """A linear model and the networks on top of it that see how rows relate; `weights` are those of the linear part."""

    kind = "context"

    center: Floats = field(default_factory=lambda: np.empty(0))
    #: Relations, dilations and arrays of the first network (see `Stage`).
    relations: tuple[str, ...] = ()
    dilations: tuple[int, ...] = ()
    arrays: Mapping[str, Singles] = field(default_factory=dict)
    #: The networks after the first.
    then: tuple[Stage, ...] = ()
    #: Weights, in model units, of a linear model to try as well if safety is asked for; empty if there is none.
    fallback: Floats = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        super().__post_init__()
        d = len(self.feature_names)
        object.__setattr__(self, "center", table(self.center, "weights.center", (d,)))
        if not isinstance(self.fallback, list | np.ndarray) or len(self.fallback):
            object.__setattr__(self, "fallback", table(self.fallback, "weights.fallback", (d,)))
        object.__setattr__(self, "arrays", self._first.arrays)

    @cached_property
    def _first(self) -> Stage:
        return Stage.of(self.relations, self.dilations, self.arrays, "weights")

    @property
    def sees_structure(self) -> bool:
        """Return True: θ depends on how the rows relate."""
        return True

    @property
    def silent(self) -> bool:
        """Return whether the first network adds nothing; the later ones then start from the linear model's answer."""
        return not self.arrays

    @property
    def stages(self) -> int:
        """Return how many networks add something."""
        return len(self.then) + (not self.silent)

    @property
    def linear_fallback(self) -> Floats | None:
        """Return the raw weights of the linear model that this one was trained on top of, or beside."""
        return self.raw(self.fallback) if len(self.fallback) else None

    def correction(
        self, features: NDArray[Any], structure: Structure = (), after: Callable[[Floats], Structure] | None = None
    ) -> Floats:
        """Return what the networks add to the θ of the linear model, shape (rows,).

        `after(theta)` returns the structure once the layer has answered to θ; networks that see an answer need it.
        """
        scaled = scaled_features(features, self.feature_scale, self.center)
        added = self._first.added(scaled, structure)
        if not self.then:
            return added
        if after is None:
            raise InputError("a network that sees an answer of the layer needs the structure after it")
        linear = thetas(features, self.raw()[None, :])[0]
        for stage in self.then:
            relations = after(linear + added)
            more = stage.added(scaled, relations)
            # positions replace the linear part
            added = more - linear if has_positions(relations) else added + more
        return added

    def written_weights(self) -> dict[str, Any]:
        """Return the entry "weights" of the file; float32 as the shortest decimals."""
        return {
            "linear": self.weights.tolist(),
            **({"fallback": self.fallback.tolist()} if len(self.fallback) else {}),
            "center": self.center.tolist(),
            **self._first.written(),
            **({"then": [stage.written() for stage in self.then]} if self.then else {}),
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Return the model of a decoded JSON object."""
        known = header(document)
        weights, keys = document["weights"], {"linear", "center", "relations", "dilations", "network"}
        if not isinstance(weights, Mapping) or set(weights) - {"fallback", "then"} != keys:
            raise InputError(f"expected a JSON object with {', '.join(sorted(keys))}", where="weights")
        first, then = Stage.read(weights, "weights"), weights.get("then", [])
        named = {"relations", "dilations", "network"}
        if not isinstance(then, list) or not all(isinstance(entry, Mapping) and set(entry) <= named for entry in then):
            raise InputError(f"expected a list of JSON objects with {', '.join(sorted(named))}", where="weights.then")
        later = tuple(Stage.read(entry, f"weights.then[{k}]") for k, entry in enumerate(then))
        for k, stage in enumerate(later):
            if not stage.arrays:
                raise InputError("expected a network, only the first may be silent", where=f"weights.then[{k}]")
        linear = {"weights": weights["linear"], "fallback": weights.get("fallback", np.empty(0))}
        return cls(**known, **linear, **vars(first), center=weights["center"], then=later)


def append_stage(earlier: ContextModel, last: ContextModel) -> ContextModel:
    """Append the last model's network to the earlier ones; the earlier model's σ and portfolio are dropped."""
    stage = Stage(last.relations, last.dilations, last.arrays)
    return replace(
        earlier, then=(*earlier.then, stage), provenance=last.provenance, sigma=None, portfolio=np.empty((0, 0))
    )
