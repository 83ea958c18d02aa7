"""Figures: what is drawn, on which axes, and what is written."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib._pylab_helpers import Gcf
from matplotlib.figure import Figure

from colayer.comparison.table import Comparison, Result
from colayer.display.charts import gap_bars, gap_by, learning_curve, save, signed_bars
from colayer.display.line_labels import SHADES
from colayer.errors import InputError
from support.errors import rejects


def comparison(sizes=(50, 100, 200), rhos=(0.5, 1.0), bound=100.0, gaps=(0.02, 0.01)):
    """Contenders "rule" and "learned", whose gaps are the same on every instance."""
    results, index = [], 0
    for jobs in sizes:
        for rho in rhos:
            for name, above in zip(("rule", "learned"), gaps, strict=True):
                group = {"jobs": jobs, "rho": rho}
                results.append(Result(name, index, 100 * (1 + above), bound, 1.0, 0.1, group))
            index += 1
    return Comparison("toy", ("rule", "learned"), tuple(results))


def history(losses, validation=()):
    best = np.minimum.accumulate(losses)
    checked = dict(validation)
    return [
        SimpleNamespace(number=k, loss=loss, best=float(best[k]), validation=checked.get(k))
        for k, loss in enumerate(losses)
    ]


HISTORY = history([9.0, 5.0, 6.0, 4.0], [(0, 9.5), (3, 4.5)])

DRAW = {
    "learning_curve": lambda ax=None: learning_curve(HISTORY, ax=ax),
    "gap_by": lambda ax=None: gap_by(comparison(), "jobs", ax=ax),
    "gap_bars": lambda ax=None: gap_bars(comparison(), ax=ax),
}


def named(ax):
    """The labels beside the axes, from the top."""
    return [text.get_text() for text in sorted(ax.texts, key=lambda text: -text.get_position()[1])]


@pytest.mark.parametrize("name", DRAW)
def test_draws_on_the_axes_given(name):
    """So that users can lay several out; without axes, a figure of its own that pyplot does not hold on to."""
    held = list(Gcf.figs)
    ax = Figure().subplots()
    assert DRAW[name](ax) is ax
    assert DRAW[name]().figure is not ax.figure
    assert list(Gcf.figs) == held


@pytest.mark.parametrize("name", DRAW)
def test_labels_and_title(name):
    ax = DRAW[name]()
    assert ax.get_xlabel()
    assert ax.get_title() or ax.get_title(loc="left")


@pytest.mark.parametrize(("name", "suffix"), [*((n, ".svg") for n in DRAW), ("gap_bars", ".png"), ("gap_bars", ".pdf")])
def test_same_bytes_twice(name, suffix, tmp_path):
    """A figure is a function of its data: no date, no random identifier in the file."""
    paths = [tmp_path / f"{k}{suffix}" for k in range(2)]
    for path in paths:
        save(DRAW[name](), path)
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert len(first) > 1000
    assert sorted(tmp_path.iterdir()) == paths  # nothing else is left behind


def test_svg_text_is_text(tmp_path):
    """Text stays searchable and editable."""
    save(gap_bars(comparison()).figure, tmp_path / "a.svg")
    assert ">learned</text>" in (tmp_path / "a.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["figure.gif", "figure"])
def test_save_refuses_an_unknown_suffix(name, tmp_path):
    with rejects(InputError, ".png", ".svg", ".pdf", where=name):
        save(gap_bars(comparison()), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_save_refuses_a_missing_folder(tmp_path):
    with rejects(InputError, where="a.png"):
        save(gap_bars(comparison()), tmp_path / "no" / "a.png")


def test_save_leaves_the_old_file_when_drawing_fails(tmp_path, monkeypatch):
    """A half-written figure must not replace a good one."""
    path = tmp_path / "a.svg"
    path.write_text("old")
    figure = Figure()
    monkeypatch.setattr(figure, "savefig", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save(figure, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_learning_curve_shows_best_tries_and_validation():
    ax = learning_curve(HISTORY)
    lines = {line.get_label(): line.get_ydata().tolist() for line in ax.lines}
    assert lines == {"tried": [9, 5, 6, 4], "best, training": [9, 5, 5, 4], "best, validation": [9.5, 4.5]}


def test_learning_curve_clips_outliers():
    """One absurd loss must not flatten the curve; it is marked at the upper edge."""
    ax = learning_curve(history([10.0, *[3.0 - 0.01 * k for k in range(60)], 1e9, float("inf")]))
    assert ax.get_ylim()[1] < 10
    above = next(line for line in ax.lines if line.get_label() == "tried, above the axis")
    assert above.get_xdata().tolist() == [0, 61, 62]


def test_learning_curve_of_one_evaluation_and_of_none():
    low, high = learning_curve(history([2.0])).get_ylim()
    assert low < 2.0 < high
    with rejects(InputError, where="history"):
        learning_curve([])


def test_gap_by_draws_a_line_per_contender():
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


def test_gap_by_draws_bars_for_two_groups():
    ax = gap_by(comparison(), "rho")
    assert [[bar.get_height() for bar in bars] for bars in ax.containers] == [
        pytest.approx([2.0, 2.0]),
        pytest.approx([1.0, 1.0]),
    ]


@pytest.mark.parametrize(("gaps", "scale"), [((1.0, 0.001), "log"), ((1.0, 0.0), "linear"), ((0.5, 0.1), "linear")])
def test_gap_by_scale(gaps, scale):
    assert gap_by(comparison(gaps=gaps), "jobs").get_yscale() == scale


def test_wide_gaps_with_zeros_stay_visible():
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


def means(ax):
    """Where the dots are."""
    return ax.collections[0].get_offsets()[:, 0].tolist()


def test_what_is_learned_has_another_colour_than_rules():
    """In every figure; two rules have two shades."""
    known = comparison()
    known = Comparison(known.problem, known.contenders, known.results, ("rule", "learned"))
    lines, dots = gap_by(known, "jobs"), gap_bars(known)
    assert [line.get_color() for line in lines.lines[:2]] == [SHADES["rule"][0], SHADES["learned"][0]]
    assert [label.get_color() for label in dots.get_yticklabels()] == [SHADES["learned"][0], SHADES["rule"][0]]


def test_the_legend_of_the_learning_curve_is_below_the_data():
    ax = learning_curve(HISTORY)
    ax.figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().y1 <= ax.get_window_extent().y0


def test_bars_best_on_top_with_worst():
    ax = gap_bars(comparison())
    assert means(ax) == pytest.approx([1.0, 2.0])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["learned", "rule"]
    assert ax.yaxis_inverted()
    assert ax.lines[0].get_xdata() == pytest.approx([1.0, 2.0])
    assert [text.get_text() for text in ax.texts] == ["mean 1.00 %", "mean 2.00 %"]


def test_costs_are_drawn_where_there_are_no_bounds():
    unbounded = comparison(bound=None)
    assert means(gap_bars(unbounded)) == pytest.approx([101, 102])
    assert gap_by(unbounded, "jobs").get_ylabel() == "mean cost"


def test_contenders_beyond_the_palette_stay_distinct():
    """Colours repeat from the eighth contender on, colour and marker together do not."""
    names = tuple(f"c{k}" for k in range(20))
    results = tuple(
        Result(name, i, 101.0 + k, 100.0, 1.0, 0.1, {"jobs": i}) for i in range(3) for k, name in enumerate(names)
    )
    ax = gap_by(Comparison("toy", names, results), "jobs")
    assert len({(line.get_color(), line.get_marker()) for line in ax.lines if line.get_label() in names}) == 20


def test_signed_bars_stay_visible():
    """In the order given, from the top; one that is far longer than the others makes the axis logarithmic."""
    plain, wide = signed_bars(["a", "b", "c"], [3.0, -1.0, 2.0]), signed_bars(["a", "b", "c"], [300.0, -1.0, 2.0])
    assert [bar.get_width() for bar in plain.patches] == [3.0, -1.0, 2.0]
    assert plain.yaxis_inverted()
    assert [label.get_text() for label in plain.get_yticklabels()] == ["a", "b", "c"]
    assert plain.patches[0].get_facecolor() == plain.patches[2].get_facecolor() != plain.patches[1].get_facecolor()
    assert (plain.get_xscale(), wide.get_xscale()) == ("linear", "symlog")
    assert [text.get_text() for text in wide.texts] == ["300", "-1.00", "2.00"]
