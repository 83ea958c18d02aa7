"""One network that sees how rows relate, in numpy: from its arrays to what it adds to θ. See `context`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer.errors import InputError
from colayer.io.validate import table
from colayer.models.inputs import assemble_inputs, relation_arrays, sequence_of
from colayer.models.kernels.context import blocks_add, gather_add, pool_into, product_into, theta_into
from colayer.models.kernels.product import FOUR
from colayer.problem.structure import Graph, Groups, Order, Relation, Structure

#: relation → columns of its array per channel (times channels, except for the taps of an order), number of arrays.
RELATIONS = {"order": (3, 1), "graph": (2, 1), "arcs": (4, 2), "groups": (2, 1)}
#: The largest dilation: no instance has so many rows.
FARTHEST = 2**31 - 1
_NOTHING = np.empty((0, 0), np.float32)


def kinds_of(structure: Structure) -> tuple[str, ...]:
    """Return the name of each relation in a model file."""
    names = {Order: "order", Groups: "groups"}
    return tuple(
        ("arcs" if relation.directed else "graph") if isinstance(relation, Graph) else names[type(relation)]
        for relation in structure
    )


@dataclass(frozen=True, eq=False)
class Stage:
    """The checked arrays of one network; without any it adds nothing, and θ stays that of the linear model."""

    #: The relations it sees, in order: keys of `RELATIONS`.
    relations: tuple[str, ...]
    dilations: tuple[int, ...]
    #: name → array: `input.matrix`, `input.bias`, `head.matrix`, `head.bias`, and of each block k `k.matrix`, `k.bias`
    #: and `k.RELATION`. The head has one row, and may have one more for each position of an order but the first and
    #: each θ offset of a graph.
    arrays: Mapping[str, Singles]

    @classmethod
    def of(cls, relations: tuple[str, ...], dilations: tuple[int, ...], arrays: Mapping[str, Any], where: str) -> Stage:
        """Check arrays that were read and return the network they make."""
        for name in relations:
            if not isinstance(name, str) or name not in RELATIONS:
                raise InputError(f"{name!r} is not known, expected {', '.join(RELATIONS)}", where=f"{where}.relations")
        if not all(type(step) is int and 1 <= step <= FARTHEST for step in dilations):
            raise InputError(f"expected whole numbers from 1 to {FARTHEST}", where=f"{where}.dilations")
        if not arrays and not relations and not dilations:
            return cls((), (), {})
        expected = _shapes(relations, dilations, arrays)
        if set(arrays) != set(expected):
            raise InputError(f"expected {', '.join(expected)}", where=f"{where}.network")
        checked = {
            name: table(arrays[name], f"{where}.network.{name}", shape).astype(np.float32)
            for name, shape in expected.items()
        }
        return cls(relations, dilations, checked)

    @cached_property
    def _ends(self) -> tuple[tuple[Singles, Singles], tuple[Singles, Singles]]:
        """Return matrix and bias of the input and of the head, in the form of `product_into`."""
        arrays = self.arrays
        first, last = (_pad_to_fours(arrays[f"{name}.matrix"], arrays[f"{name}.bias"]) for name in ("input", "head"))
        return first, last

    @cached_property
    def _blocks(self) -> tuple[Singles, Singles, Singles, Ints]:
        """Return the arrays of all blocks in the form of `blocks_add`; taps are empty if rows have no order."""
        arrays, blocks, none = self.arrays, len(self.dilations), np.empty((0, 3), np.float32)
        gates = [_pad_to_fours(arrays[f"{k}.matrix"], arrays[f"{k}.bias"], 2) for k in range(blocks)]
        taps = [arrays.get(f"{k}.order", none) for k in range(blocks)]
        matrices, biases = (np.array(part) for part in zip(*gates, strict=True))
        return matrices, biases, np.array(taps), np.array(self.dilations)

    def added(self, scaled: Singles, structure: Structure) -> Floats:
        """Return what the network adds to θ, its starting point included, shape (rows,); `scaled` are the features."""
        rows = scaled.shape[1]
        if not self.arrays:
            return np.zeros(rows)
        if kinds_of(structure) != self.relations:
            found, expected = (", ".join(kinds) or "none" for kinds in (kinds_of(structure), self.relations))
            raise InputError(f"the structure is {found}, expected {expected}, as the model was learned")
        numbers = relation_arrays(structure)
        inputs = assemble_inputs(scaled, numbers)
        channels, wanted = self.arrays["input.matrix"].shape
        if len(inputs) != wanted:
            raise InputError(f"the structure gives {len(inputs)} inputs per row, the model expects {wanted}")
        heads, offsets = len(self.arrays["head.bias"]), max(len(numbers.positions) - 1, 0) + len(numbers.theta_offsets)
        if heads not in (1, 1 + offsets):
            raise InputError(f"the structure gives {offsets} numbers to add to θ, the model expects {heads - 1}")
        h = np.empty((channels, rows), np.float32)
        first, last = self._ends
        product_into(*first, inputs, h, True)
        self._apply_blocks(h, structure)
        outputs = np.empty((heads, rows), np.float32)
        product_into(*last, h, outputs, False)
        theta = np.empty(rows)
        theta_into(outputs, numbers.positions, numbers.theta_offsets, numbers.sequence, theta)
        return theta

    def _apply_blocks(self, h: Singles, structure: Structure) -> None:
        """Update h by all blocks, in one call if no cells come between them."""
        sequence = sequence_of(structure)
        spare = _NOTHING if sequence is None else np.empty_like(h)
        pooled = [(name, *cells_of(r, sequence)) for name, r in zip(self.relations, structure, strict=True)]
        pooled = [relation for relation in pooled if relation[0] != "order"]
        if self.dilations and not pooled:
            blocks_add(*self._blocks, h, h, spare)
            return
        x = np.empty_like(h)
        for k in range(len(self.dilations)):
            x[:] = h
            for name, ends, count in pooled:
                _add_pooled(h, ends, count, name == "graph", self.arrays[f"{k}.{name}"], x)
            blocks_add(*(part[k : k + 1] for part in self._blocks), x, h, spare)

    def written(self) -> dict[str, Any]:
        """Return the network's entries of a model file, as the shortest decimals that give the same float32."""
        return {
            "relations": list(self.relations),
            "dilations": list(self.dilations),
            "network": {name: _short(array) for name, array in self.arrays.items()},
        }

    @classmethod
    def read(cls, entry: Mapping[str, Any], where: str) -> Stage:
        """Return the network of the entries of a model file."""
        for name, kind, what in (("relations", list, "list"), ("dilations", list, "list"), ("network", dict, "object")):
            if not isinstance(entry.get(name), kind):
                raise InputError(f"expected a JSON {what}", where=f"{where}.{name}")
        return cls.of(tuple(entry["relations"]), tuple(entry["dilations"]), entry["network"], where)


def cells_of(relation: Relation, sequence: Ints | None) -> tuple[tuple[Ints, ...], int]:
    """Return the nodes (tail and head) or the group of each row, rows in their order, and the number of cells."""
    if isinstance(relation, Graph):
        ends: tuple[Ints, ...] = (relation.tail, relation.head)
        count = relation.nodes
        if count > 2 * relation.rows:  # nodes without rows count for nothing
            used, cells = np.unique(np.concatenate(ends), return_inverse=True)
            ends, count = (cells[: relation.rows], cells[relation.rows :]), len(used)
    elif isinstance(relation, Groups):
        ends, count = (relation.labels,), relation.count
    else:
        return (), 0
    return ends if sequence is None else tuple(end[sequence] for end in ends), count


def _add_pooled(h: Singles, ends: tuple[Ints, ...], count: int, together: bool, array: Singles, x: Singles) -> None:
    """Add to x the pooled states of the cells of each row, times `array`; `together` pools both ends at once."""
    channels, silent = len(h), np.zeros(len(h), np.float32)
    pools = [(np.concatenate([h, h], axis=1), np.concatenate(ends))] if together else [(h, end) for end in ends]
    states = np.empty((2 * channels * len(pools), count), np.float32)
    for k, (rows, cells) in enumerate(pools):
        sizes = np.bincount(cells, minlength=count)
        pool_into(rows, cells, sizes, states[2 * channels * k : 2 * channels * (k + 1)])
    for end, part in zip(ends, [array, array] if together else np.split(array, len(ends)), strict=True):
        outputs = np.empty((channels, count), np.float32)
        product_into(*_pad_to_fours(part, silent), states, outputs, False)
        gather_add(outputs, end, x)


def _shapes(
    relations: tuple[str, ...], dilations: tuple[int, ...], arrays: Mapping[str, Any]
) -> dict[str, tuple[int | None, ...]]:
    """Return the shape of each named array, from the number of channels and of outputs."""
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
    """Return the length of a list, 0 for anything else: the check of shapes refuses it later."""
    return len(values) if isinstance(values, list | np.ndarray) and np.ndim(values) else 0


def _pad_to_fours(matrix: Singles, bias: Singles, halves: int = 1) -> tuple[Singles, Singles]:
    """Lay out a matrix and its bias for `tile_product`, padded with zeros to outputs (of each half) in fours."""
    outputs, inputs = matrix.shape
    each, more = outputs // halves, -(outputs // halves) % FOUR
    wide = np.pad(matrix.reshape(halves, each, inputs), ((0, 0), (0, more), (0, 0)))
    by_fours = wide.reshape(-1, FOUR, inputs).transpose(0, 2, 1)
    return by_fours.ravel(), np.pad(bias.reshape(halves, each), ((0, 0), (0, more))).ravel()


def _short(array: Singles) -> Any:
    """Return nested lists of the shortest decimals that give the same float32."""
    if array.ndim > 1:
        return [_short(row) for row in array]
    return [float(str(value)) for value in array]
