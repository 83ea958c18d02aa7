"""Shared set-up: quick hypothesis runs that do not depend on the clock, and no silent skips in CI."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

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
