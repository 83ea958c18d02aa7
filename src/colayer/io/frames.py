"""DataFrames of columns, for those who have pandas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from colayer.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas


def frame_of(columns: Mapping[str, list[Any]]) -> pandas.DataFrame:
    """Return columns as a pandas DataFrame."""
    try:
        import pandas
    except ModuleNotFoundError as error:
        if error.name != "pandas":
            raise
        raise MissingExtraError("to_frame needs pandas: pip install pandas (to_columns works without)") from None
    frame = pandas.DataFrame(columns)
    gaps = [name for name, values in columns.items() if None in values]
    frame[gaps] = frame[gaps].convert_dtypes()  # whole numbers stay whole beside what is missing
    return frame


class HasFrame:
    """What has columns has a DataFrame."""

    def to_columns(self) -> dict[str, list[Any]]:
        """Return columns by name, as a dict of lists."""
        raise NotImplementedError

    def to_frame(self) -> pandas.DataFrame:
        """Return the columns as a pandas DataFrame, with the user's names."""
        return frame_of(self.to_columns())
