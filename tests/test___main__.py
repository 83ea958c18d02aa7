"""`python -m colayer` is the command line."""

from __future__ import annotations

import subprocess
import sys

import colayer


def test_it_is_the_command_line() -> None:
    done = subprocess.run([sys.executable, "-m", "colayer", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"colayer {colayer.__version__}\n"
