"""Places in a JSON text: keys and indices around a number that is not finite, and keys that come twice."""

from __future__ import annotations

import pytest

from colayer._runtime.json_places import not_finite, twice


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (b'{"a": {"b,]": [1, [2, NaN]]}}', "a.b,][1][1]"),
        (b'{"a": [[], {"k": "NaN"}, -Infinity]}', "a[2]"),
        (b'{"a": [0, 1e999]}', "a[1]"),
        (b"NaN", "document"),
        (b'{"a": Nan}', None),
        (b'{"a": [1,}', None),
    ],
)
def test_a_place_is_keys_and_indices(text: bytes, where: str | None) -> None:
    assert not_finite(text) == where


def test_only_keys_of_the_outermost_object_count_as_given_twice() -> None:
    assert twice(b'{"a": {"b": 1, "b": 2}, "c": "a", "d": ["a"], "\\u0061": 3}') == {"a"}
