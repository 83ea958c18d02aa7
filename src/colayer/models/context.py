"""θ = f_w(x) by a network that sees how rows relate, on top of a linear model; numpy alone, no torch.

    u_i      = features, centred and clipped, and for an order the moments and amounts of the row and its neighbours
    h_i      = relu(A·u_i + b)
    x_i      = h_i + what its relations say of it (below);   h_i ← h_i + a·s(b), (a, b) = W·x_i + c     in each block
    θ_i      = ⟨w, φ_i/s⟩ + t_i + ⟨v, h_i⟩ + v_0

An order says taps·(h_{i−δ}, h_i, h_{i+δ}), channel by channel, δ the dilation of the block (a gated, dilated
convolution). A graph says V·(mean, maximum of h over the rows at a node), for both nodes of a row; of arcs, rows out of
a node and rows into it count apart, and tail and head have a V each. Groups say V·(mean, maximum over the group). t is
the first moment of the order, 0 without one. Any number of rows will do; rows permuted give θ permuted alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from colayer.errors import InputError
from colayer.fields import table
from colayer.models.kernels.context import gated_add, gather_add, pool_into, product_into, shifts_add
from colayer.models.kernels.inputs import neighbours_into, plain_into, squash_all
from colayer.models.model import Model, header
from colayer.models.thetas import Floats
from colayer.structure import Graph, Groups, Ints, Order, Relation, Structure

Singles = NDArray[np.float32]

#: Centred features are clipped here, in standard deviations: beyond, a network is not to be trusted.
CLIP = 8.0
#: Places from a row to the neighbours that it is compared with.
SHIFTS = (-4, -2, -1, 1, 2, 4)
#: relation → the columns of its array per channel (times channels, but for the taps of an order), and arrays.
RELATIONS = {"order": (3, 1), "graph": (2, 1), "arcs": (4, 2), "groups": (2, 1)}


def kinds_of(structure: Structure) -> tuple[str, ...]:
    """What each relation is called in a model file."""
    names = {Order: "order", Groups: "groups"}
    return tuple(
        ("arcs" if relation.directed else "graph") if isinstance(relation, Graph) else names[type(relation)]
        for relation in structure
    )


def sequence_of(structure: Structure) -> Ints | None:
    """The rows in the order they stand in; None where they stand in none."""
    return next((relation.permutation for relation in structure if isinstance(relation, Order)), None)


def inputs_of(features: NDArray[Any], structure: Structure, scale: Floats, center: Floats) -> Singles:
    """u, (inputs, rows), the rows in the order they stand in, if in one."""
    order = next((relation for relation in structure if isinstance(relation, Order)), None)
    rows, d = features.shape
    sequence = np.empty(0, np.int64) if order is None else order.permutation
    columns = 0 if order is None else order.moments.shape[1] + order.amounts.shape[1]
    about = 0 if order is None else d * len(SHIFTS)
    if order is not None and columns:
        about = columns * (1 + len(SHIFTS)) - (order.moments.shape[1] > 0)
    inputs = np.empty((d + about, rows), np.float32)
    # copies: kernels take writable arrays
    plain_into(np.ascontiguousarray(features.T), sequence, scale.copy(), center.copy(), CLIP, inputs)
    if order is not None and columns:
        neighbours_into(order.moments, order.amounts, sequence, np.array(SHIFTS), inputs[d:])
    elif order is not None:
        plain = inputs[:d]
        for k, shift in enumerate(SHIFTS, start=1):
            inputs[k * d : (k + 1) * d] = plain[:, np.clip(np.arange(rows) + shift, 0, rows - 1)] - plain
        squash_all(inputs[d:])
    return inputs


@dataclass(frozen=True, eq=False)
class ContextModel(Model):
    """A linear model and a network on top of it that sees how rows relate; `weights` are those of the linear part."""

    kind = "context"

    center: Floats = field(default_factory=lambda: np.empty(0))
    #: What the network is told of the instance, in order: keys of `RELATIONS`.
    relations: tuple[str, ...] = ()
    dilations: tuple[int, ...] = ()
    #: name → array: `input.matrix`, `input.bias`, `head.matrix` (1, channels), `head.bias`, and of each block k
    #: `k.matrix`, `k.bias` and `k.RELATION`.
    arrays: Mapping[str, Singles] = field(default_factory=dict)
    #: Weights in model units of a linear model that is tried as well where safety is asked for; empty: none.
    fallback: Floats = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        super().__post_init__()
        d = len(self.feature_names)
        object.__setattr__(self, "center", table(self.center, "weights.center", (d,)))
        if len(self.fallback):
            object.__setattr__(self, "fallback", table(self.fallback, "weights.fallback", (d,)))
        for name in self.relations:
            if name not in RELATIONS:
                raise InputError(f"{name!r} is not known, expected {', '.join(RELATIONS)}", where="weights.relations")
        if not all(type(step) is int and step >= 1 for step in self.dilations):
            raise InputError("expected whole numbers from 1 on", where="weights.dilations")
        expected = _shapes(self)
        if set(self.arrays) != set(expected):
            raise InputError(f"expected {', '.join(expected)}", where="weights.network")
        checked = {
            name: np.ascontiguousarray(
                table(self.arrays[name], f"weights.network.{name}", shape, read_only=False), dtype=np.float32
            )
            for name, shape in expected.items()
        }
        object.__setattr__(self, "arrays", checked)

    @property
    def sees_structure(self) -> bool:
        """It does."""
        return True

    @property
    def linear_fallback(self) -> Floats | None:
        """The linear model that it was learned on top of, or beside."""
        return self.raw(self.fallback) if len(self.fallback) else None

    @cached_property
    def _padded(self) -> dict[str, tuple[Singles, Singles]]:
        """layer → its matrix, flat, and its bias, as the kernels take them; of a gate both halves alike."""
        arrays, found = self.arrays, {}
        for name in ("input", "head", *map(str, range(len(self.dilations)))):
            halves = 1 if name in ("input", "head") else 2
            found[name] = _fours(arrays[f"{name}.matrix"], arrays[f"{name}.bias"], halves)
        return found

    def correction(self, features: NDArray[Any], structure: Structure = ()) -> Floats:
        """What the network adds to the θ of the linear model: (rows,)."""
        if kinds_of(structure) != self.relations:
            found, expected = (", ".join(kinds) or "none" for kinds in (kinds_of(structure), self.relations))
            raise InputError(f"the structure is {found}, expected {expected}, as the model was learned")
        inputs = inputs_of(features, structure, self.feature_scale, self.center)
        arrays, sequence = self.arrays, sequence_of(structure)
        if len(inputs) != arrays["input.matrix"].shape[1]:
            wanted = arrays["input.matrix"].shape[1]
            raise InputError(f"the structure gives {len(inputs)} inputs per row, the model expects {wanted}")
        rows, channels = inputs.shape[1], len(arrays["input.bias"])
        h = np.empty((channels, rows), np.float32)
        product_into(*self._padded["input"], inputs, h, True)
        views = [_Cells.of(relation, sequence) for relation in structure]
        x = np.empty_like(h)
        for k, dilation in enumerate(self.dilations):
            x[:] = h
            for name, view in zip(self.relations, views, strict=True):
                array = arrays[f"{k}.{name}"]
                if view is None:
                    shifts_add(h, array, dilation, x)
                else:
                    view.say(h, array, x)
            gated_add(*self._padded[str(k)], x, h)
        out = np.empty((1, rows), np.float32)
        product_into(*self._padded["head"], h, out, False)
        values: Floats = out[0].astype(np.float64)
        if sequence is None:
            return values
        back = np.empty(rows)
        back[sequence] = values
        moments = next(relation.moments for relation in structure if isinstance(relation, Order))
        return back + moments[:, 0] if moments.shape[1] else back

    def written_weights(self) -> dict[str, Any]:
        """The entry "weights" of the file; numbers of the network as short as float32 can be told."""
        return {
            "linear": self.weights.tolist(),
            **({"fallback": self.fallback.tolist()} if len(self.fallback) else {}),
            "center": self.center.tolist(),
            "relations": list(self.relations),
            "dilations": list(self.dilations),
            "network": {name: _short(array) for name, array in self.arrays.items()},
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """The model of a decoded JSON object."""
        known = header(document)
        weights, keys = document["weights"], {"linear", "center", "relations", "dilations", "network"}
        if not isinstance(weights, Mapping) or set(weights) - {"fallback"} != keys:
            raise InputError(f"expected a JSON object with {', '.join(sorted(keys))}", where="weights")
        for name, kind in (("relations", list), ("dilations", list), ("network", Mapping)):
            if not isinstance(weights[name], kind):
                wanted = "expected a list" if kind is list else "expected a JSON object"
                raise InputError(wanted, where=f"weights.{name}")
        return cls(
            weights=weights["linear"],
            center=weights["center"],
            relations=tuple(weights["relations"]),
            dilations=tuple(weights["dilations"]),
            arrays=weights["network"],
            fallback=weights.get("fallback", np.empty(0)),
            **known,
        )


def cells_of(relation: Relation, sequence: Ints | None) -> tuple[tuple[Ints, ...], int]:
    """The nodes (tail and head), or the group, of each row, and how many there are; rows in the order they stand in."""
    if isinstance(relation, Graph):
        ends: tuple[Ints, ...] = (relation.tail, relation.head)
        count = relation.nodes
    elif isinstance(relation, Groups):
        ends, count = (relation.labels,), relation.count
    else:
        return (), 0
    return ends if sequence is None else tuple(end[sequence] for end in ends), count


@dataclass(frozen=True, eq=False)
class _Cells:
    """The nodes, or groups, of one relation, and the cells each row is in."""

    ends: tuple[Ints, ...]
    counts: tuple[Ints, ...]
    directed: bool

    @classmethod
    def of(cls, relation: Relation, sequence: Ints | None) -> _Cells | None:
        """None of an order."""
        if isinstance(relation, Order):
            return None
        ends, count = cells_of(relation, sequence)
        counts = tuple(np.bincount(end, minlength=count) for end in ends)
        return cls(ends, counts, isinstance(relation, Graph) and relation.directed)

    def say(self, h: Singles, array: Singles, x: Singles) -> None:
        """Add to x what the cells of each row say."""
        channels, count = len(h), len(self.counts[0])
        silent = np.zeros(channels, np.float32)
        if len(self.ends) == 2 and not self.directed:  # one pool of both ends
            both = np.concatenate(self.ends)
            states = np.empty((2 * channels, count), np.float32)
            pool_into(np.concatenate([h, h], axis=1), both, self.counts[0] + self.counts[1], states)
            parts = [array, array]
        else:
            states = np.empty((2 * channels * len(self.ends), count), np.float32)
            for k, (end, size) in enumerate(zip(self.ends, self.counts, strict=True)):
                pool_into(h, end, size, states[2 * channels * k : 2 * channels * (k + 1)])
            parts = np.split(array, len(self.ends))
        for end, part in zip(self.ends, parts, strict=True):
            said = np.empty((channels, count), np.float32)
            product_into(*_fours(part, silent), states, said, False)
            gather_add(said, end, x)


def _shapes(model: ContextModel) -> dict[str, tuple[int | None, ...]]:
    """name of an array → its shape, from the number of channels."""
    channels = len(model.arrays.get("input.bias", ()))
    shapes: dict[str, tuple[int | None, ...]] = {
        "input.matrix": (channels, None),
        "input.bias": (channels,),
        "head.matrix": (1, channels),
        "head.bias": (1,),
    }
    for k in range(len(model.dilations)):
        shapes[f"{k}.matrix"], shapes[f"{k}.bias"] = (2 * channels, channels), (2 * channels,)
        for name in model.relations:
            columns, arrays = RELATIONS[name]
            shapes[f"{k}.{name}"] = (channels, 3) if name == "order" else (arrays * channels, columns * channels)
    return shapes


def _fours(matrix: Singles, bias: Singles, halves: int = 1) -> tuple[Singles, Singles]:
    """A matrix, flat, and its bias, with zeros so that outputs (of each half) and inputs are multiples of four."""
    outputs, inputs = matrix.shape
    each, more = outputs // halves, -(outputs // halves) % 4
    wide = np.pad(matrix.reshape(halves, each, inputs), ((0, 0), (0, more), (0, -inputs % 4)))
    return wide.ravel(), np.pad(bias.reshape(halves, each), ((0, 0), (0, more))).ravel()


def _short(array: Singles) -> Any:
    """Nested lists of the shortest decimals that read as the same float32."""
    if array.ndim > 1:
        return [_short(row) for row in array]
    return [float(str(value)) for value in array]
