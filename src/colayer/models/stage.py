"""One network that sees how rows relate: arrays → what it adds to θ; numpy alone, no torch. See `context`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer.errors import InputError
from colayer.fields import table
from colayer.models.kernels.context import gated_add, gather_add, pool_into, product_into, shifts_add
from colayer.models.kernels.inputs import neighbours_into, plain_into, squash_all
from colayer.models.thetas import Floats
from colayer.structure import Graph, Groups, Ints, Order, Relation, Structure, order_of

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
    order = order_of(structure)
    return None if order is None else order.permutation


def offsets_of(structure: Structure) -> Floats:
    """(moments − 1, rows): the moments of an order less the first, rows in the order they stand in; or none."""
    order = order_of(structure)
    if order is None or not order.moments.shape[1]:
        return np.empty((0, 0))
    moments = order.moments[order.permutation].T
    return np.asarray(moments[1:] - moments[0])


def inputs_of(features: NDArray[Any], structure: Structure, scale: Floats, center: Floats) -> Singles:
    """u, (inputs, rows), the rows in the order they stand in, if in one."""
    order = order_of(structure)
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
class Stage:
    """The arrays of one network, checked."""

    #: What it is told of the instance, in order: keys of `RELATIONS`.
    relations: tuple[str, ...]
    dilations: tuple[int, ...]
    #: name → array: `input.matrix`, `input.bias`, `head.matrix`, `head.bias`, and of each block k `k.matrix`, `k.bias`
    #: and `k.RELATION`. The head has one row, and where rows stand in an order one more for each moment but the first.
    arrays: Mapping[str, Singles]

    @classmethod
    def of(cls, relations: tuple[str, ...], dilations: tuple[int, ...], arrays: Mapping[str, Any], where: str) -> Stage:
        """What was read, refused where it makes no network."""
        for name in relations:
            if not isinstance(name, str) or name not in RELATIONS:
                raise InputError(f"{name!r} is not known, expected {', '.join(RELATIONS)}", where=f"{where}.relations")
        if not all(type(step) is int and step >= 1 for step in dilations):
            raise InputError("expected whole numbers from 1 on", where=f"{where}.dilations")
        expected = _shapes(relations, dilations, arrays)
        if set(arrays) != set(expected):
            raise InputError(f"expected {', '.join(expected)}", where=f"{where}.network")
        checked = {
            name: np.ascontiguousarray(
                table(arrays[name], f"{where}.network.{name}", shape, read_only=False), dtype=np.float32
            )
            for name, shape in expected.items()
        }
        return cls(relations, dilations, checked)

    @cached_property
    def _padded(self) -> dict[str, tuple[Singles, Singles]]:
        """layer → its matrix, flat, and its bias, as the kernels take them; of a gate both halves alike."""
        arrays, found = self.arrays, {}
        for name in ("input", "head", *map(str, range(len(self.dilations)))):
            halves = 1 if name in ("input", "head") else 2
            found[name] = _fours(arrays[f"{name}.matrix"], arrays[f"{name}.bias"], halves)
        return found

    def correction(self, features: NDArray[Any], structure: Structure, scale: Floats, center: Floats) -> Floats:
        """What it adds to θ, where it starts from included: (rows,)."""
        if kinds_of(structure) != self.relations:
            found, expected = (", ".join(kinds) or "none" for kinds in (kinds_of(structure), self.relations))
            raise InputError(f"the structure is {found}, expected {expected}, as the model was learned")
        inputs, order = inputs_of(features, structure, scale, center), order_of(structure)
        arrays, sequence = self.arrays, sequence_of(structure)
        heads, moments = len(arrays["head.bias"]), 0 if order is None else order.moments.shape[1]
        if len(inputs) != arrays["input.matrix"].shape[1]:
            wanted = arrays["input.matrix"].shape[1]
            raise InputError(f"the structure gives {len(inputs)} inputs per row, the model expects {wanted}")
        if heads not in (1, max(1, moments)):
            raise InputError(f"the structure has {max(1, moments)} moments, the model expects {heads}")
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
        out = np.empty((heads, rows), np.float32)
        product_into(*self._padded["head"], h, out, False)
        values: Floats = out[0].astype(np.float64)
        if heads > 1:
            for share, offset in zip(out[1:], offsets_of(structure), strict=True):
                values += share * offset
        if order is None:
            return values
        back = np.empty(rows)
        back[sequence] = values
        return back + order.moments[:, 0] if moments else back

    def written(self) -> dict[str, Any]:
        """Its entries of a model file; numbers as short as float32 can be told."""
        return {
            "relations": list(self.relations),
            "dilations": list(self.dilations),
            "network": {name: _short(array) for name, array in self.arrays.items()},
        }

    @classmethod
    def read(cls, entry: Mapping[str, Any], where: str) -> Stage:
        """The network of the entries of a model file."""
        for name, kind in (("relations", list), ("dilations", list), ("network", Mapping)):
            if not isinstance(entry.get(name), kind):
                wanted = "expected a list" if kind is list else "expected a JSON object"
                raise InputError(wanted, where=f"{where}.{name}")
        return cls.of(tuple(entry["relations"]), tuple(entry["dilations"]), entry["network"], where)


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


def _shapes(
    relations: tuple[str, ...], dilations: tuple[int, ...], arrays: Mapping[str, Any]
) -> dict[str, tuple[int | None, ...]]:
    """name of an array → its shape, from the number of channels and of rows of the head."""
    channels, heads = (_length(arrays.get(name)) for name in ("input.bias", "head.bias"))
    shapes: dict[str, tuple[int | None, ...]] = {
        "input.matrix": (channels, None),
        "input.bias": (channels,),
        "head.matrix": (max(1, heads), channels),
        "head.bias": (max(1, heads),),
    }
    for k in range(len(dilations)):
        shapes[f"{k}.matrix"], shapes[f"{k}.bias"] = (2 * channels, channels), (2 * channels,)
        for name in relations:
            columns, many = RELATIONS[name]
            shapes[f"{k}.{name}"] = (channels, 3) if name == "order" else (many * channels, columns * channels)
    return shapes


def _length(values: object) -> int:
    """0 of what is no list: that is refused later, where its shape is."""
    return len(values) if isinstance(values, list | np.ndarray) and np.ndim(values) else 0


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
