"""A problem, bound: its attributes checked once, its optional methods looked up once, its methods under one guard.

    problem = bind(Crews())
    solution, cost = problem.solution_at(theta, instance)
    if problem.exact is not None: …

All functions inside take it. An optional method is a callable or None; those of users are guarded (`guard.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer._runtime.text import short
from colayer.errors import InputError, OptionError
from colayer.models.thetas import theta_blocks
from colayer.problem import guard, rounds
from colayer.problem.abilities import ByWeights, Evaluator, Progress
from colayer.problem.approximation import Approximation
from colayer.problem.declarations import (
    features_use_solution,
    is_dynamic,
    read_attributes,
    read_methods,
    structure_uses_answer,
)
from colayer.problem.gap import ROUNDING, proves
from colayer.problem.instances import check_instance, check_instances
from colayer.problem.protocol import Problem, X, Y, Z, changed_options, check_decoder
from colayer.problem.returned import CHECKS, checked_best, checked_features, guarded_solution_at
from colayer.problem.sizes import Size
from colayer.problem.structure import Structure, checked_structure

#: Optional method → how messages name it.
NAMES = {
    "generate": "instance generator", "read": "file format", "write": "file format", "exact": "exact solver",
    "read_solution": "solution format", "write_solution": "solution format", "compact": "compact model",
    "constraint_program": "constraint program", "plot": "picture of a solution",
    "instance": "instance(table), which makes an instance of a table",
    "table": "table(solution, instance), which gives a solution as columns",
}  # fmt: skip


class BoundProblem(Generic[X, Y, Z]):
    """A problem with checked attributes and resolved methods; see the head of this module."""

    dynamic: bool = False  # whether instances are days (`dynamic/bound.py`)
    name: str
    feature_names: tuple[str, ...]
    options: dict[str, Any]
    radius: float
    homogeneous: bool
    safe_weights: Floats | None
    fields: tuple[str, ...]
    optional_fields: tuple[str, ...]
    tables: tuple[str, ...]
    instance_type: type | None
    sizes: tuple[Size, ...]
    decoders: tuple[str, ...]
    learn_decoders: Mapping[str, str]
    feature_groups: Mapping[str, tuple[str, ...]] | None
    memory_features: tuple[str, ...]
    baselines: tuple[str, ...]
    searches: tuple[str, ...]
    budget_options: tuple[str, ...]
    layer_is_exact: bool
    hindsight_is_exact: bool
    tight_seconds: float | None

    _features: Callable[..., NDArray[Any]]
    #: (θ, instance) → (solution, cost): θ → y → z → C(z, x).
    solution_at: Callable[[Floats, X], tuple[Z, float]]
    layer: Callable[[Floats, X], Y]
    decode: Callable[[Y, X], Z]
    cost: Callable[[Z, X], float]
    scale: Callable[[X], float]
    with_options: Callable[..., object] | None
    generate: Callable[..., X] | None
    instance: Callable[..., X] | None
    table: Callable[[Z, X], dict[str, list[Any]]] | None
    read: Callable[[Mapping[str, Any]], X] | None
    write: Callable[[X], dict[str, Any]] | None
    read_solution: Callable[[Mapping[str, Any], X], Z] | None
    write_solution: Callable[[Z, X], dict[str, Any]] | None
    content: Callable[[X], bytes] | None
    bound: Callable[[X], float | None] | None
    approximation: Callable[[X], Approximation | None] | None
    log_comparisons: Callable[[X], float | None] | None
    exact: Callable[..., tuple[Z, float, bool]] | None
    quick: Callable[[X], Z] | None
    by_weights: Callable[[X], ByWeights[Z] | None] | None
    baseline: Callable[[str, X], Z] | None
    embed: Callable[[Y, X], Floats] | None
    target: Callable[[Z, X], Floats] | None
    augmented: Callable[[Floats, Floats, X], tuple[Floats, float]] | None
    likelihood: Callable[[Floats, Floats, X], tuple[float, Floats]] | None
    best: Callable[[Floats, X, int], tuple[int, Z, float]] | None
    solved: Callable[[Floats, X], tuple[Any, Floats]] | None
    mixed: Callable[[Any, Floats, X], Floats] | None
    smoothed: Callable[[Floats, Floats, float, X], Floats | None] | None
    structure: Callable[..., Any] | None
    evaluator: Callable[..., Evaluator | None] | None
    compact: Callable[[X], Any] | None
    constraint_program: Callable[[X], Any] | None
    violation: Callable[[Z, X], str | None] | None
    group: Callable[[X], dict[str, float]] | None
    plot: Callable[..., Any] | None
    context: Callable[[X], Floats] | None

    def __init__(self, problem: Problem[X, Y, Z], mistakes: list[InputError] | None = None) -> None:
        methods = read_methods(problem)
        self.problem = problem
        #: Whether the class of the problem is ours: then what it raises is a fault of ours.
        self.built_in = type(problem).__module__.partition(".")[0] == "colayer"
        vars(self).update(read_attributes(problem, _raise if mistakes is None else mistakes.append))
        self.dimension = len(self.feature_names)
        self.features_use_solution = features_use_solution(problem)
        #: Whether `structure` also takes an answer of the layer.
        self.structure_uses_answer = structure_uses_answer(problem)
        self.guard = guard.Guard(self.name or type(problem).__name__, collecting=mistakes is not None)
        #: Whether what the methods raise and return is checked.
        self.guarded = self.guard.collecting or not self.built_in
        fewest = int(not self.dynamic)  # a state may have nothing to decide
        features: guard.Check = partial(checked_features, feature_names=self.feature_names, fewest=fewest)
        for method, function in methods.items():
            if function is not None and self.guarded:
                function = self.guard.wrap(method, function, features if method == "features" else CHECKS.get(method))
            setattr(self, "_features" if method == "features" else method, function)
        guarded = self.guarded and not self.dynamic
        self.solution_at = guarded_solution_at(self.guard, problem) if guarded else self._plain_solution_at

    def __repr__(self) -> str:
        return repr(self.problem)

    def __reduce__(self) -> tuple[Any, ...]:
        return bind, (self.problem,)

    @property
    def decoder(self) -> str | None:
        """The decoder in use; None where there is no choice."""
        return self.options.get("decoder")

    @property
    def title(self) -> str:
        """Name and options, for messages."""
        options = ", ".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.name} ({options})" if options else self.name

    def need(self, method: str, *, option: str | None = None, why: str = "") -> Callable[..., Any]:
        """Return an optional method, or raise an error that names what is missing."""
        found: Callable[..., Any] | None = getattr(self, method)
        if found is not None:
            return found
        message = f"{self.name} has no {NAMES.get(method, method)}{why and ': '}{why}"
        raise InputError(message) if option is None else OptionError(message, where=option)

    def features(self, instance: X, solution: Z | None = None) -> NDArray[Any]:
        """Return φ(x), or φ(x, z) in a later round: one row per entry of θ, one column per name."""
        return self._features(instance) if solution is None else self._features(instance, solution)

    def _plain_solution_at(self, theta: Floats, instance: X) -> tuple[Z, float]:
        solution = self.decode(self.layer(theta, instance), instance)
        return solution, guard.finite(self.cost(solution, instance), f"cost of {self.name}")

    def best_of(self, thetas: Floats, instance: X, seed: int = 0) -> tuple[int, Z, float]:
        """Return (row, solution, cost) of the best solution over the rows of `thetas`, the first at equal cost."""
        if self.best is not None:
            answer = self.best(thetas, instance, seed)
            if self.guarded:
                return checked_best(
                    answer, f"best of {self.name}", len(thetas), lambda solution: self.cost(solution, instance)
                )
            guard.finite(answer[2], f"cost of {self.name}")
            return answer
        best = (0, *self.solution_at(thetas[0], instance))
        for k in range(1, len(thetas)):
            solution, cost = self.solution_at(thetas[k], instance)
            if cost < best[2]:
                best = (k, solution, cost)
        return best

    def costs(self, features: NDArray[Any], weights: Floats, instance: X, number_of_rounds: int = 1) -> Floats:
        """Return the cost of the pipeline on one instance under each row of `weights` (raw units).

        Over the scale of the instance it is the loss, which evaluators give to learners. In several rounds it is the
        least cost of them all (`rounds.py`); that of a day, the cost of all its decisions (`dynamic/bound.py`).
        """
        if number_of_rounds > 1:
            return np.array([rounds.least_cost(self, features, row, instance, number_of_rounds) for row in weights])
        solution_at, blocks = self.solution_at, theta_blocks(features, weights)
        return np.array([solution_at(theta, instance)[1] for _, block in blocks for theta in block])

    def lower_bound(self, instance: X) -> float | None:
        """Return the cheap lower bound; None if there is none, or if it is −∞."""
        value = None if self.bound is None else self.bound(instance)
        return None if value is None or value == -math.inf else guard.finite(value, f"bound of {self.name}")

    def solve_exactly(
        self,
        instance: X,
        *,
        time_limit: float | None = None,
        progress: Progress | None = None,
        start: Z | None = None,
    ) -> tuple[Z, float, bool]:
        """Return (solution, bound, proved optimal) of the exact solver; optimality is decided by `gap.proves`."""
        answer = self.need("exact")(instance, time_limit=time_limit, progress=progress, start=start)
        what = f"exact of {self.name}"
        solution, given, _ = guard.parts(answer, 3, what, "(solution, bound, proved optimal)")
        solution, bound = guard.given(solution, what, "a solution", "solution"), guard.real(given, what, part="bound")
        cost = self.cost(solution, instance)
        if bound - cost > ROUNDING * max(abs(cost), abs(bound)) or bound == math.inf:
            raise guard.refused(what, given, f"at most the cost of its solution, {cost:.10g}", "bound")
        return solution, bound, proves(cost, bound)

    def structure_of(self, instance: X, rows: int, y: Y | None = None) -> Structure:
        """Return how the `rows` rows of an instance relate, given the layer's answer `y` if there is one."""
        if self.structure is None:
            return ()
        given = self.structure(instance) if y is None else self.structure(instance, y)
        return checked_structure(given, rows, f"structure of {self.name}")

    def vector(self, method: str, length: int, *arguments: Any, of: str = "") -> Floats:
        """Return the result of `embed`, `target` or `smoothed`: one finite number per row of the features."""
        value = self.need(method)(*arguments)
        return guard.vector(value, length, f"{method} of {self.name}{of}") if self.guarded else value

    def sizes_of(self, instance: X) -> dict[str, float]:
        """Return the sizes by which tables group the instance."""
        return {} if self.group is None else self.group(instance)

    def check_instance(self, instance: object) -> None:
        """Refuse anything but an instance, if the problem says what its instances are."""
        check_instance(self.name, self.instance_type, instance)

    def check_instances(self, instances: Iterable[X]) -> list[X]:
        """Return the instances as a list; refuse a single one, and anything that is not an instance."""
        return check_instances(self.name, self.instance_type, instances)

    def check_decoder(self, decoder: str, option: str) -> None:
        """Refuse a decoder that the problem does not have."""
        check_decoder(self.name, self.decoders, decoder, option)

    def variant(self, **changes: Any) -> BoundProblem[X, Y, Z]:
        """Return the same problem with other options; None keeps what it has."""
        given = {key: value for key, value in changes.items() if value is not None}
        if not given:
            return self
        merged = changed_options(self.name, self.options, given)
        if "decoder" in given:
            self.check_decoder(given["decoder"], "--decoder")
        if self.with_options is None:
            what, make = "the constructor", self.guard.wrap("the constructor", type(self.problem))
            changed = make(**merged)
        else:
            what, changed = "with_options", self.with_options(**given)
        try:
            other = bind(changed)
        except InputError as error:
            said = f"{what} of {self.name} returned {guard.described(changed)}, expected a problem"
            raise InputError(f"{said} ({error.message})") from error
        found = {"name": other.name, **{key: other.options.get(key) for key in given}}
        for key, value in {"name": self.name, **given}.items():
            if repr(found[key]) != repr(value):
                said = f"a problem with {key} {short(found[key])}, expected {short(value)}"
                raise InputError(f"{what} of {self.name} returned {said}")
        return other


def bind(problem: Any, mistakes: list[InputError] | None = None) -> BoundProblem[Any, Any, Any]:
    """Return the bound problem; return a bound one unchanged.

    With `mistakes`, wrong attributes are collected there, with the default in their place, and all that the methods
    raise is an `InputError`: the mode of `colayer check`.
    """
    if isinstance(problem, BoundProblem):
        return problem
    if is_dynamic(problem):
        from colayer.dynamic.bound import BoundDynamic

        return BoundDynamic(problem, mistakes)
    return BoundProblem(problem, mistakes)


def _raise(error: InputError) -> None:
    raise error
