"""The two-stage spanning tree problem."""

from colayer.problems.spanning_tree.instance import (
    GRAPHS,
    PAPER_SCENARIOS,
    PAPER_SECOND_MAX,
    PAPER_WIDTHS,
    Instance,
)
from colayer.problems.spanning_tree.problem import SpanningTree
from colayer.problems.spanning_tree.solution import Solution

__all__ = [
    "GRAPHS",
    "PAPER_SCENARIOS",
    "PAPER_SECOND_MAX",
    "PAPER_WIDTHS",
    "Instance",
    "Solution",
    "SpanningTree",
]
