"""names_1990/: the three census files, byte for byte.

Usage: python names_1990.py NAMES    (NAMES is the unpacked source archive of the PyPI package names 0.3.0)
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from common import SAMPLE_DATA

FILES = ("dist.female.first", "dist.male.first", "dist.all.last")


def main(names: Path) -> None:
    folder = SAMPLE_DATA / "names_1990"
    folder.mkdir(exist_ok=True)
    for file in FILES:
        shutil.copyfile(names / "names" / file, folder / file)
        percentages = [line.split()[1] for line in (folder / file).read_text(encoding="ascii").splitlines()]
        kept = [round(float(text) * 1000) for text in percentages if float(text) > 0]
        print(f"{file}: {len(percentages)} rows, {len(kept)} above 0.000, which sum to {sum(kept)} x 0.001 %")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
