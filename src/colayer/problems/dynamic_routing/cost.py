"""The scale of a day."""

from __future__ import annotations

from colayer.problems.dynamic_routing.instance import RoutingDay

#: Of what it takes to serve each request alone, about what a good day drives.
_SHARE = 0.2


def scale(day: RoutingDay) -> float:
    """Return a fifth of what it takes to serve each request alone, at least a second."""
    travel = day.city.travel
    return max(1.0, _SHARE * float((travel[0, day.location] + travel[day.location, 0]).sum()))
