"""Dynamic routing with time windows, as in the EURO Meets NeurIPS 2022 competition, with PyVRP as the layer."""

from colayer.problems.dynamic_routing.city import RoutingCity
from colayer.problems.dynamic_routing.instance import RoutingDay
from colayer.problems.dynamic_routing.problem import DynamicRouting
from colayer.problems.dynamic_routing.state import RoutingState

__all__ = ["DynamicRouting", "RoutingCity", "RoutingDay", "RoutingState"]
