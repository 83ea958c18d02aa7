"""The settings of a learning run: checked once, and which of them say that two runs are the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from colayer._runtime.text import short
from colayer.errors import OptionError
from colayer.learning.perturbation import LARGEST, MOST_DRAWS

if TYPE_CHECKING:
    from colayer.learning.run import Evaluation

THEORY: Literal["theory"] = "theory"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options of `Pipeline.fit` beside data, learner and backend; see there for their meaning.

    None stands for the learner's own choice (`evaluations`), the problem's (`radius`, `learn_decoder`), or for none
    (`journal`, `time_limit`, `callback`).
    """

    evaluations: int | None = None
    seed: int = 0
    radius: float | None = None
    sigma: float | Literal["theory"] = 0.0
    samples: int = 100
    learn_decoder: str | None = None
    validation: float = 0.2
    journal: str | Path | None = None
    time_limit: float | None = None
    callback: Callable[[Evaluation], None] | None = None
    progress: bool = False
    portfolio: int = 32
    rounds: int = 1

    def __post_init__(self) -> None:
        if self.evaluations is not None:
            check_whole("--evaluations", self.evaluations, 1)
        check_whole("--seed", self.seed, 0)
        if self.sigma != THEORY:
            check_number(
                "--sigma", self.sigma, 0.0 <= as_float(self.sigma) <= LARGEST, f"a number from 0 to {LARGEST:g}"
            )
        check_whole("--samples", self.samples, 1 if self.perturbed else 0, MOST_DRAWS)
        check_whole("--portfolio", self.portfolio, 1)
        within = self.radius is None or 0.0 < as_float(self.radius) <= LARGEST
        check_number("--radius", self.radius, within, f"a number > 0, at most {LARGEST:g}")
        check_number("--validation", self.validation, 0.0 <= as_float(self.validation) < 1.0, "a share >= 0 and < 1")
        waits = self.time_limit is None or as_float(self.time_limit) >= 0.0
        check_number("--time-limit", self.time_limit, waits, "seconds >= 0")

    @property
    def perturbed(self) -> bool:
        """Whether the loss is perturbed."""
        return self.sigma == THEORY or as_float(self.sigma) > 0.0

    def identity(self, *, evaluations: int, perturbation: bool) -> dict[str, Any]:
        """Return the settings that determine the result, as JSON; those of the perturbation only if it is used."""
        shared = {"evaluations": evaluations, "seed": int(self.seed), "validation": float(self.validation)}
        if self.rounds > 1:
            shared["rounds"] = int(self.rounds)
        if not perturbation:
            return shared
        # without perturbation its samples do not matter
        samples = int(self.samples) if self.perturbed else 0
        return {**shared, "sigma": self.sigma if self.sigma == THEORY else float(self.sigma), "samples": samples}


def check_whole(option: str, value: Any, least: int, most: int | None = None) -> None:
    """Refuse anything but a whole number of at least `least`, and at most `most` where there is one."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise OptionError(f"{short(value)} is not a whole number", where=option)
    if value < least:
        raise OptionError(f"{value} is out of range, expected at least {least}", where=option)
    if most is not None and value > most:
        raise OptionError(f"{value} is out of range, expected at most {most}", where=option)


def as_float(value: Any) -> float:
    """Return the value as a float, NaN if it is not a number, so that no comparison holds."""
    return float(value) if isinstance(value, int | float | np.number) and not isinstance(value, bool) else math.nan


def check_number(option: str, value: Any, fine: bool, expected: str) -> None:
    """Refuse a value that is not a number, or not `fine`."""
    if not fine:
        wrong = "is not a number" if math.isnan(as_float(value)) else "is out of range"
        raise OptionError(f"{short(value)} {wrong}, expected {expected}", where=option)
