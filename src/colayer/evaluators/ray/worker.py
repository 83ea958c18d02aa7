"""What runs on a node of a cluster: an actor with the evaluator of one shard."""

from __future__ import annotations

import platform
import socket
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

import colayer
from colayer._runtime.threads import limited
from colayer.errors import ColayerError
from colayer.evaluators.base import compiled_evaluator
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.processes import portable
from colayer.evaluators.ray.connection import ray_module
from colayer.evaluators.sharded import answer
from colayer.evaluators.statistics import MapsFeatures
from colayer.evaluators.visit import Visits
from colayer.problem.bind import bind
from colayer.problem.guard import OWN_FOLDERS
from colayer.problem.instances import placing


class Worker:
    """Holds a shard and answers for it; features are computed here, when it is first asked, and stay here."""

    def __init__(
        self,
        problem: bytes,
        instances: bytes,
        rounds: int,
        threads: int,
        expected: Mapping[str, str],
        folders: Mapping[str, str],
    ) -> None:
        OWN_FOLDERS.update(folders)
        self._pickled = (problem, instances)
        self._rounds, self._threads, self._expected = rounds, threads, expected
        self._evaluators: dict[str, Any] = {}
        self._instances: list[Any] = []

    def ready(self) -> None:
        """Return once the process is up."""

    def ask(self, method: str, argument: Any) -> Any:
        """Return the answer of the evaluator, or the exception that was raised."""
        try:
            with limited(self._threads):
                if not self._evaluators:
                    self._load()
                if isinstance(argument, np.ndarray):
                    argument = argument.copy()  # what Ray hands over is read-only
                with placing(self._instances):
                    return answer(self._evaluators[method], method, argument)
        except BaseException as error:
            return portable(error, "on a node of the cluster", ray_module("ray.cloudpickle"))

    def _load(self) -> None:
        check_versions(self._expected)
        own, instances = (ray_module("ray.cloudpickle").loads(data) for data in self._pickled)
        problem, self._instances = bind(own), instances
        with placing(instances):
            fast = compiled_evaluator(problem, instances, self._threads) if self._rounds == 1 else None
            shows_features = isinstance(fast, MapsFeatures) and isinstance(fast, Visits)
            local: Any = fast if shows_features else LocalEvaluator(problem, instances, self._rounds)
        self._evaluators = {"losses": local if fast is None else fast, "map_features": local, "visit": local}
        self._pickled = (b"", b"")


def versions() -> dict[str, str]:
    """Return the versions that the numbers depend on, or that processes need to understand each other."""
    return {
        "colayer": colayer.__version__,
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "processor": platform.machine(),
        "numpy": np.__version__,
        "numba": version("numba"),
    }


def check_versions(expected: Mapping[str, str]) -> None:
    """Refuse to compute on a node whose versions would give other numbers."""
    for what, here in versions().items():
        if here != expected.get(what):
            said = f"{what} is {here} on {socket.gethostname()} and {expected.get(what)} here, expected the same"
            raise ColayerError(said, where="--cluster")
