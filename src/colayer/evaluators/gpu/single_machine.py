"""Single machine losses on a GPU: θ, sequences, and LS where it is the decoder."""

from __future__ import annotations

from typing import Any

import numpy as np

from colayer.evaluators.gpu.device import Device
from colayer.evaluators.gpu.stacked import Stacked, sorting
from colayer.problem import Floats
from colayer.problems.single_machine.evaluator import FusedEvaluator

_WARP = 32
_PLAIN, _WHOLE = 0, 1  # kinds of instances: any data; whole numbers that fit 32 bits
_THREADS = 128


class MachineOnGpu(Stacked):
    """See `Stacked`."""

    source = "single_machine"
    per_row = 8 + 2  # θ, a sequence

    def __init__(self, own: FusedEvaluator, device: Device) -> None:
        horizon = np.array([x.release.max() + x.processing.sum() for x in own.instances])
        fast = own.integral & (horizon < 2.0**31) & (own.decoder == "ls")
        super().__init__(own, device, np.diff(own.first), np.where(fast, _WHOLE, _PLAIN))
        self.decoder = own.decoder
        self.features = self.stacked(own._matrix, own.dimension)
        numbers, levels, releases, lengths = [], [], [], []
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
        self.number, self.level, self.r, self.p = (
            device.upload(np.concatenate(parts)) for parts in (numbers, levels, releases, lengths)
        )
        self.begins, self.scale = device.upload(self.first), device.upload(own.scales[self.order])

    def _launch(self, weights: Floats, out: Any) -> None:
        theta = self.thetas(self.features, weights, "theta")
        rows, total = len(weights), np.int64(self.total)
        orders = self.array("orders", (rows, self.total), np.uint16)
        for span in self.spans:
            count, most = span.high - span.low, np.int32(span.most)
            low = np.int32(span.low)
            values = [theta, orders, self.begins, self.number, low, total, most]
            self.device.launch(self.source, "sort_rows", (rows, count), *sorting(span.most), values)
            data = (self.r, self.p, self.scale, low)
            last = (out, np.int32(self.own.count))
            if span.kind == _WHOLE:
                warps = max(1, min(8, rows, (self.device.shared // (8 * span.most + 8)) - 1))
                grid = (-(-rows // warps), count)
                values = [orders, self.begins, self.level, *data, np.int32(rows), total, most, *last]
                shared = 8 * span.most * (1 + warps)
                self.device.launch(self.source, "descend_whole", grid, _WARP * warps, shared, values)
            else:
                grid = (-(-rows * count // _THREADS), 1)
                ls = np.int32(self.decoder == "ls")
                values = [theta, orders, self.begins, *data, np.int32(count), np.int32(rows), total, ls, *last]
                self.device.launch(self.source, "costs", grid, _THREADS, 0, values)
