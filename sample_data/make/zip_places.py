"""zip_places.csv in the engine: what people call a zip code, for maps and tables of zip codes without names.

Usage: python zip_places.py USZIPCODE    (the unpacked source archive of the PyPI package uszipcode 0.1.3)
"""

from __future__ import annotations

import sys
from pathlib import Path

from common import SAMPLE_DATA
from zcta import read_zctas

OUT = SAMPLE_DATA.parent / "kanon_engine" / "io" / "zip_places.csv"


def main(uszipcode: Path) -> None:
    places = read_zctas(uszipcode)[["zip", "place"]]
    places["place"] = places.place.str.strip()
    places = places[places.place != ""]
    places.to_csv(OUT, index=False, lineterminator="\n")
    print(f"written: the places of {len(places)} zip codes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
