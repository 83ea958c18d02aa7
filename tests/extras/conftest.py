"""Tests that need an extra, collected with COLAYER_EXTRAS=1 alone: there a package that is missing is a failure."""

from __future__ import annotations

import os

import pytest

collect_ignore_glob = [] if os.environ.get("COLAYER_EXTRAS") else ["*"]


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with a cluster share one process: two clusters on a small machine are in each other's way."""
    for item in items:
        if "ray" in item.path.parts or item.path.parts[-2:] == ("commands", "test_train.py"):
            item.add_marker(pytest.mark.xdist_group("cluster"))
