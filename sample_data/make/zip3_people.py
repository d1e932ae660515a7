"""zip3_people.csv in the engine: people of all zip codes that begin with the same three digits, by the census of 2010.

Usage: python zip3_people.py COUNTS    (a CSV with the columns zip and pop10: the census's Gazetteer of ZCTAs, 2010)
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
from common import SAMPLE_DATA

OUT = SAMPLE_DATA.parent / "kanon_engine" / "risk" / "rules" / "zip3_people.csv"


def main(counts: Path) -> None:
    zctas = pd.read_csv(counts, dtype={"zip": str})
    people = zctas.pop10.groupby(zctas.zip.str[:3].rename("zip3")).sum().rename("people")
    people.to_csv(OUT, lineterminator="\n")
    print(f"written: {len(people)} areas with {people.sum()} people; {(people <= 20_000).sum()} have 20,000 or fewer")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
