"""The documentation holds: its code runs, its links lead somewhere, the site builds and loads nothing from elsewhere.

A page's ```python blocks share one namespace and one folder with its ```sh blocks, in the order of the page; a block
with title="FILE" is saved as that file. Lines that start with `colayer` run in this process, others in a shell. The
folder has the scripts of `examples/`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import types
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import pytest

from colayer.cli.app import main
from support.registry import static_names

ROOT = Path(__file__).parent.parent
DOCS, OF_PAPER = ROOT / "docs", ROOT / "paper" / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md")), *sorted(OF_PAPER.glob("*.md"))]
FENCE = re.compile(r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```[ \t]*$', re.MULTILINE | re.DOTALL)
#: What is shown and not run.
SHOWN = {"text", "json"}


class Block(NamedTuple):
    """A piece of code, the file it is to be saved as (or ""), and the line of the page where it starts."""

    language: str
    file: str
    code: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    return [Block(m[1], m[2] or "", m[3], text.count("\n", 0, m.start(3)) + 1) for m in FENCE.finditer(text)]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def test_every_page_is_in_the_navigation() -> None:
    listed = re.findall(r"^ +- .*: (\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    own = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert sorted(listed) == sorted(own + [page.name for page in OF_PAPER.glob("*.md")])


def test_there_are_pages() -> None:
    assert len(PAGES) > 10
    assert sum(len(blocks(page)) for page in PAGES) > 10


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_code_is_run_or_said_not_to_be(page: Path) -> None:
    """A fence without a language, or with a misspelled one, would escape the test below."""
    unknown = [f"line {b.line}: {b.language!r}" for b in blocks(page) if b.language not in {"python", "sh", *SHOWN}]
    assert unknown == []
    assert len(re.findall("^```", page.read_text("utf-8"), re.MULTILINE)) == 2 * len(blocks(page))


#: `test_add_a_problem.py` follows one page to the letter.
RUN = [p for p in PAGES if {"python", "sh"} & {block.language for block in blocks(p)} and p.stem != "add_a_problem"]


@pytest.mark.parametrize("page", RUN, ids=name)
def test_code_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    for script in (ROOT / "examples").glob("*.py"):
        shutil.copy(script, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    loaded = set(sys.modules)
    module = types.ModuleType(f"page_{page.stem}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for block in blocks(page):
        place = f"{name(page)}, line {block.line}"
        if block.file:
            (folder / block.file).write_text(block.code, "utf-8")
        elif block.language == "python":
            # as many empty lines as stand before it, so that a traceback names the line of the page
            exec(compile("\n" * (block.line - 1) + block.code, str(page), "exec"), module.__dict__)
        elif block.language == "sh":
            for line in block.code.splitlines():
                assert entered(line) == 0, f"{place}: {line}"
    for left in set(sys.modules) - loaded:  # a module that the page wrote
        if Path(getattr(sys.modules[left], "__file__", None) or "/").is_relative_to(folder):
            del sys.modules[left]


def entered(line: str) -> int:
    """The status of a line that a reader enters."""
    program, *words = shlex.split(line, comments=True) or ["true"]
    return main(words) if program == "colayer" else subprocess.run(["sh", "-ec", line]).returncode


def links(text: str) -> Iterator[str]:
    """The targets of links and images of a page, outside its code."""
    plain = re.sub(r"`[^`\n]+`", "", FENCE.sub("", text))
    yield from re.findall(r"\]\(([^)\s]+)\)", plain)


def anchors(page: Path) -> set[str]:
    """The ids of a page's headings, as the site and GitHub both make them of plain words."""
    heads = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", head).strip().lower()) for head in heads}


def test_the_readme_is_short_and_evaluates_on_other_instances() -> None:
    """One screen and a half; what is learned from is not what it is judged by; the best rule is in the table."""
    text = PAGES[0].read_text("utf-8")
    assert text.count("\n") <= 110
    assert "`prize+wait`" in text
    program = next(block for block in blocks(PAGES[0]) if block.language == "python")
    assert "fit(days[:100]" in program.code
    assert "in days[100:]" in program.code
    assert len(program.code.splitlines()) <= 11


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_and_images_are_there(page: Path) -> None:
    """Within the repository; pages of the documentation link to nothing outside it, which the site would lack."""
    for link in links(page.read_text("utf-8")):
        parts = urlsplit(link)
        if parts.scheme:
            assert parts.scheme == "https"
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        assert target.exists(), f"{link}: there is no such file"
        inside = target.is_relative_to(DOCS) or target.is_relative_to(OF_PAPER)
        assert page.parent == ROOT or inside, f"{link}: not in the documentation"
        if parts.fragment and target.suffix == ".md" and target.parent.name != "api":
            assert parts.fragment in anchors(target), f"{link}: no such heading"


@pytest.mark.parametrize("problem", static_names())
def test_the_page_of_a_problem_ends_in_its_pipeline(problem: str) -> None:
    stem = problem.replace("-", "_")
    last = (DOCS / f"{stem}.md").read_text("utf-8").rpartition("\n## ")[2]
    assert last.startswith("The pipeline\n")
    assert f"images/pipeline_{stem}.svg" in last


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly: a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, str(DOCS / "_site" / "build.py"), str(folder)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


class Loads(HTMLParser):
    """What a browser fetches as it shows a page: scripts, styles, images, frames; not the links in the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        fetched = [given.get("src"), given.get("srcset"), given.get("href") if tag == "link" else None]
        self.found += [address for address in fetched if address]


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) >= len(PAGES) - 1  # the README is not a page of it
    for page in pages:
        for address in Loads(page.read_text("utf-8")).found:
            assert not re.match(r"(https?:)?//", address), f"{page.name} loads {address}"
            if page.name != "404.html" and not address.startswith("data:"):
                assert (page.parent / urlsplit(address).path).exists(), f"{page.name}: no {address}"
    for style in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", style.read_text("utf-8")), style.name


def test_search_works_without_a_server(site: Path) -> None:
    """The index is a script, and a worker that a page on disk may start stands in for the browser's."""
    assert (site / "search.js").read_text("utf-8").startswith("var __index = ")
    assert "assets/iframe-worker.js" in (site / "index.html").read_text("utf-8")


def test_the_reference_names_every_command(site: Path) -> None:
    from colayer.cli.app import COMMANDS

    text = (site / "cli.html").read_text("utf-8")
    for command in COMMANDS:
        assert f'<h2 id="{command}">' in text
    assert "--learn-decoder" in text


def test_the_reference_has_every_public_name(site: Path) -> None:
    """Those of the top level and of the layers, and every ability of a problem; names of before are not shown."""
    import colayer
    import colayer.layers
    from colayer.problem import abilities as capabilities

    text = "".join(page.read_text("utf-8") for page in site.glob("api/*.html"))
    protocols = {n: kind for n, kind in vars(capabilities).items() if getattr(kind, "_is_protocol", False)}
    abilities = [n for n, kind in protocols.items() if n == kind.__name__ and n != "Protocol"]
    names = [n for n in [*colayer.__all__, *colayer.layers.__all__, *abilities] if not n.startswith("__")]
    assert len(names) > len(abilities) > 20
    assert [n for n in names if not re.search(rf'id="colayer\.[\w.]*\b{n}"', text)] == []


def test_stars_and_underscores_of_formulas_are_no_emphasis(site: Path) -> None:
    """c* and Σ_s stand in many lines: what is slanted is what an author put between stars."""
    for page in site.glob("*.html"):
        for words in re.findall(r"<em>(.*?)</em>", page.read_text("utf-8"), re.DOTALL):
            assert re.match(r"[\w]", words), f"{page.name}: {words}"
            assert re.search(r"[\w.!?)]$", words), f"{page.name}: {words}"


def test_numbers_stay_beside_their_units_and_formulas_are_set(site: Path) -> None:
    """A line may not end between 0.63 and %, and Z_1 is a Z with a small 1."""
    assert "4.56\N{NO-BREAK SPACE}%" in (site / "results.html").read_text("utf-8")
    assert '<span class="symbol">Z<sub>1</sub></span>' in (site / "concepts.html").read_text("utf-8")
    for page in site.glob("*.html"):
        assert "\\|" not in re.sub(r"<pre.*?</pre>", "", page.read_text("utf-8"), flags=re.DOTALL), page.name


@pytest.mark.parametrize("method", ["fit", "solve"])
def test_the_reference_explains_every_argument(method: str) -> None:
    from inspect import signature

    from colayer import Pipeline

    text = (
        (DOCS / "api" / "pipeline.md")
        .read_text("utf-8")
        .partition(f"## Arguments of {method}\n")[2]
        .partition("\n## ")[0]
    )
    told = {
        word
        for line in text.splitlines()
        if line.startswith("| `")
        for word in re.findall(r"`(\w+)`", line.split("|")[1])
    }
    assert told == set(signature(getattr(Pipeline, method)).parameters) - {"self"}
