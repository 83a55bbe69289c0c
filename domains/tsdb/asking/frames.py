"""Answers as tables of other libraries: a pandas frame, an Arrow table. Each function imports its library when called.

    metric    dc   host   time                      value
    requests  lga  web-1  2013-01-01T00:00:00.000Z  2055

A row for each number, series after series. A tag that a series lacks is null; a tag called metric, time or value has
the column `tag_metric`, `tag_time` or `tag_value`.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .series import Series

if TYPE_CHECKING:
    import pandas
    import pyarrow

METRIC, TIME, VALUE = "metric", "time", "value"


def to_pandas(series: Iterable[Series]) -> "pandas.DataFrame":
    """A `pandas.DataFrame` of an answer; times are in UTC, ints stay ints if no number is a float.

    Raises ModuleNotFoundError without pandas: pip install 'rowbook[frames]'.
    """
    import pandas

    columns = _columns(series)
    columns[TIME] = pandas.to_datetime(columns[TIME], unit="ms", utc=True)
    return pandas.DataFrame(columns)


def to_arrow(series: Iterable[Series]) -> "pyarrow.Table":
    """A `pyarrow.Table` of an answer; times are in UTC, ints stay ints if no number is a float.

    Raises ModuleNotFoundError without pyarrow: pip install 'rowbook[frames]'.
    """
    import pyarrow

    columns = _columns(series)
    types = {TIME: pyarrow.timestamp("ms", tz="UTC"), VALUE: None}
    return pyarrow.table(
        {name: pyarrow.array(values, types.get(name, pyarrow.string())) for name, values in columns.items()}
    )


def _columns(series: Iterable[Series]) -> dict[str, Any]:
    """The columns by name, as arrays."""
    all_series = list(series)
    lengths = [len(one.values) for one in all_series]

    def repeated(texts: Iterable[str | None]) -> Any:
        return np.repeat(np.array([*texts], object), lengths)

    columns = {METRIC: repeated(one.metric for one in all_series)}
    for tag in sorted({tag for one in all_series for tag in one.tags}):
        column = f"tag_{tag}" if tag in (METRIC, TIME, VALUE) else tag
        columns[column] = repeated(one.tags.get(tag) for one in all_series)
    values = [one.values for one in all_series]
    are_floats = any(bool(one.are_floats.any()) for one in values)
    numbers = [one.numbers if are_floats else one.ints for one in values]
    columns[TIME] = np.concatenate([np.empty(0, np.int64), *(one.times_ms for one in values)])
    columns[VALUE] = np.concatenate([np.empty(0, np.float64 if are_floats else np.int64), *numbers])
    return columns
