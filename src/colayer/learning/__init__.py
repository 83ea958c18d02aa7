"""Learning of the weights: by experience, on a budget of loss evaluations, or by demonstration, by gradients."""

from __future__ import annotations

from colayer.learning.experience import Evaluation, Learned, learn, mean_loss
from colayer.learning.losses import Crf, FenchelYoung, Hinge, SpoPlus, demonstration_named, demonstration_names
from colayer.learning.optimizers import Auto, Bayes, CmaEs, Direct, Optimizer, Sgd, Task, method_named, method_names
from colayer.learning.perturbation import draws

__all__ = [
    "Auto",
    "Bayes",
    "CmaEs",
    "Crf",
    "Direct",
    "Evaluation",
    "FenchelYoung",
    "Hinge",
    "Learned",
    "Optimizer",
    "Sgd",
    "SpoPlus",
    "Task",
    "demonstration_named",
    "demonstration_names",
    "draws",
    "learn",
    "mean_loss",
    "method_named",
    "method_names",
]
