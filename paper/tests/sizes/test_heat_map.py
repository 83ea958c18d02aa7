"""The heat map: every gap in its cell, legible on its colour."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import LogNorm

from colayer_paper.sizes.heat_map import heat_map


def test_heat_map_writes_each_gap_into_its_cell() -> None:
    ax = heat_map(["10 jobs", "safe weights"], [10, 20], np.array([[0.0, 1.5], [3.0, 40.0]]), unit="jobs")
    assert [text.get_text() for text in ax.texts] == ["0", "1.5", "3.0", "40"]
    assert [text.get_position() for text in ax.texts] == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["10 jobs", "safe weights"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["10", "20"]
    assert ax.get_xlabel() == "tested on (jobs)"


def test_colours_are_logarithmic_where_gaps_range_widely() -> None:
    """Then the palest is a hundredth of the largest, a gap of 0 included; dark cells have white numbers."""
    wide = heat_map(["a"], [1, 2, 3], np.array([[0.0, 0.5, 500.0]]), unit="jobs")
    (image,) = wide.images
    assert isinstance(image.norm, LogNorm)
    assert (image.norm.vmin, image.norm.vmax) == (5.0, 500.0)
    assert [text.get_color() for text in wide.texts] == ["black", "black", "white"]
    narrow = heat_map(["a"], [1, 2], np.array([[1.0, 1.5]]), unit="jobs").images[0].norm
    assert (narrow.vmin, narrow.vmax) == (0.0, 1.5)
    assert not isinstance(narrow, LogNorm)


def test_a_map_of_zeros_is_drawn() -> None:
    ax = heat_map(["a"], [1], np.array([[0.0]]), unit="width")
    assert [text.get_text() for text in ax.texts] == ["0"]
