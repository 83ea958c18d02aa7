"""Words for messages: one line, not too long."""

from __future__ import annotations

import pytest

from colayer._runtime.text import counted, first_line, one_of, printable, short, shortened, typed_line


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("short", 10, "short"),
        ("exactly te", 10, "exactly te"),
        ("one two three four", 12, "one two…"),
        ("abcdefghijklmnop", 8, "abcdefg…"),
        ("a bcdefghijklmnop", 8, "a bcdef…"),  # a cut after the first letter would lose too much
    ],
)
def test_shortened(text: str, most: int, expected: str) -> None:
    assert shortened(text, most) == expected
    assert len(shortened(text, most)) <= most


def test_short_is_the_repr_in_40_characters() -> None:
    assert short("a") == "'a'"
    assert short([1] * 100) == "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,…"
    assert len(short("x" * 1000)) == 40


def test_printable() -> None:
    """Names as they are; what would break the line, or is very long, as a repr."""
    assert printable("städte") == "städte"
    assert printable("a\nb") == r"'a\nb'"
    assert printable("\x1b[31m") == r"'\x1b[31m'"
    assert len(printable("x" * 61)) == 40


@pytest.mark.parametrize(
    ("error", "first", "typed"),
    [
        (ValueError("one\ntwo"), "one", "ValueError: one"),
        (ValueError("\n  \n  late  "), "late", "ValueError: late"),
        (KeyError(), "KeyError", "KeyError"),
        (ValueError("word " * 100), "word " * 22 + "word…", "ValueError: " + "word " * 22 + "word…"),
    ],
)
def test_errors_in_one_line(error: Exception, first: str, typed: str) -> None:
    assert first_line(error) == first
    assert typed_line(error) == typed


def test_counted() -> None:
    assert [counted(k, "instance") for k in (0, 1, 2, 12345)] == [
        "0 instances", "1 instance", "2 instances", "12,345 instances",
    ]  # fmt: skip


def test_one_of_names_a_near_match_first() -> None:
    known = ("direct", "cma-es", "sgd")
    assert one_of("sdg", known) == "sgd (or direct, cma-es)"
    assert one_of("magic", known) == "direct, cma-es, sgd"
    assert one_of("direkt", ("direct",)) == "direct"


@pytest.mark.parametrize("raises", [RuntimeError, RecursionError, SystemExit, GeneratorExit])
def test_a_class_that_cannot_tell_itself_does_no_harm(raises: type[BaseException]) -> None:
    def fail(self: object) -> str:
        raise raises

    broken = type("Broken", (Exception,), {"__repr__": fail, "__str__": fail})()
    assert short(broken) == "<Broken>"
    assert (first_line(broken), typed_line(broken)) == ("Broken", "Broken")


def test_ctrl_c_is_not_swallowed_by_words() -> None:
    def interrupted(self: object) -> str:
        raise KeyboardInterrupt

    broken = type("Broken", (Exception,), {"__repr__": interrupted, "__str__": interrupted})()
    for words in (short, first_line):
        with pytest.raises(KeyboardInterrupt):
            words(broken)
