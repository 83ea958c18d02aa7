"""Files cut, with bytes changed, or with other values in them: read, or refused in one line that names the file."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.display.outcome import Cell, Column, Conclusion, Outcome, Sheet, read_outcomes, write_outcome
from colayer.errors import ColayerError
from colayer.io.dataset import read_instance, write_instance
from colayer.io.gtfs import read_day
from colayer.io.vrplib import read_routing
from colayer.models import LinearModel, read_model
from colayer.problems import DynamicRouting
from colayer.problems.dynamic_vehicle_scheduling import DynamicVehicleScheduling
from support.context_samples import data, problem
from support.damage import COUNT, damaged, other_values
from support.feed import FILES, feed
from support.routing_files import EUCLIDEAN, EXPLICIT, SOLOMON

ROUTING = DynamicRouting()


def day(path: Path) -> None:
    problem = DynamicVehicleScheduling()
    write_instance(path, problem.generate(3, customers=8, clusters=2, per_epoch=2), problem)


def routing_day(path: Path) -> None:
    write_instance(path, ROUTING.generate(3, customers=8, clusters=2, per_epoch=2), ROUTING)


def member(path: Path) -> None:
    """A file of the competition: static, explicit, within an archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("tiny.txt", EXPLICIT)


def of_contexts(path: Path) -> None:
    contexts, costs = data(8)
    Pipeline(problem()).fit(contexts, thetas=costs, evaluations=1, workers=1).save(path)


def model(path: Path) -> None:
    problem = DynamicVehicleScheduling()
    d = len(problem.feature_names)
    weights = np.linspace(-1.0, 1.0, d)
    LinearModel(
        problem.feature_names, weights, np.ones(d), problem.name, dict(problem.options), {"seed": 0}, 0.5,
        portfolio=np.array([weights, weights + 1.0]),
    ).save(path)  # fmt: skip


def run(path: Path) -> None:
    sheet = Sheet("numbers", "Numbers", (Column("gap", "%"),), ((Cell(1.0, 2.0),),))
    outcome = Outcome("one", "One", sheets=(sheet,), conclusions=(Conclusion("c", True, "1"),))
    write_outcome(path.with_name("whole"), outcome)
    path.write_bytes((path.with_name("whole") / "outcome.json").read_bytes())


def read_run(path: Path) -> object:
    folder = path.with_name("run")
    folder.mkdir(exist_ok=True)
    (folder / "outcome.json").write_bytes(path.read_bytes())
    return read_outcomes(folder)


#: kind → (the file, how it is written, how it is read).
KINDS: dict[str, tuple[str, Callable[[Path], Any], Callable[[Path], Any]]] = {
    "day": ("day.json", day, read_instance),
    "day, npz": ("day.npz", day, read_instance),
    "model of days": ("model.json", model, read_model),
    "run": ("run.json", run, read_run),
    "routing day": ("day.json", routing_day, read_instance),
    "routing day, npz": ("day.npz", routing_day, read_instance),
    "model of contexts": ("model.json", of_contexts, read_model),
    "gtfs": ("feed.zip", feed, lambda path: read_day(path, "2026-01-06")),
    "vrplib": ("city.txt", lambda path: path.write_text(EXPLICIT), read_routing),
    "vrplib, Euclid": ("city.txt", lambda path: path.write_text(EUCLIDEAN), read_routing),
    "Solomon": ("city.txt", lambda path: path.write_text(SOLOMON), read_routing),
    "day in a city": ("city.txt", lambda path: path.write_text(EXPLICIT), lambda path: ROUTING.day(path, per_epoch=2)),
    "competition": ("city.zip", member, lambda path: ROUTING.day(path / "tiny.txt", per_epoch=2)),
}


def accepts(read: Callable[[Path], Any], path: Path) -> bool:
    """Whether a file is read; a refusal is one line that names it."""
    said = None
    try:
        read(path)
    except ColayerError as error:
        said = error.line
    if said is not None:
        assert "\n" not in said
        assert len(said) < 600
        assert path.stem in said or said.startswith("route_type: "), said  # an option to choose by
    return said is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_damaged_bytes_is_read_or_refused(kind: str, tmp_path: Path) -> None:
    name, write, read = KINDS[kind]
    path = tmp_path / name
    write(path)
    assert accepts(read, path)
    refused = 0
    for changed in damaged(path.read_bytes(), random.Random(kind)):
        path.write_bytes(changed)
        refused += not accepts(read, path)
    assert refused > COUNT / 3


@pytest.mark.parametrize("kind", ["day", "routing day", "model of days", "model of contexts", "run"])
def test_a_document_with_another_value_is_read_or_refused(kind: str, tmp_path: Path) -> None:
    name, write, read = KINDS[kind]
    path = tmp_path / name
    write(path)
    document, rng = path.read_text(), random.Random(kind)
    refused = 0
    for _ in range(2 * COUNT):
        path.write_text(json.dumps(other_values(json.loads(document), rng)))
        refused += not accepts(read, path)
    assert refused > COUNT / 2


@pytest.mark.parametrize("table", FILES)
def test_a_feed_with_another_cell_is_read_or_refused(table: str, tmp_path: Path) -> None:
    """Cells replaced and rows cut, within one table."""
    rng = random.Random(table)
    cells = ("", "x", "-1", "1e999", "99:99:99", "25:61:00", "20261399", "nan", '"', "\x00", "é" * 300, "=1+1", "0,0")
    for _ in range(40):
        lines = [line.split(",") for line in FILES[table].splitlines()]
        line = rng.randrange(len(lines))
        lines[line][rng.randrange(len(lines[line]))] = rng.choice(cells)
        if rng.random() < 0.2:
            lines[line] = lines[line][:-1]
        text = "\n".join(",".join(row) for row in lines)
        accepts(KINDS["gtfs"][2], feed(tmp_path / "feed.zip", **{table.removesuffix(".txt"): text}))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), bytes(100)])
def test_a_feed_that_is_no_archive_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "feed.zip").write_bytes(content)
    assert not accepts(KINDS["gtfs"][2], tmp_path / "feed.zip")


def test_a_table_of_millions_of_blank_lines_is_read(tmp_path: Path) -> None:
    """Small on the disk, large unpacked."""
    with zipfile.ZipFile(tmp_path / "feed.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (FILES | {"trips.txt": FILES["trips.txt"] + "\n" * 2_000_000}).items():
            archive.writestr(name, content)
    assert accepts(KINDS["gtfs"][2], tmp_path / "feed.zip")
