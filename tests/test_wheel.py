"""The wheel works outside the checkout, with its weights, its command and the lines of the README."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_wheel_installs_and_solves_outside_the_checkout(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(tmp_path), str(ROOT)], check=True)
    (wheel,) = tmp_path.glob("colayer-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "colayer/py.typed" in names
    assert [name for name in names if name.startswith("colayer/pretrained/single-machine")]
    assert "colayer/pretrained/networks/single-machine-27-none.json" in names
    assert "colayer/report/templates/report.html" in names
    assert "colayer/experiments/configs/tree-gap.toml" in names
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "experiments"))]
    site = tmp_path / "site"
    subprocess.run([*pip, "install", "--no-deps", "--target", str(site), str(wheel)], check=True)
    (tmp_path / "jobs.json").write_text(
        '{"format": 1, "problem": "single-machine", "release": [0, 1], "processing": [9, 1]}'
    )
    run = "import sys; from colayer.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", run, "solve", "jobs.json", "--decoder", "none", "--json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["cost"] == 13.0  # wait one unit: C = 2 and 11
    where = subprocess.run(
        [sys.executable, "-c", "import colayer; print(colayer.__file__)"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(where.stdout.strip()).is_relative_to(site)
    readme = (ROOT / "README.md").read_text("utf-8")
    code = re.search(r"^```python\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert code is not None
    lines = subprocess.run(
        [sys.executable, "-W", "error", "-c", code[1]],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
    )
    assert lines.returncode == 0, lines.stderr
    learned_over_rule = float(lines.stdout.split()[0])
    assert learned_over_rule > 1.0  # costs are negative: more than the rule's is better
    assert (tmp_path / "model.json").exists()
