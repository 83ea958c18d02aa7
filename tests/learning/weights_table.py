"""The weights that every learner gives on every problem for three seeds, as a JSON object on stdout.

    python tests/learning/weights_table.py [--extras]

`test_weights.py` runs it with `FIXED`, which keeps numpy and OpenBLAS to instructions that every x86-64 machine of the
last ten years has: their last bits do not depend on the processor then.
"""

from __future__ import annotations

import hashlib
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from colayer import Auto, CmaEs, Crf, Direct, FenchelYoung, Hinge, Neural, Pipeline, Sgd, SpoPlus
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling

FIXED = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "MKL_CBWR": "AVX2",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_CORETYPE": "Haswell",
    "OPENBLAS_NUM_THREADS": "1",
}
SEEDS = (0, 1, 2)
INSTANCES = 7


class Choose:
    """Take the better half of the items; a plain class with the five methods, `embed` and `target`."""

    name = "choose"
    feature_names = ("price", "weight", "noise")

    def features(self, instance: Any) -> Any:
        return instance

    def layer(self, theta: Any, instance: Any) -> Any:
        return np.sort(np.argsort(theta, kind="stable")[: len(theta) // 2])

    def decode(self, y: Any, instance: Any) -> Any:
        return y

    def cost(self, solution: Any, instance: Any) -> float:
        return float(instance[solution, 0].sum() + np.abs(instance[solution, 1]).sum())

    def scale(self, instance: Any) -> float:
        return float(len(instance))

    def embed(self, y: Any, instance: Any) -> Any:
        return np.isin(np.arange(len(instance)), y).astype(float)

    def target(self, solution: Any, instance: Any) -> Any:
        return self.embed(solution, instance)


class Take:
    """The same without `embed`: a search sees losses alone."""

    name = "take"
    feature_names = Choose.feature_names
    features, layer, decode = Choose.features, Choose.layer, Choose.decode
    cost, scale = Choose.cost, Choose.scale


def cases() -> Iterator[tuple[str, Any, list[Any]]]:
    """(name, problem, instances)."""
    jobs = SingleMachine(decoder="ls")
    yield "jobs-66-ls", jobs, [jobs.generate(seed=k, jobs=15, rho=1.0) for k in range(INSTANCES)]
    few = SingleMachine(features="27", decoder="none")
    yield "jobs-27-none", few, [few.generate(seed=k, jobs=20, rho=0.8) for k in range(INSTANCES)]
    tree = SpanningTree()
    yield "tree", tree, [tree.generate(seed=k, width=4, scenarios=3) for k in range(INSTANCES)]
    tasks = VehicleScheduling(features="23")
    yield "tasks-23", tasks, [tasks.generate(seed=k, tasks=15, scenarios=4) for k in range(INSTANCES)]
    rng = np.random.default_rng(5)
    items = [rng.normal(size=(12, 3)) for _ in range(INSTANCES)]
    yield "choose", Choose(), items
    yield "take", Take(), items


def learners(case: str, problem: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, what `fit` is given): by experience, then by demonstration."""
    budget = {"evaluations": 160}
    yield "auto", {"method": "auto", **budget}
    yield "auto, short steps", {"method": Auto(steps=(0.01,)), **budget}
    yield "direct", {"method": "direct", **budget}
    yield "direct, 2 seeds", {"method": Direct(seeds=2), **budget}
    yield "direct, perturbed", {"method": "direct", "sigma": 0.5, "samples": 4, "evaluations": 40}
    yield "cma-es", {"method": "cma-es", **budget}
    yield "cma-es, no validation", {"method": CmaEs(step=0.05), "validation": 0.0, **budget}
    yield "sgd", {"method": "sgd", **budget}
    yield "sgd, 4 pairs", {"method": Sgd(pairs=4), "radius": 3.0, **budget}
    if case in ("jobs-66-ls", "tree"):
        yield "direct, theory", {"method": "direct", "sigma": "theory", "samples": 3, "evaluations": 20}
    if case == "take":
        return
    yield "srl", {"method": "srl", **budget}
    passes = {"evaluations": 6}
    yield "fenchel-young", {"method": "fenchel-young", "from": "solutions", **passes}
    yield "fenchel-young, 4 samples", {"method": FenchelYoung(samples=4, epsilon=0.3), "from": "solutions", **passes}
    yield "hinge", {"method": Hinge(batch=2), "from": "solutions", **passes}
    yield "spo+", {"method": SpoPlus(), "from": "thetas", **passes}
    if case == "tree":
        multiplicative = FenchelYoung(perturbation="multiplicative", samples=4)
        yield "fenchel-young, multiplicative", {"method": multiplicative, "from": "solutions", **passes}
    if case != "choose":
        yield "crf", {"method": Crf(), "from": "solutions", **passes}


def extras(case: str, problem: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Those that need an extra."""
    yield "neural", {"method": Neural(channels=4, depth=2, share=0.5, samples=4, batch=3), "evaluations": 60}
    if case == "take":
        return
    yield "bayes", {"method": "bayes", "evaluations": 40}
    yield "neural, safe start", {"method": Neural(channels=4, share=0.0, samples=2), "evaluations": 18}
    yield "neural, imitating", {"method": Neural(channels=4, depth=1), "from": "solutions", "evaluations": 6}
    if case == "jobs-27-none":
        fresh = Neural(channels=4, share=0.0, samples=2, fresh={"jobs": (10, 20), "rho": 0.8})
        yield "neural, new instances", {"method": fresh, "validation": 0.0, "evaluations": 60}


def known(problem: Any, instances: list[Any], kind: str | None) -> dict[str, Any]:
    """Solutions that a fixed θ gives, or those θ."""
    if kind is None:
        return {}
    thetas = []
    for k, instance in enumerate(instances):
        features = np.asarray(problem.features(instance), dtype=float)
        spread = features.std(axis=0)
        w = np.random.default_rng(k).normal(size=features.shape[1]) / np.where(spread > 0, spread, 1.0)
        thetas.append((features * w).sum(axis=1))
    if kind == "thetas":
        return {"thetas": thetas}
    return {"solutions": [problem.decode(problem.layer(t, x), x) for t, x in zip(thetas, instances, strict=True)]}


def digest(model: Any) -> str:
    """The bits of all that was learned."""
    held = [model.weights, model.feature_scale]
    held += getattr(model, "arrays", {}).values()
    return hashlib.sha256(b"".join(np.ascontiguousarray(values).tobytes() for values in held)).hexdigest()[:16]


def table(chosen: Callable[[str, Any], Iterator[tuple[str, dict[str, Any]]]]) -> dict[str, dict[str, list[str]]]:
    """case → learner → one digest a seed."""
    found: dict[str, dict[str, list[str]]] = {}
    for case, problem, instances in cases():
        for name, given in chosen(case, problem):
            options = dict(given)
            options |= known(problem, instances, options.pop("from", None))
            models = [Pipeline(problem).fit(instances, seed=seed, **options).model for seed in SEEDS]
            found.setdefault(case, {})[name] = [digest(model) for model in models]
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    json.dump(table(extras if "--extras" in sys.argv else learners), sys.stdout, indent=1)
