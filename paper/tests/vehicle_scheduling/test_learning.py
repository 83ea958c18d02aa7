"""`vsp-learning`: the paper's objectives and times beside ours, rows of a missing extra, conclusions by the numbers."""

from __future__ import annotations

import csv
from dataclasses import replace
from typing import Any

import pytest

from colayer.display.outcome import Sheet
from colayer.learning.search.cma_es import CmaEs
from colayer_paper.frame.config import paper_table
from colayer_paper.frame.learned import Learned
from colayer_paper.frame.store import Run
from colayer_paper.vehicle_scheduling import learners
from colayer_paper.vehicle_scheduling.learners import NO_BAYES, RAW, Learner
from colayer_paper.vehicle_scheduling.learning import conclusions, experiment
from tiny_experiments import TinyRun, column, small_world, tiny


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


def rows(sheet: Sheet, *names: str) -> list[tuple[Any, ...]]:
    """Our values in these columns, row by row."""
    return list(zip(*([cell.value for cell in column(sheet, name)] for name in names), strict=True))


def test_against_direct_is_the_change_of_the_objective(tiny_run: TinyRun) -> None:
    """0 % for DIRECT itself, in units of standard deviations; of all others on the same loss and set, the change."""
    (sheet,) = tiny_run.outcome("vsp-learning").sheets
    found = rows(sheet, "loss", "training set", "method", "units", "objective", "against direct")
    direct = {(loss, train): value for loss, train, method, units, value, _ in found
              if (method, units) == ("direct", "standardised")}  # fmt: skip
    assert len(direct) == 6
    for loss, train, method, units, objective, against in found:
        if method == "bayes":
            assert against is None
        else:
            assert against == pytest.approx(100 * (objective / direct[loss, train] - 1), abs=1e-9)
            assert against == 0.0 or (method, units) != ("direct", "standardised")


def test_seeds_are_one_row(tiny_run: TinyRun) -> None:
    """Mean, spread and best of two seeds of plain DIRECT; one of raw units and of DIRECT without random numbers."""
    (sheet,) = tiny_run.outcome("vsp-learning").sheets
    config = tiny("vsp-learning")
    with small_world():
        found = learners.trained(tiny_run.run, config, learners.experiences(config))
    seeds: dict[tuple[str, ...], list[float]] = {}
    for k, one in found.items():
        seeds.setdefault((k.loss, k.train, k.method, k.features, k.units), []).append(one.loss)
    names = ("loss", "training set", "method", "features", "units", "seeds", "objective", "spread over seeds")
    told = rows(sheet, *names, "best seed")
    assert {row[:5] for row in told if row[2] != "bayes"} == set(seeds)
    for *key, count, mean, spread, best in told:
        losses = seeds.get(tuple(key))
        if losses is None:
            assert (count, mean, spread, best) == (None, None, None, None)
            continue
        assert (count, best) == (len(losses), min(losses))
        assert mean == pytest.approx(sum(losses) / len(losses))
        assert (spread is None) == (count == 1)
    assert [row[5] for row in told if row[2:5] == ("direct", "23", "standardised")] == [2, 2, 2, 1, 1, 1]
    assert [row[5] for row in told if row[4] == "raw"] == [1, 1, 1]


def test_without_bayes_its_rows_say_so_in_words(tiny_run: TinyRun) -> None:
    (learning,) = tiny_run.outcome("vsp-learning").sheets
    for method, cell in zip(column(learning, "method"), column(learning, "objective"), strict=True):
        assert (cell.value is None) == (method.value == "bayes") == (cell.note == "extra bayes not installed")
    assert "extra bayes not installed" in learning.caption
    contenders = tiny_run.outcome("vsp-test").sheets[2]
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


def plain(method: str, train: str = "small", loss: str = "plain", seed: int = 0) -> Learner:
    return Learner(loss, train, method, "23", 1, seed=seed)


def test_claims_about_bayesian_optimisation_are_moot() -> None:
    """Ours is another algorithm: its numbers stand beside the claims, and decide nothing."""
    tail = [8.0] * 99
    found = {plain("direct"): learned([9.0, *tail, 2.0], 1.0), plain("bayes"): learned([7.0, *tail, 7.0], 30.0),
             plain("auto"): learned([1.0], 1.0)}  # fmt: skip
    drawn = conclusions(found)
    assert [c.verdict for c in drawn] == ["moot", "moot", "moot", "holds"]
    assert "30.0 against 1.00 CPU seconds, 30.0 times as much (paper:" in drawn[0].numbers
    assert "plain, small: 7.0000 against 2.0000 after 101" in drawn[1].numbers
    assert "plain, small: 7.0000 against 8.0000" in drawn[2].numbers
    assert "1.0000 against 2.0000" in drawn[3].numbers
    assert [c.of for c in drawn] == ["paper", "paper", "paper", "colayer"]
    found[plain("auto")] = learned([9.0], 1.0)
    assert conclusions(found)[-1].verdict == "does not hold"


def test_ours_must_be_below_every_seed_of_direct() -> None:
    """And DIRECT's objective and time are the means over its seeds."""
    found = {
        plain("direct"): learned([4.0], 1.0),
        plain("direct", seed=1): learned([2.0], 3.0),
        plain("bayes"): learned([2.5], 8.0),
        plain("auto"): learned([2.2], 1.0),
    }
    slower, most, _, ours = conclusions(found)
    assert "8.00 against 2.00 CPU seconds" in slower.numbers
    assert "plain, small: 2.5000 against 3.0000 after 1" in most.numbers
    assert (ours.holds, "2.2000 against 2.0000" in ours.numbers) == (False, True)
    found[plain("auto")] = learned([1.9], 1.0)
    assert conclusions(found)[-1].holds is True


def test_other_units_are_another_learner() -> None:
    """What DIRECT reaches in raw units counts neither for it nor against it."""
    raw = replace(plain("direct"), units=RAW)
    found = {plain("direct"): learned([4.0], 1.0), raw: learned([1.0], 1.0), plain("auto"): learned([3.0], 1.0)}
    assert conclusions(found)[-1].holds is True


def test_without_a_search_of_both_nothing_is_concluded() -> None:
    drawn = conclusions({plain("direct"): learned([3.0], 1.0)})
    assert [(c.verdict, c.numbers) for c in drawn] == [("cannot tell", NO_BAYES)] * 3
    short = conclusions({plain("direct"): learned([3.0], 1.0), plain("bayes"): learned([4.0], 1.0)})
    assert (short[2].holds, short[2].numbers) == (None, "no search with 100 evaluations of both")
