"""Evaluators: the loss of many weight vectors on many instances, the seam everything fast plugs into."""

from __future__ import annotations

from colayer.evaluators.base import Backend, Evaluator, evaluator_for, rows_at_once

__all__ = ["Backend", "Evaluator", "evaluator_for", "rows_at_once"]
