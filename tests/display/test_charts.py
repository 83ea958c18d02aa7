"""Figures: the style of their axes, bars, and what is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from matplotlib._pylab_helpers import Gcf
from matplotlib.figure import Figure

from colayer.display.charts import save, signed_bars
from colayer.errors import InputError


def bars(ax: Any = None) -> Any:
    return signed_bars(["learned", "rule"], [1.0, 2.0], ax)


def test_draws_on_the_axes_given() -> None:
    """So that users can lay several out; without axes, a figure of its own that pyplot does not hold on to."""
    held = list(Gcf.figs)
    ax = Figure().subplots()
    assert bars(ax) is ax
    assert bars().figure is not ax.figure
    assert list(Gcf.figs) == held


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_same_bytes_twice(suffix: str, tmp_path: Path) -> None:
    """A figure is a function of its data: no date, no random identifier in the file."""
    paths = [tmp_path / f"{k}{suffix}" for k in range(2)]
    for path in paths:
        save(bars(), path)
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert len(first) > 1000
    assert sorted(tmp_path.iterdir()) == paths  # nothing else is left behind


def test_svg_text_is_text(tmp_path: Path) -> None:
    """Text stays searchable and editable."""
    save(bars().figure, tmp_path / "a.svg")
    assert ">learned</text>" in (tmp_path / "a.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["figure.gif", "figure"])
def test_save_refuses_an_unknown_suffix(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected \.png, \.svg, \.pdf") as caught:
        save(bars(), tmp_path / name)
    assert caught.value.where == str(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_save_refuses_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the folder to write to does not exist"):
        save(bars(), tmp_path / "no" / "a.png")


def test_save_leaves_the_old_file_when_drawing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A half-written figure must not replace a good one."""
    path = tmp_path / "a.svg"
    path.write_text("old")
    figure = Figure()
    monkeypatch.setattr(figure, "savefig", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save(figure, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_signed_bars_stay_visible() -> None:
    """In the order given, from the top; one that is far longer than the others makes the axis logarithmic."""
    plain, wide = signed_bars(["a", "b", "c"], [3.0, -1.0, 2.0]), signed_bars(["a", "b", "c"], [300.0, -1.0, 2.0])
    assert [bar.get_width() for bar in plain.patches] == [3.0, -1.0, 2.0]
    assert plain.yaxis_inverted()
    assert [label.get_text() for label in plain.get_yticklabels()] == ["a", "b", "c"]
    assert plain.patches[0].get_facecolor() == plain.patches[2].get_facecolor() != plain.patches[1].get_facecolor()
    assert (plain.get_xscale(), wide.get_xscale()) == ("linear", "symlog")
    assert [text.get_text() for text in wide.texts] == ["300", "-1.00", "2.00"]
