"""The experiments at settings so small that each takes a moment, and a run folder that conducts each of them once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from colayer.display.outcome import Cell, Outcome, Sheet
from colayer.errors import MissingExtraError
from colayer_paper.frame.config import Config, read_config
from colayer_paper.frame.store import Run
from colayer_paper.registry import conduct

_TREES = {"widths": [4, 5], "evaluations": 12, "samples": 2, "seeds": 2, "passes": 3, "auto_evaluations": 12}
_LEARNER = {"features": "27", "method": "direct", "seeds": 2, "per_cell": 1}
_PERTURBED = {"loss": "perturbed", "samples": 2, "sigma": 0.1}
_JOBS: dict[str, Any] = {
    "jobs": [12, 25, 40],  # one size of each of the subsets below
    "perturbed_samples": 2,
    "demonstration_jobs": [8],
    "passes": 2,
    "sigmas": [0.1, 1.0],
    "chosen_sigma": 0.1,
    "tried": {**_LEARNER, "loss": "perturbed", "samples": 2, "decoder": "none", "iterations": [5]},
    "learners": [
        {"loss": "plain", "decoder": "none", "iterations": [5, 12], "beside": [1000, 2500], **_LEARNER},
        {**_LEARNER, **_PERTURBED, "decoder": "none", "iterations": [5], "beside": [1000]},
        {"loss": "plain", "decoder": "ls", "iterations": [5, 12], "beside": [1000, 2500], **_LEARNER},
        {**_LEARNER, **_PERTURBED, "decoder": "ls", "iterations": [5], "beside": [1000]},
        {**_LEARNER, "loss": "plain", "decoder": "none", "method": "auto", "iterations": [9], "seeds": 1},
    ],
}
_SUBSETS = {"moderate": 12, "large": 25, "huge": 40}
_VEHICLES = {
    "sets": {
        "small": {"scenarios": [50], "per_cell": 5},
        "moderate": {"tasks": [50, 75], "scenarios": [50], "per_cell": 1},
        "all": {"tasks": [50, 100], "scenarios": [50], "per_cell": 1},
        "validation": {"tasks": [50], "scenarios": [50], "per_cell": 1},
        "test": {"tasks": [50, 200], "scenarios": [50], "per_cell": 2},
    },
    "evaluations": 6,
    "seeds": {"plain": 2, "raw": 1},
    "perturbed": {train: {"samples": 2, "direct": 5, "bayes": 4} for train in ("small", "moderate", "all")},
    "passes": 2,
    "demonstration_samples": 2,
    "ours": [{"train": "small", "features": "23"}],
}
_SIZES = {
    "evaluations": 5,
    "sizes": {
        "single-machine": {"train": [5, 10], "test": [5, 20], "per_cell": 1},
        "spanning-tree": {"train": [3, 4], "test": [4, 5], "per_cell": 1},
        "vehicle-scheduling": {"train": [50, 75], "test": [75, 100], "per_cell": 2},
    },
}
_OF_SEEDS = {
    "scheduling-seeds": {"demonstration_seeds": 2, "learners": [_JOBS["learners"][0], _JOBS["learners"][2]]},
    "vsp-seeds": {
        "tested": {"tasks": [50, 75], "scenarios": [50], "per_cell": 2},
        "learners": [
            {"loss": "plain", "train": "small", "method": "direct", "evaluations": 6, "seeds": 6},
            {"loss": "crf", "train": "small", "method": "crf", "evaluations": 2, "seeds": 2},
            {"loss": "fenchel_young", "train": "small", "method": "fenchel-young", "evaluations": 2, "samples": 2,
             "seeds": 1},
            {"loss": "plain", "train": "moderate", "method": "direct", "evaluations": 5, "seeds": 2},
            {"loss": "plain", "train": "moderate", "method": "bayes", "evaluations": 5, "seeds": 2},
        ],
    },
}  # fmt: skip
#: The first word of an experiment's name → the parameters that make it tiny.
_TINY: dict[str, dict[str, Any]] = {"tree": _TREES, "scheduling": _JOBS, "vsp": _VEHICLES, "size": _SIZES}


def tiny(name: str, scale: str = "smoke") -> Config:
    """The config of an experiment with the tiny parameters; it stands in for `read_config`."""
    config = read_config(name, scale)
    return replace(config, parameters={**config.parameters, **_TINY[name.partition("-")[0]], **_OF_SEEDS.get(name, {})})


@contextmanager
def small_world() -> Iterator[pytest.MonkeyPatch]:
    """Every experiment is tiny, on a machine without the extra bayes, whatever is installed here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("colayer_paper.registry.read_config", tiny)
        patch.setattr("colayer_paper.single_machine.by_size.SUBSETS", _SUBSETS)
        patch.setattr("colayer_paper.vehicle_scheduling.learners.need_botorch", _without_botorch)
        yield patch


def _without_botorch() -> None:
    raise MissingExtraError("bayes needs BoTorch", where="--method")


class TinyRun:
    """A run folder whose experiments are conducted when they are first asked for."""

    def __init__(self, folder: Path) -> None:
        self.run = Run(folder, "smoke", workers=2)
        self.run.open()
        self._outcomes: dict[str, Outcome] = {}
        #: experiment → the stages that were made for it.
        self.made: dict[str, int] = {}

    @property
    def folder(self) -> Path:
        """Where the outcomes lie, each in a folder of its name."""
        return self.run.folder

    def outcome(self, name: str) -> Outcome:
        """What an experiment found."""
        if name not in self._outcomes:
            before = self.run.made
            with small_world():
                self._outcomes[name] = conduct(self.run, name)
            self.made[name] = self.run.made - before
        return self._outcomes[name]


def column(sheet: Sheet, name: str) -> list[Cell]:
    """The cells of a column."""
    return [row[[c.name for c in sheet.columns].index(name)] for row in sheet.rows]


def values(sheet: Sheet) -> list[list[Any]]:
    """Our values in a sheet, without the columns that hold times."""
    kept = [k for k, c in enumerate(sheet.columns) if c.unit != "s"]
    return [[row[k].value for k in kept] for row in sheet.rows]


def beside(sheets: tuple[Sheet, ...]) -> set[float]:
    """The numbers of the paper's that stand beside ours."""
    here = [cell.paper for sheet in sheets for row in sheet.rows for cell in row]
    return {float(number) for number in here if isinstance(number, int | float | str) and str(number) != ""}
