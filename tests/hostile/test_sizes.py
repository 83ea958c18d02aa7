"""Large files with a fault at their end, and times at the edge of numbers."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from support.hostile import Ended, files, refused

#: Numbers beyond the edge: 1e308 s are no time for a clock.
BEYOND = (
    "generate single-machine new --jobs 5 --count 1000000000000000000000",
    "train single-machine data -o new.json --time-limit 1e308",
    "label single-machine bare --time-limit 1e308",
    "solve data/0000.json --certify --time-limit 1e308",
    "bound data/0000.json --tight --time-limit 1e308",
    "evaluate single-machine data --tight --time-limit 1e308",
    "compare single-machine data --time-limit 1e308",
    "solve data/0000.json --samples 2 --sigma 1e308",
    "solve data/0000.json --seed 340282366920938463463374607431768211456",
    "solve data/0000.json --samples 1000000000000",
    "train single-machine data -o new.json --evaluations 1000000000000",
    "train single-machine data -o new.json --radius 1e308",
    "solve data/0000.json --workers 1000000000000",
)
#: Numbers at the edge.
NUMBERS = (
    "train single-machine data -o new.json --evaluations 3 --time-limit 1e9",
    "train single-machine data -o new.json --evaluations 3 --time-limit 1e-9",
    "label single-machine bare --time-limit 1e9 --workers 1",
    "label single-machine bare --time-limit 1e-9 --workers 1",
    "label single-machine bare --time-limit 1e9 --workers 2",
    "solve data/0000.json --certify --time-limit 1e9",
    "solve data/0000.json --certify --time-limit 1e-9",
    "bound data/0000.json --tight --time-limit 1e9",
    "bound data/0000.json --tight --time-limit 1e-9",
    "evaluate single-machine data --tight --time-limit 1e9",
    "evaluate single-machine data --tight --time-limit 1e-9",
    "compare single-machine data --time-limit 1e-9",
    "solve data/0000.json --sigma 1e100 --samples 2",
    "solve data/0000.json --sigma 1e-308 --samples 2",
)


@pytest.mark.parametrize("words", BEYOND)
def test_numbers_beyond_the_edge(words: str, place: Path, call: Callable[..., Ended]) -> None:
    before = files(place)
    assert words.split()[-2] in refused(call(*words.split()))
    assert files(place) == before


@pytest.mark.parametrize("words", NUMBERS)
def test_numbers_at_the_edge(words: str, place: Path, call: Callable[..., Ended], no_solvers: None) -> None:
    """Done, or refused in one line where there was no time for anything; no fault."""
    status, out, err = call(*words.split())
    assert "Traceback" not in err
    if status != 0:
        assert "1e-9" in words
        refused((status, out, err))


@pytest.mark.parametrize(
    ("end", "fragment"),
    [
        ("NaN]}", "processing[999999]: not finite"),
        ("-Infinity]}", "processing[999999]: not finite"),
        ("1e999]}", "processing[999999]: not finite"),
        ("1]", "not JSON"),
        ("1", "not JSON"),
        ("1]}}", "not JSON"),
        ('1], "processing": [1]}', "processing: given twice"),
        ("null]}", "processing[999999]"),
        ('"1"]}', "processing[999999]"),
        ("-1]}", "processing[999999]"),
        ("[1]]}", "processing[999999]"),
        ("true]}", "processing[999999]"),
        ("\udcff]}", "not"),
    ],
)
def test_a_fault_at_the_end_of_a_large_file(end: str, fragment: str, place: Path, call: Callable[..., Ended]) -> None:
    """5 MB; the place is found in a moment. `benchmarks/memory.py` measures memory, on 200 MB."""
    count = 1_000_000
    head = '{"format": 1, "problem": "single-machine", "release": [' + ",".join(["0"] * count) + '], "processing": ['
    data = (head + "1, " * (count - 1) + end).encode(errors="surrogateescape")
    Path("large.json").write_bytes(data)
    begin = time.process_time()
    said = refused(call("bound", "large.json"), fragment)
    assert "large.json" in said
    assert len(said) < 200
    assert time.process_time() - begin < 20
