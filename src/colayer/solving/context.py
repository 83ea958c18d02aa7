"""Context in, decisions out."""

from __future__ import annotations

from typing import Any

import numpy as np

from colayer.models import FromContext
from colayer.problem.bind import BoundProblem
from colayer.problem.theta import theta_of


def decide_context(problem: BoundProblem[Any, Any, Any], model: FromContext, given: Any) -> Any:
    """Return the decision for one context, or an array of those for several; what they cost is not asked for."""
    if isinstance(given, list) or getattr(given, "ndim", 1) == 2:
        decisions = [decide_context(problem, model, one) for one in given]
        try:
            return np.array(decisions)
        except ValueError:  # of several shapes
            found = np.empty(len(decisions), dtype=object)
            found[:] = decisions
            return found
    theta = theta_of(problem, model, given, problem.features(given))
    return problem.decode(problem.layer(theta, given), given)
