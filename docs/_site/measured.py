"""Numbers on the pages come from results files: `python docs/_site/measured.py [--check] [PAGE...]`.

A number is followed by a comment that says where it comes from; GitHub and the site do not show it:

    a gap of 0.098<!--= quality_single_machine learned.none.mean .3f --> %
    in 14<!--given--> of them                          a number with another source: the paper, a setting, output
                                                       that the page shows

FILE KEY FORMAT: the file is benchmarks/results/FILE.json, paper/results/FILE/outcome.json, or a path from the root.
The key is Python over the file's fields: `rows[0].mean`, `100 * (a.cost / b.cost - 1)`, `mean(xs)` and the other
`FUNCTIONS`, which take lists (`mean(xs - ys)` is a paired difference). `rows['ours', 50]` is the one row, of a list of
objects or of a table of an outcome, that has these values, and `.mean`, or `['mean gap']`, the value in a column. The
format is Python's.

A table as a whole stands between comments, and `page_tables.py` has the function that writes it from results files:

    <!--table NAME FILE...-->
    <!--end-->

Without `--check` the pages are rewritten; with it, what is stale is listed (page:line), exit status 1.
"""

from __future__ import annotations

import ast
import json
import operator
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from page_tables import TABLES

ROOT = Path(__file__).parent.parent.parent

NUMBER = re.compile(r"(?P<shown>[-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?)<!--=\s+(?P<source>[^>]*?)\s*-->")
TABLE = re.compile(r"(?P<head><!--table (?P<call>[^>]*?)-->\n).*?(?P<foot><!--end-->)", re.DOTALL)
GIVEN = "<!--given-->"
_MINUS = "−"


class StaleError(ValueError):
    """What a comment asks for is not there."""


def _error(values: Any) -> float:
    values = np.asarray(values, float)
    return float(values.std(ddof=1) / np.sqrt(values.size))


#: What a key may call.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs, "count": len, "error": _error, "max": np.max, "mean": np.mean, "median": np.median,
    "min": np.min, "sum": np.sum,
}  # fmt: skip
_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip


def plain(text: str) -> str:
    """Return a page without the comments."""
    return re.sub(r"<!--(?:=\s[^>]*|given|end|table [^>]*)-->", "", text)


def pages(root: Path = ROOT) -> list[Path]:
    """Return the README and all pages of the docs, those of colayer-paper too."""
    return [root / "README.md", *sorted(root.glob("docs/*.md")), *sorted(root.glob("paper/docs/*.md"))]


def written(text: str, root: Path = ROOT) -> str:
    """Return a page with its numbers and tables as the results files have them."""
    return TABLE.sub(lambda m: m["head"] + _table(m["call"], root) + m["foot"],
                     NUMBER.sub(lambda m: _shown(m["source"], root) + m[0][len(m["shown"]):], text))  # fmt: skip


def stale(text: str, root: Path = ROOT) -> Iterator[tuple[int, str]]:
    """Yield the line and the fault of every number and table that is not what its file says, or that has no file."""
    for match in NUMBER.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        try:
            now = _shown(match["source"], root)
        except StaleError as error:
            yield line, str(error)
            continue
        if now != match["shown"]:
            yield line, f"{match['shown']} is stale, {match['source']} says {now}"
    for match in TABLE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        try:
            if match[0] != match["head"] + _table(match["call"], root) + match["foot"]:
                yield line, f"table {match['call']} is stale"
        except StaleError as error:
            yield line, str(error)
    if text.count("<!--=") != len(NUMBER.findall(text)) or text.count("<!--table ") != len(TABLE.findall(text)):
        yield 1, "a <!--= comment that follows no number, or a <!--table comment without <!--end-->"


_PROSE = re.compile(r"```.*?```|`[^`\n]*`|<!--table .*?<!--end-->|<!--.*?-->|\]\([^)]*\)|<[^>]*>|\$[^$]*\$", re.DOTALL)
#: A number that somebody measured: with a decimal point, or with a unit.
_MEASURED = re.compile(r"(?<![\w.§])[-+−]?\d[\d,]*(?:\.\d+(?!\.\d)|(?= (?:%|ms|s|GB|MB|µs|points)(?!\w)))(?!\w)")


def untraced(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and number of what looks measured, outside of code, and has no comment that says from where."""
    marked = re.compile(NUMBER.pattern + r"|\d[\d.,]*" + re.escape(GIVEN))
    blank = marked.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    blank = _PROSE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), blank)
    for match in _MEASURED.finditer(blank):
        yield text.count("\n", 0, match.start()) + 1, match[0]


def _shown(source: str, root: Path) -> str:
    """Return the number of `FILE KEY FORMAT` as the page shows it."""
    parts = source.split()
    if len(parts) < 3:
        raise StaleError(f"{source!r} is not FILE KEY FORMAT")
    name, key, form = parts[0], " ".join(parts[1:-1]), parts[-1]
    value = value_of(document(name, root), key)
    if not isinstance(value, int | float | np.number):
        raise StaleError(f"{name} {key}: {type(value).__name__}, expected a number")
    try:
        return format(value, form).replace("-", _MINUS) if "e" not in form else format(value, form)
    except ValueError:
        raise StaleError(f"{form!r} is no format") from None


def _table(call: str, root: Path) -> str:
    name, *arguments = call.split()
    if name not in TABLES:
        raise StaleError(f"no table {name!r}, expected one of {', '.join(TABLES)}")
    try:
        found: str = TABLES[name](*(document(argument, root) for argument in arguments))
    except (KeyError, IndexError, StopIteration) as error:
        raise StaleError(f"table {call}: its files lack {str(error) or 'a row'}") from None
    return found.strip("\n") + "\n"


@cache
def document(name: str, root: Path = ROOT) -> Any:
    """Return the results file of this short name; of an outcome, its tables stand by their names too."""
    places = (root / f"benchmarks/results/{name}.json", root / f"paper/results/{name}/outcome.json", root / name)
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise StaleError(f"no results file {name}")
    found = json.loads(path.read_text("utf-8"))
    if isinstance(found, dict) and "sheets" in found:
        for sheet in found["sheets"]:
            head = [column["name"] for column in sheet["columns"]]
            rows = [[cell.get("value") for cell in row] for row in sheet["rows"]]
            found[sheet["name"]] = [dict(zip(head, row, strict=True)) for row in rows]
    return found


def value_of(found: Any, key: str) -> Any:
    """Return what a key picks from a document."""
    try:
        return _walk(ast.parse(key, mode="eval").body, found)
    except StaleError as error:
        raise StaleError(f"{key}: {error}") from None
    except SyntaxError:
        raise StaleError(f"{key}: no key") from None


def _walk(node: ast.expr, found: Any) -> Any:
    match node:
        case ast.Constant(value):
            return value
        case ast.Name(name):
            return _pick(found, name)
        case ast.Attribute(of, name):
            return _pick(_walk(of, found), name)
        case ast.Subscript(of, ast.Tuple(values)):
            return _pick(_walk(of, found), tuple(_walk(value, found) for value in values))
        case ast.Subscript(of, value):
            return _pick(_walk(of, found), _walk(value, found))
        case ast.UnaryOp(ast.USub(), of):
            return -_array(_walk(of, found))
        case ast.BinOp(left, operation, right) if type(operation) in _OPERATORS:
            return _OPERATORS[type(operation)](_array(_walk(left, found)), _array(_walk(right, found)))
        case ast.Call(ast.Name(name), arguments, []) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_array(_walk(argument, found)) for argument in arguments))
    raise StaleError("more than a key may hold")


def _array(value: Any) -> Any:
    return np.asarray(value, float) if isinstance(value, list) else value


def _pick(found: Any, by: Any) -> Any:
    """Return a field, an item, a column of a list of rows, or the one row that has the values of `by`."""
    if isinstance(found, list) and isinstance(by, int) and not isinstance(by, bool) and -len(found) <= by < len(found):
        return found[by]
    if isinstance(found, list) and found and all(isinstance(row, dict) for row in found):
        wanted = by if isinstance(by, tuple) else (by,)
        rows = [row for row in found if all(value in row.values() for value in wanted)]
        if len(rows) == 1:
            return rows[0]
        if not isinstance(by, tuple) and all(by in row for row in found):
            return [row[by] for row in found]
        raise StaleError(f"{len(rows)} rows with {by!r}, expected one")
    if isinstance(found, dict) and by in found:
        return found[by]
    raise StaleError(f"no {by!r}")


def main(arguments: Sequence[str]) -> int:
    """Rewrite the pages, or list what is stale; the exit status."""
    check = "--check" in arguments
    chosen = [Path(name).resolve() for name in arguments if not name.startswith("--")] or pages()
    faults = 0
    for page in chosen:
        text = page.read_text("utf-8")
        found = [(line, fault) for line, fault in stale(text) if check or "is stale" not in fault]
        for line, fault in found:
            print(f"{page.relative_to(ROOT)}:{line}: {fault}")
        faults += len(found)
        if "--untraced" in arguments:
            print(*(f"{page.relative_to(ROOT)}:{line}: {number}" for line, number in untraced(text)), sep="\n")
        elif not check and not found and written(text) != text:
            page.write_text(written(text), "utf-8")
            print(f"{page.relative_to(ROOT)} rewritten")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
