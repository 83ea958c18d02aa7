"""Days: what they refuse, the generator, files."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.dynamic_routing.instance import generate, read, write
from support.errors import rejects
from support.routing_days import line_day, small


@pytest.mark.parametrize(
    ("request_", "where"),
    [
        ((9, 1, 60, 90, 1), "epoch"),
        ((0, 5, 60, 90, 1), "location"),
        ((0, 1, 60, 70, 1), "closing"),
        ((0, 1, 60, 90, 4), "demand"),
        ((-1, 1, 60, 90, 1), "epoch"),
    ],
)
def test_a_request_that_cannot_be_is_refused(request_: tuple[int, int, int, int, int], where: str) -> None:
    with rejects(InputError, where=f"{where}[0]"):
        line_day([request_])


def test_epochs_ascend() -> None:
    with rejects(InputError, where="epoch"):
        line_day([(1, 2, 60, 240, 1), (0, 2, 60, 240, 1)])


def test_a_day_comes_back_from_its_file_and_from_another_process() -> None:
    day = small(3)
    for again in (read(write(day)), pickle.loads(pickle.dumps(day))):
        assert write(again) == write(day)
        assert not again.city.travel.flags.writeable


def test_the_generator_is_a_function_of_the_seed_and_takes_sizes() -> None:
    assert write(generate(1, customers=9)) == write(generate(1, customers=9))
    assert write(generate(1, customers=9)) != write(generate(2, customers=9))
    assert generate(1, per_epoch=5).epoch.size <= 5 * generate(1).city.epochs
    with rejects(InputError, where="customers"):
        generate(0, customers=0)


def test_a_day_is_one_line() -> None:
    assert repr(line_day([(0, 2, 60, 240, 1)])) == "RoutingDay(1 request in 4 epochs)"
    assert np.array_equal(small(2).epoch, np.sort(small(2).epoch))
