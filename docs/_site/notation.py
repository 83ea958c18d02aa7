"""Markdown of the pages and of the docstrings: formulas, numbers that stay on one line, and examples in docstrings.

`$w$` and `$$w$$` are LaTeX and become MathML, which browsers draw themselves: nothing is loaded. In running text `Z_i`
and `e^{−θ}` become a subscript and a superscript. Between a number and its unit stands a space that does not break.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert
from markdown import Extension, Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import ETX, STX, AtomicString

#: What may carry a script: a letter that is no part of a word, or a product of two, marks over it; a bracket; a word of
#: formulas. Words and code with an underscore, as in x86_64, do not.
BASE = (
    r"(?<![A-Za-z\d_])(?:[a-z]?[A-Z]|[a-zȳα-ωΑ-Ωℓ]|mean|min|max|tasks|open)(?:[\u0300-\u036f′]|\*(?=\^))*"
    r"|(?<=[α-ωΑ-Ω)\]])[A-Za-zα-ω]|[)\]⟩‖₀]|(?<=\d)(?=\^)"
)
SCRIPT = rf"({BASE})([_^])(\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}}|\d+(?:\.\d+)?|[−-]?[A-Za-zα-ωΑ-Ω]{{1,6}}\d?|∞)(?![A-Za-z])"
UNIT = r"(?:%|‰|ms|µs|ns|s|min|h|GiB|MiB|KiB|GB|MB|kB|points?|seconds?|minutes?|hours?|times|cores?)(?![A-Za-z])"
#: A space inside a number, before its unit or around ±.
NARROW = re.compile(rf"(?<=\d) (?={UNIT}|\d{{3}}(?!\d)|±|×)|(?<=[±×≤≥]) (?=\d)|(?<=%) (?=±)")
CODE = {"code", "pre", "kbd", "script", "style", "math"}


class Formula(InlineProcessor):
    """LaTeX between dollars, as MathML."""

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str, int, int]:  # noqa: N802
        """Put the converted formula aside, where no other pattern sees it."""
        shown = m[1] is not None
        mathml = convert((m[1] or m[2]).strip(), display="block" if shown else "inline")
        return self.md.htmlStash.store(mathml), m.start(0), m.end(0)


class Script(InlineProcessor):
    """`Z_i`, `w_{k+1}` and `e^{−θ}` of running text."""

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[Element, int, int]:  # noqa: N802
        """The letter, and what is beneath or above it, kept together."""
        whole = Element("span", {"class": "symbol"})
        script(whole, m)
        return whole, m.start(0), m.end(0)


def script(parent: Element, m: re.Match[str]) -> None:
    """Put the base into the parent and what is beneath or above it after that, which may have scripts of its own."""
    add(parent, m[1])
    part = Element("sub" if m[2] == "_" else "sup")
    parent.append(part)
    text, at = re.sub(r"^\{(.*)\}$", r"\1", m[3]), 0
    for inner in re.finditer(SCRIPT, text):
        add(part, text[at : inner.start()])
        script(part, inner)
        at = inner.end()
    add(part, text[at:])


def add(parent: Element, text: str) -> None:
    """Text after what the element holds."""
    if len(parent):
        parent[-1].tail = AtomicString((parent[-1].tail or "") + text)
    else:
        parent.text = AtomicString((parent.text or "") + text)


class Underscore(InlineProcessor):
    """Any other `_` stands for itself and is never emphasis."""

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str, int, int]:  # noqa: N802
        """The sign as Markdown keeps one that was escaped by hand."""
        return f"{STX}{ord('_')}{ETX}", m.start(0), m.end(0)


class Sessions(Preprocessor):
    """`>>>` in a docstring begins code, up to an empty line; to Markdown it would be a quotation in a quotation."""

    def run(self, lines: list[str]) -> list[str]:
        """Put fences around each."""
        text = re.sub(r"^(>>> .*(?:\n(?!\s*$).*)*)", r"```pycon\n\1\n```", "\n".join(lines), flags=re.MULTILINE)
        return text.split("\n")


class Numbers(Treeprocessor):
    """A number and its unit stay on one line."""

    def run(self, root: Element) -> None:
        """All text but code."""
        if root.tag in CODE:
            return
        root.text = spaced(root.text)
        for child in root:
            self.run(child)
            child.tail = spaced(child.tail)


def spaced(text: str | None) -> str | None:
    """The text with spaces that do not break where a line must not."""
    if not text:
        return text
    changed = NARROW.sub("\N{NO-BREAK SPACE}", text)
    return AtomicString(changed) if isinstance(text, AtomicString) else changed


class Notation(Extension):
    """Everything above."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Examples before all else; formulas after code, before links and emphasis; numbers once all else is done."""
        md.ESCAPED_CHARS = [*md.ESCAPED_CHARS, "$"]
        md.preprocessors.register(Sessions(md), "sessions", 40)
        md.inlinePatterns.register(Formula(r"\$\$(.+?)\$\$|\$(?!\s)([^$\n]+?)(?<!\s)\$", md), "formula", 185)
        md.inlinePatterns.register(Script(SCRIPT, md), "script", 76)
        md.inlinePatterns.register(Underscore("_", md), "underscore", 75)
        md.treeprocessors.register(Numbers(md), "numbers", 15)


def makeExtension(**options: Any) -> Notation:  # noqa: N802
    """What Markdown calls."""
    return Notation(**options)
