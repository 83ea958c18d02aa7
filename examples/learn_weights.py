"""Learn weights of your own from instances alone, and compare them with plain rules on other instances."""

from colayer import Pipeline, evaluate
from colayer.comparison.contender import pipeline_contender
from colayer.comparison.plain import plain_contenders
from colayer.comparison.table import summary_table
from colayer.problems import SingleMachine

problem = SingleMachine(decoder="ls")
instances = [problem.generate(seed=s, jobs=60, rho=0.8) for s in range(60)]
others = [problem.generate(seed=1000 + s, jobs=60, rho=0.8) for s in range(40)]

pipeline = Pipeline(problem, safe=False).fit(instances, evaluations=300, seed=0)
print(f"loss {pipeline.loss_:.4f} on the training share, {pipeline.validation_loss_:.4f} on the validation share")

# beside it, through the same decoder: safe weights, the best single feature and every plain rule
contenders = [pipeline_contender("learned", pipeline), *plain_contenders(problem, others, [pipeline])]
comparison = evaluate(problem, others, contenders)
print(summary_table(comparison.summary()).text())
print(*comparison.conclusions(), sep="\n")
pipeline.save("model.json")  # Pipeline.load("model.json") brings it back
