"""The problem on trial: its methods called with care, and sampled θ with what the pipeline makes of them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.text import first_line
from colayer.errors import ColayerError, InputError
from colayer.models import thetas
from colayer.problem import answers
from colayer.problem.attributes import attribute, has, words_of
from colayer.problem.check.report import Mistake, Skip
from colayer.problem.compose import features_of
from colayer.problem.faults import ends, place_of, raised
from colayer.problem.protocol import BaseProblem, Floats, SomeProblem

#: Instances that are looked at closely; features and scale are checked on all.
MOST_INSTANCES = 6
#: θ of each instance that go through the whole pipeline.
SAMPLES = 10
#: Relative: what rounding, or the tolerance of a general solver, makes of equal numbers.
ROUNDING = 1e-6
#: Seconds that the exact solver gets, on the smallest instances.
EXACT_SECONDS = 1.0
EXACT_INSTANCES = 2


@dataclass(frozen=True)
class Sample:
    """One θ of one instance and what the pipeline makes of it."""

    index: int
    theta: Floats
    y: Any
    solution: Any
    cost: float


@dataclass(frozen=True)
class Solved:
    """What the exact solver says of one instance, and what its solution costs."""

    solution: Any
    cost: float
    bound: float
    proved: bool


class Trial:
    """The problem with its instances. Methods are called through `call`, so that what they raise is a `Mistake`."""

    def __init__(self, problem: SomeProblem, instances: Sequence[Any], seed: int) -> None:
        self.problem = problem
        self.instances = list(instances)
        self.seed = seed
        self.untouched = copied(problem)
        self._features: dict[int, NDArray[Any]] = {}
        #: What `objective` keeps of each instance.
        self.pools: dict[int, Any] = {}
        self._solved: dict[int, Solved] = {}

    @property
    def chosen(self) -> range:
        """The instances that are looked at closely."""
        return range(min(MOST_INSTANCES, len(self.instances)))

    def rng(self, *key: int) -> np.random.Generator:
        """A generator that depends on the seed and the key alone."""
        return np.random.default_rng([self.seed, *key])

    def has(self, *methods: str) -> bool:
        """Whether the problem has these optional methods."""
        return all(has(self.problem, method) for method in methods)

    def attribute(self, name: str) -> Any:
        """An optional attribute of the problem, the default where it has none."""
        return declared_by(attribute, self.problem, name, getattr(BaseProblem, name))

    def words(self, name: str) -> tuple[str, ...]:
        """An optional attribute that holds words, `decoders` for instance."""
        found: tuple[str, ...] = declared_by(words_of, self.problem, name)
        return found

    def need(self, *methods: str) -> None:
        """Skip the check where the problem lacks one of these optional methods."""
        for method in methods:
            if not self.has(method):
                raise Skip(f"the problem has no {method}")

    def call(self, method: str, *arguments: Any, on: int | None = None, of: Any = None, **options: Any) -> Any:
        """The method of the problem (or of `of`) called; `on` is the instance that a mistake is said of."""
        what, owner = f"{self.at(on)}{method}", self.problem if of is None else of
        return guarded(what, guarded(what, getattr, owner, method), *arguments, **options)

    def at(self, index: int | None) -> str:
        """How a message names an instance."""
        return "" if index is None else f"instance {index}: "

    def features(self, index: int) -> NDArray[Any]:
        """φ of an instance, computed once, of a copy of it."""
        if index not in self._features:
            instance = copied(self.instances[index])
            self._features[index] = np.array(guarded(self.at(index), features_of, self.problem, instance))
        return self._features[index]

    @cached_property
    def rows(self) -> list[int]:
        """|I(x)| of the instances looked at closely."""
        return [len(self.features(index)) for index in self.chosen]

    def thetas(self, index: int, count: int = SAMPLES, *key: int) -> Floats:
        """θ as learning meets them: from random weights, and 0; then free ones, whole numbers (with ties), one sign.

        The first is from random weights, the second is 0: the middle of the ball in which weights are searched.
        """
        features, rng = self.features(index), self.rng(1, index, *key)
        d = features.shape[1]
        spread = features.std(axis=0, dtype=np.float64)
        weights = rng.normal(size=(count, d)) / np.where(spread > 0, spread, 1.0)
        many = thetas(features, weights)
        many[1::4] = rng.integers(-2, 3, size=many[1::4].shape)
        many[2::4] = rng.normal(size=many[2::4].shape)
        many[3::4] = rng.exponential(size=many[3::4].shape) * np.where(np.arange(len(many[3::4])) % 2, -1, 1)[:, None]
        if count > 1:
            many[1] = 0.0
        return many

    @cached_property
    def samples(self) -> list[Sample]:
        """Every instance looked at closely under some θ, through the whole pipeline."""
        return [self.sample(index, theta) for index in self.chosen for theta in self.thetas(index)]

    def sample(self, index: int, theta: Floats) -> Sample:
        """θ → y → z → cost."""
        y = self.layer(index, theta)
        solution = self.call("decode", y, self.instances[index], on=index)
        return Sample(index, theta, y, solution, self.cost(index, solution, "a decoded solution"))

    def layer(self, index: int, theta: Floats) -> Any:
        """y; the layer gets a θ of its own."""
        return self.call("layer", theta.copy(), self.instances[index], on=index)

    def cost(self, index: int, solution: Any, of: str) -> float:
        """C(z, x), a finite number."""
        value = self.call("cost", solution, self.instances[index], on=index)
        return finite(value, f"{self.at(index)}cost", of)

    def bound(self, index: int) -> float | None:
        """The cheap lower bound; None where there is none, or where it says nothing, −∞."""
        value = self.call("bound", self.instances[index], on=index) if self.has("bound") else None
        if value is None or (isinstance(value, float) and value == -np.inf):
            return None
        return finite(value, f"{self.at(index)}bound")

    @property
    def smallest(self) -> list[int]:
        """The instances that solvers get which may take long."""
        return sorted(self.chosen, key=lambda index: self.rows[index])[:EXACT_INSTANCES]

    def best_sample(self, index: int) -> Sample:
        """The cheapest decoded solution of an instance."""
        return min((sample for sample in self.samples if sample.index == index), key=lambda sample: sample.cost)

    def solved(self, index: int) -> Solved:
        """What the exact solver says of an instance, asked once."""
        if index not in self._solved:
            limits = {"time_limit": EXACT_SECONDS, "progress": None, "start": self.best_sample(index).solution}
            answer = self.call("exact", self.instances[index], on=index, **limits)
            where = f"{self.at(index)}exact"
            solution, bound, proved = parts(answer, 3, where, "(solution, bound, proved optimal)")
            number = -np.inf if isinstance(bound, float) and bound == -np.inf else finite(bound, f"{where}: its bound")
            cost = self.cost(index, solution, "the solution of exact")
            self._solved[index] = Solved(solution, cost, number, bool(proved))
        return self._solved[index]

    def embed(self, index: int, y: Any) -> Floats:
        """The vector of y, one finite number per row of the features."""
        return self.vector(self.call("embed", y, self.instances[index], on=index), index, "embed")

    def vector(self, value: Any, index: int, what: str) -> Floats:
        """One finite number per row of the features, or a mistake."""
        rows = self.rows[index]
        try:
            vector = answers.array(value, what, "numbers").astype(np.float64)
        except InputError:
            raise Mistake(
                f"{self.at(index)}{what} returned {named(value)}: return an array of {rows} numbers"
            ) from None
        if vector.shape != (rows,):
            raise Mistake(
                f"{self.at(index)}{what} returned an array of shape {vector.shape}: return one number "
                f"for each of the {rows} rows of features, in their order"
            )
        if not np.isfinite(vector).all():
            at = int(np.argmin(np.isfinite(vector)))
            raise Mistake(f"{self.at(index)}{what} returned {vector[at]} in entry {at}: return finite numbers")
        return vector

    def infeasible(self, index: int, solution: Any) -> str | None:
        """What the problem itself says against a solution: `violation`, or `read_solution` of what was written."""
        instance = self.instances[index]
        if self.has("violation"):
            said = self.call("violation", solution, instance, on=index)
            if said is not None and not isinstance(said, str):
                raise Mistake(f"violation returned {named(said)}: return None, or a sentence that says what is wrong")
            if said is not None:
                return f"violation says: {said or 'something is wrong'}"
        if self.has("write_solution", "read_solution"):
            document = self.call("write_solution", solution, instance, on=index)
            try:
                getattr(self.problem, "read_solution")(document, instance)  # noqa: B009  an ability
            except (ColayerError, ValueError) as error:
                return f"read_solution refuses it: {first_line(error)}"
            except (Exception, SystemExit):
                return None  # no verdict: the check of solution files says what is wrong
        return None


def guarded(what: str, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What the function of the user's returns; what it raises becomes a mistake that names the line."""
    try:
        with np.errstate(all="ignore"):  # what comes out is checked
            return function(*arguments, **options)
    except BaseException as error:
        if ends(error) or isinstance(error, Mistake | Skip):
            raise
        if isinstance(error, ColayerError) and not place_of(error):  # what we say of an answer of the problem's
            raise Mistake(f"{what}: {error}") from error
        raise Mistake(f"{what} raised {raised(error)}") from error


def declared_by(read: Callable[..., Any], *arguments: Any) -> Any:
    """What the problem declares, read by a function that refuses what is wrong: that is a mistake."""
    try:
        return read(*arguments)
    except InputError as error:
        raise Mistake(f"{error.message}: mend it, or leave it out") from error


def finite(value: Any, what: str, of: str = "") -> float:
    """A finite number that `what` returned, or a mistake. `of` says for what."""
    said = f"{what} returned {answers.described(value)}{of and ' for '}{of}"
    try:
        number = answers.real(value, what)
    except InputError:
        raise Mistake(f"{said}: return one finite number") from None
    if not np.isfinite(number):
        raise Mistake(f"{said}: return a finite number; a penalty is better large than infinite")
    return number


def parts(value: Any, count: int, what: str, expected: str) -> tuple[Any, ...]:
    """The parts of a tuple that `what` returned, or a mistake."""
    if not isinstance(value, tuple) or len(value) != count:
        raise Mistake(f"{what} returned {named(value)}: return {expected}")
    return value


def named(value: Any) -> str:
    """A value in a few words, as messages say what was returned."""
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}, {answers.described(value)}"
    return answers.described(value)


def copied(value: Any) -> Any:
    """A deep copy; the value itself where it cannot be copied."""
    try:
        return copy.deepcopy(value)
    except (Exception, SystemExit):
        return value
