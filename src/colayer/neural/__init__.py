"""The extra `neural`: networks for θ = f_w(x), trained with torch, and the layers as torch modules.

Only training needs torch: a trained model is a `colayer.models.ContextModel`, which solves in numpy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from colayer.errors import need_extra
from colayer.learning.network.method import Neural

if TYPE_CHECKING:
    from colayer.neural.functions import FenchelYoungLoss, PerturbedLayer, SpoPlusLoss

__all__ = ["FenchelYoungLoss", "Neural", "PerturbedLayer", "SpoPlusLoss"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'colayer.neural' has no attribute {name!r}")
    need_extra("torch", f"colayer.neural.{name} needs torch", "neural")
    return getattr(importlib.import_module("colayer.neural.functions"), name)
