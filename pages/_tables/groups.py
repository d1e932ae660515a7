"""The table of the groups of records."""

from __future__ import annotations

import pandas as pd

import kanon_engine as kanon
from kanon_engine.tables.release import class_frame


def group_table(table: kanon.Table, g: kanon.Generalization) -> pd.DataFrame:
    """One row a group: its size and what its records show."""
    frame = class_frame(table, g)
    return frame.rename(columns={"group": "Group", "records": table.unit.capitalize(), "overfull_ratio": "× k"})
