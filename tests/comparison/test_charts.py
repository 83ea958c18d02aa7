"""Figures of comparisons: where lines begin, what they show, which marks are filled, and in which colours."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from colayer.comparison.charts import SHADES, colours, cost_over_time, gap_bars, gap_by
from colayer.comparison.race import Race
from colayer.comparison.table import Comparison, Result
from colayer.comparison.trajectory import Trajectory


def raced(
    contenders: tuple[str, ...], *rows: tuple[Trajectory, ...], limit: float = 10.0, kinds: tuple[Any, ...] = ()
) -> Race:
    count = len(rows)
    kinds = kinds or ("solver",) * len(contenders)
    return Race("pick", limit, 0, contenders, ({},) * count, rows, (None,) * count, (1.0,) * count, kinds)


def test_a_line_begins_where_all_instances_have_a_solution() -> None:
    ax = cost_over_time(
        raced(
            ("A", "HiGHS", "C"),
            (Trajectory(((0.05, 110.0), (5.0, 100.0))), Trajectory(((2.0, 120.0),)), Trajectory(((1.0, 100.0),))),
            (Trajectory(((0.1, -50.0),)), Trajectory(((0.5, -90.0), (9.0, -100.0))), Trajectory(())),
        )
    )
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert list(np.asarray(lines["HiGHS"].get_xdata())) == [2.0, 9.0, 10.0]
    assert np.asarray(lines["HiGHS"].get_ydata()) == pytest.approx([15.0, 10.0, 10.0])
    assert "C" not in lines
    assert ax.get_title() == "pick: 2 instances, one core"


def test_who_solves_once_has_a_mark_filled_where_it_is_learned() -> None:
    once = Trajectory(((0.1, 9.0),))
    names, kinds = ("a", "a, perturbed", "rule", "rule, perturbed"), ("learned", "learned", "rule", "solver")
    longer = Trajectory(((0.1, 9.0), (1.0, 8.0)))
    ax = cost_over_time(raced(names, (once, longer, once, longer), kinds=kinds))
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert list(np.asarray(lines["a"].get_xdata())) == [0.1]
    assert np.asarray(lines["a"].get_ydata()) == pytest.approx([12.5])
    assert (lines["a"].get_markerfacecolor() == "white", lines["rule"].get_markerfacecolor()) == (False, "white")
    assert list(np.asarray(lines["a, perturbed"].get_xdata())) == [0.1, 1.0, 10.0]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "symlog")
    assert ax.get_ylim() == (0.0, 25.0)
    assert ax.get_title() == "pick: 1 instance, one core"


def test_a_race_without_solutions_is_drawn() -> None:
    ax = cost_over_time(raced(("A",), (Trajectory(()),), limit=1.0))
    assert ax.get_lines() == []
    assert ax.get_legend() is None


def test_the_axes_given_are_drawn_on() -> None:
    ax = cost_over_time(raced(("A",), (Trajectory(((0.1, 9.0),)),)))
    assert cost_over_time(raced(("A",), (Trajectory(((0.1, 9.0),)),)), ax) is ax


def test_names_stand_beside_what_they_name() -> None:
    """Learned in blue, rules in another colour, no legend, and no two names on top of each other."""
    once = Trajectory(((0.1, 9.0),))
    names = ("learned", "learned, perturbed", *(f"rule {k}" for k in range(9)))
    kinds = ("learned", "learned", *("rule",) * 9)
    longer = Trajectory(((0.1, 9.0), (1.0, 8.0)))
    ax = cost_over_time(raced(names, (once, longer, *(once,) * 9), kinds=kinds))
    assert ax.get_legend() is None
    assert {text.get_text() for text in ax.texts} == set(names)
    lines = {line.get_label(): line.get_color() for line in ax.get_lines()}
    assert lines["learned"] in SHADES["learned"]
    assert all(lines[f"rule {k}"] in SHADES["rule"] for k in range(9))
    ax.get_figure().draw_without_rendering()  # type: ignore[union-attr]
    boxes = [Text.get_window_extent(text) for text in ax.texts]  # without the leaders
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def comparison(
    sizes: Any = (50, 100, 200), rhos: Any = (0.5, 1.0), bound: float | None = 100.0, gaps: Any = (0.02, 0.01)
) -> Comparison:
    """Contenders "rule" and "learned", whose gaps are the same on every instance."""
    results, index = [], 0
    for jobs in sizes:
        for rho in rhos:
            for name, above in zip(("rule", "learned"), gaps, strict=True):
                group = {"jobs": jobs, "rho": rho}
                results.append(Result(name, index, 100 * (1 + above), bound, 1.0, 0.1, group))
            index += 1
    return Comparison("toy", ("rule", "learned"), tuple(results))


DRAW: dict[str, Any] = {
    "gap_by": lambda ax=None: gap_by(comparison(), "jobs", ax=ax),
    "gap_bars": lambda ax=None: gap_bars(comparison(), ax=ax),
}


def named(ax: Any) -> list[str]:
    """The labels beside the axes, from the top."""
    return [text.get_text() for text in sorted(ax.texts, key=lambda text: -text.get_position()[1])]


@pytest.mark.parametrize("name", DRAW)
def test_draws_on_the_axes_given(name: str) -> None:
    ax = Figure().subplots()
    assert DRAW[name](ax) is ax
    assert DRAW[name]().figure is not ax.figure
    assert ax.get_xlabel()
    assert ax.get_title() or ax.get_title(loc="left")


def test_gap_by_draws_a_line_per_contender() -> None:
    """Each is named where it ends, in its colour; there is no legend."""
    ax = gap_by(comparison(), "jobs")
    assert [line.get_label() for line in ax.lines[:2]] == ["rule", "learned"]
    assert ax.get_legend() is None
    assert {text.get_text(): text.get_color() for text in ax.texts} == {
        line.get_label(): line.get_color() for line in ax.lines[:2]
    }
    assert named(ax) == ["rule", "learned"]
    assert ax.lines[0].get_ydata() == pytest.approx([2.0] * 3)
    assert ax.lines[1].get_xdata().tolist() == [50, 100, 200]
    assert named(gap_by(comparison(gaps=(0.01, 0.02)), "jobs")) == ["learned", "rule"]
    assert ax.get_yscale() == "linear"
    assert "%" in ax.get_ylabel()


def test_gap_by_draws_bars_for_two_groups() -> None:
    ax = gap_by(comparison(), "rho")
    assert [[bar.get_height() for bar in bars] for bars in ax.containers] == [
        pytest.approx([2.0, 2.0]),
        pytest.approx([1.0, 1.0]),
    ]


def test_bars_stand_side_by_side() -> None:
    ax = gap_by(comparison(), "rho")
    bars = sorted((bar.get_x(), bar.get_x() + bar.get_width()) for bars in ax.containers for bar in bars)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(bars))


def test_means_and_legends_stand_just_beside_the_axes() -> None:
    bars = gap_by(comparison(), "rho")
    bars.get_figure().draw_without_rendering()  # type: ignore[union-attr]
    legend = bars.get_legend().get_window_extent().transformed(bars.transAxes.inverted())  # type: ignore[union-attr]
    assert (legend.x0, legend.y1) == pytest.approx((1.0, 1.0), abs=0.1)
    assert all(1.0 < text.get_position()[0] < 1.1 for text in gap_bars(comparison()).texts)


@pytest.mark.parametrize(("count", "angle"), [(8, 0.0), (9, 45.0)])
def test_names_of_many_groups_are_turned(count: int, angle: float) -> None:
    ax = gap_by(comparison(sizes=range(1, count + 1)), "jobs")
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {angle}


@pytest.mark.parametrize(("gaps", "scale"), [((1.0, 0.001), "log"), ((1.0, 0.0), "linear"), ((0.5, 0.1), "linear")])
def test_gap_by_scale(gaps: Any, scale: str) -> None:
    assert gap_by(comparison(gaps=gaps), "jobs").get_yscale() == scale


def test_wide_gaps_with_zeros_stay_visible() -> None:
    """A logarithm would drop the zeros without a word."""
    wide = comparison(gaps=(1.0, 0.001))
    results = tuple(
        Result(r.contender, r.instance, 100.0, 100.0, 1.0, 0.1, r.group) if r.group["jobs"] == 50 else r
        for r in wide.results
    )
    zeros = Comparison("toy", wide.contenders, results)
    ax = gap_by(zeros, "jobs")
    assert ax.get_yscale() == "symlog"
    assert ax.get_ylim()[0] == 0


def means(ax: Any) -> Any:
    """Where the dots are."""
    return ax.collections[0].get_offsets()[:, 0].tolist()


def test_what_is_learned_has_another_colour_than_rules() -> None:
    """In every figure; two rules have two shades."""
    known = comparison()
    known = Comparison(known.problem, known.contenders, known.results, ("rule", "learned"))
    lines, dots = gap_by(known, "jobs"), gap_bars(known)
    assert [line.get_color() for line in lines.lines[:2]] == [SHADES["rule"][0], SHADES["learned"][0]]
    assert [label.get_color() for label in dots.get_yticklabels()] == [SHADES["learned"][0], SHADES["rule"][0]]


def test_bars_best_on_top_with_worst() -> None:
    ax = gap_bars(comparison())
    assert means(ax) == pytest.approx([1.0, 2.0])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["learned", "rule"]
    assert ax.yaxis_inverted()
    assert ax.lines[0].get_xdata() == pytest.approx([1.0, 2.0])
    assert [text.get_text() for text in ax.texts] == ["mean 1.00 %", "mean 2.00 %"]


def test_costs_are_drawn_where_there_are_no_bounds() -> None:
    unbounded = comparison(bound=None)
    assert means(gap_bars(unbounded)) == pytest.approx([101, 102])
    assert gap_by(unbounded, "jobs").get_ylabel() == "mean cost"


def test_contenders_beyond_the_palette_stay_distinct() -> None:
    """Colours repeat from the eighth contender on, colour and marker together do not."""
    names = tuple(f"c{k}" for k in range(20))
    results = tuple(
        Result(name, i, 101.0 + k, 100.0, 1.0, 0.1, {"jobs": i}) for i in range(3) for k, name in enumerate(names)
    )
    ax = gap_by(Comparison("toy", names, results), "jobs")
    assert len({(line.get_color(), line.get_marker()) for line in ax.lines if line.get_label() in names}) == 20


def test_colours_say_who_is_who() -> None:
    """A shade each of its kind; without kinds, the palette in turn."""
    assert colours(("learned", "rule", "learned"), 3, ()) == [
        SHADES["learned"][0],
        SHADES["rule"][0],
        SHADES["learned"][1],
    ]
    assert colours((), 3, ("red", "blue")) == ["red", "blue", "red"]
    assert len({shade for shades in SHADES.values() for shade in shades}) == sum(map(len, SHADES.values()))
