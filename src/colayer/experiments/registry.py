"""The experiments by name, in the order in which they are run: those that others build on come first."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from colayer.experiments.frame.config import Config, read_config
from colayer.experiments.frame.store import Run
from colayer.report.outcome import Outcome

#: name → module of this package and its function (run, config) → outcome.
EXPERIMENTS = {
    "tree-epsilon": "spanning_tree.epsilon:experiment",
    "tree-gap": "spanning_tree.gaps:experiment",
    "scheduling-learning": "single_machine.learning:experiment",
    "scheduling-test": "single_machine.gaps:experiment",
    "scheduling-size": "single_machine.by_size:experiment",
    "vsp-data": "vehicle_scheduling.data:experiment",
    "vsp-learning": "vehicle_scheduling.learning:experiment",
    "vsp-curve": "vehicle_scheduling.curve:experiment",
    "vsp-test": "vehicle_scheduling.gaps:experiment",
    "size-generalisation": "sizes.generalisation:experiment",
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
