"""What every refusal has in common: its type, the place it names, and that it is one line. The sentence is free."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from colayer import ColayerError


@contextmanager
def rejects(
    kind: type[ColayerError] | tuple[type[ColayerError], ...], *names: str, where: str | None = None
) -> Iterator[pytest.ExceptionInfo[ColayerError]]:
    """Check that the block raises such an error, in one line that names the place `where` and all of `names`.

    A file is named by its last part: `x.json: jobs` stands for `/tmp/…/x.json: jobs`.
    """
    with pytest.raises(kind) as caught:
        yield caught
    error = caught.value
    assert str(error).strip()
    assert len(error.line.splitlines()) == 1, error.line
    if where is not None:
        assert error.where is not None, error.line
        assert error.where == where or error.where.endswith(f"/{where}"), error.line
    missing = [name for name in names if name not in error.line]
    assert not missing, f"{missing} not in: {error.line}"
