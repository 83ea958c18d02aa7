"""Keys keep draws apart, and stay what they are."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

import colayer
from colayer._runtime import seeds

KEYS = {name: value for name, value in vars(seeds).items() if name.isupper()}


def test_the_same_seed_and_key_draw_the_same() -> None:
    one, same, other = (seeds.generator(3, seeds.WAVE, k).random(4) for k in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert (one != other).all()
    expected = np.random.default_rng(np.random.SeedSequence(3, spawn_key=(0xA7, 0))).random(4)
    np.testing.assert_array_equal(one, expected)


def test_no_two_share_a_key() -> None:
    """But for the two that are told apart by what follows: SIGMA alone, SRL with two numbers."""
    values = [value for name, value in KEYS.items() if name != "SRL"]
    assert len(set(values)) == len(values)
    assert (seeds.generator(0, seeds.SIGMA).random(4) != seeds.generator(0, seeds.SRL, 0, 0).random(4)).all()


def test_every_key_is_used_and_none_is_made_elsewhere() -> None:
    folder = Path(colayer.__file__).parent
    sources = {path: path.read_text() for path in folder.rglob("*.py")}
    used = "".join(text for path, text in sources.items() if path.name != "seeds.py")
    assert [name for name in KEYS if not re.search(rf"\bseeds\.{name}\b", used)] == []
    assert [path.name for path, text in sources.items() if "spawn_key" in text] == ["seeds.py"]
