"""What a check of a problem says: findings, and the report they make."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass
from typing import Any

from colayer.errors import InputError

PASSED, FAILED, NOT_APPLICABLE, DOUBTFUL = "passed", "failed", "not applicable", "doubtful"


class Skip(Exception):  # noqa: N818
    """Raised by a check that does not apply, with the reason."""


class Doubt(Exception):  # noqa: N818
    """Raised by a check that finds no mistake, but what may be one, with what to look at."""


@dataclass(frozen=True)
class Finding:
    """The result of one check; `detail` says what to fix, what is in doubt, or why the check does not apply."""

    check: str
    result: str
    detail: str = ""


@dataclass(frozen=True)
class CheckReport:
    """The findings of `check_problem`, in the order in which mistakes are best fixed."""

    problem: str
    instances: int
    findings: tuple[Finding, ...]
    #: The options under which the problem was tried, in words; the first are those it was given with.
    variants: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no check failed."""
        return not self.failures

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The checks that failed."""
        return tuple(finding for finding in self.findings if finding.result == FAILED)

    def raise_for_failures(self) -> None:
        """Raise an `InputError` with the first mistake and their number; return if there are none."""
        if self.ok:
            return
        first, count = self.failures[0], len(self.failures)
        counted = "a check failed" if count == 1 else f"{count} checks failed, the first"
        raise InputError(f"{counted}: {first.check}: {first.detail}", where=self.problem)

    def document(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        return {
            "problem": self.problem,
            "instances": self.instances,
            "variants": list(self.variants),
            "ok": self.ok,
            "checks": [asdict(finding) for finding in self.findings],
        }

    def __str__(self) -> str:
        """Return a table, with what to fix below it."""
        counts = {
            result: sum(f.result == result for f in self.findings)
            for result in (PASSED, FAILED, DOUBTFUL, NOT_APPLICABLE)
        }
        count = f"{self.instances} instance{'s' if self.instances > 1 else ''}"
        lines = [
            f"{self.problem} on {count}: "
            + ", ".join(f"{number} {result}" for result, number in counts.items() if number or result != DOUBTFUL),
            *([f"tried with {'; '.join(self.variants)}"] if len(self.variants) > 1 else []),
            "",
        ]
        width = max(len(finding.check) for finding in self.findings)
        for finding in self.findings:
            shown = "FAILED" if finding.result == FAILED else finding.result
            reason = f": {finding.detail}" if finding.detail and finding.result != FAILED else ""
            lines.append(f"{finding.check:<{width}}  {shown}{reason}")
        for number, finding in enumerate(self.failures, 1):
            lines += ["", f"{number}. {finding.check}"]
            lines += textwrap.wrap(finding.detail, 100, initial_indent="   ", subsequent_indent="   ")
        return "\n".join(lines)
