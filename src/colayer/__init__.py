"""colayer: an easy combinatorial solver, turned into a fast, good heuristic for a hard combinatorial problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from colayer.certification import certify
    from colayer.checks import CheckReport, check_problem
    from colayer.comparison.compare import compare
    from colayer.comparison.evaluate import evaluate
    from colayer.comparison.table import Comparison
    from colayer.dataset import read_instance, read_instances, write_instance, write_instances
    from colayer.errors import ColayerError, InputError, JournalError, MissingExtraError, OptionError
    from colayer.evaluators.along import LossAlong
    from colayer.explanation import explain
    from colayer.labels import label
    from colayer.learning.demonstration.crf import Crf
    from colayer.learning.demonstration.fenchel_young import FenchelYoung
    from colayer.learning.demonstration.hinge import Hinge
    from colayer.learning.demonstration.spo import SpoPlus
    from colayer.learning.experience.auto import Auto
    from colayer.learning.experience.bayes import Bayes
    from colayer.learning.experience.cma_es import CmaEs
    from colayer.learning.experience.direct import Direct
    from colayer.learning.experience.line import Line
    from colayer.learning.experience.sgd import Sgd
    from colayer.learning.experience.srl import Srl
    from colayer.learning.network.method import Neural
    from colayer.pipeline import Pipeline
    from colayer.problem import BaseProblem, Problem
    from colayer.sizes import Size
    from colayer.solved import Solved

__all__ = [
    "Auto",
    "BaseProblem",
    "Bayes",
    "CheckReport",
    "CmaEs",
    "ColayerError",
    "Comparison",
    "Crf",
    "Direct",
    "FenchelYoung",
    "Hinge",
    "InputError",
    "JournalError",
    "Line",
    "LossAlong",
    "MissingExtraError",
    "Neural",
    "OptionError",
    "Pipeline",
    "Problem",
    "Sgd",
    "Size",
    "Solved",
    "SpoPlus",
    "Srl",
    "__version__",
    "certify",
    "check_problem",
    "compare",
    "evaluate",
    "explain",
    "label",
    "read_instance",
    "read_instances",
    "write_instance",
    "write_instances",
]

# name → module. Resolved on first use, so that the command line starts without numpy and numba.
_HOMES = {
    "Auto": "learning.experience.auto",
    "BaseProblem": "problem",
    "Bayes": "learning.experience.bayes",
    "CheckReport": "checks",
    "CmaEs": "learning.experience.cma_es",
    "ColayerError": "errors",
    "Comparison": "comparison.table",
    "Crf": "learning.demonstration.crf",
    "Direct": "learning.experience.direct",
    "FenchelYoung": "learning.demonstration.fenchel_young",
    "Hinge": "learning.demonstration.hinge",
    "InputError": "errors",
    "JournalError": "errors",
    "Line": "learning.experience.line",
    "LossAlong": "evaluators.along",
    "MissingExtraError": "errors",
    "Neural": "learning.network.method",
    "OptionError": "errors",
    "Pipeline": "pipeline",
    "Problem": "problem",
    "Sgd": "learning.experience.sgd",
    "Srl": "learning.experience.srl",
    "Size": "sizes",
    "Solved": "solved",
    "SpoPlus": "learning.demonstration.spo",
    "certify": "certification",
    "check_problem": "checks",
    "compare": "comparison.compare",
    "evaluate": "comparison.evaluate",
    "explain": "explanation",
    "label": "labels",
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
