"""The bar on stderr."""

import sys

import numpy as np

from colayer.learning.search.direct import Direct
from colayer.learning.search.optimizer import Task
from support.searching import search


def test_no_bar_without_a_terminal(capsys):
    search(lambda W: W[:, 0], task=Task(1, evaluations=5), method=Direct(), progress=True)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_a_bar_on_a_terminal(monkeypatch, capsys):
    """On stderr alone, with the count, the best loss and its validation loss."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    objective = lambda W: np.full(len(W), 0.125)  # noqa: E731
    search(objective, objective, task=Task(1, evaluations=5), method=Direct(), progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "5/5" in captured.err
    assert "loss 0.125, validation 0.125" in captured.err
