"""The picture shows what is in the solution, at every size."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from colayer.display.charts import save
from colayer.errors import InputError
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling.generator import generate
from colayer.problems.vehicle_scheduling.layer import layer, safe_theta
from colayer.problems.vehicle_scheduling.pictures import DENSE, gantt
from support import plain_vehicles as plain
from support.errors import rejects


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
def test_gantt_at_all_sizes(tasks: int, scenarios: int, tmp_path) -> None:
    x = generate(2, tasks=tasks, scenarios=scenarios)
    for successor in (layer(safe_theta(x), x), np.full(tasks, -1)):
        save(gantt(successor, x), tmp_path / "gantt.png")
        assert (tmp_path / "gantt.png").stat().st_size > 5000
    labels = [collection.get_label() for collection in gantt(np.full(tasks, -1), x).collections]
    assert ("mean over scenarios" in labels) == (tasks <= DENSE)


def test_gantt_is_drawn_on_given_axes() -> None:
    ax = Figure().subplots()
    assert gantt(np.full(5, -1), generate(1, tasks=5, scenarios=2), ax=ax) is ax


def test_what_cannot_be_drawn_is_refused() -> None:
    x = generate(1, tasks=5, scenarios=2)
    with rejects(InputError, where="successor[1]"):
        gantt([0] * 5, x)


def test_times_are_hours_in_a_city_and_minutes_elsewhere() -> None:
    x = generate(1, tasks=5, scenarios=2)
    for instance, label, shown in ((x, "", "8:00"), (plain.explicit(x), "minutes", "480")):
        ax = gantt(np.full(5, -1), instance)
        assert ax.get_xlabel() == label
        assert ax.xaxis.get_major_formatter()(480.0) == shown


def test_tasks_with_names_carry_them() -> None:
    problem = VehicleScheduling()
    instance = problem.instance(begin=[0, 100], end=[50, 160], travel=[[0, 5], [5, 0]], name=["$a", "b"])
    ax = problem.plot(np.array([1, -1]), instance)
    assert [text.get_text() for text in ax.texts] == ["$a", "b"]
    assert not any(text.get_parse_math() for text in ax.texts)


def test_dates_are_shown_as_a_clock() -> None:
    dates = {"begin": ["2026-01-05 22:00"], "end": ["2026-01-06 06:00"]}
    ax = gantt([-1], VehicleScheduling().instance(**dates, travel=[[0]], scenarios=1))
    assert [ax.xaxis.get_major_formatter()(t) for t in (1320, 1440)] == ["22:00", "6 Jan"]
    assert ax.get_xlabel() == "time, from 2026-01-05"
