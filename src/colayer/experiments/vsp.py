"""The experiments on stochastic vehicle scheduling, section 5.2 of the paper: one file each."""

from __future__ import annotations

from colayer.experiments.vsp_curve import curve
from colayer.experiments.vsp_data import data
from colayer.experiments.vsp_learning import learning
from colayer.experiments.vsp_test import test

__all__ = ["curve", "data", "learning", "test"]
