"""The size generalisation experiment: complete at tiny sizes, cached, and its numbers are gaps."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from colayer.content import content_hash
from colayer.experiments.frame.config import Config, read_config
from colayer.experiments.frame.store import Run
from colayer.experiments.sizes.generalisation import MIXED, SAFE, SHIPPED, families, generalisation
from colayer.experiments.sizes.heat_map import heat_map
from colayer.report.outcome import Outcome

PROBLEMS = ("single-machine", "spanning-tree", "vehicle-scheduling")
TINY = {
    "evaluations": 5,
    "sizes": {
        "single-machine": {"train": [5, 10], "test": [5, 20], "per_cell": 1},
        "spanning-tree": {"train": [3, 4], "test": [4, 5], "per_cell": 1},
        "vehicle-scheduling": {"train": [50, 75], "test": [75, 100], "per_cell": 2},
    },
}


def tiny() -> Config:
    config = read_config("size-generalisation", "smoke")
    return dataclasses.replace(config, parameters={**config.parameters, **TINY})


def conducted(folder: Path) -> tuple[Outcome, int]:
    run = Run(folder, "smoke")
    run.open()
    (folder / "size-generalisation").mkdir(exist_ok=True)
    return generalisation(run, tiny()), run.made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sizes") / "run"


@pytest.fixture(scope="module")
def found(folder: Path) -> Outcome:
    outcome, made = conducted(folder)
    assert made == 3 * (3 + 2)  # for each problem two sizes and the mixture to learn on, two sizes to test on
    return outcome


def test_a_sheet_a_heat_map_and_conclusions_for_each_problem(found: Outcome, folder: Path) -> None:
    assert [sheet.name for sheet in found.sheets] == list(PROBLEMS)
    assert [picture.file for picture in found.pictures] == [f"{name}.svg" for name in PROBLEMS]
    for picture in found.pictures:
        assert (folder / "size-generalisation" / picture.file).read_text().startswith("<?xml")
    assert [c.claim.split(":")[0] for c in found.conclusions] == [name for name in PROBLEMS for _ in range(3)]


def test_rows_are_training_sizes_and_columns_test_sizes(found: Outcome) -> None:
    sheet = found.sheets[0]
    assert [row[0].value for row in sheet.rows] == [5, 10, MIXED, SHIPPED, SAFE]
    assert [column.label for column in sheet.columns[1:3]] == ["5 jobs (%)", "20 jobs (%)"]
    assert [column.name for column in found.sheets[1].columns[1:3]] == ["width 4", "width 5"]


def test_gaps_are_to_the_best_row_and_above_the_bound(found: Outcome) -> None:
    """Of each column the means are ≥ 0, and the gap to the bound is at least that to the best solution."""
    for sheet in found.sheets:
        gaps = np.array([[float(cell.value or 0) for cell in row[1:]] for row in sheet.rows])
        assert (gaps >= 0).all()
        assert (gaps[:, -1] >= gaps[:, -2] - 1e-9).all()


def test_a_second_run_takes_everything_from_the_cache(found: Outcome, folder: Path) -> None:
    again, made = conducted(folder)
    assert made == 0
    assert again == found


def test_learned_and_tested_instances_differ_and_the_mixture_has_all_sizes() -> None:
    for family in families(tiny()):
        sizes = tiny()["sizes"][family.problem.name]
        train, size = sizes["train"], sizes["train"][1]
        per_cell = sizes["per_cell"]
        hashes = {content_hash(family.problem, family.make(held, size, per_cell)) for held in (True, False)}
        assert len(hashes) == 2
        mixed = family.data(False, train, per_cell, share=2)
        lengths = {family.problem.features(instance).shape[0] for instance in mixed.values}
        assert len(lengths) > 1
        assert mixed.identity != family.data(True, train, per_cell, share=2).identity


def test_heat_map_writes_each_gap_into_its_cell() -> None:
    ax = heat_map(["10 jobs", "safe weights"], [10, 20], np.array([[0.0, 1.5], [3.0, 40.0]]), unit="jobs")
    assert [text.get_text() for text in ax.texts] == ["0", "1.5", "3.0", "40"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["10 jobs", "safe weights"]
