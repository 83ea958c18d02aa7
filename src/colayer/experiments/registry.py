"""The experiments by name, in the order in which they are run: those that others build on come first."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from colayer.experiments.config import Config, read_config
from colayer.experiments.store import Run
from colayer.report.outcome import Outcome

#: name → module of this package and its function (run, config) → outcome.
EXPERIMENTS = {
    "tree-epsilon": "tree_epsilon:experiment",
    "tree-gap": "tree_gap:experiment",
    "scheduling-learning": "scheduling_learning:experiment",
    "scheduling-test": "scheduling_gaps:experiment",
    "scheduling-size": "scheduling_size:experiment",
    "vsp-data": "vsp:data",
    "vsp-learning": "vsp:learning",
    "vsp-curve": "vsp:curve",
    "vsp-test": "vsp:test",
    "size-generalisation": "sizes:generalisation",
}

Experiment = Callable[[Run, Config], Outcome]


def experiment(name: str) -> Experiment:
    """The function that runs an experiment."""
    module, _, function = EXPERIMENTS[name].partition(":")
    found: Experiment = getattr(importlib.import_module(f"colayer.experiments.{module}"), function)
    return found


def conduct(run: Run, name: str) -> Outcome:
    """Run one experiment, from the cache where it can, and write its outcome to RUN/NAME."""
    from colayer.report.outcome import write_outcome

    run.reset()
    folder = run.folder / name
    folder.mkdir(exist_ok=True)
    outcome = experiment(name)(run, read_config(name, run.scale))
    write_outcome(folder, outcome)
    return outcome
