"""Notebooks without Jupyter: run the code cells in one namespace, keep what they show.

`python tests/support/notebook.py` runs the notebooks of `examples/` and stores their outputs anew.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(notebook: dict[str, Any], folder: Path) -> list[list[dict[str, Any]]]:
    """The outputs of each code cell, run in `folder` as Jupyter would."""
    names: dict[str, Any] = {"__name__": "__main__"}
    found = []
    with contextlib.chdir(folder):
        for count, cell in enumerate(code_cells(notebook), start=1):
            found.append(_outputs("".join(cell["source"]), names, count))
    return found


def plain(outputs: list[dict[str, Any]]) -> list[str]:
    """The text of outputs, less what differs from run to run: times."""
    told = ["".join(out.get("text") or out["data"]["text/plain"]) for out in outputs]
    return [re.sub(r"[\d.]+ (ms|s)\b", "some time", text) for text in told]


def _outputs(code: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {count}", "exec"), names)
        value = eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), names) if last else None
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)})
    if value is not None:
        data = _shown(value)
        found.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return found


def _shown(value: Any) -> dict[str, Any]:
    if hasattr(value, "savefig"):
        picture = io.BytesIO()
        value.savefig(picture, format="png", dpi=70, metadata={"Software": None})
        return {"image/png": base64.b64encode(picture.getvalue()).decode(), "text/plain": ["<Figure>"]}
    data: dict[str, Any] = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_().splitlines(keepends=True)
    return data


def refresh(path: Path) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    found = run(notebook, path.parent)
    for count, (cell, outputs) in enumerate(zip(code_cells(notebook), found, strict=True), start=1):
        cell["outputs"], cell["execution_count"] = outputs, count
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "agg"
    for notebook_path in NOTEBOOKS:
        refresh(notebook_path)
