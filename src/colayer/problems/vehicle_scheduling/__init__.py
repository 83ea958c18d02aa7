"""Stochastic vehicle scheduling: cover tasks by vehicles at least vehicle cost and expected delay."""

from colayer.problems.vehicle_scheduling.city import City
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.places import Places
from colayer.problems.vehicle_scheduling.problem import VehicleScheduling

__all__ = ["City", "Instance", "Places", "VehicleScheduling"]
