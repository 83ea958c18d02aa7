"""`vsp-curve`: the best objective along the search, which ends where the table of learning does."""

from __future__ import annotations

from colayer_paper.frame.learned import Learned
from colayer_paper.vehicle_scheduling.curve import best_so_far, cpu_at, early
from colayer_paper.vehicle_scheduling.learners import STANDARDISED, experiences, trained
from tiny_experiments import TinyRun, column, small_world, tiny


def test_best_so_far_and_times_by_hand() -> None:
    """Evaluations share the time evenly."""
    learned = Learned({}, 3.0, None, [5.0, 7.0, 3.0, 4.0], [], seconds=1.0, cpu=8.0)
    assert best_so_far(learned).tolist() == [5.0, 5.0, 3.0, 3.0]
    assert cpu_at(learned).tolist() == [2.0, 4.0, 6.0, 8.0]


def test_the_curve_ends_where_the_search_does(tiny_run: TinyRun) -> None:
    """That of seed 0 in units of standard deviations, which the table of learning has as a row, over all seeds."""
    ends = {}
    (curve,) = tiny_run.outcome("vsp-curve").sheets
    for row in curve.rows:
        ends[tuple(cell.value for cell in row[:3])] = row[-1].value
    config = tiny("vsp-learning")
    with small_world():
        found = trained(tiny_run.run, config, experiences(config))
    first = {k: learned for k, learned in found.items() if k.seed == 0 and k.units == STANDARDISED}
    assert ends == {(k.loss, k.train, k.method): learned.loss for k, learned in first.items()}
    (learning,) = tiny_run.outcome("vsp-learning").sheets
    names = ("loss", "training set", "method", "units", "objective", "seeds")
    for *key, units, objective, seeds in zip(*([c.value for c in column(learning, n)] for n in names), strict=True):
        if units == STANDARDISED and seeds == 1:
            assert ends[tuple(key)] == objective


def test_a_line_falls_and_its_marks_are_the_evaluations_it_has(tiny_run: TinyRun) -> None:
    """Six evaluations of the plain loss, five of the perturbed one: marks at 1, 2, 5 and at the last."""
    (sheet,) = tiny_run.outcome("vsp-curve").sheets
    lines: dict[tuple[object, ...], list[tuple[object, object]]] = {}
    for row in sheet.rows:
        lines.setdefault(tuple(cell.value for cell in row[:3]), []).append((row[4].value, row[6].value))
    for (loss, *_), line in lines.items():
        assert [mark for mark, _ in line] == ([1, 2, 5, 6] if loss == "plain" else [1, 2, 5])
        best = [value for _, value in line]
        assert best == sorted(best, reverse=True)
    assert {cell.value for cell in column(sheet, "method")} == {"direct", "deterministic", "auto"}


def test_most_of_the_gain_early_or_late() -> None:
    """From 10 to 6 in all, after two of twenty evaluations to 7 or to 9; where nothing is gained, that is all."""
    for second, holds, share in ((7.0, True, "75.0 %"), (9.0, False, "25.0 %")):
        found = early("small", Learned({}, 6.0, None, [10.0, second, *[12.0] * 17, 6.0], [], 0.0, 0.0))
        assert found.holds is holds
        assert "training set small" in found.claim
        assert f"after a tenth of 20 evaluations, 6.0000 after all: {share} of the gain" in found.numbers
    assert early("all", Learned({}, 5.0, None, [5.0, 6.0], [], 0.0, 0.0)).holds is True


def test_a_conclusion_per_training_set(tiny_run: TinyRun) -> None:
    """Without a verdict: the run is at scale smoke."""
    drawn = tiny_run.outcome("vsp-curve").conclusions
    assert [c.claim.split("training set ")[1].split()[0] for c in drawn] == ["small", "moderate", "all"]
    assert [(c.holds, c.of) for c in drawn] == [(None, "colayer")] * 3
