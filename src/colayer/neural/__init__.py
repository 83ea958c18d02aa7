"""The extra `neural`: networks for θ = f_w(x), trained with torch, and the layers as torch modules.

Only training needs torch: a trained model is a `colayer.networks.NeuralModel`, which solves in numpy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from colayer.errors import MissingExtraError
from colayer.neural.method import Neural

if TYPE_CHECKING:
    from colayer.neural.functions import FenchelYoungLoss, PerturbedLayer
    from colayer.neural.network import Network

__all__ = ["FenchelYoungLoss", "Network", "Neural", "PerturbedLayer"]

_HOMES = {"FenchelYoungLoss": "functions", "Network": "network", "PerturbedLayer": "functions"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'colayer.neural' has no attribute {name!r}")
    need_torch(f"colayer.neural.{name}")
    return getattr(importlib.import_module(f"colayer.neural.{_HOMES[name]}"), name)


def need_torch(what: str) -> None:
    """Refuse with the pip command where torch is missing."""
    try:
        import torch  # noqa: F401
    except ImportError:
        raise MissingExtraError(f"{what} needs torch: pip install 'colayer[neural]'") from None
