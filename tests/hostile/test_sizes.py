"""Sizes that cannot fit, large files with a fault at their end, and times at the edge of numbers."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from support.hostile import Ended, files, refused

#: Sizes beyond every machine, or beyond this one: `memory` and `disk` are set to 8 and 50 GB.
TOO_LARGE = (
    ("generate single-machine new --jobs 100000000", ""),
    ("generate single-machine new --jobs 1000000000", ""),
    ("generate single-machine new --count 100000000", "--count: 100,000,000 instances take about"),
    ("generate single-machine new --count 100000000 --format npz", "--count: 100,000,000 instances take about"),
    ("generate single-machine new --jobs 5,1000000000", "jobs 1000000000"),
    ("generate single-machine new --jobs 5 --count 1000000000000000000000", ""),
    ("generate spanning-tree new --width 1000000", ""),
    ("generate spanning-tree new --width 1000000000", ""),
    ("generate spanning-tree new --count 100000000", "--count: "),
    ("generate vehicle-scheduling new --tasks 1000000", ""),
    ("generate vehicle-scheduling new --tasks 1000000000", ""),
    ("generate vehicle-scheduling new --scenarios 1000000000", ""),
    ("generate vehicle-scheduling new --count 100000000", "--count: "),
)
#: Numbers beyond the edge: 1e308 s are no time for a clock.
BEYOND = (
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


@pytest.fixture
def small_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same answers on every machine."""
    monkeypatch.setattr("colayer._runtime.limits.memory", lambda: 8_000_000_000)
    monkeypatch.setattr("colayer._runtime.limits.disk", lambda folder: 50_000_000_000)


@pytest.mark.usefixtures("small_machine")
@pytest.mark.parametrize(("words", "fragment"), TOO_LARGE)
def test_what_cannot_fit_is_refused_at_once(words: str, fragment: str, place: Path, call: Callable[..., Ended]) -> None:
    before = files(place)
    tracemalloc.start()
    try:
        ended = call(*words.split())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    refused(ended, fragment)
    assert peak < 50_000_000
    assert files(place) == before


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
