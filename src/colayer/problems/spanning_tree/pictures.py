"""A picture of a solution on its graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from colayer._runtime.arrays import Floats
from colayer._runtime.text import counted
from colayer.errors import InputError
from colayer.problems.spanning_tree.cost import cost
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.solution import Solution

FIRST, SECOND, UNUSED, INK = "#0072B2", "#E69F00", "#D9DDE2", "#333333"

#: Up to this many nodes, those that have names carry them.
LABELLED = 40
#: Up to this many nodes, a graph that is no grid is laid out by springs: all pairs of nodes repel each other.
SPRINGS = 400


def draw(solution: Solution, instance: Instance, scenario: int = 0, ax: Axes | None = None) -> Axes:
    """Draw the graph with the first-stage forest and its completion in one scenario; the other edges are faint.

    A grid is drawn as one; other graphs are laid out by their smoothest coordinates, small ones then by springs.
    """
    if not 0 <= scenario < instance.scenarios:
        raise InputError(f"{scenario} is out of range, expected 0 to {instance.scenarios - 1}", where="scenario")
    total = cost(solution, instance)
    at = positions(instance)
    n = instance.nodes
    if ax is None:
        ax = Figure(figsize=(6.0, 6.4), layout="constrained").subplots()
    first, second = solution.first_stage, solution.second_stage[scenario]
    used = np.zeros(instance.edge_count, dtype=bool)
    used[first] = used[second] = True
    width = float(np.clip(36 / np.sqrt(n), 0.9, 3.6))
    for edges, colour, share, label in (
        (np.flatnonzero(~used), UNUSED, 0.45, "not used"),
        (second, SECOND, 0.8, f"second stage, scenario {scenario + 1} of {instance.scenarios}"),
        (first, FIRST, 1.0, "first stage"),
    ):
        lines = LineCollection(list(at[instance.edges[edges]]), colors=colour, linewidths=share * width)
        lines.set(capstyle="round", zorder=1 + share, label=f"{label}: {counted(len(edges), 'edge')}")
        ax.add_collection(lines)
    rim: dict[str, Any] = {"color": "white", "edgecolors": INK, "linewidths": min(0.8, 0.3 * width)}
    ax.scatter(at[:, 0], at[:, 1], s=(1.6 * width) ** 2, zorder=3, **rim)
    if instance.names is not None and n <= LABELLED:
        for name, place in zip(instance.names, at, strict=True):
            shift: dict[str, Any] = {"xytext": (5, 5), "textcoords": "offset points", "fontsize": 8.5, "color": INK}
            ax.annotate(str(name), place, **shift).set_parse_math(False)
    ax.margins(0.04)
    ax.set_aspect("equal")
    ax.set_axis_off()
    graph = f"{n:,} nodes, {counted(instance.edge_count, 'edge')}"
    ax.set_title(f"{graph}:  cost {total:,.8g}", loc="left", fontsize=10.5, color=INK)
    legend: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0.0, 0.0), "ncols": 1, "fontsize": 8.5}
    ax.legend(*(part[::-1] for part in ax.get_legend_handles_labels()), frameon=False, borderaxespad=0.2, **legend)
    return ax


def positions(instance: Instance) -> Floats:
    """Return where to draw the nodes, (nodes, 2); a function of the graph alone."""
    width = _grid_width(instance)
    if width:
        row, column = np.divmod(np.arange(instance.nodes), width)
        return np.column_stack([column, -row]).astype(float)
    smooth = _smooth(instance)
    if instance.nodes <= SPRINGS:
        return _springs(smooth, instance)
    return np.argsort(np.argsort(smooth, axis=0, kind="stable"), axis=0, kind="stable").astype(float)  # spread evenly


def _grid_width(instance: Instance) -> int:
    """Return the width of the squarest grid whose nodes are numbered row by row; 0 if the graph is no grid."""
    n = instance.nodes
    low, high = instance.edges.min(axis=1), instance.edges.max(axis=1)
    widths = [width for width in range(2, n + 1) if n % width == 0]
    for width in sorted(widths, key=lambda width: abs(width - n / width)):
        if np.all((high - low == width) | ((high - low == 1) & (high % width != 0))):
            return width
    return 0


def _smooth(instance: Instance) -> Floats:
    """Return two coordinates that differ little along edges, by orthogonal iteration on the lazy random walk."""
    u, v = instance.edges.T
    degree = np.bincount(np.concatenate([u, v]), minlength=instance.nodes).astype(float)
    ones = np.sqrt(degree / degree.sum())
    at: Floats = np.random.default_rng(0).normal(size=(instance.nodes, 2))
    for _ in range(300):
        at -= np.outer(ones, ones @ at)
        if instance.nodes > 2:
            at = np.linalg.qr(at)[0]
        scaled = at / np.sqrt(degree)[:, None]
        pulled = np.zeros_like(at)
        np.add.at(pulled, u, scaled[v])
        np.add.at(pulled, v, scaled[u])
        at = 0.5 * at + 0.5 * pulled / np.sqrt(degree)[:, None]
    at = at / np.sqrt(degree)[:, None]
    at -= at.mean(axis=0)
    spread: Floats = np.abs(at).max(axis=0) + 1e-300
    return np.asarray(at / spread)


def _springs(at: Floats, instance: Instance) -> Floats:
    """Relax the positions with springs along edges and repulsion between all nodes (Fruchterman and Reingold 1991)."""
    n = instance.nodes
    u, v = instance.edges.T
    length = 2.0 / np.sqrt(n)
    for heat in np.linspace(0.1, 0.002, 150):
        apart = at[:, None, :] - at[None, :, :]
        distance = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 1e-3)
        force = (apart * (length / distance)[..., None] ** 2).sum(axis=1)
        pull = (at[u] - at[v]) * (np.hypot(*(at[u] - at[v]).T) / length)[:, None]
        np.add.at(force, u, -pull)
        np.add.at(force, v, pull)
        size = np.maximum(np.hypot(force[:, 0], force[:, 1]), 1e-12)
        at = at + force / size[:, None] * np.minimum(size, heat)[:, None]
    return at
