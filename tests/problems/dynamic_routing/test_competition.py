"""The official days: where the competition's files are (COLAYER_COMPETITION names their folder), solutions replay."""

from __future__ import annotations

import json
import os
from pathlib import Path

from support.routing_days import PROBLEM

FOLDER = os.environ.get("COLAYER_COMPETITION")

if FOLDER is not None:  # not collected elsewhere: CI replays a day of our own (test_state.py)

    def test_the_published_solutions_cost_what_was_published() -> None:
        folder = Path(FOLDER or "")
        published = json.loads((folder / "solutions.json").read_text())
        assert len(published) == 6
        for run in published:
            day = PROBLEM.day(folder / "test.zip" / run["instance"], run["seed"])
            state, total = PROBLEM.start(day), 0.0
            while state is not None:
                routes = run["routes_by_epoch"].get(str(state.epoch), [])
                cost, state = PROBLEM.step(state, [[request - 1 for request in route] for route in routes])
                total += cost
            assert total == run["cost"]
