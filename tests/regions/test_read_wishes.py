"""Wishes for areas from files, text and lists, and how a certificate keeps them."""

import io

import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.model.wishes import KEPT
from kanon_engine.regions.read import sets_by_column, with_wishes
from tests.cli.command import kanon as command
from tests.regions.grids import grid
from tests.sentences import NO_SUCH_ITEM, THERE_IS_NO_COLUMN

BORDERS = b"a,b\n01001,01002\n01002,01003\n01003,01004\n"
COUNTS = b"id,count\n01001,5\n01002,6\n01003,7\n01004,8\n"
AREAS = kanon.read_regions(BORDERS, counts=COUNTS)


@pytest.mark.parametrize("sets", [b"01001, 01002\n\n01003,01004\n", [["01001", "01002"], ("01003", "01004")]])
@pytest.mark.parametrize("name", ["together", "apart", "barriers"])
def test_a_set_a_line(name, sets, tmp_path):
    expected = (("01001", "01002"), ("01003", "01004"))
    assert getattr(kanon.read_regions(BORDERS, counts=COUNTS, **{name: sets}), name) == expected
    if isinstance(sets, bytes):
        (tmp_path / "sets.csv").write_bytes(sets)
        assert getattr(with_wishes(AREAS, **{name: tmp_path / "sets.csv"}), name) == expected


def test_lost_zeros_are_put_back_with_a_note():
    wished = with_wishes(AREAS, barriers=b"1001,1002\n")
    assert wished.barriers == (("01001", "01002"),)
    assert wished.notes[-2] == "1 set of areas is a barrier."
    assert wished.notes[-1].startswith("Leading zeros were put back to match ids with the areas inside a barrier")


def test_none_leaves_a_wish_and_empty_takes_it_away():
    wished = with_wishes(AREAS, together=[("01001", "01002")])
    assert with_wishes(wished, apart=[("01001", "01004")]).together == wished.together
    assert with_wishes(wished, together=[]).together == ()
    assert with_wishes(AREAS) is AREAS


def test_what_was_read_can_be_read_again():
    wished = kanon.read_regions(BORDERS, counts=COUNTS, together=b"01001,01002\n", barriers=b"01003,01004\n")
    g = kanon.Generalization.from_json(kanon.generalize(wished, 8).to_json())
    settings = {name: value for name, value in g.reading.items() if name != "reader"}
    again = kanon.read_regions(BORDERS, counts=COUNTS, **settings)
    assert again.digest == wished.digest != AREAS.digest
    kanon.verify(again, g)
    with pytest.raises(kanon.CertificateError, match="instance"):
        kanon.verify(AREAS, g)


@pytest.mark.parametrize("wrong", [b"01001,ague\n", [("01001", "ague")]])
def test_unknown_areas_are_named(wrong):
    with pytest.raises(kanon.InvalidInput, match=f"Set 1 of the areas {KEPT['apart']} lists ague, {NO_SUCH_ITEM} area"):
        kanon.read_regions(BORDERS, counts=COUNTS, apart=wrong)


@pytest.mark.parametrize("wrong", [5, [5], ["01001"]])
def test_what_is_no_list_of_sets_is_refused(wrong):
    with pytest.raises(kanon.InvalidInput, match="give a"):
        with_wishes(AREAS, together=wrong)


def test_the_command_keeps_wishes_and_verifies_without_their_files(tmp_path):
    for name, content in (
        ("borders", BORDERS),
        ("counts", COUNTS),
        ("pair", b"01001,01002\n"),
        ("far", b"01001,01004\n"),
    ):
        (tmp_path / f"{name}.csv").write_bytes(content)
    file, counts, pair, far = (tmp_path / f"{name}.csv" for name in ("borders", "counts", "pair", "far"))
    flags = ["--together", pair, "--apart", far, "--barriers", pair, "--certificate", tmp_path / "c.json"]
    result = command("regions", file, "--counts", counts, "-k", 7, *flags)
    assert result.exit_code == 0, result.output
    pair.unlink()
    far.unlink()
    checked = command("verify", tmp_path / "c.json", file, "--counts", counts)
    assert checked.exit_code == 0, checked.output


def pieces(ids: list[str]) -> bytes:
    """Six squares in a row, each a row of a file, with counties, one of them unknown."""
    county = pd.Categorical(["A", "A", None, "B", "A", "B"])
    file = io.BytesIO()
    grid(1, 6).assign(zip=ids, population=5, county=county).to_parquet(file)
    return file.getvalue()


def test_an_area_of_several_rows_stands_once_in_a_set_from_a_column() -> None:
    content = pieces(["01", "01", "02", "03", "04", "05"])
    regions = kanon.read_regions(content, merge_duplicates=True)
    sets = sets_by_column(regions, content, "county")
    assert sets == [["01", "04"], ["03", "05"]]
    assert with_wishes(regions, barriers=sets).barriers == (("01", "04"), ("03", "05"))


def test_sets_come_from_columns_of_data_alone_and_by_ids_of_the_file() -> None:
    content = pieces(["01", "02", "03", "04", "05", "06"])
    with pytest.raises(InvalidInput, match=f"{THERE_IS_NO_COLUMN} 'geometry'"):
        sets_by_column(kanon.read_regions(content), content, "geometry")
    numbered = kanon.Regions([1, 2], [5, 5], [(0, 1)])
    with pytest.raises(InvalidInput, match="The ids of the areas are not from a column of their file"):
        sets_by_column(numbered, content, "county")
