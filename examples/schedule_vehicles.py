"""Vehicles for a day of tasks with random delays: learned weights against the schedule that looks at no delay."""

from colayer import Pipeline
from colayer.layers.path_cover import path_cover
from colayer.problems import VehicleScheduling

problem = VehicleScheduling()
instance = problem.generate(seed=1, tasks=200, scenarios=50)  # or: colayer.read_instance("day.npz")

plain = problem.baseline("deterministic", instance)
solved = Pipeline(problem).solve(instance)
searched = Pipeline(VehicleScheduling(decoder="ls")).solve(instance)
for name, solution in (("no delays", plain), ("learned", solved.solution), ("learned, ls", searched.solution)):
    vehicles = int((solution < 0).sum())
    print(f"{name:12} cost {problem.cost(solution, instance):9.0f}, {vehicles} vehicles")
print(f"no solution costs less than {solved.bound:.0f}")

# The layer on its own: three tasks, arcs 0 → 1, 0 → 2, 1 → 2, and 10 for each path that is begun.
print(path_cover([0, 2, 3, 3], [1, 2, 2], [3.0, 1.0, 2.0], [10.0] * 3, [0.0] * 3))
