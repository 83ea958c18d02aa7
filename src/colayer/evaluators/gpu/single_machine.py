"""Single machine losses on a GPU: θ, sequences, and the decoders LS and RDI."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.evaluators.gpu.device import Device
from colayer.evaluators.gpu.stacked import Span, Stacked, sorting
from colayer.problems.single_machine.evaluator import FusedEvaluator
from colayer.problems.single_machine.kernels.rdi import TOLERANCE

_WARP = 32
_PLAIN, _WIDE, _NARROW = 0, 1, 2  # kinds of instances: any data; whole numbers that fit `Wide`; that fit `Narrow`
_BYTES = {_WIDE: 12, _NARROW: 6}  # of a job in LS
_WARPS, _THREADS = 8, 64  # of a block: at most, in kernels with a warp and with a thread per schedule
_BLOCKS = 32  # on one processor of the device, at most; fewer warps per block wait less for the slowest of them
_CROWD = 1 << 13  # warps that the processors of a large device run side by side
_SCRATCH = 48  # bytes per job and thread in the kernels of RDI


class MachineOnGpu(Stacked):
    """See `Stacked`."""

    per_row = 8 + 2  # θ, a sequence

    def __init__(self, own: FusedEvaluator, device: Device) -> None:
        horizon = np.array([x.release.max() + x.processing.sum() for x in own.instances])
        longest = np.array([x.processing.max() for x in own.instances])
        narrow = (horizon < 2.0**20) & (longest < 2.0**8)
        whole = own.integral & (horizon < 2.0**31)
        rdi = own.decoder == "rdi"
        self.source = "rdi" if rdi else "single_machine"
        if rdi:
            self.per_row = 8 + 2 + 2 + _SCRATCH  # the sequence after LS, too
        super().__init__(own, device, np.diff(own.first), np.where(whole, np.where(narrow, _NARROW, _WIDE), _PLAIN))
        self.decoder = own.decoder
        self.features = self.stacked(own._matrix, own.dimension)
        numbers, levels, releases, lengths, tolerances = [], [], [], [], []
        for x in self.order:
            r, p = own.instances[x].arrays
            jobs = np.lexsort((r, p))  # by (p, r, index)
            number = np.empty(len(jobs), np.uint16)
            number[jobs] = np.arange(len(jobs))
            r, p = r[jobs], p[jobs]
            numbers.append(number)
            levels.append(np.concatenate([[0], np.cumsum((np.diff(p) != 0) | (np.diff(r) != 0))]).astype(np.uint16))
            releases.append(r)
            lengths.append(p)
            tolerances.append(TOLERANCE * float(np.cumsum(p)[-1] / len(p)))  # summed in order, as by the kernel
        self.number, self.level, self.r, self.p = (
            device.upload(np.concatenate(parts)) for parts in (numbers, levels, releases, lengths)
        )
        self.begins, self.scale = device.upload(self.first), device.upload(own.scales[self.order])

        if rdi:
            self.tolerance, self.true = device.upload(np.array(tolerances)), device.empty((self.total,), np.uint16)
            memory = device.empty((self.total, _SCRATCH), np.uint8)
            for span in self.spans:
                count = span.high - span.low
                values = [self.true, self.begins, self.r, self.p, self.tolerance, np.int32(span.low), np.int32(count)]
                grid = (-(-count // _WARP), 1)
                device.launch(self.source, "rdi_true", grid, _WARP, 0, [*values, memory])

    def _launch(self, weights: Floats, out: Any) -> None:
        theta = self.thetas(self.features, weights, "theta")
        shape = len(weights), self.total
        orders = self.array("orders", shape, np.uint16)
        rdi = self.decoder == "rdi"
        levels = self.array("levels", shape, np.uint16) if rdi else orders
        memory = self.array("memory", (*shape, _SCRATCH), np.uint8) if rdi else None
        rows, total = np.int32(len(weights)), np.int64(self.total)
        end = (out, np.int32(self.own.count))
        data = (self.r, self.p, self.scale)

        def decode(span: Span) -> None:
            low, count, most = np.int32(span.low), np.int32(span.high - span.low), np.int32(span.most)
            grid, whole = (len(weights), int(count)), span.kind != _PLAIN
            place = [low, total, most]
            if whole and self.decoder == "none":
                values = [theta, self.begins, self.number, *data, *place, *end]
                self.device.launch(self.source, "sorted_costs", grid, *sorting(span.most), values)
                return
            values = [theta, orders, self.begins, self.number, *place]
            self.device.launch(self.source, "sort_rows", grid, *sorting(span.most), values)
            if whole:
                room = span.most + span.most % 2
                each, narrow = _BYTES[span.kind] * room, np.int32(span.kind == _NARROW)
                warps = max(1, min(_WARPS, len(weights), self.device.shared // (_BLOCKS * each)))
                grid = (-(-len(weights) // warps), int(count))
                values = [orders, self.begins, self.level, *data, low, rows, total, np.int32(room), narrow]
                values += [levels, np.int32(rdi), *end]
                self.device.launch(self.source, "descend_whole", grid, _WARP * warps, each * warps, values)
            schedules = len(weights) * int(count)
            grid = (-(-schedules // _THREADS), 1)
            if rdi:
                spread = _spread(schedules)
                grid = (-(-schedules * spread // _THREADS), 1)
                values = [
                    orders, levels, self.begins, self.level, *data, self.tolerance, self.true, low, count, rows, total,
                    np.int32(whole), np.int32(spread), memory, *end,
                ]  # fmt: skip
                self.device.launch(self.source, "rdi_rows", grid, _THREADS, 0, values)
            elif not whole:
                ls = np.int32(self.decoder == "ls")
                values = [theta, orders, self.begins, *data, low, count, rows, total, ls, *end]
                self.device.launch(self.source, "costs", grid, _THREADS, 0, values)

        self.device.side_by_side([partial(decode, span) for span in self.spans])


def _spread(schedules: int) -> int:
    """The lanes of a warp per schedule where these part ways at every step: more, the fewer the schedules are."""
    spread = 1
    while spread < _WARP and 2 * spread * schedules <= _WARP * _CROWD:
        spread *= 2
    return spread
