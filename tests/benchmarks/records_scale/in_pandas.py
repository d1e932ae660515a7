"""The peer in memory: records read, counted, given their groups and written by pandas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd


def counted(folder: Path) -> pd.Series:
    """How many records each zip code has."""
    return pd.read_parquet(folder, columns=["zip"])["zip"].astype("category").value_counts().sort_index()


def released(folder: Path, group_of: dict[str, str], kept: Sequence[str], destination: Path) -> None:
    """Records with groups in place of zip codes, in the order of what is released."""
    frame = pd.read_parquet(folder, columns=["zip", *kept])
    frame.insert(0, "group", frame.pop("zip").astype("category").map(group_of))
    frame.sort_values(["group", *kept], ignore_index=True).to_parquet(destination, compression="zstd")
