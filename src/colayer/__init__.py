"""colayer: an easy combinatorial solver, turned into a fast, good heuristic for a hard combinatorial problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from colayer.checks import CheckReport, check_problem
    from colayer.dataset import read_instance, read_instances, write_instance, write_instances
    from colayer.errors import ColayerError, InputError, JournalError, MissingExtraError, OptionError
    from colayer.learning.losses import Crf, FenchelYoung, Hinge, SpoPlus
    from colayer.learning.optimizers import Auto, Bayes, CmaEs, Direct, Sgd
    from colayer.neural import Neural
    from colayer.pipeline import Pipeline, Solved
    from colayer.problem import BaseProblem, Problem, Size

__all__ = [
    "Auto",
    "BaseProblem",
    "Bayes",
    "CheckReport",
    "CmaEs",
    "ColayerError",
    "Crf",
    "Direct",
    "FenchelYoung",
    "Hinge",
    "InputError",
    "JournalError",
    "MissingExtraError",
    "Neural",
    "OptionError",
    "Pipeline",
    "Problem",
    "Sgd",
    "Size",
    "Solved",
    "SpoPlus",
    "__version__",
    "check_problem",
    "read_instance",
    "read_instances",
    "write_instance",
    "write_instances",
]

# name → module. Resolved on first use, so that the command line starts without numpy and numba.
_HOMES = {
    "Auto": "learning.optimizers",
    "BaseProblem": "problem",
    "Bayes": "learning.optimizers",
    "CheckReport": "checks",
    "CmaEs": "learning.optimizers",
    "ColayerError": "errors",
    "Crf": "learning.losses",
    "Direct": "learning.optimizers",
    "FenchelYoung": "learning.losses",
    "Hinge": "learning.losses",
    "InputError": "errors",
    "JournalError": "errors",
    "MissingExtraError": "errors",
    "Neural": "neural",
    "OptionError": "errors",
    "Pipeline": "pipeline",
    "Problem": "problem",
    "Sgd": "learning.optimizers",
    "Size": "problem",
    "Solved": "pipeline",
    "SpoPlus": "learning.losses",
    "check_problem": "checks",
    "read_instance": "dataset",
    "read_instances": "dataset",
    "write_instance": "dataset",
    "write_instances": "dataset",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'colayer' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"colayer.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
