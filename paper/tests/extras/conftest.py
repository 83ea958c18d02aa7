"""Tests that need an extra, collected with COLAYER_EXTRAS=1 alone: there a package that is missing is a failure."""

from __future__ import annotations

import os

collect_ignore_glob = [] if os.environ.get("COLAYER_EXTRAS") else ["*"]
