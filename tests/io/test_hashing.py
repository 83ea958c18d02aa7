"""What an instance is, as bytes: data sets are told apart by it."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

from colayer import InputError
from colayer.io.hashing import content_hash, content_of
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from support.errors import rejects
from support.pick_problem import Pick

X = np.array([[1.0, 2.0], [3.0, 4.0]])


class Written(Pick):
    def write(self, instance: Any) -> dict[str, Any]:
        return {"rows": instance, "count": np.int64(len(instance))}


class Own(Written):
    def content(self, instance: Any) -> bytes:
        return b"own"


def test_all_that_an_instance_holds_where_there_is_nothing_else() -> None:
    """And what learning sees of it, features and scale: what only `cost` looks at is told apart as well."""

    class Held:
        def __init__(self, rows: Any, price: float) -> None:
            self.rows, self.price, self._cache = rows, price, {}

    class Priced(Pick):
        def features(self, instance: Any) -> Any:
            return instance.rows

        def scale(self, instance: Any) -> float:
            return 1.0

    one, same, other = (content_of(bind(Priced()), Held(X, price)) for price in (1.0, 1.0, 2.0))
    assert one == same != other
    assert one.endswith(X.tobytes() + np.float64(1.0).tobytes())
    warm = Held(X, 1.0)
    warm._cache["x"] = 1
    assert content_of(bind(Priced()), warm) == one


def test_the_document_where_there_is_a_file_format() -> None:
    """Keys in a fixed order, numpy values as plain ones."""
    assert content_of(bind(Written()), X) == b'{"count":2,"rows":[[1.0,2.0],[3.0,4.0]]}'


def test_the_problems_own_content_comes_first() -> None:
    assert content_of(bind(Own()), X) == b"own"


def test_the_hash_is_of_all_contents_in_order_with_their_lengths() -> None:
    """Two instances are not one: b"ab", b"c" differs from b"a", b"bc"."""
    expected = hashlib.sha256((3).to_bytes(8, "little") + b"own" + (3).to_bytes(8, "little") + b"own")
    assert content_hash(bind(Own()), [X, X]) == expected.hexdigest()
    assert content_hash(bind(Own()), []) == hashlib.sha256().hexdigest()
    assert content_hash(bind(Pick()), [X, X + 1]) != content_hash(bind(Pick()), [X + 1, X])


def test_equal_instances_have_equal_hashes() -> None:
    problem = SingleMachine()
    one, two = ([problem.generate(seed, jobs=5) for seed in (3, 4)] for _ in range(2))
    assert content_hash(bind(problem), one) == content_hash(bind(problem), two)
    assert content_hash(bind(problem), one) != content_hash(bind(problem), one[:1])


@pytest.mark.parametrize(
    ("members", "names"),
    [
        ({"content": lambda self, x: "text"}, ("content", "pick")),
        ({"content": lambda self, x: None}, ("content", "pick")),
        ({"write": lambda self, x: None}, ("write", "pick")),
        (
            {"write": lambda self, x: {"a": 1j}},
            ("write", "pick"),
        ),
    ],
)
def test_what_is_no_content_is_refused_by_the_name_of_its_method(
    members: dict[str, Any], names: tuple[str, ...]
) -> None:
    with rejects(InputError, *names):
        content_of(bind(type("Changed", (Pick,), members)()), X)
