"""Demos that take a moment."""

from __future__ import annotations

from dataclasses import replace

import pytest

from colayer.cli.demos import catalogue


def make_demos_small(monkeypatch: pytest.MonkeyPatch, training: int = 6, test: int = 3, evaluations: int = 12) -> None:
    """Let every demo learn from a few instances, for a few evaluations, and test on fewer."""
    sizes = {"training": training, "test": test, "evaluations": evaluations}
    monkeypatch.setattr(catalogue, "DEFAULT", replace(catalogue.DEFAULT, **sizes))
    for name, demo in catalogue.DEMOS.items():
        few = {"requests": 8, "vehicles": 2} if name == "dispatch" else demo.sizes
        monkeypatch.setitem(catalogue.DEMOS, name, replace(demo, sizes=few, **sizes))
