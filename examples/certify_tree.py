"""A two-stage spanning tree: a learned solution in milliseconds, then a proof how far it is from the best."""

from colayer import Pipeline
from colayer.problems import SpanningTree

problem = SpanningTree()
instance = problem.generate(seed=1, width=20, scenarios=10, second_max=20)  # or: colayer.read_instance("graph.json")

solved = Pipeline(problem).solve(instance)
solution, bound, proved = problem.exact(instance, start=solved.solution)
print(f"learned    {solved.cost:.1f}, {100 * (solved.cost - bound) / abs(bound):.3f} % above the bound")
print(f"certified  {problem.cost(solution, instance):.1f}, bound {bound:.1f}, {'proved' if proved else 'not proved'}")
print(f"{len(solution.first_stage)} edges are bought now, {instance.nodes - 1 - len(solution.first_stage)} later")
