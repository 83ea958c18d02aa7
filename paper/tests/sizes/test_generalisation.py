"""The size generalisation experiment: complete at tiny sizes, its numbers gaps, its conclusions by the numbers."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.display.outcome import Outcome
from colayer.io.hashing import content_hash
from colayer_paper.sizes.generalisation import MIXED, SAFE, SHIPPED, Transfer, conclusions, families
from tiny_experiments import TinyRun, tiny

NAME = "size-generalisation"
CONFIG = tiny(NAME)
PROBLEMS = ("single-machine", "spanning-tree", "vehicle-scheduling")


@pytest.fixture(name="found")
def found_in(tiny_run: TinyRun) -> Outcome:
    return tiny_run.outcome(NAME)


def test_a_stage_per_training_set_and_test_size(found: Outcome, tiny_run: TinyRun) -> None:
    """For each problem two sizes and the mixture to learn on, two sizes to test on."""
    assert len(found.sheets) == 3
    assert tiny_run.made[NAME] == 3 * (3 + 2)


def test_a_sheet_a_heat_map_and_conclusions_for_each_problem(found: Outcome, tiny_run: TinyRun) -> None:
    assert [sheet.name for sheet in found.sheets] == list(PROBLEMS)
    assert [picture.file for picture in found.pictures] == [f"{name}.svg" for name in PROBLEMS]
    for picture in found.pictures:
        assert (tiny_run.folder / NAME / picture.file).read_text().startswith("<?xml")
    assert [c.claim.split(":")[0] for c in found.conclusions] == [name for name in PROBLEMS for _ in range(3)]


def test_rows_are_training_sizes_and_columns_test_sizes(found: Outcome) -> None:
    sheet = found.sheets[0]
    assert [row[0].value for row in sheet.rows] == [5, 10, MIXED, SHIPPED, SAFE]
    assert [column.label for column in sheet.columns[1:3]] == ["5 jobs (%)", "20 jobs (%)"]
    assert [column.name for column in found.sheets[1].columns[1:3]] == ["width 4", "width 5"]


def test_gaps_are_to_the_best_row_and_above_the_bound(found: Outcome) -> None:
    """Of each column the means are ≥ 0, and the gap to the bound is at least that to the best solution."""
    for sheet in found.sheets:
        gaps = np.array([[float(cell.value or 0) for cell in row[1:-3]] for row in sheet.rows])
        assert [row[-1].value for row in sheet.rows].count("reference") == 1
        assert all(isinstance(row[-3].value, float) for row in sheet.rows if row[-1].value != "reference")
        assert (gaps >= 0).all()
        assert (gaps[:, -1] >= gaps[:, -2] - 1e-9).all()


def test_learned_and_tested_instances_differ_and_the_mixture_has_all_sizes() -> None:
    for family in families(CONFIG):
        sizes = CONFIG["sizes"][family.problem.name]
        train, size = sizes["train"], sizes["train"][1]
        per_cell = sizes["per_cell"]
        hashes = {content_hash(family.problem, family.make(held, size, per_cell)) for held in (True, False)}
        assert len(hashes) == 2
        mixed = family.data(False, train, per_cell, share=2)
        lengths = {family.problem.features(instance).shape[0] for instance in mixed.values}
        assert len(lengths) > 1
        assert mixed.identity != family.data(True, train, per_cell, share=2).identity


def transfer(**gaps: list[float]) -> Transfer:
    """Learned on 5 and on 20 jobs, tested on 20 alone."""
    rows = ("5", "20", MIXED, SAFE)
    table = {20: np.array([gaps["small"], gaps["same"], gaps["mixed"], gaps["safe"]])}
    return Transfer(families(CONFIG)[0], (5, 20), (20,), rows, table, table, 100.0 + table[20])


def test_conclusions_follow_the_gaps() -> None:
    """On the largest size: small against safe, the same size against small, all sizes against small."""
    noise = np.array([0.0, 0.01, 0.02])
    small, same, mixed, safe = ((level + k * noise).tolist() for k, level in enumerate((2.0, 1.0, 1.5, 9.0), start=1))
    drawn = conclusions(transfer(small=small, same=same, mixed=mixed, safe=safe))
    assert [c.holds for c in drawn] == [True, True, True]
    assert drawn[0].claim == "single-machine: at 20 jobs, weights learned on 5 jobs beat the safe weights."
    assert drawn[0].numbers == "mean gap learned on 5 jobs 2.01 %, safe weights 9.04 %"
    assert drawn[1].numbers.endswith("learning on the smallest loses 0.990 percentage points")
    turned = conclusions(transfer(small=small, same=safe, mixed=safe, safe=same))
    assert [c.holds for c in turned] == [False, False, False]
    assert {c.holds for c in conclusions(transfer(small=small, same=small, mixed=small, safe=small))} == {None}


def test_a_table_is_means_of_rows_by_test_size() -> None:
    found = transfer(small=[1.0, 3.0], same=[0.0, 0.0], mixed=[2.0, 2.0], safe=[4.0, 8.0])
    assert found.table(found.to_best).tolist() == [[2.0], [0.0], [2.0], [6.0]]
    assert found.gaps(SAFE, 20).tolist() == [4.0, 8.0]


@pytest.mark.parametrize(("family", "words"), [(0, "5 jobs"), (1, "width 5"), (2, "5 tasks")])
def test_a_size_in_words(family: int, words: str) -> None:
    assert families(CONFIG)[family].size(5) == words
