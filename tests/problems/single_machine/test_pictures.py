"""The Gantt chart shows the schedule, and stays small at any size."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest
from matplotlib._pylab_helpers import Gcf
from matplotlib.figure import Figure

from colayer.display.charts import save
from colayer.errors import InputError
from colayer.problems.single_machine.instance import Instance, generate
from colayer.problems.single_machine.pictures import DENSE, gantt
from support.errors import rejects


def boxes(ax, label):
    """(left, right) of the boxes of the collection with this label."""
    found = next(c for c in ax.collections if c.get_label() == label)
    return [(p.vertices[:, 0].min(), p.vertices[:, 0].max()) for p in found.get_paths()]


def test_gantt_by_hand():
    """Jobs 1, 0, 2 with releases 0, 1, 9 and times 5, 1, 2: idle on [0, 1] and [7, 9]; C = 2, 7, 11."""
    ax = gantt([1, 0, 2], Instance([0, 1, 9], [5, 1, 2]))
    assert boxes(ax, "machine idle") == [(0, 1), (7, 9)]
    assert boxes(ax, "job is processed") == [(2, 7), (1, 2), (9, 11)]  # rows in order of release
    assert boxes(ax, "job waits") == [(0, 2), (1, 1), (9, 9)]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["machine", "job 0", "job 1", "job 2"]
    assert sorted(text.get_text() for text in ax.texts) == ["0", "1", "2"]
    # SRPT: job 1 runs on [1, 2], job 0 on [0, 1] and [2, 6]: 2 + 6 + 11 = 19 against 20
    assert ax.get_title(loc="left") == "3 jobs:  Σ C = 20,  5.26 % above the SRPT bound"


def test_gantt_has_no_idle_slivers_from_rounding():
    """Completion − processing is not the start in floating point; idle time is told from the release dates."""
    rng = np.random.default_rng(0)
    ax = gantt(np.arange(40), Instance(np.zeros(40), rng.random(40) + 0.1))
    assert boxes(ax, "machine idle") == []


@pytest.mark.parametrize("jobs", [1, 31, DENSE - 1, DENSE, 3000])
def test_gantt_stays_small(jobs):
    """A handful of artists at any size: thousands of patches would take seconds."""
    ax = gantt(np.arange(jobs), generate(1, jobs=jobs))
    assert len(ax.collections) + len(ax.lines) + len(ax.patches) <= 6
    assert f"{jobs:,} job" in ax.get_title(loc="left")


@pytest.mark.parametrize("sequence", [[0, 1], [0, 1, 1], [0, 1, 3], []])
def test_gantt_refuses_what_is_no_permutation(sequence):
    with rejects(InputError, "sequence"):
        gantt(sequence, Instance([0, 1, 9], [5, 1, 2]))


@pytest.mark.parametrize("jobs", [3, DENSE])
def test_gantt_is_drawn_on_the_axes_given_and_is_a_function_of_its_arguments(jobs, tmp_path):
    """Sparse and dense; the same bytes twice; pyplot holds on to none of them."""
    held = list(Gcf.figs)
    sequence, instance = np.arange(jobs), generate(0, jobs=jobs)
    ax = Figure().subplots()
    assert gantt(sequence, instance, ax=ax) is ax
    assert gantt(sequence, instance).get_xlabel() == "time"
    for k in range(2):
        save(gantt(sequence, instance), tmp_path / f"{k}.svg")
    first, second = ((tmp_path / f"{k}.svg").read_bytes() for k in range(2))
    assert first == second
    assert len(first) > 1000
    assert list(Gcf.figs) == held


def test_jobs_with_names_carry_them() -> None:
    """In their rows, and in their boxes where they fit; a $ in one is no formula."""
    instance = Instance([0, 1, 2], [10, 1, 10], ("cut", "a job with a long $name$", "$x"))
    ax = gantt([0, 1, 2], instance)
    assert [label.get_text() for label in ax.get_yticklabels()][1:] == ["cut", "a job with a long $name$", "$x"]
    assert {text.get_text() for text in ax.texts} == {"cut", "$x"}
    assert not any(text.get_parse_math() for text in ax.texts)


def test_dates_are_shown_as_a_clock_from_the_first_release() -> None:
    ax = gantt([1, 0], Instance([450, 440], [40, 20], origin=datetime(2026, 1, 5)))
    assert ax.get_xlim()[0] == 440
    assert ax.xaxis.get_major_formatter()(450) == "7:30"
    assert ax.get_xlabel() == "time, from 2026-01-05"
