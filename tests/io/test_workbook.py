"""Workbooks are read as pandas reads them, but no sheet can claim more than it may."""

from __future__ import annotations

import datetime
import io
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pytest

from kanon_engine.errors import InvalidInput
from kanon_engine.io.frames import read_frame
from kanon_engine.io.source import Source
from kanon_engine.io.workbook import read_workbook, with_sheet
from tests.sentences import MORE_THAN_THE_LIMIT, WORKBOOK_ALSO_HAS

VALUES = ["06001", 5, 5.0, 2.5, True, None, "", " a ", "NA", datetime.datetime(2020, 1, 2), "#DIV/0!", 10**12, -0.0]


def workbook(*rows, sheets=1, cells=()):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for place, value in cells:
        book.active[place] = value
    for number in range(1, sheets):
        book.create_sheet(f"more {number}")
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def test_cells_are_those_of_pandas():
    rng = np.random.default_rng(0)
    for _ in range(20):
        width = int(rng.integers(1, 6))
        rows = [[VALUES[place] for place in rng.integers(0, len(VALUES), int(rng.integers(0, 7)))] for _ in range(9)]
        data = workbook([f"column {place % 3}" for place in range(width)], *rows)
        expected = pd.read_excel(io.BytesIO(data), dtype=str)
        pd.testing.assert_frame_equal(read_workbook(with_sheet(Source.open(data)))[0], expected)


def test_several_sheets_are_told():
    frame, notes = read_frame(Source.open(workbook(["a"], ["1"], sheets=3)))
    assert frame["a"].tolist() == ["1"]
    assert notes == (f"The sheet “Sheet” {WORKBOOK_ALSO_HAS} “more 1” and “more 2”.",)


@pytest.mark.thorough
def test_a_cell_at_the_far_end_is_refused():
    with pytest.raises(InvalidInput, match=f"it has 16,384 columns, {MORE_THAN_THE_LIMIT} 1,000"):
        read_frame(Source.open(workbook(["a"], ["1"], cells=[("XFD1048576", "x")]), "it"))
    frame, notes = read_frame(Source.open(workbook(["a"], ["1"], cells=[("A70000", "x")])))
    assert frame["a"].tolist() == ["1", "x"]
    assert notes == ("69,997 empty rows were left out.",)


def test_a_workbook_that_unpacks_to_too_much_is_refused():
    file = io.BytesIO(workbook(["a"], ["1"]))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/image1.png", bytes(300 * 2**20))
    with pytest.raises(InvalidInput, match=f"it unpacks to 300 MB, {MORE_THAN_THE_LIMIT} 200 MB; save it as CSV"):
        read_frame(Source.open(file.getvalue(), "it"))


@pytest.mark.parametrize("part", ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "[Content_Types].xml"])
def test_a_broken_part_is_refused_in_a_sentence(part):
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook(["a"], ["1"]))) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            new.writestr(name, b"<broken" if name == part else old.read(name))
    with pytest.raises(InvalidInput, match="it cannot be read as a table because it is broken; save it again"):
        read_frame(Source.open(file.getvalue(), "it"))
