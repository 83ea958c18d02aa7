"""θ = f_w(x) by a network that sees how rows relate, on top of a linear model; numpy alone, no torch.

    u_i      = features, centred and clipped; of an order moments and amounts of the row and its neighbours; and the
               amounts of a graph
    h_i      = relu(A·u_i + b)
    x_i      = h_i + what its relations say of it (below);   h_i ← h_i + a·s(b), (a, b) = W·x_i + c     in each block
    θ_i      = ⟨w, φ_i/s⟩ + t_i + ⟨v, h_i⟩ + v_0 + Σ_k (⟨v_k, h_i⟩ + v_k0)·o_ik

An order says taps·(h_{i−δ}, h_i, h_{i+δ}), channel by channel, δ the dilation of the block (a gated, dilated
convolution). A graph says V·(mean, maximum of h over the rows at a node), for both nodes of a row; of arcs, rows out of
a node and rows into it count apart, and tail and head have a V each. Groups say V·(mean, maximum over the group). t is
the first moment of the order, 0 without one. o_k are its other moments less t, so that a row can be sent to any of
them, and the amounts of a graph. Any number of rows will do; rows permuted give θ permuted alike.

Several networks may follow one another: each after the first is told the structure that the problem gives once the
layer has answered to the θ before it. It adds to the first moment of that, or where there is none to the θ before. The
first may be silent: then the second looks at what the linear model makes.
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
from colayer.models.inputs import plain_of
from colayer.models.model import Model, header
from colayer.models.stage import Stage
from colayer.models.thetas import thetas
from colayer.problem.structure import Structure, anchored


@dataclass(frozen=True, eq=False)
class ContextModel(Model):
    """A linear model and networks on top of it that see how rows relate; `weights` are those of the linear part."""

    kind = "context"

    center: Floats = field(default_factory=lambda: np.empty(0))
    #: Of the first network, as the two that follow (see `Stage`).
    relations: tuple[str, ...] = ()
    dilations: tuple[int, ...] = ()
    arrays: Mapping[str, Singles] = field(default_factory=dict)
    #: The networks after it.
    then: tuple[Stage, ...] = ()
    #: Weights in model units of a linear model that is tried as well where safety is asked for; empty: none.
    fallback: Floats = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        super().__post_init__()
        d = len(self.feature_names)
        object.__setattr__(self, "center", table(self.center, "weights.center", (d,)))
        if len(self.fallback):
            object.__setattr__(self, "fallback", table(self.fallback, "weights.fallback", (d,)))
        object.__setattr__(self, "arrays", self._first.arrays)

    @cached_property
    def _first(self) -> Stage:
        return Stage.of(self.relations, self.dilations, self.arrays, "weights")

    @property
    def sees_structure(self) -> bool:
        """It does."""
        return True

    @property
    def silent(self) -> bool:
        """Whether the first network says nothing: those after it look at what the linear model makes, to begin with."""
        return not self.arrays

    @property
    def stages(self) -> int:
        """How many networks say something."""
        return len(self.then) + (not self.silent)

    @property
    def linear_fallback(self) -> Floats | None:
        """The linear model that it was learned on top of, or beside."""
        return self.raw(self.fallback) if len(self.fallback) else None

    def correction(
        self, features: NDArray[Any], structure: Structure = (), after: Callable[[Floats], Structure] | None = None
    ) -> Floats:
        """What the networks add to the θ of the linear model: (rows,).

        `after` of θ is the structure once the layer has answered to it; networks that look at an answer need it.
        """
        plain = plain_of(features, self.feature_scale, self.center)
        added = self._first.added(plain, structure)
        if not self.then:
            return added
        if after is None:
            raise InputError("a network that looks at an answer of the layer needs the structure after it")
        linear = thetas(features, self.raw()[None, :])[0]
        for stage in self.then:
            seen = after(linear + added)
            said = stage.added(plain, seen)
            added = said - linear if anchored(seen) else added + said  # moments stand alone, without the linear part
        return added

    def written_weights(self) -> dict[str, Any]:
        """The entry "weights" of the file; numbers of the network as short as float32 can be told."""
        return {
            "linear": self.weights.tolist(),
            **({"fallback": self.fallback.tolist()} if len(self.fallback) else {}),
            "center": self.center.tolist(),
            **self._first.written(),
            **({"then": [stage.written() for stage in self.then]} if self.then else {}),
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """The model of a decoded JSON object."""
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
        return cls(
            weights=weights["linear"],
            center=weights["center"],
            relations=first.relations,
            dilations=first.dilations,
            arrays=first.arrays,
            then=later,
            fallback=weights.get("fallback", np.empty(0)),
            **known,
        )


def followed(earlier: ContextModel, last: ContextModel) -> ContextModel:
    """The earlier networks, then that of the last model; σ and portfolio, which were those of the earlier, are gone."""
    stage = Stage(last.relations, last.dilations, last.arrays)
    return replace(
        earlier, then=(*earlier.then, stage), provenance=last.provenance, sigma=None, portfolio=np.empty((0, 0))
    )
