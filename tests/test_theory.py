"""The paper's theory, and ours where it goes further (paper/docs/proofs.md), as assertions."""

from __future__ import annotations

import itertools
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import ncx2, norm

from colayer.analysis.guarantees import LIPSCHITZ
from colayer.models import thetas
from colayer.problem.approximation import Approximation
from colayer.problems import SingleMachine, SpanningTree, find_problem, problem_names
from colayer.problems.single_machine.cost import srpt_approximation
from colayer.problems.spanning_tree.cost import tree_approximation
from support.registry import static_names

#: Sizes at which a line crosses dozens of pieces, not thousands; others take their defaults.
SMALL: dict[str, dict[str, Any]] = {
    "single-machine": {"jobs": 8},
    "spanning-tree": {"width": 3, "scenarios": 3},
    "vehicle-scheduling": {"tasks": 10, "scenarios": 5},
}


# --- Proposition 1: the loss is piecewise constant in w ---------------------------------------------------------------


class Line:
    """The pipeline along w(t) = w + t·v on one instance: the layer's solution, told by its bytes, and the cost."""

    def __init__(self, problem: Any, instance: Any, rng: np.random.Generator) -> None:
        self.problem, self.instance = problem, instance
        self.features = problem.features(instance)
        spread = np.where(self.features.std(axis=0) > 0, self.features.std(axis=0), 1.0)
        self.start, self.step = (rng.normal(size=self.features.shape[1]) / spread for _ in range(2))

    def theta(self, t: float) -> Any:
        return thetas(self.features, (self.start + t * self.step)[None, :])[0]

    def solution(self, t: float) -> bytes:
        return pickle.dumps(self.problem.layer(self.theta(t), self.instance))

    def cost(self, t: float) -> float:
        return self.problem.cost(
            self.problem.decode(self.problem.layer(self.theta(t), self.instance), self.instance), self.instance
        )

    def breaks(self, low: float, high: float, width: float) -> list[float]:
        """Where the solution changes in (low, high), by bisection to `width`.

        The θ for which y is optimal form a convex cone, so equal solutions at both ends mean no change between.
        """
        found: list[float] = []
        stack = [(low, high, self.solution(low), self.solution(high))]
        while stack:
            left, right, at_left, at_right = stack.pop()
            if at_left == at_right:
                continue
            middle = (left + right) / 2
            if right - left <= width:
                found.append(middle)
                continue
            at_middle = self.solution(middle)
            stack += [(middle, right, at_middle, at_right), (left, middle, at_left, at_middle)]
        return found


@pytest.mark.parametrize("name", static_names())
def test_loss_is_piecewise_constant_along_lines(name: str) -> None:
    """Finitely many breakpoints, as many at a width of 1e-6 as at 1e-9, and the cost is constant between them."""
    problem = find_problem(name)
    variants = [problem.with_options(decoder=d) for d in problem.decoders] or [problem]
    for seed, variant in itertools.product(range(3), variants):
        rng = np.random.default_rng(seed)
        line = Line(variant, variant.generate(seed, **SMALL.get(name, {})), rng)
        breaks = line.breaks(-1.0, 1.0, 1e-9)
        assert 0 < len(breaks) < 2000
        assert len(line.breaks(-1.0, 1.0, 1e-6)) <= len(breaks)
        values = set()
        for left, right in itertools.pairwise([-1.0, *breaks, 1.0]):
            if right - left < 1e-7:
                continue
            inside = left + (right - left) * rng.uniform(0.01, 0.99, size=4)
            costs = {line.cost(t) for t in inside}
            assert len(costs) == 1, f"between {left} and {right}"
            assert len({line.solution(t) for t in inside}) == 1
            values |= costs
        assert len(values) <= len(breaks) + 1


# --- Lemma 3 and its sharper form: smoothing makes a bounded function Lipschitz ---------------------------------------


def half_space(w: Any, sigma: float) -> Any:
    """1{⟨a, w⟩ ≥ 0}, a a unit vector."""
    d = w.shape[-1]
    return norm.cdf(w @ np.full(d, 1.0 / math.sqrt(d)) / sigma)


def slab(w: Any, sigma: float) -> Any:
    """1{−0.3 ≤ w_1 ≤ 0.5}."""
    return norm.cdf((0.5 - w[..., 0]) / sigma) - norm.cdf((-0.3 - w[..., 0]) / sigma)


def orthant(w: Any, sigma: float) -> Any:
    """1{w ≥ 0}, a product of half-spaces."""
    return norm.cdf(w / sigma).prod(axis=-1)


def ball(w: Any, sigma: float) -> Any:
    """1{‖w‖ ≤ σ√d}: ‖w + σZ‖²/σ² is noncentral chi-square."""
    return ncx2.cdf(w.shape[-1], w.shape[-1], (w**2).sum(axis=-1) / sigma**2)


def wave(w: Any, sigma: float) -> Any:
    """(1 + cos(w_1/σ))/2, the steepest of the cosines once it is smoothed."""
    return (1.0 + math.exp(-0.5) * np.cos(w[..., 0] / sigma)) / 2.0


SMOOTHED: list[Callable[[Any, float], Any]] = [half_space, slab, orthant, ball, wave]


@pytest.mark.parametrize("sigma", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("d", [1, 2, 7])
@pytest.mark.parametrize("smoothed", SMOOTHED, ids=lambda f: f.__name__)
def test_smoothed_functions_are_lipschitz(smoothed: Callable[[Any, float], Any], d: int, sigma: float) -> None:
    """|G(w) − G(w′)| ≤ ‖w − w′‖/(σ√(2π)) for g with values in [0, 1], near and far; √d/σ (lemma 3) then as well."""
    rng = np.random.default_rng(d)
    w = 1.5 * sigma * rng.normal(size=(4000, d))
    step = rng.normal(size=(4000, d)) * sigma * 10.0 ** rng.uniform(-3, 0.5, size=(4000, 1))
    change = np.abs(smoothed(w + step, sigma) - smoothed(w, sigma))
    distance = np.linalg.norm(step, axis=1)
    assert (change <= distance * LIPSCHITZ / sigma + 1e-12).all()
    assert math.sqrt(d) > LIPSCHITZ
    assert change.max() > 0.01  # or the inequality would hold of nothing


@pytest.mark.parametrize("d", [1, 2, 30])
def test_half_space_attains_the_constant(d: int) -> None:
    """At its boundary, along its normal, in any dimension: no smaller constant holds, and none that grows with d."""
    step = 1e-4 * np.full((1, d), 1.0 / math.sqrt(d))
    for sigma in (0.3, 2.0):
        slope = (half_space(step, sigma) - half_space(-step, sigma))[0] / 2e-4
        assert slope == pytest.approx(LIPSCHITZ / sigma, rel=1e-6)


def test_gradient_is_the_mean_of_g_times_z() -> None:
    """∂G/∂w_1 = E[g(w + σZ)·Z_1]/σ ≤ E[max(Z_1, 0)]/σ: the orthant, whose gradient is known, by quadrature."""
    nodes, masses = np.polynomial.legendre.leggauss(80)
    z = 4.0 + 4.0 * nodes - 0.25  # g(w + σz) is 1 exactly where z ≥ −w_1/σ = −0.25
    mean = float((4.0 * masses * z * norm.pdf(z)).sum()) * float(norm.cdf(0.5))
    assert mean == pytest.approx(float(norm.pdf(0.25) * norm.cdf(0.5)), rel=1e-9)
    assert mean <= LIPSCHITZ


def test_length_of_a_gaussian_is_at_most_the_root_of_its_dimension() -> None:
    """E‖Z‖ = √2·Γ((d+1)/2)/Γ(d/2) ≤ √d, the step of theorem 2, and near it: lemma 3's own √d is no slip."""
    for d in (1, 2, 23, 69):
        mean = math.sqrt(2.0) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))
        assert 0.79 * math.sqrt(d) < mean <= math.sqrt(d)


# --- The ratio of the safe weights under a perturbation of θ ----------------------------------------------------------


def perturbations(rng: np.random.Generator, theta: Any, count: int) -> Any:
    """Small and large, dense and sparse, and some that undo θ itself."""
    p = rng.normal(size=(count, len(theta))) * (10.0 ** rng.uniform(-2, 0.7, size=(count, 1))) * np.abs(theta).mean()
    p[1::3] *= rng.random((len(p[1::3]), len(theta))) < 0.3
    p[2::3] = -theta * rng.uniform(0.0, 2.0, size=(len(p[2::3]), len(theta)))
    return p


def spanning_trees(nodes: int, edges: list[tuple[int, int]]) -> Any:
    """All spanning trees as 0/1 rows, by trying every set of n − 1 edges."""
    rows = []
    for chosen in itertools.combinations(range(len(edges)), nodes - 1):
        parts = list(range(nodes))
        for e in chosen:
            one, other = (parts[node] for node in edges[e])
            parts = [one if part == other else part for part in parts]
        if len(set(parts)) == 1:
            rows.append([e in chosen for e in range(len(edges))])
    return np.array(rows, dtype=np.float64)


def optima(trees: Any, first: Any, second: Any) -> Any:
    """Optimal costs of a batch, first (k, m), second (k, S, m): every forest, and for it the best tree a scenario."""
    forests = np.unique(
        np.array([tree * mask for tree in trees for mask in itertools.product((0.0, 1.0), repeat=trees.shape[1])]),
        axis=0,
    )
    tree_costs = second @ trees.T  # (k, S, trees)
    best = np.full(len(first), np.inf)
    for forest in forests:
        around = np.flatnonzero(trees @ forest == forest.sum())
        completions = tree_costs[:, :, around].min(axis=2) - second @ forest
        best = np.minimum(best, first @ forest + completions.mean(axis=1))
    return best


GRAPHS = {
    "triangle": (3, [(0, 1), (1, 2), (0, 2)]),
    "square with a diagonal": (4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]),
    "parallel edges": (3, [(0, 1), (0, 1), (1, 2), (1, 2)]),
}


@pytest.mark.parametrize("scenarios", [1, 2, 3, 6])
@pytest.mark.parametrize("graph", GRAPHS)
def test_tree_inequality(graph: str, scenarios: int) -> None:
    """c − c* ≤ a·|c*| + b·‖p‖₁ with a = (S−1)/(2S−1), b = S/(2S−1), against enumerated optima (proposition 2)."""
    nodes, edges = GRAPHS[graph]
    rng = np.random.default_rng([scenarios, len(edges)])
    count = 1000
    first = -rng.integers(0, 10, size=(count, len(edges))).astype(float)
    second = -rng.integers(0, 10, size=(count, scenarios, len(edges))).astype(float)
    problem = SpanningTree()
    best = optima(spanning_trees(nodes, edges), first, second)
    assert problem.safe_weights is not None
    for k in range(count):
        x = problem.read({"nodes": nodes, "edges": edges, "first": first[k], "second": second[k]})
        theta = np.concatenate([first[k], second[k].mean(axis=0)])
        proved = tree_approximation(x)
        assert proved is not None
        if k < 5:
            assert thetas(problem.features(x), problem.safe_weights[None, :])[0] == pytest.approx(theta, rel=1e-6)
        for p in [np.zeros_like(theta), *perturbations(rng, theta, 3)]:
            cost = problem.cost(problem.decode(problem.layer(theta + p, x), x), x)
            assert cost - best[k] <= proved.a * -best[k] + proved.b * np.abs(p).sum() + 1e-9


@pytest.mark.parametrize("scenarios", [1, 2, 3, 10])
@pytest.mark.parametrize("size", [0.0, 1.0, 7.0])
def test_tree_constants_are_the_least(scenarios: int, size: float) -> None:
    """Equality, for every S and every length of p, on three blocks in a row (paper/docs/proofs.md).

    A bridge worth S − 1 in the first stage; S parallel edges worth 1 in the first stage, and S in one scenario each;
    two parallel edges of which p hides the better one.
    """
    S, problem = scenarios, SpanningTree()
    edges = [(0, 1), *[(1, 2)] * S, (2, 3), (2, 3)]
    first = -np.array([S - 1.0, *[1.0] * S, 0.0, size])
    second = np.zeros((S, len(edges)))
    second[:, 1 : S + 1] = -S * np.eye(S)
    x = problem.read({"nodes": 4, "edges": edges, "first": first, "second": second})
    best = -(S - 1.0) - S - size
    if S < 4:
        assert optima(spanning_trees(4, edges), first[None], second[None]).tolist() == [best]
    p = np.zeros(2 * len(edges))
    p[len(edges) - 1] = size * (1.0 + 1e-9)
    theta = np.concatenate([first, second.mean(axis=0)])
    cost = problem.cost(problem.decode(problem.layer(theta + p, x), x), x)
    proved = tree_approximation(x)
    assert proved is not None
    assert cost - best == pytest.approx(proved.a * -best + proved.b * np.abs(p).sum())


def test_tree_constants() -> None:
    """One scenario is solved exactly; with many, a and b near 1/2 from below and from above; costs must be ≤ 0."""

    def proved(scenarios: int, value: float = -1.0) -> Approximation | None:
        graph = {"nodes": 2, "edges": [[0, 1]], "first": [-1.0], "second": [[value]] * scenarios}
        return tree_approximation(SpanningTree().read(graph))

    assert proved(1) == Approximation(0.0, 1.0, 1.0)
    assert proved(2) == Approximation(1 / 3, 2 / 3, 1.0)
    for scenarios in (3, 10, 1000):
        entry = proved(scenarios)
        assert entry is not None
        assert entry.a < 0.5 < entry.b <= 1.0
        assert entry.a + entry.b == pytest.approx(1.0)
    assert proved(2, value=0.5) is None


def test_srpt_constants() -> None:
    """Ten jobs that all end by 50: twice the optimum, and 4·10·50 for each unit of the perturbation."""
    entry = srpt_approximation(SingleMachine().read({"release": [0] * 10, "processing": [5] * 10}))
    assert (entry.a, entry.b, entry.beta) == (1.0, 2000.0, math.inf)


@pytest.mark.parametrize("jobs", [2, 3, 5, 6])
def test_srpt_inequality(jobs: int) -> None:
    """c − c* ≤ c* + 4n·C_max·‖p‖_∞ for the order of SRPT completion / C_max + p, against exact optima."""
    rng = np.random.default_rng(jobs)
    problem = SingleMachine()
    assert problem.safe_weights is not None
    closest = math.inf
    for _ in range(150):
        release = rng.integers(0, 4 * jobs, size=jobs) * rng.integers(0, 2)
        x = problem.read({"release": release, "processing": rng.integers(1, 10, size=jobs)})
        theta = thetas(problem.features(x), problem.safe_weights[None, :])[0]
        best = problem.cost(problem.exact(x)[0], x)
        makespan = schedule(x.release, x.processing, np.argsort(x.release, kind="stable"))
        proved = srpt_approximation(x)
        assert proved.b == pytest.approx(4.0 * jobs * makespan)
        for p in [np.zeros(jobs), *perturbations(rng, theta, 6)]:
            cost = problem.cost(problem.decode(problem.layer(theta + p, x), x), x)
            room = best + proved.b * np.abs(p).max() - (cost - best)
            assert room >= -1e-6 * best
            closest = min(closest, float(room / best))
    assert closest < 0.9


def schedule(release: Any, processing: Any, order: Any) -> float:
    """When the last job of the order ends: for the order of release, the makespan of any schedule without idling."""
    time = 0.0
    for j in order:
        time = max(time, release[j]) + processing[j]
    return time


# --- Equivariance: names of jobs, edges, nodes and tasks do not matter ------------------------------------------------


def renamed_jobs(document: dict[str, Any], rng: np.random.Generator) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    n = len(document["release"])
    order = rng.permutation(n)
    renamed = {key: np.array(document[key])[order] for key in ("release", "processing")}
    return renamed, lambda solution: order[solution["sequence"]].tolist()


def renamed_graph(document: dict[str, Any], rng: np.random.Generator) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    nodes, edges = rng.permutation(document["nodes"]), rng.permutation(len(document["edges"]))
    renamed = {
        "nodes": document["nodes"],
        "edges": nodes[np.array(document["edges"])[edges]][:, ::-1],
        "first": np.array(document["first"])[edges],
        "second": np.array(document["second"])[:, edges],
    }
    return renamed, lambda solution: [
        sorted(edges[part].tolist()) for part in (solution["first_stage"], *solution["second_stage"])
    ]


def renamed_tasks(document: dict[str, Any], rng: np.random.Generator) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    order = rng.permutation(len(document["begin"]))
    renamed = dict(document)
    for key in ("begin", "end", "scenario_begin", "scenario_end"):
        renamed[key] = np.array(document[key])[..., order]
    renamed["city"] = document["city"] | {key: np.array(document["city"][key])[order] for key in ("start", "finish")}
    return renamed, lambda solution: sorted(order[route].tolist() for route in solution["routes"])


#: problem → (its features made of the instance alone, how to rename the things of an instance)
RENAMED: dict[str, tuple[dict[str, Any], Callable[..., Any]]] = {
    "single-machine": ({}, renamed_jobs),
    "spanning-tree": ({}, renamed_graph),
    # not "extended": its features are of the solution for the safe weights, which have ties
    "vehicle-scheduling": ({"features": "23"}, renamed_tasks),
}


def without_ties(name: str, document: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """The same sizes, no two numbers equal: the order of indices has nothing to decide."""
    fields = {"single-machine": ("release", "processing"), "spanning-tree": ("first", "second")}.get(name, ())
    distinct = {}
    for key in fields:
        values = np.array(document[key])
        sign = -1.0 if values.min() < 0 else 1.0
        distinct[key] = sign * (1.0 + rng.permutation(5 * values.size)[: values.size].reshape(values.shape))
    return document | distinct


@pytest.mark.parametrize("name", [name for name in problem_names() if name in RENAMED])
def test_pipeline_is_equivariant(name: str) -> None:
    """Rename what an instance is made of: the solution is the renamed one, the cost and the bound are equal."""
    options, rename = RENAMED[name]
    problem = find_problem(name, **options)
    rng = np.random.default_rng(5)
    for seed in range(10):
        document = without_ties(name, problem.write(problem.generate(seed, **SMALL[name])), rng)
        renamed, back = rename(document, rng)
        kept = rename(document, _Still())[1]  # the same reading of a solution, nothing renamed
        x, y = problem.read(document), problem.read(renamed)
        weights = rng.normal(size=(1, len(problem.feature_names)))
        one, other = (problem.decode(problem.layer(thetas(problem.features(i), weights)[0], i), i) for i in (x, y))
        assert back(problem.write_solution(other, y)) == kept(problem.write_solution(one, x))
        assert problem.cost(other, y) == pytest.approx(problem.cost(one, x), rel=1e-12)
        assert problem.bound(y) == pytest.approx(problem.bound(x), rel=1e-12)


class _Still:
    """A generator whose permutations change nothing."""

    def permutation(self, n: int) -> Any:
        return np.arange(n)
