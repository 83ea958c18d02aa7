"""Learning of the weights: by experience, on a budget of loss evaluations."""

from __future__ import annotations

from colayer.learning.experience import Evaluation, Learned, learn, mean_loss
from colayer.learning.optimizers import Auto, CmaEs, Direct, Optimizer, Sgd, Task, method_named, method_names
from colayer.learning.perturbation import draws

__all__ = [
    "Auto",
    "CmaEs",
    "Direct",
    "Evaluation",
    "Learned",
    "Optimizer",
    "Sgd",
    "Task",
    "draws",
    "learn",
    "mean_loss",
    "method_named",
    "method_names",
]
