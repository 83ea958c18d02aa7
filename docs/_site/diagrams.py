"""The pipeline pictures: `python docs/_site/diagrams.py` draws x → θ → y → z → cost, a small instance per problem.

Nothing is invented: instances are drawn by seed, θ, y, z and the cost come from the shipped weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from colayer import Pipeline
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#3B9BD6", "#7A7F87", "#8B5FBF")
NOW, LATER, INK, SOFT, LINE = COLOURS[0], COLOURS[1], "#1d2127", "#5b6470", "#c9ced6"
#: Panels and the arrows between them, in pixels.
WIDE, HIGH, ARROW, EDGE, TOP = 132, 118, 66, 8, 34
SANS = "font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif\""


def text(x: float, y: float, words: str, size: float = 12, colour: str = INK, **more: Any) -> str:
    """A line of text, centred where nothing else is said."""
    rest = " ".join(f'{key.replace("_", "-")}="{value}"' for key, value in {"text_anchor": "middle", **more}.items())
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" {rest}>{escape(words)}</text>'


def line(a: Sequence[float], b: Sequence[float], colour: str, width: float = 1.5, **more: Any) -> str:
    """A straight stroke with round ends."""
    rest = " ".join(f'{key.replace("_", "-")}="{value}"' for key, value in more.items())
    ends = f'x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width:.1f}" stroke-linecap="round" {rest}/>'


def box(x: float, y: float, width: float, height: float, colour: str, round_by: float = 2.5) -> str:
    """A filled bar."""
    size = f'width="{max(width, 1.0):.1f}" height="{height:.1f}"'
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size} rx="{round_by}" fill="{colour}"/>'


def dot(x: float, y: float, radius: float = 3.2, fill: str = "#ffffff") -> str:
    """A node."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}" stroke="{INK}" stroke-width="1.2"/>'


def number(cost: float, unit: str) -> str:
    """The last panel: the cost."""
    size = 24 if len(f"{cost:,.6g}") < 7 else 20
    amount = text(WIDE / 2, HIGH / 2 + 4, f"{cost:,.6g}", size, font_weight=600)
    return amount + text(WIDE / 2, HIGH / 2 + 24, unit, 11, SOFT)


def strip(
    panels: Sequence[tuple[str, str, str]], arrows: Sequence[tuple[str, str]], extra: str = "", high: float = 0
) -> str:
    """Panels (symbol, drawing, caption) in a row, with an arrow (verb, detail) between any two."""
    width = 2 * EDGE + len(panels) * WIDE + (len(panels) - 1) * ARROW
    height = TOP + HIGH + 40 + high
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {SANS}>',
        f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{SOFT}"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for k, (symbol, drawing, caption) in enumerate(panels):
        left = EDGE + k * (WIDE + ARROW)
        parts += [
            f'<rect x="{left}" y="{TOP}" width="{WIDE}" height="{HIGH}" rx="9" fill="#fbfcfd" stroke="{LINE}"/>',
            text(left + WIDE / 2, TOP - 12, symbol, 16, font_style="italic", font_weight=600),
            f'<g transform="translate({left} {TOP})">{drawing}</g>',
            text(left + WIDE / 2, TOP + HIGH + 20, caption, 12, SOFT),
        ]
        if k < len(arrows):
            verb, detail = arrows[k]
            start, middle = left + WIDE, TOP + HIGH / 2
            parts += [
                line((start + 7, middle), (start + ARROW - 8, middle), SOFT, 1.5, marker_end="url(#tip)"),
                text(start + ARROW / 2, middle - 9, verb, 11.5),
                text(start + ARROW / 2, middle + 18, detail, 11, SOFT),
            ]
    return "\n".join([*parts, extra, "</svg>", ""])


def theta_of(pipeline: Pipeline, instance: Any) -> np.ndarray:
    """θ of the pipeline's own weights."""
    return pipeline.problem.features(instance).astype(np.float64) @ pipeline.model.raw()


def single_machine() -> str:
    """Jobs as bars from their release, sorted by θ, then on the machine."""
    problem = SingleMachine(decoder="ls")
    instance = problem.generate(seed=8, jobs=6, rho=0.8)
    pipeline = Pipeline(problem)
    theta = theta_of(pipeline, instance)
    y = problem.layer(theta, instance)
    z = problem.decode(y, instance)
    release, processing = instance.arrays
    moment, starts = 0.0, {}
    for j in z:
        starts[j] = max(moment, release[j])
        moment = starts[j] + processing[j]
    scale = (WIDE - 20) / max(moment, (release + processing).max())

    def rows(draw: Callable[[int, float], str]) -> str:
        return "".join(draw(j, 12 + 16.5 * j) for j in range(6))

    low, high = theta.min(), theta.max()
    x_panel = rows(lambda j, top: box(10 + scale * release[j], top, scale * processing[j], 10, COLOURS[j]))
    theta_panel = rows(lambda j, top: box(10, top, 8 + (WIDE - 30) * (theta[j] - low) / (high - low), 10, COLOURS[j]))

    def order(sequence: Any) -> str:
        return "".join(
            box(14 + 18 * k, HIGH / 2 - 12, 14, 24, COLOURS[j]) + text(21 + 18 * k, HIGH / 2 + 4, str(j), 11, "#ffffff")
            for k, j in enumerate(sequence)
        )

    z_panel = line((8, HIGH / 2 + 16), (WIDE - 8, HIGH / 2 + 16), LINE) + "".join(
        box(10 + scale * starts[j], HIGH / 2 - 12, scale * processing[j] - 1, 24, COLOURS[j]) for j in z
    )
    return strip(
        [
            ("x", x_panel, "jobs from release"),
            ("θ", theta_panel, "a number per job"),
            ("y", order(y), "a sequence"),
            ("z", z_panel, "a schedule"),
            ("C", number(problem.cost(z, instance), "sum of completions"), "cost"),
        ],
        [("features", "66 · w"), ("layer", "sort"), ("decoder", "ls, rdi"), ("cost", "Σ C_j")],
    )


def spanning_tree() -> str:
    """A grid; edges weighed for now (blue) or later (orange); a tree of both; its completion in two scenarios."""
    problem = SpanningTree()
    instance = problem.generate(seed=3, width=4, scenarios=2)
    pipeline = Pipeline(problem)
    theta = theta_of(pipeline, instance)
    stages = problem.layer(theta, instance)
    solution = problem.decode(stages, instance)
    u, v = instance.arrays[:2]
    m = instance.edge_count

    def grid(paint: Callable[[int], tuple[str, float]], left: float, top: float, side: float, radius: float) -> str:
        places = [(left + side * (k % 4) / 3, top + side * (k // 4) / 3) for k in range(16)]
        strokes = "".join(line(places[u[e]], places[v[e]], *paint(e)) for e in range(m))
        return strokes + "".join(dot(*place, radius) for place in places)

    cheap = np.minimum(theta[:m], theta[m:])
    rank = np.argsort(np.argsort(-cheap)) / (m - 1)

    def scenario(s: int) -> Callable[[int], tuple[str, float]]:
        first, second = set(solution.first_stage), set(solution.second_stage[s])
        return lambda e: (NOW, 2.2) if e in first else (LATER, 2.2) if e in second else (LINE, 0.8)

    def stage(e: int) -> tuple[str, float]:
        return (LINE, 1.0) if not stages[e] else (NOW if stages[e] == 1 else LATER, 3)

    square, big = 84.0, ((WIDE - 84) / 2, (HIGH - 84) / 2)
    return strip(
        [
            ("x", grid(lambda e: (SOFT, 1.3), *big, square, 3.2), "graph, costs c, d"),
            ("θ", grid(lambda e: (NOW if theta[e] <= theta[m + e] else LATER, 0.7 + 4 * rank[e]), *big, square, 2.6),
             "c̄, d̄ of each edge"),
            ("y", grid(stage, *big, square, 3.2), "a tree: now, later"),
            ("z", grid(scenario(0), 11, 34, 48, 2) + grid(scenario(1), 73, 34, 48, 2), "E₁ and each E_s"),
            ("C", number(problem.cost(solution, instance), "c(E₁) + mean d_s(E_s)"), "cost"),
        ],
        [("features", "69 · w"), ("layer", "Kruskal"), ("decoder", "complete"), ("cost", "mean")],
    )  # fmt: skip


def vehicle_scheduling() -> str:
    """Tasks in time; arcs by their θ; routes; each with its delays."""
    problem = VehicleScheduling(decoder="ls")
    instance = problem.generate(seed=46, tasks=9, scenarios=10)  # where the decoder finds better routes
    pipeline = Pipeline(problem)
    theta = theta_of(pipeline, instance)
    y = problem.layer(theta, instance)
    z = problem.decode(y, instance)
    begin, end = np.asarray(instance.begin), np.asarray(instance.end)
    scale = (WIDE - 20) / (end.max() - begin.min())
    at = 10 + scale * (begin - begin.min())
    long = scale * (end - begin)
    starts, heads = instance.arcs[0], instance.arcs[1]
    tails = np.repeat(np.arange(instance.tasks), np.diff(starts))
    between = theta[: len(heads)]
    rank = np.argsort(np.argsort(-between)) / max(1, len(between) - 1)

    def tasks(rows: Sequence[float], colours: Sequence[str]) -> str:
        return "".join(box(at[t], rows[t], long[t], 7, colours[t]) for t in range(len(at)))

    apart = [8 + 11.6 * t for t in range(len(at))]
    arcs = "".join(
        line((at[a] + long[a], apart[a] + 3.5), (at[b], apart[b] + 3.5), COLOURS[0], 0.3 + 2.2 * r**3, opacity=0.75)
        for a, b, r in zip(tails, heads, rank, strict=True)
    )

    def routes(found: Any) -> str:
        listed = [list(route) for route in problem.write_solution(found, instance)["routes"]]
        row, colour = np.zeros(len(at)), [INK] * len(at)
        for k, route in enumerate(listed):
            for t in route:
                row[t] = (HIGH - 18 * len(listed)) / 2 + 18 * k + 5
                colour[t] = COLOURS[k % len(COLOURS)]
        joined = "".join(
            line((at[a] + long[a], row[a] + 3.5), (at[b], row[b] + 3.5), colour[a], 1.2)
            for route in listed
            for a, b in pairwise(route)
        )
        return joined + tasks(row, colour)

    return strip(
        [
            ("x", tasks(apart, [SOFT] * len(at)), "tasks, scenarios"),
            ("θ", arcs + tasks(apart, [LINE] * len(at)), "a cost per arc"),
            ("y", routes(y), "a path cover"),
            ("z", routes(z), "routes"),
            ("C", number(problem.cost(z, instance), "vehicles and delays"), "cost"),
        ],
        [("features", "30 · w"), ("layer", "path cover"), ("decoder", "none, ls"), ("cost", "mean")],
    )


def frame() -> str:
    """The frame, in words, with the loop that learns."""

    def words(*lines: str) -> str:
        top = HIGH / 2 + 5 - 19 * (len(lines) - 1) / 2
        return "".join(text(WIDE / 2, top + 19 * k, each, 13) for k, each in enumerate(lines))

    theta, cost = EDGE + WIDE + ARROW / 2, EDGE + 4 * (WIDE + ARROW) + WIDE / 2
    low = TOP + HIGH + 62
    loop = (
        f'<path d="M{cost} {TOP + HIGH + 30} V{low - 12} Q{cost} {low} {cost - 12} {low} H{theta + 12} '
        f'Q{theta} {low} {theta} {low - 12} V{TOP + HIGH / 2 + 30}" fill="none" stroke="{COLOURS[2]}" '
        f'stroke-width="1.8" stroke-dasharray="5 4" marker-end="url(#tip)"/>'
    )
    what = "learning: the weights w of least mean cost over the training instances"
    said = text((theta + cost) / 2, low - 9, what, 13, "#0a7455")
    return strip(
        [
            ("x", words("an instance", "of the hard", "problem"), "instance"),
            ("θ", words("costs of an", "easy instance", "θ = f_w(x)"), "one number per dimension"),
            ("y", words("its optimum", "argmin g(y, θ)"), "easy solution"),
            ("z", words("a solution", "of the hard", "problem"), "solution"),
            ("C", words("what it", "really costs", "C(z, x)"), "cost"),
        ],
        [("features", "φ(x) · w"), ("layer", "exact, fast"), ("decoder", "h"), ("cost", "C")],
        loop + said,
        42,
    )


def draw(folder: Path) -> None:
    """All of them."""
    for picture in (frame, single_machine, spanning_tree, vehicle_scheduling):
        stem = "pipeline" if picture is frame else f"pipeline_{picture.__name__}"
        (folder / f"{stem}.svg").write_text(picture(), "utf-8")


if __name__ == "__main__":
    draw(Path(__file__).parent.parent / "images")
