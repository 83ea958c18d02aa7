"""One network that sees how rows relate: arrays → what it adds to θ; numpy alone, no torch. See `context`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer.errors import InputError
from colayer.io.validate import table
from colayer.models.inputs import assemble_inputs, plain_of, seen_of, sequence_of
from colayer.models.kernels.context import answer_into, blocks_add, gather_add, pool_into, product_into
from colayer.models.kernels.product import FOUR
from colayer.problem.structure import Graph, Groups, Order, Relation, Structure

#: relation → the columns of its array per channel (times channels, but for the taps of an order), and arrays.
RELATIONS = {"order": (3, 1), "graph": (2, 1), "arcs": (4, 2), "groups": (2, 1)}
_NOTHING = np.empty((0, 0), np.float32)


def kinds_of(structure: Structure) -> tuple[str, ...]:
    """What each relation is called in a model file."""
    names = {Order: "order", Groups: "groups"}
    return tuple(
        ("arcs" if relation.directed else "graph") if isinstance(relation, Graph) else names[type(relation)]
        for relation in structure
    )


@dataclass(frozen=True, eq=False)
class Stage:
    """The arrays of one network, checked; without any it is silent, and θ stays that of the linear model."""

    #: What it is told of the instance, in order: keys of `RELATIONS`.
    relations: tuple[str, ...]
    dilations: tuple[int, ...]
    #: name → array: `input.matrix`, `input.bias`, `head.matrix`, `head.bias`, and of each block k `k.matrix`, `k.bias`
    #: and `k.RELATION`. The head has one row, and may have one more for each moment of an order but the first and each
    #: amount of a graph.
    arrays: Mapping[str, Singles]

    @classmethod
    def of(cls, relations: tuple[str, ...], dilations: tuple[int, ...], arrays: Mapping[str, Any], where: str) -> Stage:
        """What was read, refused where it makes no network."""
        for name in relations:
            if not isinstance(name, str) or name not in RELATIONS:
                raise InputError(f"{name!r} is not known, expected {', '.join(RELATIONS)}", where=f"{where}.relations")
        if not all(type(step) is int and step >= 1 for step in dilations):
            raise InputError("expected whole numbers from 1 on", where=f"{where}.dilations")
        if not arrays and not relations and not dilations:
            return cls((), (), {})
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
    def _ends(self) -> tuple[tuple[Singles, Singles], tuple[Singles, Singles]]:
        """Matrix and bias of the input and of the head, as `product_into` takes them."""
        arrays = self.arrays
        first, last = (_fours(arrays[f"{name}.matrix"], arrays[f"{name}.bias"]) for name in ("input", "head"))
        return first, last

    @cached_property
    def _blocks(self) -> tuple[Singles, Singles, Singles, Ints]:
        """The arrays of all blocks, as `blocks_add` takes them; no taps where rows stand in no order."""
        arrays, blocks, none = self.arrays, len(self.dilations), np.empty((0, 3), np.float32)
        gates = [_fours(arrays[f"{k}.matrix"], arrays[f"{k}.bias"], 2) for k in range(blocks)]
        taps = [arrays.get(f"{k}.order", none) for k in range(blocks)]
        matrices, biases = (np.array(part) for part in zip(*gates, strict=True))
        return matrices, biases, np.array(taps), np.array(self.dilations)

    def correction(self, features: NDArray[Any], structure: Structure, scale: Floats, center: Floats) -> Floats:
        """What it adds to θ, where it starts from included: (rows,)."""
        return self.added(plain_of(features, scale, center), structure)

    def added(self, plain: Singles, structure: Structure) -> Floats:
        """The same, of what `plain_of` gives, which is the same for all stages."""
        rows = plain.shape[1]
        if not self.arrays:
            return np.zeros(rows)
        if kinds_of(structure) != self.relations:
            found, expected = (", ".join(kinds) or "none" for kinds in (kinds_of(structure), self.relations))
            raise InputError(f"the structure is {found}, expected {expected}, as the model was learned")
        seen = seen_of(structure)
        inputs = assemble_inputs(plain, seen)
        channels, wanted = self.arrays["input.matrix"].shape
        if len(inputs) != wanted:
            raise InputError(f"the structure gives {len(inputs)} inputs per row, the model expects {wanted}")
        heads, offsets = len(self.arrays["head.bias"]), max(len(seen.moments) - 1, 0) + len(seen.amounts)
        if heads not in (1, 1 + offsets):
            raise InputError(f"the structure gives {offsets} numbers to add to θ, the model expects {heads - 1}")
        h = np.empty((channels, rows), np.float32)
        first, last = self._ends
        product_into(*first, inputs, h, True)
        self._through(h, structure)
        said = np.empty((heads, rows), np.float32)
        product_into(*last, h, said, False)
        theta = np.empty(rows)
        answer_into(said, seen.moments, seen.amounts, seen.sequence, theta)
        return theta

    def _through(self, h: Singles, structure: Structure) -> None:
        """h after all blocks; at once, where no cells have something to say between them."""
        sequence = sequence_of(structure)
        spare = _NOTHING if sequence is None else np.empty_like(h)
        views = [
            (name, _Cells.of(relation, sequence))
            for name, relation in zip(self.relations, structure, strict=True)
            if not isinstance(relation, Order)
        ]
        if self.dilations and not views:
            blocks_add(*self._blocks, h, h, spare)
            return
        x = np.empty_like(h)
        for k in range(len(self.dilations)):
            x[:] = h
            for name, view in views:
                view.say(h, self.arrays[f"{k}.{name}"], x)
            blocks_add(*(part[k : k + 1] for part in self._blocks), x, h, spare)

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
    def of(cls, relation: Graph | Groups, sequence: Ints | None) -> _Cells:
        """Those of a relation, rows in the order they stand in."""
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
    """A matrix and its bias as `tile_product` takes them, with zeros so that outputs (of each half) come in fours."""
    outputs, inputs = matrix.shape
    each, more = outputs // halves, -(outputs // halves) % FOUR
    wide = np.pad(matrix.reshape(halves, each, inputs), ((0, 0), (0, more), (0, 0)))
    by_fours = wide.reshape(-1, FOUR, inputs).transpose(0, 2, 1)
    return by_fours.ravel(), np.pad(bias.reshape(halves, each), ((0, 0), (0, more))).ravel()


def _short(array: Singles) -> Any:
    """Nested lists of the shortest decimals that read as the same float32."""
    if array.ndim > 1:
        return [_short(row) for row in array]
    return [float(str(value)) for value in array]
