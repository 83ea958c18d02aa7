"""How long a stage will take: by its own rate, else by what it took before."""

from __future__ import annotations

import csv
import importlib.resources
import io
from pathlib import Path

import pytest

from colayer_paper.frame import times
from colayer_paper.frame.config import SCALES
from colayer_paper.frame.learned import State


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one stage at paper scale it is known that it took an hour."""
    monkeypatch.setattr(times, "_times", lambda: {("paper", "weights"): 3600.0})


@pytest.mark.parametrize(
    ("state", "scale", "left"),
    [
        (State("weights", 10, 10, 5.0, 5.0), "paper", 0.0),
        (State("weights", 0, 10, 0.0, 0.0), "paper", 3600.0),
        (State("weights", 0, 10, 0.0, 0.0), "small", None),
        (State("others", 0, 10, 0.0, 0.0), "paper", None),
        # at the rate so far, whatever it took elsewhere
        (State("weights", 4, 10, 8.0, 8.0), "paper", 12.0),
        (State("others", 4, 10, 8.0, 8.0), "small", 12.0),
    ],
)
@pytest.mark.usefixtures("known")
def test_the_seconds_that_are_left(state: State, scale: str, left: float | None) -> None:
    assert times.expected_seconds(state, scale) == left


def test_a_table_of_times_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By scale and stage; the words of a stage may hold commas."""
    path = tmp_path / "times.csv"
    path.write_text('scale,stage,seconds,cpu,device\npaper,"jobs, seed 0",12.5,40,cuda\nsmall,"jobs, seed 0",2,3,cpu\n')
    monkeypatch.setattr(times, "TIMES", str(path))
    monkeypatch.setattr(times, "_times", times._times.__wrapped__)
    fresh = State("jobs, seed 0", 0, 9, 0.0, 0.0)
    assert [times.expected_seconds(fresh, scale) for scale in SCALES] == [None, 2.0, 12.5]


def test_what_is_known_is_a_table_of_the_package() -> None:
    """Scale, stage and positive times, each stage once; what is read is what stands there."""
    text = importlib.resources.files("colayer_paper").joinpath(times.TIMES).read_text("utf-8")
    reader = csv.DictReader(io.StringIO(text))
    rows = list(reader)
    assert reader.fieldnames == ["scale", "stage", "evaluations", "seconds", "cpu", "device"]
    assert all(row["scale"] in SCALES and float(row["seconds"]) >= 0 and float(row["cpu"]) >= 0 for row in rows)
    assert len({(row["scale"], row["stage"]) for row in rows}) == len(rows)
    for row in rows:
        fresh = State(row["stage"], 0, 1, 0.0, 0.0)
        assert times.expected_seconds(fresh, row["scale"]) == float(row["seconds"])
