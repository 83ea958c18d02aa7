"""The experiments by name, in the order in which they are run: those that others build on come first."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from colayer.display.outcome import Outcome
from colayer_paper.frame.config import Config, read_config
from colayer_paper.frame.learned import Learning
from colayer_paper.frame.sharing import share
from colayer_paper.frame.store import Run

#: name → of this package, the function (run, config) → outcome, and the one (run, config) → what is learned for it.
EXPERIMENTS = {
    "tree-epsilon": ("spanning_tree.epsilon:experiment", "spanning_tree.epsilon:learnings"),
    "tree-gap": ("spanning_tree.gaps:experiment", "spanning_tree.gaps:learnings"),
    "scheduling-sigma": ("single_machine.sigma:experiment", "single_machine.sigma:learnings"),
    "scheduling-learning": ("single_machine.learning:experiment", "single_machine.learners:learnings"),
    "scheduling-test": ("single_machine.gaps:experiment", "single_machine.learners:learnings"),
    "scheduling-size": ("single_machine.by_size:experiment", "single_machine.learners:learnings"),
    "scheduling-seeds": ("single_machine.seeds:experiment", "single_machine.seeds:learnings"),
    "vsp-data": ("vehicle_scheduling.data:experiment", None),
    "vsp-learning": ("vehicle_scheduling.learning:experiment", "vehicle_scheduling.learners:learnings"),
    "vsp-curve": ("vehicle_scheduling.curve:experiment", "vehicle_scheduling.learners:learnings"),
    "vsp-test": ("vehicle_scheduling.gaps:experiment", "vehicle_scheduling.learners:learnings"),
    "vsp-seeds": ("vehicle_scheduling.seeds:experiment", "vehicle_scheduling.seeds:learnings"),
}

Experiment = Callable[[Run, Config], Outcome]


def experiment(name: str) -> Experiment:
    """The function that runs an experiment."""
    found: Experiment = _function(EXPERIMENTS[name][0])
    return found


def learnings(run: Run, name: str) -> list[Learning[Any, Any, Any]]:
    """What is learned for an experiment, in the order in which it is."""
    place = EXPERIMENTS[name][1]
    found: list[Learning[Any, Any, Any]] = [] if place is None else _function(place)(run, read_config(name, run.scale))
    return found


def _function(place: str) -> Any:
    module, _, function = place.partition(":")
    return getattr(importlib.import_module(f"colayer_paper.{module}"), function)


def conduct(run: Run, name: str) -> Outcome:
    """Run one experiment, from the cache where it can, and write its outcome to RUN/NAME."""
    from colayer.display.outcome import write_outcome

    folder = run.folder / name
    folder.mkdir(exist_ok=True)
    share(run, learnings(run, name))
    run.reset()  # times are of what the experiment asks for, whoever made it
    outcome = experiment(name)(run, read_config(name, run.scale))
    write_outcome(folder, outcome)
    return outcome
