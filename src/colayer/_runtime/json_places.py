"""Places in a JSON text, for messages about it: where a number is not finite, which key comes twice."""

from __future__ import annotations

import math
import re

import msgspec

from colayer._runtime.text import printable

#: Strings and brackets of a JSON text, and how many of them a place is looked for among.
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_MOST_TOKENS = 1_000_000
_OF_NUMBER = frozenset(b"%c" % c for c in b"-.0123456789")
_COLON = re.compile(rb"\s*:")


def not_finite(data: bytes, error: str) -> str | None:
    """The place of the NaN or infinity at which decoding stopped, as other writers leave them; None of other errors."""
    if "out of range" in error:  # 1e999: a number, but not of a float
        return _first_overflow(data)
    found = re.search(r"\(byte (\d+)\)", error)
    offset = int(found[1]) if found else -1
    # the decoder stops inside a word that begins like another one: `Nan` is none, `-Infinity` begins like a number
    for start in range(offset, max(0, offset - 9) - 1, -1):  # the last one: a string before it may hold such a word
        word, before = data[start : start + 9], data[max(0, start - 1) : start]
        if re.match(rb"(NaN|-?Infinity)\b", word) and not re.match(rb"[-\w]", before):
            stack = _enclosing(data, start)
            return f"byte {start}" if stack is None else printable("".join(stack).removeprefix(".")) or "document"
    return None


def _first_overflow(data: bytes) -> str | None:
    """The place of the first number that is infinite as a float; only exponents are looked at, for speed."""
    for exponent in re.finditer(rb"[eE]\+?\d+", data):
        start = exponent.start()
        while start and data[start - 1 : start] in _OF_NUMBER:
            start -= 1
        number = data[start : exponent.end()]
        if re.fullmatch(rb"-?\d[\d.]*[eE]\+?\d+", number) and math.isinf(float(number)):
            stack = _enclosing(data, start)
            return f"byte {start}" if stack is None else printable("".join(stack).removeprefix("."))
    return None


def twice(data: bytes) -> set[str]:
    """The keys of the outermost object that come twice."""
    seen: set[str] = set()
    twice: set[str] = set()
    depth = 0
    for token in _TOKENS.finditer(data):
        mark = token[0][:1]
        if mark in b"[{":
            depth += 1
        elif mark in b"]}":
            depth -= 1
        elif depth == 1 and _COLON.match(data, token.end()):
            key = msgspec.json.decode(token[0])
            (twice if key in seen else seen).add(key)
    return twice


def _enclosing(data: bytes, end: int) -> list[str] | None:
    """Keys and indices of the objects and lists around a byte of a JSON text; None where there are too many parts."""
    if data.count(b"[", 0, end) + data.count(b"{", 0, end) + data.count(b'"', 0, end) > _MOST_TOKENS:
        return None
    stack: list[tuple[bytes, int, str]] = []  # kind, commas so far, last key
    before = 0
    for token in _TOKENS.finditer(data, 0, end):
        if stack:
            kind, commas, key = stack[-1]
            stack[-1] = kind, commas + data.count(b",", before, token.start()), key
        before = token.end()
        mark = token[0][:1]
        if mark in b"[{":
            stack.append((mark, 0, ""))
        elif mark in b"]}":
            stack.pop()
        elif stack and stack[-1][0] == b"{":
            stack[-1] = b"{", stack[-1][1], str(msgspec.json.decode(token[0]))
    if stack:
        kind, commas, key = stack[-1]
        stack[-1] = kind, commas + data.count(b",", before, end), key
    return [f"[{commas}]" if kind == b"[" else f".{key}" for kind, commas, key in stack]
