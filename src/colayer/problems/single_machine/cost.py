"""The cost of a sequence, its order of magnitude, and the preemptive lower bound."""

from __future__ import annotations

import math

import numpy as np

from colayer._runtime.arrays import Ints
from colayer.layers.layer import log_pairs
from colayer.problem.approximation import Approximation
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.schedule import sequence_cost
from colayer.problems.single_machine.solution import checked


def cost(sequence: Ints, instance: Instance) -> float:
    """Return Σ C_j if the jobs run in the order of `sequence`, each as early as possible."""
    return float(sequence_cost(checked(sequence, instance), *instance.arrays))


def scale(instance: Instance) -> float:
    """Return u(x) = n (n + 1)."""
    return float(instance.jobs * (instance.jobs + 1))


def bound(instance: Instance) -> float:
    """Return the optimal cost with preemption allowed (SRPT), a lower bound on the optimal cost without."""
    return float(np.sort(instance.preemptive[2]).cumsum()[-1])  # summed as the cost is: in the order of completion


def log_comparisons(instance: Instance) -> float:
    """Return log H: a sort compares pairs of jobs."""
    return log_pairs(math.log(instance.jobs))


def srpt_approximation(instance: Instance) -> Approximation:
    """Return the 2-approximation of Phillips, Stein and Wein: jobs by SRPT completion over the makespan."""
    order = np.argsort(instance.release, kind="stable")
    work_left = instance.processing[order][::-1].cumsum()[::-1]  # of the jobs from this release on
    makespan = float((instance.release[order] + work_left).max())
    return Approximation(a=1.0, b=4.0 * instance.jobs * makespan, beta=math.inf)
