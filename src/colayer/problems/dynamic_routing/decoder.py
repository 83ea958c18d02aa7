"""The decoder: routes that can leave an hour later do.

They drive the same then, all their requests are still served in time, and more is known: sending one now is never
better. So the layer may group requests that can wait, and the group stays open.
"""

from __future__ import annotations

from colayer.problems.dynamic_routing.search import Routes
from colayer.problems.dynamic_routing.state import RoutingState, can_wait, numbered
from colayer.problems.dynamic_vehicle_scheduling.state import Decision


def decode(routes: Routes, state: RoutingState, decoder: str = "wait") -> Decision:
    """Return the routes of y that leave now: those that cannot wait, or all with the decoder `none`."""
    return numbered([route for route in routes if decoder == "none" or not can_wait(route, state)], state)
