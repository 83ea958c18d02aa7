"""`colayer compare` with OR-Tools: CP-SAT takes part, with and without the pipeline's solution."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from colayer.cli.app import main
from colayer.comparison.contender import CP_SAT, CP_SAT_HINT


def test_the_command_line_has_the_hint_sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = str(tmp_path / "data")
    assert main(["generate", "spanning-tree", data, "--count", "1", "--width", "3", "--scenarios", "2"]) == 0
    capsys.readouterr()
    command = ["compare", "spanning-tree", data, "--time-limit", "2", "--json", "-o", str(tmp_path / "run")]
    assert main(command) == 0
    document = json.loads(capsys.readouterr().out)
    assert {CP_SAT, CP_SAT_HINT} <= set(document["contenders"])
    assert len(document["hint"]) == 1
    assert (tmp_path / "run" / "hint.csv").exists()
