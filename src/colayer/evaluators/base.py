"""What an evaluator is, and the backend on which evaluators run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from colayer._runtime.text import short
from colayer._runtime.threads import limited
from colayer.errors import OptionError
from colayer.problem.abilities import Evaluator
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z

__all__ = ["Backend", "Device", "Evaluator", "check_workers", "compiled_evaluator", "evaluator_for", "rows_at_once"]

Device = Literal["cpu", "cuda", "auto"]
DEVICES = get_args(Device)


def rows_at_once(evaluator: Evaluator) -> int:
    """Return how many weight vectors the evaluator prefers per call; 1 if it does not say."""
    return max(1, int(getattr(evaluator, "rows_at_once", 1)))


@dataclass(frozen=True)
class Backend:
    """Where evaluators run: `workers` threads or processes of this machine, a device, or the nodes of a cluster.

    `workers` bounds all parallelism on a machine; None leaves the choice to the evaluator. `cluster` is the address
    of a Ray cluster, or "auto"; `workers` are then the threads on each node.
    """

    workers: int | None = None
    device: str = "cpu"
    cluster: str | None = None

    def __post_init__(self) -> None:
        check_workers(self.workers)
        if self.device not in DEVICES:
            raise OptionError(f"no device {short(self.device)}, expected one of {', '.join(DEVICES)}", where="--device")
        if self.cluster is not None:
            from colayer.evaluators.ray.connection import check_address

            check_address(self.cluster)
            if self.device == "cuda":
                raise OptionError("a cluster evaluates on processors, expected cpu", where="--device")

    @contextmanager
    def evaluators(
        self, problem: BoundProblem[X, Y, Z], *, rounds: int = 1
    ) -> Iterator[Callable[[Sequence[X]], Evaluator]]:
        """Yield a function that makes evaluators of instances, of the loss in so many rounds; the block closes them."""
        with ExitStack() as stack:
            stack.enter_context(limited(self.workers))
            make: Callable[[Sequence[X]], Evaluator]
            if self.cluster is not None:
                from colayer.evaluators.ray.connection import connected
                from colayer.evaluators.ray.evaluator import ClusterEvaluator

                stack.enter_context(connected(self.cluster))
                make = lambda instances: ClusterEvaluator(problem, instances, self.workers, rounds)  # noqa: E731
            elif self.device != "cpu":
                from colayer.evaluators.gpu import gpu_evaluators

                make = gpu_evaluators(problem, self.workers, fall_back=self.device == "auto", rounds=rounds)
            else:
                make = lambda instances: evaluator_for(problem, instances, self.workers, rounds)  # noqa: E731
            yield lambda instances: stack.enter_context(closing(make(instances)))


def check_workers(workers: int | None) -> None:
    """Refuse a number of workers that makes no sense; None leaves the choice to the evaluator."""
    if workers is None:
        return
    if isinstance(workers, bool) or not isinstance(workers, int | np.integer):
        raise OptionError(f"{short(workers)} is not a whole number", where="--workers")
    if workers < 1:
        raise OptionError(f"{workers} is out of range, expected at least 1", where="--workers")


def evaluator_for(
    problem: BoundProblem[X, Y, Z], instances: Sequence[X], workers: int | None = None, rounds: int = 1
) -> Evaluator:
    """Return the problem's own compiled evaluator, else processes for `workers` > 1, else the plain loop.

    Compiled evaluators give the loss of one round; several rounds take the generic ones.
    """
    from colayer.evaluators.local import LocalEvaluator
    from colayer.evaluators.pool import PoolEvaluator

    check_workers(workers)
    compiled = compiled_evaluator(problem, instances, workers) if rounds == 1 else None
    if compiled is not None:
        return compiled
    if workers is None or workers == 1 or len(instances) == 1:
        return LocalEvaluator(problem, instances, rounds)
    return PoolEvaluator(problem, instances, workers, rounds)


def compiled_evaluator(problem: BoundProblem[X, Y, Z], instances: Sequence[X], workers: int | None) -> Evaluator | None:
    """Return the problem's own evaluator, with `workers` threads if it takes them; None if it has none."""
    import inspect

    if problem.evaluator is None:
        return None
    takes_workers = "workers" in inspect.signature(problem.evaluator).parameters
    options: dict[str, Any] = {"workers": workers} if takes_workers else {}
    return problem.evaluator(instances, **options)
