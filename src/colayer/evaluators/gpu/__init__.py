"""Evaluators on a GPU, for the problems that have kernels there; the extra `gpu`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from colayer.errors import MissingExtraError, OptionError
from colayer.evaluators.base import Evaluator, compiled_evaluator, evaluator_for
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z

if TYPE_CHECKING:
    from colayer.evaluators.gpu.device import Device


def gpu_evaluators(
    problem: BoundProblem[X, Y, Z], workers: int | None, *, fall_back: bool, rounds: int = 1
) -> Callable[[Sequence[X]], Evaluator]:
    """Return what makes evaluators on the GPU; with `fall_back`, on the processor and with a warning if it must be."""
    from colayer.evaluators.gpu.device import Cuda

    try:
        if not has_kernels(problem) or rounds > 1:
            raise OptionError(f"{problem.name} has no evaluator for a GPU, expected cpu", where="--device")
        device = Cuda()
    except (OptionError, MissingExtraError) as error:
        if not fall_back:
            raise
        say_why(error.message.removesuffix(", expected cpu"))
        return lambda instances: evaluator_for(problem, instances, workers, rounds)
    return lambda instances: on_device(problem, instances, device, workers)


@cache
def say_why(why: str) -> None:
    """Warn, once, that the processor takes the place of the GPU."""
    warnings.warn(f"losses are computed on the processor: {why}", stacklevel=3)


def on_device(
    problem: BoundProblem[X, Y, Z], instances: Sequence[X], device: Device, workers: int | None = None
) -> Evaluator:
    """Return an evaluator on `device`; instances that are too large for it stay on this machine."""
    from colayer.evaluators.gpu.single_machine import MachineOnGpu
    from colayer.evaluators.gpu.spanning_tree import TreeOnGpu
    from colayer.evaluators.gpu.split import Split
    from colayer.evaluators.gpu.stacked import largest
    from colayer.problems.single_machine.evaluator import FusedEvaluator as Machine
    from colayer.problems.spanning_tree.evaluator import FusedEvaluator as Tree

    own: Any = compiled_evaluator(problem, instances, workers)
    if not isinstance(own, Machine | Tree):
        raise OptionError(f"{problem.name} has no evaluator for a GPU, expected cpu", where="--device")
    fits = np.diff(own.first if isinstance(own, Machine) else own.edge) <= largest(device.shared)
    if fits.all():
        return MachineOnGpu(own, device) if isinstance(own, Machine) else TreeOnGpu(own, device)
    if not fits.any():
        return own
    own.close()
    numbers = [np.flatnonzero(fits).tolist(), np.flatnonzero(~fits).tolist()]
    small, large = ([instances[x] for x in part] for part in numbers)
    return Split([on_device(problem, small, device, workers), evaluator_for(problem, large, workers)], numbers)


def has_kernels(problem: BoundProblem[X, Y, Z]) -> bool:
    """Return whether a problem has kernels for a GPU."""
    from colayer.problems import SingleMachine, SpanningTree

    return isinstance(problem.problem, SingleMachine | SpanningTree)
