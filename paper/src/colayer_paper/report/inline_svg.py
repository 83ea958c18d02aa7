"""An SVG file as an element of an HTML page: scaled to the page, its ids its own, nothing in it that loads or runs."""

from __future__ import annotations

import math
import re
from pathlib import Path
from xml.etree import ElementTree

from colayer.errors import InputError
from colayer.io.files import read_bytes

#: What draws. All else (scripts, styles that would reach the page, foreign objects, metadata) is left out.
_ELEMENTS = {
    *("svg", "g", "defs", "symbol", "use", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon"),
    *("text", "tspan", "image", "clipPath", "mask", "marker", "pattern", "linearGradient", "radialGradient", "stop"),
}
#: Properties of a style that say how something is drawn; one that places it could lay it over the page.
_STYLES = {
    *("fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap"),
    *("stroke-linejoin", "stroke-dasharray", "stroke-dashoffset", "stroke-miterlimit", "opacity", "color"),
    *("font", "font-size", "font-family", "font-style", "font-weight", "font-variant", "font-stretch", "text-anchor"),
    *("clip-path", "clip-rule", "mask", "stop-color", "stop-opacity", "display", "visibility", "white-space"),
    *("image-rendering", "shape-rendering", "text-rendering", "dominant-baseline", "paint-order", "mix-blend-mode"),
    *("marker", "marker-start", "marker-mid", "marker-end", "vector-effect", "transform", "letter-spacing"),
}
_LOCAL = re.compile(r"url\(\s*['\"]?#([^)'\"]+)['\"]?\s*\)", re.IGNORECASE)
#: What loads something, or hides that it does.
_LOADS = re.compile(r"url\((?!#)|image-set\(|image\(|src\(|@import|\\|/\*", re.IGNORECASE)
#: Elements within each other: drawings have a dozen.
_DEEPEST = 200
_IMAGE = re.compile(r"data:image/(png|jpeg);base64,")


def inline_svg(path: Path, prefix: str, label: str) -> str:
    """The drawing in a file, for a page that holds several: every id starts with `prefix`; `label` is read aloud."""
    try:
        root = ElementTree.fromstring(read_bytes(path))
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # the latter two of encodings
        if isinstance(error, InputError):
            raise
        raise InputError(f"not an SVG file: {error}", where=str(path)) from None
    if _depth(root) > _DEEPEST:
        raise InputError(f"nested too deeply, expected at most {_DEEPEST} elements within each other", where=str(path))
    if _local(root.tag) != "svg":
        raise InputError(f"a document of {_local(root.tag)!r}, expected an SVG file", where=str(path))
    drawing = _clean(root, prefix)
    left, top, width, height = _view(root, path)
    drawing.attrib.pop("width", None)
    drawing.attrib.pop("height", None)
    drawing.attrib |= {
        "viewBox": f"{left:g} {top:g} {width:g} {height:g}",
        "style": f"--width: {width:g}",  # for the style of the page, which decides how large a unit is
        "role": "img",
        "aria-label": label,
    }
    return ElementTree.tostring(drawing, encoding="unicode")


def _view(root: ElementTree.Element, path: Path) -> tuple[float, float, float, float]:
    """The `viewBox`, or what the size makes of it."""
    numbers = root.get("viewBox", "").replace(",", " ").split()
    if not numbers:
        numbers = ["0", "0", *(re.sub(r"(pt|px)?\s*$", "", root.get(side, "")) for side in ("width", "height"))]
    try:
        left, top, width, height = map(float, numbers)
    except ValueError:
        raise InputError("no viewBox and no size, expected one of them", where=str(path)) from None
    if not all(map(math.isfinite, (left, top, width, height))) or min(width, height) <= 0.0:
        raise InputError("a viewBox or size that is not finite, or not positive", where=str(path))
    return left, top, width, height


def _depth(root: ElementTree.Element) -> int:
    """How many elements lie within each other, without a call for each."""
    depth, level = 0, [root]
    while level:
        depth, level = depth + 1, [child for element in level for child in element]
    return depth


def _clean(element: ElementTree.Element, prefix: str) -> ElementTree.Element:
    """A copy without namespaces and without what does not draw."""
    copy = ElementTree.Element(_local(element.tag))
    copy.text, copy.tail = element.text, element.tail
    for name, value in element.attrib.items():
        kept = _attribute(_local(name), value, prefix)
        if kept is not None:
            copy.set(_local(name), kept)
    copy.extend(_clean(child, prefix) for child in element if _local(child.tag) in _ELEMENTS)
    return copy


def _attribute(name: str, value: str, prefix: str) -> str | None:
    """The value with ids of the page; None for what would run or load."""
    if name.lower().startswith("on"):
        return None
    if name == "id":
        return prefix + value
    if name == "href":
        if value.startswith("#"):
            return f"#{prefix}{value[1:]}"
        return value if _IMAGE.match(value) else None
    value = _LOCAL.sub(rf"url(#{prefix}\1)", value)
    if name == "style":
        kept = (part for part in value.split(";") if part.partition(":")[0].strip().lower() in _STYLES)
        value = ";".join(kept)
    return None if _LOADS.search(value) else value


def _local(tag: str) -> str:
    """`{http://www.w3.org/2000/svg}path` → `path`; a comment has no tag."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
