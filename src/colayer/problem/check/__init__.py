"""Does a problem of one's own keep the protocol? `check_problem` looks for mistakes and says what to fix."""

from __future__ import annotations

from colayer.problem.check.report import CheckReport, Finding
from colayer.problem.check.run import CHECKS, check_problem, small_instances

__all__ = ["CHECKS", "CheckReport", "Finding", "check_problem", "small_instances"]
