"""Instances of a user's data: jobs as lists or as a table."""

from __future__ import annotations

from typing import Any

from colayer.io.tables import Arguments
from colayer.problems.single_machine.instance import Instance


def instance(
    jobs: Any = None, *, release: Any = "release", processing: Any = "processing", name: Any = None
) -> Instance:
    """The instance of a table of jobs (a DataFrame, a dict of columns, a list of rows), or of lists.

    Each argument is the name of a column of `jobs`, or values: a list, an array or a Series. `name` are the names of
    the jobs; if it is not given, those of a column `name`, `id` or `job`, else of the DataFrame's index.
    """
    given = Arguments("jobs", jobs, release=release, processing=processing, name=name)
    dates, times = given.numbers("release"), given.numbers("processing")
    names = given.names("name", "job", len(dates))
    with given.located():
        return Instance(dates, times, None if names is None else tuple(names))
