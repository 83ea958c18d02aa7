"""The same weights, bit for bit, of the learners that need an extra."""

from __future__ import annotations

from support.weights import computed, differences, kept


def test_the_weights_of_every_learner_on_every_problem_are_those_that_were() -> None:
    found = differences(kept("weights_extras.json"), computed("--extras"))
    assert not found, "\n".join(found)
