"""Made-up records of people in real zip codes, as a folder of Parquet, by the billion.

    python -m tests.benchmarks.records_scale.made 1_000_000 FOLDER

Row group by row group, so memory does not grow with the rows. The first rows of a large folder are the rows of a small
one: each row group is drawn with a random number generator of its own, seeded by its number.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

SAMPLES = Path(__file__).parents[3] / "sample_data"
GROUP, FILE = 1_000_000, 100_000_000  # rows of a row group, and of a file
ILLNESSES = ("none", "cold", "flu", "back pain", "asthma", "diabetes", "migraine", "heart disease", "cancer", "stroke")
SHARES = (0.3, 0.2, 0.12, 0.1, 0.08, 0.07, 0.06, 0.04, 0.02, 0.01)
OLDEST, FULL = 100, 60  # ages 0 … 100; as many people of each age up to 60, then fewer
SPREAD = 0.03  # degrees by which people stand around the point of their zip code
SCHEMA = pa.schema(
    [
        ("zip", pa.dictionary(pa.int32(), pa.string())),
        ("age", pa.int8()),
        ("sex", pa.dictionary(pa.int8(), pa.string())),
        ("illness", pa.dictionary(pa.int8(), pa.string())),
        ("lon", pa.float64()),
        ("lat", pa.float64()),
    ]
)


@cache
def zip_codes() -> pd.DataFrame:
    """Zip codes that people live in: zip, lat, lon, pop10 (people in 2010)."""
    codes = pd.read_csv(SAMPLES / "zcta_points_2010.csv", dtype={"zip": str})
    return codes[codes["pop10"] > 0].reset_index(drop=True)


class Alias:
    """Draws from 0 … n - 1 with given weights, two random numbers a draw (Walker 1977, Vose 1991)."""

    def __init__(self, weights: np.ndarray) -> None:
        n = len(weights)
        self.share = weights * (n / weights.sum())
        self.other = np.arange(n)
        small, large = (list(np.flatnonzero(self.share < 1)), list(np.flatnonzero(self.share >= 1)))
        while small and large:
            less, more = small.pop(), large[-1]
            self.other[less] = more
            self.share[more] -= 1 - self.share[less]
            if self.share[more] < 1:
                small.append(large.pop())
        self.share[small + large] = 1

    def draw(self, rng: np.random.Generator, rows: int) -> np.ndarray:
        place = rng.integers(0, len(self.share), rows, dtype=np.int32)
        return np.where(rng.random(rows, dtype=np.float32) < self.share[place], place, self.other[place])


@cache
def _drawn_from() -> tuple[Alias, Alias, Alias]:
    ages = np.minimum(1.0, (OLDEST + 1 - np.arange(OLDEST + 1)) / (OLDEST + 1 - FULL))
    return Alias(zip_codes()["pop10"].to_numpy(float)), Alias(ages), Alias(np.array(SHARES))


def row_group(number: int, rows: int) -> pa.Table:
    """Row group `number` of every folder, cut after so many rows."""
    rng = np.random.default_rng([19, number])
    zips, ages, illnesses = _drawn_from()
    codes = zip_codes()
    place = zips.draw(rng, GROUP).astype(np.int32)
    around = rng.standard_normal((2, GROUP), dtype=np.float32) * np.float32(SPREAD)
    columns = {
        "zip": pa.DictionaryArray.from_arrays(place, codes["zip"].tolist()),
        "age": ages.draw(rng, GROUP).astype(np.int8),
        "sex": pa.DictionaryArray.from_arrays(rng.integers(0, 2, GROUP, dtype=np.int8), ["female", "male"]),
        "illness": pa.DictionaryArray.from_arrays(illnesses.draw(rng, GROUP).astype(np.int8), list(ILLNESSES)),
        "lon": np.round(codes["lon"].to_numpy()[place] + around[0], 3),
        "lat": np.round(codes["lat"].to_numpy()[place] + around[1], 3),
    }
    return pa.table(columns, schema=SCHEMA).slice(0, rows)


def make(rows: int, folder: Path) -> Path:
    """Write so many records; a folder that has them already is left as it is."""
    if _rows_in(folder) == rows:
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    for first in range(0, rows, FILE):
        last = min(rows, first + FILE)
        with pq.ParquetWriter(folder / f"part{first // FILE:02}.parquet", SCHEMA, compression="zstd") as file:
            for begin in range(first, last, GROUP):
                file.write_table(row_group(begin // GROUP, min(GROUP, last - begin)), row_group_size=GROUP)
    return folder


def _rows_in(folder: Path) -> int:
    """Rows of the Parquet files in a folder; -1 where one was not written to its end."""
    try:
        return sum(pq.read_metadata(path).num_rows for path in folder.glob("*.parquet"))
    except pa.ArrowInvalid:
        return -1


if __name__ == "__main__":
    make(int(sys.argv[1]), Path(sys.argv[2]))
