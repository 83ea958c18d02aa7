"""Labels that stand beside what they name, instead of a legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes

#: Left, lower, right and upper end, in points.
Box = tuple[float, float, float, float]

SIZE = 8.5
#: A line of text in points, and the mean width of a letter as a share of its size.
LINE, LETTER = 1.25 * SIZE, 0.56


@dataclass(frozen=True)
class Label:
    """A coloured text beside the point (x, y) of the data."""

    x: float
    y: float
    text: str
    colour: str


def at_ends(ax: Axes, labels: Sequence[Label]) -> None:
    """Put labels to the right of the axes, at the ends of their lines, moved so that none overlap.

    Call it once the scales are set: heights are those of the axes as they are now.
    """
    if not labels:
        return
    height = ax.get_window_extent().height * 72.0 / ax.get_figure(root=True).dpi  # type: ignore[union-attr]
    wanted = [(float(ax.transAxes.inverted().transform(ax.transData.transform((e.x, e.y)))[1]), e) for e in labels]
    wanted.sort(key=lambda each: each[0])
    places = spread([place for place, _ in wanted], LINE / height)
    for place, (at, label) in zip(places, wanted, strict=True):
        style: dict[str, Any] = {"transform": ax.transAxes, "fontsize": SIZE, "color": label.colour, "va": "center"}
        ax.text(1.035, place, label.text, **style).set_parse_math(False)
        ax.plot(
            [1.0, 1.03], [at, place], transform=ax.transAxes, color=label.colour, lw=0.7, clip_on=False, label="_leader"
        )


def spread(wanted: Sequence[float], distance: float) -> list[float]:
    """Return increasing places near the wanted ones, which increase, at least `apart`; within 0..1 if there is room.

    >>> spread([0.5, 0.5, 0.9], 0.25)
    [0.375, 0.625, 0.9]
    """
    groups = [[place] for place in wanted]  # neighbours that overlap share their mean place
    while True:
        centres = [sum(group) / len(group) for group in groups]
        halves = [distance * (len(group) - 1) / 2 for group in groups]
        for k, (a, b) in enumerate(pairwise(range(len(groups)))):
            if centres[b] - halves[b] - centres[a] - halves[a] < distance - 1e-12:
                groups[k : k + 2] = [groups[a] + groups[b]]
                break
        else:
            break
    places = [
        c - h + distance * i for c, h, group in zip(centres, halves, groups, strict=True) for i in range(len(group))
    ]
    shift = min(0.0, 1.0 - places[-1])
    return [place + max(shift, -places[0]) if shift else place for place in places]


def beside(ax: Axes, labels: Sequence[Label], lines: Sequence[Sequence[tuple[float, float]]] = ()) -> None:
    """Put each label beside its point, at the nearest place where it hides no label, point or line.

    `lines` are the corners of the lines drawn. Call it once the scales are set, and other labels are there.
    """
    figure = ax.get_figure(root=True)
    figure.draw_without_rendering()  # type: ignore[union-attr]  # the layout settles
    scale = 72.0 / figure.dpi  # type: ignore[union-attr]

    def place(x: float, y: float) -> tuple[float, float]:
        across, up = ax.transData.transform((x, y))
        return float(scale * across), float(scale * up)

    points = [place(label.x, label.y) for label in labels]
    box = ax.get_window_extent()
    taken = [_around_points((x, y)) for x, y in points]
    taken += [_around_points(place(*a), place(*b)) for line in lines for a, b in pairwise(line)]
    for (x, y), label in zip(points, labels, strict=True):
        width = LETTER * SIZE * len(label.text)
        for dx, dy in _offsets(width):
            found = (x + dx, y + dy - LINE / 2, x + dx + width, y + dy + LINE / 2)
            inside = scale * box.x0 <= found[0] and found[2] <= scale * box.x1 and found[3] <= scale * box.y1
            if inside and not any(_overlap(found, other) for other in taken):
                break
        else:
            dx, dy = 6.0, 0.0
            found = (x + dx, y - LINE / 2, x + dx + width, y + LINE / 2)
        taken.append(found)
        leader = {"arrowstyle": "-", "lw": 0.5, "color": label.colour, "shrinkB": 3} if abs(dy) > LINE else None
        style: dict[str, Any] = {"fontsize": SIZE, "color": label.colour, "va": "center", "arrowprops": leader}
        text = ax.annotate(label.text, (label.x, label.y), xytext=(dx, dy), textcoords="offset points", **style)
        text.set_parse_math(False)


def _around_points(*points: tuple[float, float]) -> Box:
    across, up = zip(*points, strict=True)
    return min(across) - 3.5, min(up) - 3.5, max(across) + 3.5, max(up) + 3.5


def _offsets(width: float) -> list[tuple[float, float]]:
    """Return offsets of a label's left middle, in points, the nearest first."""
    rows = [step * LINE for k in range(9) for step in ((k, -k) if k else (0,))]
    return [(dx, dy) for dy in rows for dx in (6.0, -6.0 - width)]


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
