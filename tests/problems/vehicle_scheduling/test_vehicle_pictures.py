"""The pictures show what is in the solution, at every size."""

from __future__ import annotations

import numpy as np
from support import plain_vehicles as plain
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure

from colayer.errors import InputError
from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.layer import layer, safe_theta
from colayer.problems.vehicle_scheduling.pictures import DENSE, city_map, gantt
from colayer.report.figures import save


def boxes(ax, label: str) -> list[tuple[float, float, float]]:
    """(left, right, height of the middle) of the boxes of one kind."""
    found = next(c for c in ax.collections if isinstance(c, PolyCollection) and c.get_label() == label)
    corners = [path.vertices[:4] for path in found.get_paths()]
    return [(c[:, 0].min(), c[:, 0].max(), c[:, 1].mean()) for c in corners]


def test_gantt_shows_every_task_on_its_vehicle_and_its_mean_delay() -> None:
    x = generate(1, tasks=30, scenarios=6)
    y = layer(safe_theta(x), x)
    ax = gantt(y, x)
    routes = sorted(plain.routes(y), key=lambda route: x.begin[route[0]])
    assert [label.get_text() for label in ax.get_yticklabels()] == [f"vehicle {k + 1}" for k in range(len(routes))]
    scheduled, late = boxes(ax, "as scheduled"), boxes(ax, "mean delay")
    for k, route in enumerate(routes):
        delays = np.mean([plain.delays(x, route, s) for s in range(6)], axis=0)
        for v, delay in zip(route, delays, strict=True):
            assert np.allclose(scheduled[v][:2], (x.begin[v], x.end[v]))
            assert abs(scheduled[v][2] - k) < 0.5
            assert np.isclose(late[v][1] - late[v][0], delay)
    assert f"{len(routes)} vehicles" in ax.get_title(loc="left")
    assert f"cost = {plain.cost(x, y):,.6g}" in ax.get_title(loc="left")


@pytest.mark.parametrize(("tasks", "scenarios"), [(1, 1), (2, 3), (300, 2)])
def test_pictures_at_all_sizes(tasks: int, scenarios: int, tmp_path) -> None:
    x = generate(2, tasks=tasks, scenarios=scenarios)
    for successor in (layer(safe_theta(x), x), np.full(tasks, -1)):
        for name, draw in (("gantt", gantt), ("map", city_map)):
            save(draw(successor, x), tmp_path / f"{name}.png")
            assert (tmp_path / f"{name}.png").stat().st_size > 5000
    labels = [collection.get_label() for collection in gantt(np.full(tasks, -1), x).collections]
    assert ("mean over scenarios" in labels) == (tasks <= DENSE)


def test_map_draws_tasks_and_the_ways_between_them() -> None:
    x = generate(1, tasks=30, scenarios=2)
    y = layer(safe_theta(x), x)
    dashed, solid = [c for c in city_map(y, x).collections if isinstance(c, LineCollection)]
    assert np.allclose(solid.get_segments(), np.stack([x.city.start, x.city.finish], axis=1))
    ways = [(x.city.finish[u], x.city.start[y[u]]) for u in range(30) if y[u] >= 0]
    assert np.allclose(dashed.get_segments(), ways)


def test_pictures_are_drawn_on_given_axes() -> None:
    x = generate(1, tasks=5, scenarios=2)
    for draw in (gantt, city_map):
        ax = Figure().subplots()
        assert draw(np.full(5, -1), x, ax=ax) is ax


def test_what_cannot_be_drawn_is_refused() -> None:
    x = generate(1, tasks=5, scenarios=2)
    with pytest.raises(InputError, match=r"^successor"):
        gantt([0] * 5, x)
    gantt(np.full(5, -1), plain.explicit(x))
    with pytest.raises(InputError, match=r"^city: .*expected a city to draw"):
        city_map(np.full(5, -1), plain.explicit(x))
