"""An engine's work, with progress while it runs, stopped on request."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas as pd

from kanon_engine.errors import InvalidInput, SearchEnded
from kanon_engine.model.run import Progress, ProgressCallback

if TYPE_CHECKING:
    import pyarrow as pa


PAUSE = 0.1  # seconds between two reports


def followed(
    work: Callable[[], Any],
    progress: ProgressCallback | None,
    doing: str,
    share: Callable[[], float],
    stop: Callable[[], object],
) -> Any:
    """The result of `work()`, with reports meanwhile.

    Parameters
    ----------
    work : Runs in its own thread if there is a listener.
    progress : Returns False to stop.
    doing : The work in words.
    share : The finished share, 0 to 1; below 0 if unknown. Reports never go back.
    stop : Makes `work` end soon, with any error.

    Raises
    ------
    SearchEnded : `progress` returned False.

    >>> followed(lambda: 3, None, "Counting", lambda: 0.0, lambda: None)
    3
    """
    if progress is None:
        return work()
    result: list[Any] = []
    raised: list[BaseException] = []

    def aside() -> None:
        try:
            result.append(work())
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=aside, daemon=True)
    thread.start()
    done = 0.0
    try:
        while thread.is_alive():
            thread.join(PAUSE)
            done = min(max(share(), done), 1.0)
            if progress(Progress(done, None, None, doing)) is False:
                raise SearchEnded(f"{doing} was stopped early; nothing was kept.")
    finally:
        if thread.is_alive():
            stop()
            thread.join()
    if raised:
        raise raised[0]
    return result[0]


# ---------------------------------------------------------------------------------------------------------------------
# An engine's answer, as a frame.
# ---------------------------------------------------------------------------------------------------------------------


def frame_of(table: pa.Table) -> pd.DataFrame:
    """Rows for pandas; whole numbers stay whole if some are missing, and text is text.

    Raises
    ------
    InvalidInput : Dates outside Python's range.

    >>> import pyarrow as pa
    >>> frame_of(pa.table({"age": pa.array([41, None], pa.int8()), "zip": ["06604", None]})).dtypes.astype(str).tolist()
    ['Int64', 'str']
    """
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):  # enumerated words are words
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
    except ValueError:  # the range of Python's dates
        raise InvalidInput(
            "A column holds dates before the year 1 or after 9999; correct them, or leave the column out."
        ) from None
    for place in whole:
        name = table.field(place).name
        frame[name] = table.column(place).to_pandas(types_mapper=types.get)
    return frame
