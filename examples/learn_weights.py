"""Learn weights of your own from instances alone, and compare them with plain rules on other instances."""

from colayer import Pipeline, evaluate
from colayer.problems import SingleMachine
from colayer.report.tables import summary_table

problem = SingleMachine(decoder="ls")
instances = [problem.generate(seed=s, jobs=60, rho=0.8) for s in range(60)]
others = [problem.generate(seed=1000 + s, jobs=60, rho=0.8) for s in range(40)]

pipeline = Pipeline(problem, safe=False).fit(instances, evaluations=300, seed=0)
print(f"loss {pipeline.loss_:.4f} on the training share, {pipeline.validation_loss_:.4f} on the validation share")

comparison = evaluate(
    problem,
    others,
    {
        "learned": pipeline,
        "release order + LS": lambda x: problem.baseline("release+ls", x),
        "SRPT order": lambda x: problem.baseline("srpt", x),
    },
)
print(summary_table(comparison.summary()).text())
pipeline.save("model.json")  # Pipeline.load("model.json") brings it back
