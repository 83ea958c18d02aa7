"""Spanning tree losses on a GPU: θ of both stages, the layer's tree, and its completions."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.evaluators.gpu.device import Device
from colayer.evaluators.gpu.stacked import Span, Stacked, sorting
from colayer.problems.spanning_tree.evaluator import FusedEvaluator


class TreeOnGpu(Stacked):
    """See `Stacked`; a row of features is an edge, once for each stage."""

    source = "spanning_tree"
    per_row = 2 * 8  # θ of both stages

    def __init__(self, own: FusedEvaluator, device: Device) -> None:
        super().__init__(own, device, np.diff(own.edge), np.zeros(own.count, np.int64))
        order, self.first_stage = self.order, own.first_stage
        self.bars = [
            self.stacked(lambda x, k=k: own._rows(x)[k], features)  # type: ignore[misc]
            for k, features in enumerate((own.first_stage, own.dimension - own.first_stage))
        ]
        edges = [slice(own.edge[x], own.edge[x + 1]) for x in order]
        trees = [slice(own.tree[x], own.tree[x + 1]) for x in order]
        tree = np.concatenate([[0], np.cumsum(np.diff(own.tree)[order])])
        whole = np.array([own.instances[x].integral for x in order], dtype=np.uint8)
        self.data = [
            device.upload(np.ascontiguousarray(values))
            for values in (
                self.first,
                np.concatenate([own.u[part] for part in edges]).astype(np.int32),
                np.concatenate([own.v[part] for part in edges]).astype(np.int32),
                np.concatenate([own.first[part] for part in edges]),
                tree,
                np.concatenate([own.ends[part] for part in trees]),
                np.concatenate([own.costs[part] for part in trees]),
                own.nodes[order].astype(np.int32),
                own.nothing[order],
                whole,
            )
        ]

    def _launch(self, weights: Floats, out: Any) -> None:
        parts = weights[:, : self.first_stage], weights[:, self.first_stage :]
        bars = [
            self.thetas(features, part, f"theta{k}")
            for k, (features, part) in enumerate(zip(self.bars, parts, strict=True))
        ]

        def decode(span: Span) -> None:
            grid = (len(weights), span.high - span.low)
            place = [np.int32(span.low), np.int64(self.total), np.int32(span.most)]
            values = [*bars, *self.data, *place, out, np.int32(self.own.count)]
            self.device.launch(self.source, "trees", grid, *sorting(span.most), values)

        self.device.side_by_side([partial(decode, span) for span in self.spans])
