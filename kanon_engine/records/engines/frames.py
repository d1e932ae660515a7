"""What an engine answers, as a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from kanon_engine.errors import InvalidInput

if TYPE_CHECKING:
    import pyarrow as pa


def frame_of(table: pa.Table) -> pd.DataFrame:
    """Rows as pandas has them; whole numbers stay whole where some are missing, and text is text.

    Raises
    ------
    InvalidInput
        Dates that Python has none of.

    Example
    -------
    >>> import pyarrow as pa
    >>> frame_of(pa.table({"age": pa.array([41, None], pa.int8()), "zip": ["06604", None]})).dtypes.astype(str).tolist()
    ['Int64', 'str']
    """
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):  # words that a database enumerates are words
            table = table.set_column(place, field.name, table.column(place).cast(field.type.value_type))
    whole = [
        place for place, column in enumerate(table.columns) if pa.types.is_integer(column.type) and column.null_count
    ]
    for place in whole:
        column = table.column(place)
        wide = pa.uint64() if pa.types.is_uint64(column.type) else pa.int64()
        table = table.set_column(place, table.field(place).name, column.cast(wide))
    types = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}
    try:
        frame: pd.DataFrame = table.to_pandas()
    except ValueError:  # of Python's dates
        raise InvalidInput(
            "A column holds dates before the year 1 or after 9999; correct them, or leave the column out."
        ) from None
    for place in whole:
        name = table.field(place).name
        frame[name] = table.column(place).to_pandas(types_mapper=types.get)
    return frame
