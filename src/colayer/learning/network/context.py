"""A network that sees context as a torch module; `ContextModel` is what it becomes once it is trained.

Instances of any sizes are packed: their rows one after another, their nodes and groups numbered through.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from colayer._runtime.arrays import Singles
from colayer.models.context import ContextModel
from colayer.models.inputs import offsets_of, sequence_of
from colayer.models.stage import RELATIONS, cells_of
from colayer.problem.structure import Order, Structure


@dataclass(frozen=True, eq=False)
class Cells:
    """Nodes or groups of packed instances: the cells of each row, end by end."""

    ends: tuple[torch.Tensor, ...]
    count: int


@dataclass(frozen=True, eq=False)
class Packed:
    """Rows of several instances, one after another, each instance in the order its rows stand in."""

    inputs: torch.Tensor  # (rows, inputs)
    #: The place of each row in its instance, and how many rows that has.
    place: torch.Tensor
    length: torch.Tensor
    #: For each relation, None of an order.
    cells: tuple[Cells | None, ...]
    #: (rows, ·): what multiples of can be added to θ.
    offsets: torch.Tensor


def pack(inputs: Sequence[Singles], structures: Sequence[Structure], device: str = "cpu") -> Packed:
    """Pack instances into one; `inputs` are those of `inputs_of`, (inputs, rows) each."""
    sizes = [one.shape[1] for one in inputs]
    length = np.repeat(sizes, sizes)
    place = np.concatenate([np.arange(size) for size in sizes])
    cells: list[Cells | None] = []
    for k, first in enumerate(structures[0]):
        if isinstance(first, Order):
            cells.append(None)
            continue
        parts: list[list[NDArray[np.int64]]] = []
        count = 0
        for structure in structures:
            ends, own = cells_of(structure[k], sequence_of(structure))
            parts.append([count + end for end in ends])
            count += own
        packed = [np.concatenate(end) for end in zip(*parts, strict=True)]
        cells.append(Cells(tuple(torch.from_numpy(end).to(device) for end in packed), count))
    return Packed(
        torch.from_numpy(np.ascontiguousarray(np.concatenate([one.T for one in inputs]))).to(device),
        torch.from_numpy(place).to(device),
        torch.from_numpy(length).to(device),
        tuple(cells),
        torch.from_numpy(np.concatenate([_offsets(*pair) for pair in zip(structures, sizes, strict=True)])).to(device),
    )


def _offsets(structure: Structure, rows: int) -> Singles:
    """Return what multiples of can be added to θ, (rows, ·)."""
    return offsets_of(structure).T.reshape(rows, -1).astype(np.float32)


class ContextNetwork(torch.nn.Module):
    """Packed rows → what is added to θ, without t: gain times what the head says; see `colayer.models.context`. It
    starts at 0. `units` are the sizes of what multiples of can be added to θ, none if no head is to say how many.

    The gain is the size of a change of θ that matters, so that one learning rate serves every problem.
    """

    _shares: torch.Tensor

    def __init__(
        self,
        inputs: int,
        relations: tuple[str, ...],
        channels: int,
        dilations: tuple[int, ...],
        gain: float,
        seed: int,
        units: Sequence[float] = (),
    ) -> None:
        super().__init__()
        heads = 1 + len(units)
        self.shares = np.array([1.0, *(1.0 / unit for unit in units)], dtype=np.float32)
        self.register_buffer("_shares", torch.from_numpy(self.shares[1:]), persistent=False)
        self.relations, self.dilations, self.gain = relations, dilations, gain
        generator = torch.Generator().manual_seed(seed)

        def drawn(rows: int, columns: int, share: float) -> torch.nn.Parameter:
            return torch.nn.Parameter(share / math.sqrt(columns) * torch.randn(rows, columns, generator=generator))

        arrays = {
            "input.matrix": drawn(channels, inputs, 1.4),
            "input.bias": torch.nn.Parameter(torch.zeros(channels)),
            "head.matrix": torch.nn.Parameter(torch.zeros(heads, channels)),
            "head.bias": torch.nn.Parameter(torch.zeros(heads)),
        }
        for k in range(len(dilations)):
            arrays[f"{k}.matrix"] = drawn(2 * channels, channels, 1.0)
            arrays[f"{k}.bias"] = torch.nn.Parameter(torch.zeros(2 * channels))
            for name in relations:
                columns, many = RELATIONS[name]
                width = 3 if name == "order" else columns * channels
                arrays[f"{k}.{name}"] = drawn(channels * many, width, 0.7)
        # a dot is not allowed in the names of a ParameterDict
        self.arrays = torch.nn.ParameterDict({name.replace(".", "_"): array for name, array in arrays.items()})
        self._names = tuple(arrays)

    def _array(self, name: str) -> torch.Tensor:
        array: torch.Tensor = self.arrays[name.replace(".", "_")]
        return array

    def forward(self, packed: Packed) -> torch.Tensor:
        """Return what is added to θ, (rows,)."""
        linear = torch.nn.functional.linear
        h = torch.relu(linear(packed.inputs, self._array("input.matrix"), self._array("input.bias")))
        channels = h.shape[1]
        for k, dilation in enumerate(self.dilations):
            x = h
            for name, cells in zip(self.relations, packed.cells, strict=True):
                array = self._array(f"{k}.{name}")
                x = x + (_shifts(h, array, dilation, packed) if cells is None else _said(h, array, cells, name))
            z = linear(x, self._array(f"{k}.matrix"), self._array(f"{k}.bias"))
            gate = z[:, channels:]
            h = h + z[:, :channels] * (0.5 + 0.5 * gate / (1.0 + gate.abs()))
        out: torch.Tensor = linear(h, self._array("head.matrix"), self._array("head.bias"))
        added = out[:, 0]
        if out.shape[1] > 1:
            added = added + (out[:, 1:] * self._shares * packed.offsets).sum(dim=1)
        return self.gain * added

    def state(self) -> dict[str, Singles]:
        """Return name → array, as the file of a model has them, but for the gain."""
        return self.named(list(self.parameters()))

    def named(self, values: Sequence[torch.Tensor]) -> dict[str, Singles]:
        """Return name → array of values in the order of the parameters."""
        found = dict(zip(self.arrays.keys(), values, strict=True))
        return {name: found[name.replace(".", "_")].detach().cpu().numpy().copy() for name in self._names}

    def model(self, state: dict[str, Singles], **described: Any) -> ContextModel:
        """Return the numpy model of a state; `described` are its other fields (names, scale, weights, …)."""
        arrays = dict(state)
        sizes = np.float32(self.gain) * self.shares
        arrays["head.matrix"], arrays["head.bias"] = sizes[:, None] * arrays["head.matrix"], sizes * arrays["head.bias"]
        return ContextModel(relations=self.relations, dilations=self.dilations, arrays=arrays, **described)


def _shifts(h: torch.Tensor, taps: torch.Tensor, dilation: int, packed: Packed) -> torch.Tensor:
    """Return taps·(h_{i−δ}, h_i, h_{i+δ}), 0 beyond an end of the instance."""
    total = h * taps[:, 1]
    if dilation >= len(h):
        return total
    before = (packed.place >= dilation)[dilation:, None] * h[:-dilation]
    after = (packed.place + dilation < packed.length)[:-dilation, None] * h[dilation:]
    pad = torch.nn.functional.pad
    return total + pad(before * taps[:, 0], (0, 0, dilation, 0)) + pad(after * taps[:, 2], (0, 0, 0, dilation))


def _said(h: torch.Tensor, array: torch.Tensor, cells: Cells, name: str) -> torch.Tensor:
    """Return V·(mean, maximum over each cell), for every cell of a row."""
    if name == "graph":
        states = _pool(torch.cat([h, h]), torch.cat(cells.ends), cells.count)
        parts: Sequence[torch.Tensor] = (array,) * 2
    else:
        states = torch.cat([_pool(h, end, cells.count) for end in cells.ends], dim=1)
        parts = torch.chunk(array, len(cells.ends))
    said = [(states @ part.T)[end] for end, part in zip(cells.ends, parts, strict=True)]
    return said[0] if len(said) == 1 else said[0] + said[1]


def _pool(h: torch.Tensor, labels: torch.Tensor, count: int) -> torch.Tensor:
    """Return mean and maximum over the rows of each cell, (count, 2·channels); 0 where it has none."""
    sizes = torch.bincount(labels, minlength=count).clamp(min=1)[:, None]
    zero = torch.zeros(count, h.shape[1], device=h.device, dtype=h.dtype)
    mean = zero.index_add(0, labels, h) / sizes
    most = zero.scatter_reduce(0, labels[:, None].expand_as(h), h, "amax", include_self=False)
    return torch.cat([mean, most], dim=1)
