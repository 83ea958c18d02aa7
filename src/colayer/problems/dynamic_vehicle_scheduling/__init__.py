"""Dynamic vehicle scheduling: requests come during the day, and one decides which ones to serve now."""

from colayer.problems.dynamic_vehicle_scheduling.city import City
from colayer.problems.dynamic_vehicle_scheduling.instance import Day
from colayer.problems.dynamic_vehicle_scheduling.problem import DynamicVehicleScheduling
from colayer.problems.dynamic_vehicle_scheduling.state import State

__all__ = ["City", "Day", "DynamicVehicleScheduling", "State"]
