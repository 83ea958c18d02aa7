"""Tables of a user's, whatever holds them; what is wrong is named by column and row."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from colayer.errors import InputError
from colayer.io.tables import Arguments, InputTable, table_of
from support.errors import rejects


class Frame:
    """A data frame of another library: columns by name, no index, series with `to_numpy` alone."""

    columns = ("cost",)

    def __getitem__(self, name: str) -> Any:
        return self

    def to_numpy(self) -> Any:
        return np.array([1, 2])


@pytest.mark.parametrize(
    "data",
    [
        {"cost": [1, 2]},
        {"cost": np.array([1, 2])},
        {"cost": pd.Series([1, 2])},
        pd.DataFrame({"cost": [1, 2]}),
        [{"cost": 1}, {"cost": 2}],
        np.array([(1,), (2,)], dtype=[("cost", int)]),
        InputTable({"cost": (1, 2)}),
        Frame(),
    ],
    ids=lambda data: type(data).__name__,
)
def test_a_table_is_columns_by_name(data: Any) -> None:
    table = table_of(data, "items")
    assert dict(table) == {"cost": [1, 2]}
    assert (table.rows, len(table), table.index) == (2, 1, None)


@pytest.mark.parametrize("data", [3, "table", [1, 2], [], None, np.zeros(2)])
def test_what_is_no_table_is_refused(data: Any) -> None:
    with rejects(InputError, where="items"):
        table_of(data, "items")


def test_columns_have_one_length() -> None:
    with rejects(InputError, where="column b"):
        InputTable({"a": [1, 2], "b": [1]})
    with rejects(InputError, where="prices: column b"):
        InputTable({"b": "x"}, source="prices")


def test_columns_of_a_frame_differ() -> None:
    with rejects(InputError, where="column a"):
        table_of(pd.DataFrame([[1, 2]], columns=["a", "a"]), "items")


def test_an_index_of_names_is_kept() -> None:
    assert table_of(pd.DataFrame({"a": [1, 2]}, index=["x", "y"]), "items").index == ["x", "y"]
    assert table_of(pd.DataFrame({"a": [1, 2]}), "items").index is None


def test_a_cell_is_named_by_row_or_line() -> None:
    assert InputTable({"a": [1, 2]}).where("a", 1) == "column a, row 2"
    assert InputTable({"a": [1, 2]}, lines=[2, 5], source="x.csv").where("a", 1) == "x.csv: column a, line 5"


def test_durations_are_minutes() -> None:
    durations = [datetime.timedelta(hours=1, minutes=30), datetime.timedelta(seconds=30)]
    for given in (durations, np.array(durations, dtype="m8[s]"), pd.Series(durations)):
        assert Arguments("jobs", None, processing=given).numbers("processing").tolist() == [90.0, 0.5]


def test_a_name_of_a_file_is_no_table() -> None:
    with rejects(InputError, where="jobs"):
        table_of("jobs.csv", "jobs")


def test_a_field_is_a_column_or_values() -> None:
    given = Arguments("items", {"cost": [1, 2], "price": [3, 4]}, cost="price", size=[5, 6])
    assert given.numbers("cost").tolist() == [3.0, 4.0]
    assert given.numbers("size").tolist() == [5.0, 6.0]
    assert (given.gives("cost"), given.gives("size"), given.gives("price"), given.gives("weight")) == (
        True,
        True,
        True,
        False,
    )
    assert (given.where("cost", 0), given.where("size", 0)) == ("column price, row 1", "size[0]")
    assert given.column("first", "cost").tolist() == [1.0, 2.0]


def test_gaps_are_allowed_where_they_mean_something() -> None:
    given = Arguments("items", {"cost": [1, None, np.nan, "", pd.NA]})
    assert np.isnan(given.numbers("cost", gaps=True)).tolist() == [False, True, True, True, True]
    with rejects(InputError, where="column cost, row 2"):
        given.numbers("cost")


@pytest.mark.parametrize(
    ("data", "given", "where"),
    [
        (
            {"cots": [1]},
            {"cost": "cost"},
            "column cost",
        ),
        ({"cots": [1]}, {}, "column cost"),
        (None, {"cost": "cost"}, "cost"),
        ({"cost": []}, {}, "column cost"),
        ({"cost": [1, "x"]}, {}, "column cost, row 2"),
        ({"cost": [True]}, {}, "column cost, row 1"),
        (None, {"cost": [1, "x"]}, "cost[1]"),
        (None, {"cost": 3}, "cost"),
    ],
)
def test_what_is_wrong_is_named(data: Any, given: Any, where: str) -> None:
    with rejects(InputError, where=where):
        Arguments("items", data, **given).numbers("cost")


def test_an_index_of_the_instance_becomes_a_column_and_row() -> None:
    given = Arguments("items", {"price": [1, 2]}, cost="price")
    given.numbers("cost")
    with rejects(InputError, where="column price, row 2"), given.located():
        raise InputError("too much", where="cost[1]")
    for place in ("size[1]", "cost", None):
        with pytest.raises(InputError) as caught, given.located():
            raise InputError("too much", where=place)
        assert caught.value.where == place


def test_names_of_rows() -> None:
    """Given, or a column that is called so, or the index; whole numbers stay numbers."""
    frame = pd.DataFrame({"id": [7, 8], "label": ["a", "b"]}, index=["x", "y"])
    assert Arguments("items", frame, name=None).names("name", "item", 2) == [7, 8]
    assert Arguments("items", frame, name="label").names("name", "item", 2) == ["a", "b"]
    assert Arguments("items", frame, name=["p", "q"]).names("name", "item", 2) == ["p", "q"]
    assert Arguments("items", frame[["label"]], name=None).names("name", "item", 2) == ["x", "y"]
    assert Arguments("items", frame[["label"]], name=None).names("name", "label", 2) == ["a", "b"]
    assert Arguments("items", None, name=None).names("name", "item", 2) is None
    twice = pd.concat([frame[["label"]]] * 2)  # an index that is left over names nothing
    assert Arguments("items", twice, name=None).names("name", "item", 4) is None


def test_dates_of_begin_and_end_were_counted_from_different_midnights() -> None:
    """27 hours became 3: each column began at a midnight of its own."""
    frame = pd.DataFrame({"begin": ["2026-01-05 22:00"], "end": ["2026-01-07 01:00"]}).apply(pd.to_datetime)
    (begin, end), origin = Arguments("tasks", frame).times("begin", "end")
    assert (begin.tolist(), end.tolist()) == ([1320.0], [2940.0])
    assert origin == datetime.datetime(2026, 1, 5)


def test_a_column_without_dates_beside_one_with_dates_is_refused() -> None:
    day = datetime.datetime(2026, 1, 5, 7)
    for other in (480, "8:00", datetime.time(8)):
        with rejects(InputError, "expected a date", where="column end, row 1"):
            Arguments("tasks", {"begin": [day], "end": [other]}).times("begin", "end")
    with rejects(InputError, "time zone", where="column end, row 1"):
        Arguments("tasks", {"begin": [day], "end": [day.replace(tzinfo=datetime.UTC)]}).times("begin", "end")
    with rejects(InputError, "a date", "expected a number", where="column cost, row 1"):
        Arguments("items", {"cost": [day]}).numbers("cost")


def test_dates_of_every_kind_are_minutes_since_the_first_midnight() -> None:
    stamps = pd.to_datetime(pd.Series(["2026-01-05 23:00", "2026-01-06 01:00"]))
    plain = [datetime.datetime(2026, 1, 5, 23), datetime.datetime(2026, 1, 6, 1)]
    texts = ["2026-01-05 23:00", "2026-01-06T01:00:00"]
    for given in (stamps, stamps.dt.tz_localize("UTC"), stamps.to_numpy(), plain, texts, list(stamps.to_numpy())):
        (found,), _ = Arguments("jobs", None, release=given).times("release")
        assert found.tolist() == [1380.0, 1500.0]


def test_nat_read_empty_expected_a_number() -> None:
    """The column holds dates or durations, and so does the message."""
    dates = pd.to_datetime(pd.Series(["2026-01-05", None]))
    for given in (dates, dates.dt.tz_localize("UTC"), [pd.NaT, dates[0]], dates[1:]):
        with rejects(InputError, "empty, expected a date"):
            Arguments("jobs", None, release=given).times("release")
    with rejects(InputError, "empty, expected a duration", where="processing[1]"):
        Arguments("jobs", None, processing=pd.to_timedelta([1, None], unit="min")).numbers("processing")


def test_fractions_of_seconds_were_lost() -> None:
    stamp = pd.Timestamp("2026-01-05 00:00:01.5")
    (found,), _ = Arguments("jobs", None, release=[stamp]).times("release")
    assert found.tolist() == [0.025]


def test_a_datetime_index_became_names_0_and_1440() -> None:
    days = pd.DataFrame({"a": [1, 2]}, index=pd.to_datetime(["2026-01-05", "2026-01-06"]))
    assert Arguments("items", days, name=None).names("name", "item", 2) == ["2026-01-05", "2026-01-06"]
    hours = pd.DataFrame({"a": [1, 2]}, index=pd.to_datetime(["2026-01-05 07:30", "2026-01-06 00:00"]))
    assert Arguments("items", hours, name=None).names("name", "item", 2)[0] == "2026-01-05 07:30:00"


def test_a_list_of_dicts_dropped_keys_that_the_first_row_lacks() -> None:
    assert dict(table_of([{"a": 1}, {"a": 2, "b": 3}], "items")) == {"a": [1, 2], "b": [None, 3]}


def test_two_keys_that_read_alike_are_refused() -> None:
    with rejects(InputError, "twice", where="column 1"):
        table_of({1: [0], "1": [5]}, "items")


def test_capitalised_headers_got_no_hint() -> None:
    with rejects(InputError, "did you mean 'Cost '?", where="column cost"):
        Arguments("items", {"Cost ": [1]}, cost="cost").numbers("cost")


def test_the_index_of_a_sorted_or_filtered_frame_was_lost() -> None:
    """pandas keeps a RangeIndex where it can: rows 1 and 2 came back as 0 and 1."""
    frame = pd.DataFrame({"release": [0, 1, 2]})
    for found, names in ((frame[1:], [1, 2]), (frame[::-1], [2, 1, 0]), (frame, None)):
        assert Arguments("jobs", found).names("name", "job", len(found)) == names


def test_series_of_other_labels_were_matched_by_position() -> None:
    one, other = pd.Series([1, 2], index=[5, 6]), pd.Series([3, 4], index=[6, 5])
    with rejects(InputError, "[6, 5]", where="processing"):
        Arguments("jobs", None, release=one, processing=other)
    assert Arguments("jobs", None, release=one, processing=one + 1).values("processing") == [2, 3]


@pytest.mark.parametrize("values", [["0:40", "1.5"], [90, datetime.timedelta(hours=1)], [datetime.time(7, 30), 8]])
def test_times_beside_numbers_were_both_taken_for_minutes(values: list[Any]) -> None:
    with rejects(InputError, "times or numbers", where="column release, row 2"):
        Arguments("jobs", {"release": values}).numbers("release")


def test_periods_and_times_of_a_zone_were_taken_for_times_of_day() -> None:
    """A period has hours and minutes: days became 0."""
    zoned = datetime.time(7, 30, tzinfo=datetime.UTC)
    for value in (pd.Period("2026-01-05", "D"), zoned, np.datetime64("12000-01-01")):
        with rejects(InputError, "expected a number, 7:30 or 2026-01-05 07:30", where="column release, row 1"):
            Arguments("jobs", {"release": [value]}).times("release")


def test_days_that_a_spreadsheet_counts_were_taken_for_minutes() -> None:
    begin, end = [46027.3125, 46027.354167], [46027.34375, 46027.416667]
    with rejects(InputError, "46027.3125", "spreadsheets", where="column begin, row 1"):
        Arguments("tasks", {"begin": begin, "end": end}).times("begin", "end")
    for given in ([46027.3125, 3.0], [46027.25, 46028.5], [46027, 46028], [41234.123, 41300.456]):
        (found,), _ = Arguments("jobs", {"release": given}).times("release")
        assert found.tolist() == given


@pytest.mark.parametrize("value", [np.inf, "inf", "1e400", "nan"])
def test_what_is_not_finite_is_named_by_its_row(value: Any) -> None:
    with rejects(InputError, "not finite", where="column minutes, row 2"):
        Arguments("travel", {"minutes": [1, value]}).numbers("minutes")


def test_a_series_for_a_table_was_a_message_of_many_lines() -> None:
    with rejects(InputError, "not a table", where="items"):
        table_of(pd.Series([1, 2], name="cost"), "items")
