"""A rule with the constants that are best on the training instances, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Generic

from colayer._runtime.arrays import Floats
from colayer._runtime.text import counted
from colayer.comparison.paired import Difference, loss_difference, verdicts_in_words
from colayer.display.tables import MISSING, Table, significant
from colayer.problem.protocol import X, Z

#: Names of the rows: what the best is held against is the rule's default, or without one the first of the grid.
BEST, RUNNER_UP, DEFAULT, FIRST = "best", "runner-up", "default", "first of the grid"


@dataclass(frozen=True)
class TunedRow:
    """Constants with their mean loss and its paired difference to that of the best, None for the best themselves.

    Differences are relative to the mean loss of the best. `constants` is None for a default the rule keeps to itself.
    """

    name: str
    constants: dict[str, float] | None
    loss: float
    difference: Difference | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Tuned(Generic[X, Z]):
    """A rule with its best constants: a function from an instance to a solution, as `evaluate` takes it.

    `losses` has one row per combination and one column per instance. The combinations are those of the grid, and last
    the rule's default where it is known and not in the grid.
    """

    problem: str
    rule: str
    #: (instance, **constants) → solution.
    solve: Callable[..., Z]
    combinations: tuple[dict[str, float], ...]
    losses: Floats
    #: The losses of the rule without constants, and the constants it then has, where it says so.
    default_losses: Floats | None = None
    default: dict[str, float] | None = None
    #: How many combinations the journal knew.
    recalled: int = 0

    def __call__(self, instance: X) -> Z:
        """Return the rule's solution with the best constants."""
        return self.solve(instance, **self.constants)

    @property
    def constants(self) -> dict[str, float]:
        """The combination of least mean loss, the first of equals."""
        return dict(self.combinations[self._order[0]])

    @property
    def loss(self) -> float:
        """The mean loss of the best constants over the training instances."""
        return self.means[self._order[0]]

    @cached_property
    def means(self) -> tuple[float, ...]:
        """The mean loss of each combination."""
        return tuple(_mean(row) for row in self.losses)

    @cached_property
    def _order(self) -> list[int]:
        return sorted(range(len(self.means)), key=self.means.__getitem__)  # stable: ties by the order of the grid

    @cached_property
    def rows(self) -> list[TunedRow]:
        """The best constants, the runner-up, and the default or the first of the grid, where that is not the best."""
        best, *others = self._order
        to, found = in_words(self.combinations[best]), [TunedRow(BEST, self.combinations[best], self.means[best])]

        def held_against(name: str, constants: dict[str, float] | None, losses: Floats) -> TunedRow:
            compared = loss_difference(losses.tolist(), self.losses[best].tolist(), to)
            return TunedRow(name, constants, _mean(losses), compared)

        if others:
            found.append(held_against(RUNNER_UP, self.combinations[others[0]], self.losses[others[0]]))
        if self.default_losses is None and best != 0:
            found.append(held_against(FIRST, self.combinations[0], self.losses[0]))
        elif self.default_losses is not None and self.default != self.combinations[best]:
            found.append(held_against(DEFAULT, self.default, self.default_losses))
        return found

    def conclusion(self) -> str:
        """Return in a sentence whether tuning gained something measurable on these instances."""
        last = self.rows[-1]
        if len(self.losses) > 1 and (self.losses == self.losses[0]).all():
            return "the constants make no difference on these instances"
        if last.difference is not None and last.name != RUNNER_UP:
            return verdicts_in_words([(f"the {last.name}", last.difference, self.losses.shape[1])])[0]
        own = FIRST if self.default_losses is None else DEFAULT
        return f"the {own}, {in_words(self.constants)}, is the best: tuning gains nothing here"

    def table(self) -> Table:
        """Return one row each for the best constants, the runner-up and the default."""
        names = tuple(self.combinations[0])
        cells = []
        for row in self.rows:
            own = row.constants
            values = (MISSING,) * len(names) if own is None else tuple(_number(own[name]) for name in names)
            compared = row.difference
            verdict = ("reference", "") if compared is None else (compared.words, compared.verdict)
            cells.append((row.name, *values, significant(row.loss, 5), *verdict))
        return Table(("constants", *names, "mean loss", "difference", "verdict"), tuple(cells), frozenset([0]))

    def parts(self) -> list[str | Table]:
        """Return the sentences and the table for a terminal."""
        tried, instances = self.losses.shape
        size = f"{counted(tried, 'combination')} on {counted(instances, 'instance')}"
        return [f"{self.rule} of {self.problem}, {size}\n\n", self.table(), f"\n{self.conclusion()}\n"]

    def __str__(self) -> str:
        """Return everything as plain text."""
        return "".join(part if isinstance(part, str) else part.text() for part in self.parts()).rstrip("\n")

    def __repr__(self) -> str:
        return f"Tuned({self.rule!r}, {in_words(self.constants)}, loss={self.loss:g})"

    def document(self) -> dict[str, Any]:
        """Return the JSON object: the rows of the table, and the mean loss of every combination."""
        return {
            "format": 1,
            "problem": self.problem,
            "rule": self.rule,
            "instances": self.losses.shape[1],
            "constants": self.constants,
            "loss": self.loss,
            "summary": [asdict(row) for row in self.rows],
            "conclusion": self.conclusion(),
            "combinations": [
                {"constants": constants, "loss": loss}
                for constants, loss in zip(self.combinations, self.means, strict=True)
            ],
        }


def in_words(constants: Mapping[str, float]) -> str:
    """Return `a=2, b=0.5`."""
    return ", ".join(f"{name}={_number(value)}" for name, value in constants.items())


def _number(value: float) -> str:
    return f"{value:.10g}"


def _mean(losses: Floats) -> float:
    return math.fsum(losses.tolist()) / len(losses)
