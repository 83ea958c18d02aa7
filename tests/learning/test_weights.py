"""The same seed gives the same weights, bit for bit, from one version of the code to the next."""

from __future__ import annotations

from support.weights import computed, differences, kept


def test_the_weights_of_every_learner_on_every_problem_are_those_that_were() -> None:
    """A change that is meant is written down: `weights_table.py` prints the table."""
    found = differences(kept("weights.json"), computed())
    assert not found, "\n".join(found)


def test_every_difference_is_named() -> None:
    """One changed digest, one learner that is gone and one that is new: three lines, not one failure."""
    expected = {"jobs": {"auto": ["a", "b", "c"], "sgd": ["d", "e", "f"]}}
    found = {"jobs": {"auto": ["a", "x", "c"], "direct": ["g", "h", "i"]}}
    assert differences(expected, expected) == []
    assert differences(expected, found) == [
        "sgd on jobs: not computed",
        "direct on jobs: not in the file",
        "auto on jobs, seed 1: x, expected b",
    ]
