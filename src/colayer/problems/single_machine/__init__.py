"""Single machine scheduling, 1 | r_j | Σ C_j."""

from colayer.problems.single_machine.instance import PAPER_JOBS, PAPER_RHO, Instance
from colayer.problems.single_machine.problem import SingleMachine

__all__ = ["PAPER_JOBS", "PAPER_RHO", "Instance", "SingleMachine"]
