"""One tiny run for all tests of the experiments."""

from __future__ import annotations

import pytest

from tiny_experiments import TinyRun


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> TinyRun:
    return TinyRun(tmp_path_factory.mktemp("experiments") / "run")
