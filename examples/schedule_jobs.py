"""Schedule jobs with the weights that colayer ships: no training, a few milliseconds."""

from colayer import Pipeline
from colayer.problems import SingleMachine

problem = SingleMachine(decoder="rdi")
instance = problem.generate(seed=1, jobs=500, rho=1.0)  # or: colayer.read_instance("jobs.json")
pipeline = Pipeline(problem)

solved = pipeline.solve(instance)
print(f"sum of completion times {solved.cost:.0f}, at most {100 * solved.gap:.3f} % above the optimum")

solved = pipeline.solve(instance, samples=50)  # the best of 51 weight vectors
print(f"with 50 samples         {solved.cost:.0f}, at most {100 * solved.gap:.3f} % above the optimum")
print("first jobs to run:", solved.solution[:8].tolist())
