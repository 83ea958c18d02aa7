"""The demos: sizes that tell the most in a minute, and problems that are written on the spot."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from colayer.cli.lookup import SomeProblem

#: A rule of requests is θ = c·trip; what is tried as c.
PRIZE_FEATURE, FACTORS = "trip", (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7)

#: A layer that searches, and the features that it needs a search for, in milliseconds.
BRIEF_SEARCH = {"iterations": 200, "futures": 2, "future_iterations": 30}


@dataclass(frozen=True)
class Demo:
    """How much a demo learns from and tests on, and the rules whose constants are tuned on the training instances.

    A problem that is written on the spot has a `file`, in this folder as .txt, and a `name` in it.
    """

    training: int = 50
    test: int = 50
    evaluations: int = 1000
    candidates: int = 10
    file: str = ""
    name: str = ""
    sizes: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    tuned: Mapping[str, Mapping[str, tuple[float, ...]]] = field(default_factory=dict)
    #: Rules θ = c·trip, with the decoder they go through; c is their constant `factor`.
    prizes: Mapping[str, str] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """Return the source of a problem that is written on the spot."""
        from importlib.resources import files

        return files(__package__).joinpath(f"{Path(self.file).stem}.txt").read_text("utf-8")

    def problem(self, asked: str, stack: ExitStack) -> SomeProblem:
        """Return the problem that was asked for; one that is written on the spot is imported as a user's file is."""
        from colayer.cli.lookup import find

        if not self.file:
            return find(asked, **self.options)
        place, module = stack.enter_context(TemporaryDirectory()), Path(self.file).stem
        Path(place, self.file).write_text(self.source, "utf-8")
        sys.path.insert(0, place)
        stack.callback(sys.path.remove, place)
        stack.callback(sys.modules.pop, module, None)
        return find(f"{module}:{self.name}")

    @property
    def argument(self) -> str:
        """Return the PROBLEM of other commands, in the folder of the file."""
        return f"{Path(self.file).stem}:{self.name}"


DEMOS: dict[str, Demo] = {
    "dynamic-vehicle-scheduling": Demo(100, 200, 600, prizes={"prize": "none", "prize+wait": "wait"}),
    "dynamic-routing": Demo(
        16, 30, 150, sizes={"customers": 60, "per_epoch": 6}, options=BRIEF_SEARCH, prizes={"prize": "wait"}
    ),
    "dispatch": Demo(20, 50, 60, file="city_dispatch.py", name="Dispatching"),
    "own": Demo(
        file="tardiness.py", name="Tardiness", tuned={"atc": {"k": (0.5, 0.7, 1.0, 1.2, 1.4, 1.7, 2.0, 2.5, 3.0, 4.0)}}
    ),
    # without the features that hold the solution of a search: what is learned from data alone
    "vehicle-scheduling": Demo(sizes={"tasks": 100, "scenarios": 30}, options={"features": "23"}),
}
#: Of any other problem.
DEFAULT = Demo()
