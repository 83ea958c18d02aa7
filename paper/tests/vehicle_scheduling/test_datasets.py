"""The paper's sets: their sizes, and streams that never meet."""

from __future__ import annotations

import pytest

from colayer.errors import InputError
from colayer_paper.vehicle_scheduling import datasets
from colayer_paper.vehicle_scheduling.datasets import PAPER_SETS, paper_set
from support.errors import rejects


@pytest.mark.parametrize("name", PAPER_SETS)
def test_paper_sets_have_the_sizes_of_the_table(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the plan is of interest: instances are not made."""
    monkeypatch.setattr(datasets, "generate", lambda seed, tasks, scenarios: (tuple(seed.entropy), tasks, scenarios))
    planned = list(paper_set(name))
    counts = {"train-small": 50, "train-moderate": 100, "train-all": 35, "validation": 74, "test": 296}
    assert len(planned) == len({seed for seed, _, _ in planned}) == counts[name]
    assert {s for _, n, s in planned if n == 50} == {50, 100, 200, 500, 1000}
    assert {s for _, n, s in planned if n > 1000} == ({50} if name in ("validation", "test") else set())


def test_no_two_sets_share_an_instance() -> None:
    begins = {name: next(paper_set(name, tasks=(50,), scenarios=(50,))).begin[0] for name in PAPER_SETS}
    assert len(set(begins.values())) == len(PAPER_SETS)


def test_unknown_sets_are_refused() -> None:
    with rejects(InputError, "tiny"):
        next(paper_set("tiny"))


def test_cells_are_chosen_and_fewer_or_more_instances_are_of_the_same_stream() -> None:
    cell = {"tasks": (50,), "scenarios": (50,)}
    begins = [x.begin[0] for x in paper_set("validation", **cell)]
    assert len(begins) == 2
    assert [x.begin[0] for x in paper_set("validation", **cell, per_cell=1)] == begins[:1]
    assert [x.begin[0] for x in paper_set("validation", **cell, per_cell=3)][:2] == begins
    assert list(paper_set("validation", tasks=(50,), scenarios=(51,))) == []
