"""The easy problems, usable on their own: functions on arrays, and objects with one interface, θ → y (see `layer`)."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from colayer.layers.assignment import Assignment
    from colayer.layers.knapsack import Knapsack
    from colayer.layers.layer import Layer
    from colayer.layers.linear_program import LinearProgram
    from colayer.layers.multi_knapsack import MultiKnapsack
    from colayer.layers.path_cover import PathCover
    from colayer.layers.shortest_path import ShortestPath
    from colayer.layers.sorting import Sorting
    from colayer.layers.spanning_tree import MinimumSpanningTree
    from colayer.layers.top_k import TopK

__all__ = [
    "Assignment",
    "Knapsack",
    "Layer",
    "LinearProgram",
    "MinimumSpanningTree",
    "MultiKnapsack",
    "PathCover",
    "ShortestPath",
    "Sorting",
    "TopK",
]

# imported on first use, so that a layer brings no kernels but its own
_HOMES = {"MinimumSpanningTree": "spanning_tree"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'colayer.layers' has no attribute {name!r}")
    home = _HOMES.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return getattr(importlib.import_module(f"colayer.layers.{home}"), name)
