"""Shared set-up: fresh kernels, quick hypothesis runs that do not depend on the clock, and no silent skips in CI."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Numba compiles a kernel anew when its own file changes, not when one it calls does: one cache a state of the code.
ROOT = Path(__file__).parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))
KERNELS = [text for path in SOURCES if b"compiled import" in (text := path.read_bytes())]
STATE = hashlib.sha256(b"".join(KERNELS)).hexdigest()
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".numba_cache" / STATE[:16]))

settings.register_profile("colayer", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("colayer")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """With COLAYER_NO_SKIP set, a run with skipped tests fails."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not os.environ.get("COLAYER_NO_SKIP"):
        return
    skipped = reporter.stats.get("skipped", [])
    if skipped and exitstatus == pytest.ExitCode.OK:
        reporter.write_line(f"{len(skipped)} skipped tests, none is expected", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
