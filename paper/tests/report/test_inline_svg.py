"""SVG files as elements of a page: what draws stays, all else goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from colayer.errors import InputError
from colayer_paper.report.inline_svg import inline_svg
from support.errors import rejects


def drawn(folder: Path, content: str) -> str:
    (folder / "x.svg").write_text(content)
    return inline_svg(folder / "x.svg", "f1-", "a figure")


def test_a_drawing_keeps_what_draws_and_nothing_else(tmp_path: Path) -> None:
    """No script, no handler, no style that reaches the page, nothing from elsewhere."""
    (tmp_path / "x.svg").write_text(
        '<?xml version="1.0"?><!-- c --><svg xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink" width="20pt" height="10pt" onload="bad()">'
        "<style>*{color:red}</style><script>bad()</script><foreignObject><p>bad</p></foreignObject>"
        '<a href="javascript:bad()"><text>bad</text></a><animate onbegin="bad()"/>'
        '<defs><path id="p" d="M0 0"/></defs><use xlink:href="#p" clip-path="url(#p)"/><use href="http://bad/x#p"/>'
        '<image href="http://bad/x.png"/><rect style="fill: url(http://bad)"/><text>a &lt; b</text></svg>'
    )
    svg = inline_svg(tmp_path / "x.svg", "f1-", 'A "figure"')
    assert "bad" not in svg
    assert "<style" not in svg
    assert 'viewBox="0 0 20 10"' in svg
    assert "width=" not in svg
    assert '<use href="#f1-p" clip-path="url(#f1-p)" />' in svg
    assert "<text>a &lt; b</text>" in svg
    assert 'aria-label="A &quot;figure&quot;"' in svg


@pytest.mark.parametrize(
    "content",
    ["<svg", "<html/>", "<svg/>"],
)
def test_a_drawing_that_is_none_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.svg").write_text(content)
    with rejects(InputError, where="x.svg"):
        inline_svg(tmp_path / "x.svg", "", "")


def test_every_id_and_what_refers_to_it_has_the_prefix(tmp_path: Path) -> None:
    svg = drawn(
        tmp_path,
        '<svg viewBox="0 0 9 9"><g id="a"/><use href="#a"/><path style="clip-path: url( \'#a\' ); fill: none"/></svg>',
    )
    assert 'id="f1-a"' in svg
    assert 'href="#f1-a"' in svg
    assert 'style="clip-path: url(#f1-a); fill: none"' in svg


def test_pictures_inside_are_kept_where_they_are_data(tmp_path: Path) -> None:
    svg = drawn(
        tmp_path,
        '<svg viewBox="0 0 9 9"><image href="data:image/png;base64,AAAA"/><image href="data:text/html,bad"/></svg>',
    )
    assert 'href="data:image/png;base64,AAAA"' in svg
    assert "bad" not in svg


@pytest.mark.parametrize(("size", "view"), [
    ('viewBox="1 2 30,40"', "1 2 30 40"),
    ('width="20px" height="10"', "0 0 20 10"),
    ('viewBox="0 0 7 8" width="900pt" height="900pt"', "0 0 7 8"),
])  # fmt: skip
def test_the_size_is_the_pages_to_choose(tmp_path: Path, size: str, view: str) -> None:
    svg = drawn(tmp_path, f"<svg {size}/>")
    assert f'viewBox="{view}"' in svg
    assert f'style="--width: {view.split()[2]}"' in svg
    assert "height=" not in svg


@pytest.mark.parametrize("deep", [900, 20_000, 200_000])
def test_a_drawing_nested_deeply_is_refused(tmp_path: Path, deep: int) -> None:
    with rejects(InputError, where="x.svg"):
        drawn(tmp_path, '<svg viewBox="0 0 9 9">' + "<g>" * deep + "</g>" * deep + "</svg>")


def test_a_drawing_nested_as_drawings_are_is_taken(tmp_path: Path) -> None:
    assert drawn(tmp_path, '<svg viewBox="0 0 9 9">' + "<g>" * 199 + "</g>" * 199 + "</svg>").count("<g") == 199


@pytest.mark.parametrize(
    "style",
    [
        "fill: URL(http://bad)", "fill: Url( 'http://bad' )", "fill: image-set('bad' 1x)", "background: url(bad)",
        "fill: -webkit-IMAGE-SET(url(bad) 1x)", "position: fixed; bad: 0", "POSITION:fixed", "inset: 0; z-index: 9",
        "fill: u\\72l(bad)", "fill: ur/* bad */l(x)", "animation: bad 1s", "@import 'bad'",
    ],
)  # fmt: skip
def test_a_style_that_loads_or_covers_the_page_is_left_out(tmp_path: Path, style: str) -> None:
    svg = drawn(tmp_path, f'<svg viewBox="0 0 9 9"><rect style="{style}" fill="{style}"/></svg>')
    assert not [word for word in ("bad", "fixed", "inset", "z-index") if word in svg.partition(" fill=")[0]]
    assert "http" not in svg
    assert "image-set" not in svg.lower()


@pytest.mark.parametrize(
    "size",
    [
        'viewBox="nan 0 9 9"', 'viewBox="0 0 NaN 9"', 'viewBox="0 0 inf 9"', 'viewBox="0 0 -9 9"',
        'width="0" height="9"', 'width="1e999" height="9"',
    ],
)  # fmt: skip
def test_a_size_that_is_not_finite_and_positive_is_refused(tmp_path: Path, size: str) -> None:
    with rejects(InputError, where="x.svg"):
        drawn(tmp_path, f"<svg {size}/>")


def test_a_size_that_is_no_number_is_refused(tmp_path: Path) -> None:
    with rejects(InputError, where="x.svg"):
        drawn(tmp_path, '<svg width="100%" height="100%"/>')
