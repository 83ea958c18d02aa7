"""Features: what bends the rule *prize = c·trip*, one row per open request."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.problems.dynamic_vehicle_scheduling.kernels.epoch import FEATURES, features_into
from colayer.problems.dynamic_vehicle_scheduling.state import State
from colayer.problems.feature_table import Feature, FeatureTable

#: Trip: from the depot and back. Slack: hours until the vehicle must leave. Times in seconds.
COLUMNS = FeatureTable(
    (
        Feature("trip", "trip", "t_0i + t_i0"),
        Feature("trip × slack", "trip", "trip · (start_i − t_0i − leave) / 3600"),
        Feature("trip × epochs left", "trip", "trip · epochs after this one"),
        Feature("trip × joint", "trip", "trip · share of the open requests that can be before or after i on a route"),
        Feature("later", "later", "mean price of i in the best routes of drawn days to come"),
        Feature("near requests", "near", "mean time to the nearest three open requests"),
        Feature("near customers", "near", "5 % quantile of the times to all customers"),
        Feature("slack", "time", "(start_i − t_0i − leave) / 3600"),
        Feature("one", "time", "1"),
    ),
    safe=("trip",),
)
assert len(COLUMNS) == FEATURES


def features(state: State) -> Floats:
    """Return one row per open request."""
    rows = np.empty((FEATURES, len(state.open)))
    city = state.day.city
    requests = state.location, state.start, state.duration, state.later
    features_into(*requests, city.times, city.near, state.leave, state.epochs_left, rows)
    return rows.T
