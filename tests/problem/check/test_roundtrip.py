"""What does not come back as it was, one mistake at a time: the check of its kind finds each, alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from colayer import Size, check_problem
from support.pick_problem import Pick, picks
from support.planted import assert_found
from support.selection_problem import Projects, Selection


class FieldNotWritten(Selection):
    fields = ()

    def write(self, instance):
        return {"price": instance.price, "choose": instance.choose}

    def read(self, document):
        price = np.array(document["price"], dtype=float)
        return Projects(price, np.full(len(price), 0.5), int(document["choose"]))


class WritesAList(Selection):
    def write(self, instance):
        return [instance.price, instance.risk]


class RoundedWhenWritten(Selection):
    def write(self, instance):
        return {**super().write(instance), "price": np.round(instance.price, 3)}


class ReadRaises(Selection):
    def read(self, document):
        return Projects(document["price"] / 0, document["risk"], 1)


class SolutionHalfWritten(Selection):
    violation = None

    def write_solution(self, solution, instance):
        return {"chosen": np.full(len(solution), solution[0])}


class SolutionWithTheKeyOfLabels(Selection):
    def write_solution(self, solution, instance):
        return {"chosen": solution, "cost": self.cost(solution, instance)}

    def read_solution(self, document, instance):
        return super().read_solution({"chosen": document["chosen"]}, instance)


class SizeGivenTwice(Selection):
    sizes = (*Selection.sizes, *Selection.sizes)


class GenerateWithoutSeed(Selection):
    def generate(self, seed, projects=9):
        return super().generate(np.random.SeedSequence(), projects)


class GenerateIgnoresSeed(Selection):
    def generate(self, seed, projects=9):
        return super().generate(0, projects)


class GenerateTakesNoSeedSequence(Selection):
    """The command line seeds with a SeedSequence."""

    def generate(self, seed, projects=9):
        return super().generate(seed + 1, projects)


class MinimumTooLow(Selection):
    sizes = (Size("projects", int, 9, "number of projects", minimum=0),)

    def generate(self, seed, projects=9):
        made = super().generate(seed, projects)
        return replace(made, risk=made.risk / made.risk.max())


class HoldsALambda(Selection):
    def __init__(self, decoder="none"):
        super().__init__(decoder)
        self._key = lambda theta: theta


#: mistake → (the check that finds it, words of what it says).
PLANTED: dict[Any, tuple[str, str]] = {
    FieldNotWritten: ("files", "features[0, 1] is not the same after write, JSON and read"),
    WritesAList: ("files", "expected a dict with words as keys"),
    RoundedWhenWritten: ("files", "after write, JSON and read"),
    ReadRaises: ("files", "read of selection raised TypeError: unsupported operand"),
    SolutionHalfWritten: ("files", "write all of it"),
    SolutionWithTheKeyOfLabels: ("files", "the key 'cost', which label files have already"),
    SizeGivenTwice: ("declarations", "'projects' is there twice, expected once"),
    GenerateWithoutSeed: ("generate", "two different instances"),
    GenerateIgnoresSeed: ("generate", "the same instance"),
    GenerateTakesNoSeedSequence: ("generate", "generate of selection raised TypeError: "),
    MinimumTooLow: ("generate", "generate(7, projects=0)"),
    HoldsALambda: ("pickling", "no lambda"),
}


@pytest.mark.parametrize("mistake", PLANTED, ids=lambda mistake: mistake.__name__)
def test_a_planted_mistake_is_found_by_the_check_of_its_kind_alone(mistake: Any) -> None:
    assert_found(mistake(), *PLANTED[mistake])


def test_a_problem_without_files_is_not_said_to_have_passed() -> None:
    found = {finding.check: finding for finding in check_problem(Pick(), picks(2)).findings}
    assert found["files"].result == "not applicable"
