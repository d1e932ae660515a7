"""zcta_points_2010.csv: a point for each ZCTA with its population.

Usage: python zcta_points.py USZIPCODE    (the unpacked source archive of the PyPI package uszipcode 0.1.3)
"""

from __future__ import annotations

import sys
from pathlib import Path

from common import SAMPLE_DATA
from zcta import misplaced, read_zctas


def main(uszipcode: Path) -> None:
    zctas = read_zctas(uszipcode)
    wrong = misplaced(zctas)
    print(f"{len(zctas)} ZCTAs; dropped, because on another continent: {wrong.sum()}")
    print(zctas[wrong].to_string(index=False))

    placed = zctas[~wrong]
    empty = placed.pop10 == 0
    print(f"left out, because without people: {empty.sum()}")

    points = placed.loc[~empty, ["zip", "lat", "lon", "pop10", "aland"]].round({"lat": 5, "lon": 5, "aland": 2})
    points.to_csv(SAMPLE_DATA / "zcta_points_2010.csv", index=False, lineterminator="\n")
    print(f"written: {len(points)} points, {points.pop10.sum()} people")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
