"""A two-stage spanning tree: a learned solution in milliseconds, then a proof how far it is from the best."""

from colayer import Pipeline, certify
from colayer.problems import SpanningTree

problem = SpanningTree()
instance = problem.generate(seed=1, width=20, scenarios=10, second_max=20)  # or: colayer.read_instance("graph.json")

solved = Pipeline(problem).solve(instance)
proved = certify(problem, instance, solved)  # starts from the solution found
print(f"learned    {solved.cost:.1f}, {100 * (solved.cost - proved.bound) / abs(proved.bound):.3f} % above the bound")
print(f"certified  {proved.cost:.1f}, bound {proved.bound:.1f}, {'proved' if proved.certified else 'not proved'}")
