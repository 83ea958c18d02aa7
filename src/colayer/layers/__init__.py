"""The easy problems, usable on their own: functions on arrays, and objects with one interface, θ → y (see `layer`)."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from colayer.layers.assignment import Assignment
    from colayer.layers.knapsack import Knapsack
    from colayer.layers.layer import Layer
    from colayer.layers.linear_program import LinearProgram
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
    "PathCover",
    "ShortestPath",
    "Sorting",
    "TopK",
]

# name → module, imported on first use, so that a layer brings no kernels but its own
_HOMES = {
    "Assignment": "assignment",
    "Knapsack": "knapsack",
    "Layer": "layer",
    "LinearProgram": "linear_program",
    "MinimumSpanningTree": "spanning_tree",
    "PathCover": "path_cover",
    "ShortestPath": "shortest_path",
    "Sorting": "sorting",
    "TopK": "top_k",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'colayer.layers' has no attribute {name!r}")
    return getattr(importlib.import_module(f"colayer.layers.{_HOMES[name]}"), name)
