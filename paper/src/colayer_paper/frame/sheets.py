"""What the sheets of all experiments are made of: columns by their labels, and cells beside the paper's."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from colayer.comparison.paired import difference
from colayer.display.outcome import Cell, Column, Value
from colayer_paper.frame.learned import Learned


def columns(*labels: str) -> tuple[Column, ...]:
    """The columns of these labels, of which one may end in its unit: `mean gap (%)`, `CPU time (s)`."""
    parts = [re.fullmatch(r"(.*?)(?: \((%|s)\))?", label) for label in labels]
    return tuple(Column(part[1], part[2] or "") for part in parts if part is not None)


def beside(value: Value, paper: Mapping[str, str] | None, key: str, kind: Callable[[str], Value] = float) -> Cell:
    """Our value beside that of the paper's row in the column `key`; alone where the paper has no such row."""
    return Cell(value, None if paper is None else kind(paper[key]))


def against(to: str) -> tuple[str, str, str]:
    """Labels of the columns that `compared` fills."""
    return f"difference to {to} (%)", "standard error (%)", "verdict"


def compared(costs: ArrayLike, known: ArrayLike, to: str) -> tuple[Value, Value, Value]:
    """The paired difference of costs to those of a contender on the same instances, its error, and the verdict."""
    apart = difference(np.asarray(costs, float).tolist(), np.asarray(known, float).tolist(), to)
    error = apart.standard_error
    return 100 * apart.mean, None if error is None else 100 * error, apart.verdict


def spread(by_seed: ArrayLike) -> float | None:
    """The standard deviation over the seeds of a learner; None of one seed."""
    values = np.asarray(by_seed, dtype=float)
    return float(values.std(ddof=1)) if values.size > 1 else None


def compared_unless(reference: bool, costs: ArrayLike, known: ArrayLike, to: str) -> tuple[Value, Value, Value]:
    """`compared`, or what stands in these columns in the row of the reference itself."""
    return (None, None, "reference") if reference else compared(costs, known, to)


def processor_seconds(learned: Sequence[Learned], share: float = 1.0) -> float | None:
    """CPU seconds of what was learned; None where a GPU computed the losses, whose time they do not hold."""
    return share * sum(one.cpu for one in learned) if {one.device for one in learned} == {"cpu"} else None


def devices(learned: Sequence[Learned]) -> str:
    """Where the losses were computed."""
    return ", ".join(sorted({one.device for one in learned}))


def cells(*values: Value) -> tuple[Cell, ...]:
    """Cells with nothing of the paper's beside them."""
    return tuple(map(Cell, values))
