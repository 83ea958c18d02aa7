"""The decoder: routes of which no request must go wait for the next epoch.

Travel costs the same an hour later, every request of such a route is still reached, and more is known: sending it now
is never better. So the layer may group requests that can wait, and the group stays open.
"""

from __future__ import annotations

from colayer._runtime.arrays import Ints
from colayer.problems.dynamic_vehicle_scheduling.kernels.epoch import wait_into
from colayer.problems.dynamic_vehicle_scheduling.state import Decision, State, routes


def decode(successor: Ints, state: State, decoder: str = "wait") -> Decision:
    """Return the routes of y that leave now: those with a request that must go, or all with the decoder `none`."""
    kept = successor.copy()
    if decoder == "wait":
        wait_into(state.must, kept)
    return routes(kept, state)
