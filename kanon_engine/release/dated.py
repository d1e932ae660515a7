"""A GeoPackage that tells a date of its own instead of the moment when it was written."""

from __future__ import annotations

import datetime
import sqlite3
from contextlib import closing

CHANGES, VALID_FOR = slice(24, 28), slice(92, 96)  # of SQLite's header: how often it was written; both are the same


def dated(content: bytes, date: datetime.date) -> bytes:
    """The same GeoPackage, last changed at the beginning of a day; the same bytes whenever it was written.

    Parameters
    ----------
    content : bytes
    date : date
    """
    with closing(sqlite3.connect(":memory:")) as store:
        store.deserialize(content)
        store.execute("update gpkg_contents set last_change = ?", (f"{date.isoformat()}T00:00:00.000Z",))
        store.commit()
        store.execute("vacuum")  # else what stood there before is still in the file
        made = bytearray(store.serialize())
    made[CHANGES] = made[VALID_FOR] = (1).to_bytes(4, "big")
    return bytes(made)
