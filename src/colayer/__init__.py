"""colayer: the rule or easy solver you use today, made better by learning from past instances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from colayer.analysis.explain import explain
    from colayer.comparison.compare import compare
    from colayer.comparison.evaluate import evaluate
    from colayer.comparison.table import Comparison
    from colayer.comparison.tune import tune
    from colayer.comparison.tuned import Tuned
    from colayer.dynamic.gym import from_gymnasium, to_gymnasium
    from colayer.dynamic.protocol import DynamicProblem
    from colayer.errors import ColayerError, InputError, JournalError, MissingExtraError, OptionError
    from colayer.io.dataset import read_instance, read_instances, write_instance, write_instances
    from colayer.io.label import label
    from colayer.layers.regret import regret
    from colayer.learning.imitation.crf import Crf
    from colayer.learning.imitation.fenchel_young import FenchelYoung
    from colayer.learning.imitation.hinge import Hinge
    from colayer.learning.imitation.spo import SpoPlus
    from colayer.learning.network.method import Neural
    from colayer.learning.search.auto import Auto
    from colayer.learning.search.bayes import Bayes
    from colayer.learning.search.cma_es import CmaEs
    from colayer.learning.search.direct import Direct
    from colayer.learning.search.sgd import Sgd
    from colayer.learning.search.srl import Srl
    from colayer.pipeline import Pipeline
    from colayer.problem.check import CheckReport, check_problem
    from colayer.problem.context import ContextProblem
    from colayer.problem.protocol import BaseProblem, Problem
    from colayer.problem.sizes import Size
    from colayer.solving.certify import certify
    from colayer.solving.solved import Solved

__all__ = [
    "Auto",
    "BaseProblem",
    "Bayes",
    "CheckReport",
    "CmaEs",
    "ColayerError",
    "Comparison",
    "ContextProblem",
    "Crf",
    "Direct",
    "DynamicProblem",
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
    "Srl",
    "Tuned",
    "__version__",
    "certify",
    "check_problem",
    "compare",
    "evaluate",
    "explain",
    "from_gymnasium",
    "label",
    "read_instance",
    "read_instances",
    "regret",
    "to_gymnasium",
    "tune",
    "write_instance",
    "write_instances",
]

# name → module. Resolved on first use, so that the command line starts without numpy and numba.
_HOMES = {
    "Auto": "learning.search.auto",
    "BaseProblem": "problem.protocol",
    "Bayes": "learning.search.bayes",
    "CheckReport": "problem.check",
    "CmaEs": "learning.search.cma_es",
    "ColayerError": "errors",
    "Comparison": "comparison.table",
    "ContextProblem": "problem.context",
    "Crf": "learning.imitation.crf",
    "Direct": "learning.search.direct",
    "DynamicProblem": "dynamic.protocol",
    "FenchelYoung": "learning.imitation.fenchel_young",
    "Hinge": "learning.imitation.hinge",
    "InputError": "errors",
    "JournalError": "errors",
    "MissingExtraError": "errors",
    "Neural": "learning.network.method",
    "OptionError": "errors",
    "Pipeline": "pipeline",
    "Problem": "problem.protocol",
    "Sgd": "learning.search.sgd",
    "Srl": "learning.search.srl",
    "Size": "problem.sizes",
    "Solved": "solving.solved",
    "SpoPlus": "learning.imitation.spo",
    "Tuned": "comparison.tuned",
    "certify": "solving.certify",
    "check_problem": "problem.check",
    "compare": "comparison.compare",
    "evaluate": "comparison.evaluate",
    "explain": "analysis.explain",
    "from_gymnasium": "dynamic.gym",
    "label": "io.label",
    "read_instance": "io.dataset",
    "read_instances": "io.dataset",
    "regret": "layers.regret",
    "tune": "comparison.tune",
    "to_gymnasium": "dynamic.gym",
    "write_instance": "io.dataset",
    "write_instances": "io.dataset",
}


def __getattr__(name: str) -> Any:
    import importlib

    if name not in _HOMES:
        raise AttributeError(f"module 'colayer' has no attribute {name!r}")

    value = getattr(importlib.import_module(f"colayer.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
