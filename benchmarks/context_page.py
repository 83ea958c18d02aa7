"""The table of docs/coming_from.md, from benchmarks/results/context.json: `python benchmarks/context_page.py`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from colayer.display.tables import Table, table

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "coming_from.md"
RESULTS = ROOT / "benchmarks" / "results" / "context.json"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"
#: What a data set is called on the page.
_NAMES = {"path": "path 5×5", "knapsack": "knapsack 32", "tour": "TSP 10"}
#: Header → contenders; of several, PyEPO's two rates, the better one stands there.
_COLUMNS = {
    "regression": ("two-stage regression",),
    "colayer": ("colayer",),
    "PyEPO SPO+": ("PyEPO SPO+, rate 1e-3", "PyEPO SPO+, rate 1e-2"),
    "PyEPO PFYL": ("PyEPO PFYL, rate 1e-3", "PyEPO PFYL, rate 1e-2"),
}
_TUNED = {
    "tuned: colayer": ("colayer, tuned",),
    "SPO+": ("PyEPO SPO+, tuned",),
    "PFYL": ("PyEPO PFYL, tuned",),
}


def table_of(document: Mapping[str, Any]) -> Table:
    """Return the table of all cells."""
    rows = []
    for entry in document["cells"]:
        problem, degree, samples = entry["cell"].split()
        away = entry["difference"]
        rows.append([
            f"{_NAMES[problem]}, {degree}, {samples}",
            *(_least(entry, names) for names in _COLUMNS.values()),
            f"{100 * away['mean']:+.2f} ± {100 * away['standard_error']:.2f}",
            f"{entry['colayer']['seconds']:.3f} s, {away['time_ratio']:.2f}×",
            *(_least(entry, names) for names in _TUNED.values()),
        ])  # fmt: skip
    headers = ["data, degree, samples", *_COLUMNS, "difference to PyEPO's best", "CPU time", *_TUNED]
    return table(headers, rows)


def words(document: Mapping[str, Any]) -> str:
    """Return what the crews cost, and where all of it comes from."""
    crews, seeds, machine = document["crews"], document["seeds"], document["machine"]
    away = f"{crews['difference']:+.2f} ± {crews['standard_error']:.2f}"
    return (
        f"Crews for regions whose demand may surge, ten recorded outcomes per sample: planning for the predicted mean "
        f"loses {crews['rule']:.2f}, regressing what each crew serves {crews['specialist']:.2f}, learning by costs "
        f"alone {crews['colayer']:.2f} ({away} to the plan for the mean).\n\n"
        f"`{document['command']}`, colayer {document['colayer']}, PyEPO {document['pyepo']}, seeds {seeds[0]} to "
        f"{seeds[-1]}, {machine['cores']} cores, busy: CPU time counts."
    )


def with_table(page: str, document: Mapping[str, Any]) -> str:
    """Return a page with what stands between its two marks replaced by the table."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table_of(document).markdown()}\n{words(document)}\n\n{END}{after}"


def _least(entry: Mapping[str, Any], names: tuple[str, ...]) -> str:
    found = [entry[name]["regret"] for name in names if name in entry]
    return f"{100 * min(found):.1f}" if found else ""


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8"), json.loads(RESULTS.read_text("utf-8"))), "utf-8")
