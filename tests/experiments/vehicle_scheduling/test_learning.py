"""`vsp-learning`: the paper's objectives and times beside ours, rows of a missing extra, conclusions by the numbers."""

from __future__ import annotations

import csv

import pytest

from colayer.experiments.frame.config import paper_table
from colayer.experiments.frame.learned import Learned
from colayer.experiments.frame.store import Run
from colayer.experiments.vehicle_scheduling import learners
from colayer.experiments.vehicle_scheduling.learners import NO_BAYES, Learner
from colayer.experiments.vehicle_scheduling.learning import conclusions, experiment
from colayer.learning.experience.cma_es import CmaEs
from support.tiny_experiments import TinyRun, column, tiny


def test_all_objectives_of_the_paper_stand_beside_ours(tiny_run: TinyRun) -> None:
    (learning,) = tiny_run.outcome("vsp-learning").sheets
    objectives = {cell.paper for cell in column(learning, "objective")} - {None}
    lines = paper_table("vsp_learning")
    assert objectives == {float(line[f"{m}_objective"]) for line in lines for m in ("direct", "bayes")}


def test_the_files_of_the_experiment(tiny_run: TinyRun) -> None:
    """In the CSV file, a column of the paper's values follows ours."""
    tiny_run.outcome("vsp-learning")
    folder = tiny_run.folder / "vsp-learning"
    assert {path.name for path in folder.iterdir()} == {"outcome.json", "learning.csv"}
    with (folder / "learning.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["objective, paper"] == "290.39"
    assert rows[0]["time (s), paper"] == "80.0"


def test_against_direct_is_the_change_of_the_objective(tiny_run: TinyRun) -> None:
    """0 % for DIRECT itself; our method is on the plain loss of the small set here."""
    (sheet,) = tiny_run.outcome("vsp-learning").sheets
    objective = {tuple(c.value for c in row[:3]): row[6].value for row in sheet.rows}
    for row in sheet.rows:
        key = tuple(c.value for c in row[:3])
        if key[2] == "direct":
            assert row[7].value == 0.0
        elif key[2] == "auto":
            change = 100 * (objective[key] / objective["plain", "small", "direct"] - 1)  # type: ignore[operator]
            assert row[7].value == pytest.approx(change)


def test_without_bayes_its_rows_say_so_in_words(tiny_run: TinyRun) -> None:
    (learning,) = tiny_run.outcome("vsp-learning").sheets
    for method, cell in zip(column(learning, "method"), column(learning, "objective"), strict=True):
        assert (cell.value is None) == (method.value == "bayes") == (cell.note == "extra bayes not installed")
    assert "extra bayes not installed" in learning.caption
    contenders = tiny_run.outcome("vsp-test").sheets[1]
    assert not any("bayes" in str(cell.value) for cell in column(contenders, "contender"))
    for name in ("vsp-learning", "vsp-curve", "vsp-test"):
        assert any("extra bayes not installed" in words for words in tiny_run.outcome(name).differences)
    drawn = tiny_run.outcome("vsp-learning").conclusions
    told = [c for c in drawn if c.claim.startswith(("Where the loss", "Bayesian"))]
    assert [c.holds for c in told] == [None, None, None]


def test_with_bayes_its_rows_are_filled(tiny_run: TinyRun, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another optimiser stands in for it: BoTorch is not needed to see that the rows are made."""
    monkeypatch.setattr(learners, "need_botorch", lambda: None)
    monkeypatch.setattr(learners, "Bayes", CmaEs)
    outcome = experiment(Run(tiny_run.folder, "smoke"), tiny("vsp-learning"))
    assert all(cell.value is not None and cell.note == "" for cell in column(outcome.sheets[0], "objective"))
    assert not any("not installed" in words for words in outcome.differences)


def learned(losses: list[float], cpu: float) -> Learned:
    return Learned({}, min(losses), None, losses, [], 0.0, cpu)


def plain(method: str, train: str = "small", loss: str = "plain") -> Learner:
    return Learner(loss, train, method, "23", 1)


def test_conclusions_follow_the_losses_and_the_times() -> None:
    """Bayes slow, useful for a hundred evaluations, beaten in the end; ours better; then the opposite."""
    tail = [8.0] * 99
    found = {plain("direct"): learned([9.0, *tail, 2.0], 1.0), plain("bayes"): learned([7.0, *tail, 7.0], 30.0),
             plain("auto"): learned([1.0], 1.0)}  # fmt: skip
    drawn = conclusions(found)
    assert [c.holds for c in drawn] == [True, None, None, True]  # one comparison is no most
    assert "30.0 against 1.00 CPU seconds, 30.0 times as much (paper:" in drawn[0].numbers
    assert "bayes better in 0 of 1, worse in 1 (paper: " in drawn[1].numbers
    assert "1.0000 against 2.0000" in drawn[3].numbers
    turned = {plain("direct"): learned([6.0, *tail, 6.0], 1.0), plain("bayes"): learned([7.0, *tail, 5.0], 1.5),
              plain("auto"): learned([9.0], 1.0)}  # fmt: skip
    assert [c.holds for c in conclusions(turned)] == [False, None, None, False]


@pytest.mark.parametrize(
    ("direct", "bayes", "holds"),
    [((9.0, 2.0), (7.0, 7.0), True), ((7.0, 7.0), (9.0, 2.0), False), ((2.0, 2.0), (2.00001, 2.00001), None)],
)
def test_most_cases_are_a_sign_test(
    direct: tuple[float, float], bayes: tuple[float, float], holds: bool | None
) -> None:
    """First and last losses of both. Six of six are enough; losses that are printed alike are ties."""
    found = {
        plain(method, train, loss): learned([first, *[8.0] * 99, last], 1.0)
        for loss in ("plain", "perturbed")
        for train in learners.TRAINING
        for method, (first, last) in (("direct", direct), ("bayes", bayes))
    }
    _, most, small, *_ = conclusions(found)
    assert most.holds is holds
    assert small.holds is holds
    assert f"of {len(found) // 2}" in most.numbers


def test_without_a_search_of_both_nothing_is_concluded() -> None:
    drawn = conclusions({plain("direct"): learned([3.0], 1.0)})
    assert [(c.holds, c.numbers) for c in drawn] == [(None, NO_BAYES)] * 3
    short = conclusions({plain("direct"): learned([3.0], 1.0), plain("bayes"): learned([4.0], 1.0)})
    assert (short[2].holds, short[2].numbers) == (None, "no search with 100 evaluations of both")
