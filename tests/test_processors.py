"""The same bits on another processor: one without fused and wide instructions, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
#: A processor of twenty years ago, to numba, to numpy and to its linear algebra.
OLD = {
    "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR",
}  # fmt: skip


@pytest.fixture(scope="module")
def told() -> dict[str, tuple[str, str]]:
    """name → what is told here, and there."""
    cache = Path(os.environ["NUMBA_CACHE_DIR"])
    found = []
    for name, processor in (("", {}), ("-old", OLD)):
        path = os.pathsep.join([*sys.path, str(TESTS)])
        where = {"PYTHONPATH": path, "NUMBA_CACHE_DIR": f"{cache}{name}"}
        command = [sys.executable, "-W", "ignore", "-m", "support.processor_bits"]
        done = subprocess.run(
            command, env={**os.environ, **processor, **where}, capture_output=True, text=True, check=True
        )
        found.append(json.loads(done.stdout))
    here, there = found
    return {name: (here[name], there[name]) for name in here}


@pytest.mark.parametrize("method", ["direct", "sgd", "srl"])
def test_weights_of_linear_learners_are_the_same_on_another_processor(
    method: str, told: dict[str, tuple[str, str]]
) -> None:
    here, there = told[method]
    assert here == there


@pytest.mark.parametrize("model", ["contexts", *(f"network, {name}" for name in ("order", "graph", "arcs", "groups"))])
def test_models_give_the_same_theta_on_another_processor(model: str, told: dict[str, tuple[str, str]]) -> None:
    here, there = told[model]
    assert here == there
