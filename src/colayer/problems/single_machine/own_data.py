"""Instances of a user's data: jobs as lists or as a table."""

from __future__ import annotations

from typing import Any

from colayer.io.tables import Arguments
from colayer.problems.single_machine.instance import Instance


def instance(
    jobs: Any = None, *, release: Any = "release", processing: Any = "processing", name: Any = None
) -> Instance:
    """Make an instance from a table of jobs or from lists.

    Parameters:
        jobs: A DataFrame, a dict of columns, or a list of rows.
        release: Release dates: the name of a column of `jobs`, or values (a list, an array or a Series).
        processing: Processing times, likewise.
        name: Names of the jobs, likewise. By default those of a column `name`, `id` or `job`, else of the DataFrame's
            index.
    """
    given = Arguments("jobs", jobs, release=release, processing=processing, name=name)
    (dates,), origin = given.times("release")
    times = given.numbers("processing")
    names = given.names("name", "job", len(dates))
    with given.located():
        return Instance(dates, times, None if names is None else tuple(names), origin)
