"""The picture of a day, hour by hour: `python docs/_site/day.py` writes docs/images/day.svg, without scripts.

One frame per hour, then the whole day. A reader who asks for less motion, and a program that knows no animation, sees
the last one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_hex

from colayer import Pipeline
from colayer.problems import DynamicVehicleScheduling

SIZE, TOP, SEED, SECONDS = 420, 74, 0, 2.2
INK, FAINT, MUST = "#333333", "#B8C1CA", "#D55E00"


def frames(decisions: Any, day: Any, problem: Any, said: str) -> tuple[str, list[str]]:
    """Return the city, and the marks of each hour and of the whole day."""
    points = day.city.points - day.city.points.min(axis=0)
    points = 16 + (SIZE - 32) * points / points.max()
    points[:, 1] += TOP
    colours = [to_hex(colour) for colour in colormaps["viridis"](np.linspace(0.0, 0.85, day.city.epochs))]
    city = "".join(dot(x, y, 1.2, FAINT) for x, y in points[1:])
    depot = f'<rect x="{points[0, 0] - 5:.1f}" y="{points[0, 1] - 5:.1f}" width="10" height="10" fill="{INK}"/>'
    found, past, hours, sent = [], "", 0.0, 0
    state = problem.start(day)
    for decision in decisions:
        now = ""
        for route in decision:
            line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points[[0, *day.location[list(route)], 0]])
            now += f'<polyline class="WHEN" points="{line}" stroke="{colours[state.epoch]}"/>'
        open_ = "".join(
            ring(*points[place], MUST if must else INK) for place, must in zip(state.location, state.must, strict=True)
        )
        count, must, epoch = len(state.open), int(state.must.sum()), state.epoch
        cost, after = problem.step(state, decision)
        hours, sent = hours + cost / 3600.0, sent + len(decision)
        words = f"{count} open, {must} must go; {len(decision)} routes leave", f"{hours:.1f} hours driven so far"
        found.append(past.replace("WHEN", "past") + now.replace("WHEN", "now") + open_
                     + text(f"{epoch + 1}:00", *words))  # fmt: skip
        past += now
        state = after
    whole = f"{day.requests} requests on {sent} routes, {hours:.1f} hours driven"
    return city + depot, [*found, past.replace("WHEN", "now") + text("The day", whole, said)]


def dot(x: float, y: float, radius: float, colour: str) -> str:
    """Return a dot."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}"/>'


def ring(x: float, y: float, colour: str) -> str:
    """Return a ring: an open request."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="#fff" stroke="{colour}" stroke-width="2"/>'


def text(head: str, first: str, second: str) -> str:
    """Return the three lines above the map."""
    return (f'<text x="10" y="24" class="head">{head}</text><text x="10" y="45">{first}</text>'
            f'<text x="10" y="64">{second}</text>')  # fmt: skip


def animation(city: str, shown: list[str]) -> str:
    """Return the frames as an SVG file, one after the other; the last stays for three times as long."""
    slots = len(shown) + 2
    total = SECONDS * slots
    rules = [
        f".f{k}{{animation:show{k} {total:.1f}s infinite step-end}}"
        f"@keyframes show{k}{{0%{{opacity:0}}{100 * k / slots:.3f}%{{opacity:1}}"
        + (f"{100 * (k + 1) / slots:.3f}%{{opacity:0}}" if k < len(shown) - 1 else "")
        + "}"
        for k in range(len(shown))
    ]
    rules[0] = rules[0].replace("0%{opacity:0}0.000%", "0%")
    style = (
        "text{font:15px system-ui,sans-serif;fill:#333}.head{font-weight:700;font-size:18px}"
        "polyline{fill:none;stroke-width:2;stroke-linejoin:round}.past{opacity:.16}"
        f".f{{opacity:0}}.f{len(shown) - 1}{{opacity:1}}"
        f"@media (prefers-reduced-motion:no-preference){{{''.join(rules)}}}"
    )
    groups = "".join(f'<g class="f f{k}">{frame}</g>' for k, frame in enumerate(shown))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE + TOP}" '
        f'width="{SIZE}" height="{SIZE + TOP}">'
        f"<title>A day of dynamic vehicle scheduling, hour by hour</title><style>{style}</style>{city}{groups}</svg>\n"
    )


if __name__ == "__main__":
    problem = DynamicVehicleScheduling()
    day = problem.generate(SEED)
    solved = Pipeline(problem).solve(day)
    rule = Pipeline(problem, weights=problem.safe_weights).solve(day, bound=False)
    assert solved.bound is not None
    said = f"prize+wait {rule.cost / 3600:.1f}, hindsight {solved.bound / 3600:.1f} hours"
    drawn = animation(*frames(solved.decisions, day, problem, said))
    (Path(__file__).parent.parent / "images" / "day.svg").write_text(drawn, "utf-8")
