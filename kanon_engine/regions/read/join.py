"""How the codes of two files match, before anything is counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

from kanon_engine.io.confined import confined
from kanon_engine.io.frames import read_frame
from kanon_engine.io.geofile import read_shapes
from kanon_engine.io.source import Source
from kanon_engine.io.workbook import with_sheet
from kanon_engine.regions.read.area_ids import aligned, column_ids, without_id
from kanon_engine.regions.read.area_table import AreaTable


@confined("file", "counts")
def match_codes(
    file: Any,
    id: str | None = None,
    *,
    counts: Any,
    counts_id: str | None = None,
    layer: str | None = None,
    filename: str | None = None,
    counts_sheet: str | int | None = None,
) -> dict[str, Any]:
    """Which ids of shapes stand in a table of counts.

    Parameters
    ----------
    file, id, counts, counts_id, layer, filename, counts_sheet
        As in `read_regions`; the file has shapes.

    Returns
    -------
    dict
        "id" and "counts_id", the columns; "matched", how many areas have a row; and lists of ids: "missing", areas
        without a row; "doubled", with several; "unknown", rows of no area; "blank", how many rows or counted records
        have no id.

    Raises
    ------
    InvalidInput
        As `read_regions`.
    """
    source = Source.open(file, filename)
    second = with_sheet(Source.open(counts), counts_sheet, (counts_id,), "counts_sheet")
    table = AreaTable.of(read_shapes(source, layer)[0], source.name, id, None)
    rows_of = read_frame(second)[0]
    key = table.key_in(rows_of, counts_id, second.name)
    blank = without_id(rows_of[key])
    ids, codes, _ = aligned(table.ids, column_ids(rows_of[key][~blank], second.name), second.name)
    rows, own = Counter(codes), set(ids)
    return {
        "id": table.id,
        "counts_id": key,
        "matched": sum(value in rows for value in own),
        "missing": sorted(own - rows.keys()),
        "doubled": sorted(value for value, many in rows.items() if many > 1),
        "unknown": sorted(rows.keys() - own),
        "blank": int(rows_of[second.counts][blank].sum() if second.counts else blank.sum()),
    }
