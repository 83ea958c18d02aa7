"""Models θ = f_w(x), which turn features into the parameters of the layer, and their files."""

from __future__ import annotations

from colayer.models.affine import AffineModel, FromContext
from colayer.models.context import ContextModel
from colayer.models.linear import LinearModel
from colayer.models.model import Model
from colayer.models.read import model_of, read_model
from colayer.models.thetas import norm, thetas

__all__ = [
    "AffineModel",
    "ContextModel",
    "FromContext",
    "LinearModel",
    "Model",
    "model_of",
    "norm",
    "read_model",
    "thetas",
]
