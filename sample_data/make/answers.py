"""answers/KEY.json.gz: what the default algorithm of its family makes of each sample, for its page to show at once.

Usage: python answers.py [KEY ...]    (without keys: all samples of catalog.json)
"""

from __future__ import annotations

import gzip
import json
import sys

from common import SAMPLE_DATA

import kanon_engine as kanon
from kanon_engine.model.known import get_family
from kanon_engine.rectangles.kd_tree import suggested_snap


def main(keys: list[str]) -> None:
    catalog = json.loads((SAMPLE_DATA / "catalog.json").read_text(encoding="utf-8"))
    for entry in catalog:
        if keys and entry["key"] not in keys:
            continue
        family = get_family(entry["family"])
        instance = family.reader.function(SAMPLE_DATA / entry["file"], **entry["options"])
        options = {"snap": suggested_snap(instance, entry["k"])} if entry["family"] == "rectangles" else {}
        g = kanon.generalize(instance, entry["k"], **options)  # as its page begins
        path = SAMPLE_DATA / "answers" / f"{entry['key']}.json.gz"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(g.to_json().encode(), mtime=0))
        print(
            f"{entry['key']}: {g.algorithm}, {g.status}, {g.seconds:.1f} s, {path.stat().st_size:,} bytes", flush=True
        )


if __name__ == "__main__":
    main(sys.argv[1:])
