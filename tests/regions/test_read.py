"""What is understood of a map with counts, and what is refused, in words."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pandas as pd
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from tests.regions.grids import grid, grid_edges
from tests.sentences import (
    APPEARS_IN_ROWS,
    BASED_ON_ITS_NAME,
    BUT_THE_VALUE_FOR,
    FIRST_AN_EMPTY_CELL,
    GIVE_THE_COUNTS,
    HAS_A_NAME_THAT_SUGGESTS,
    MUST_BE_WHOLE_NUMBERS,
    SEVERAL_COLUMNS_COULD_BE_COUNTS,
    THERE_IS_NO_COLUMN,
)

SAMPLES = Path(__file__).parents[2] / "sample_data"
BOWTIE = shapely.Polygon([(-83, 40), (-82.9, 40.1), (-82.9, 40), (-83, 40.1), (-83, 40)])


def data(frame: geopandas.GeoDataFrame) -> bytes:
    return frame.to_json(drop_id=True).encode()


def changed(column: str, row: int, value: Any) -> geopandas.GeoDataFrame:
    frame = grid().astype({column: object}) if column != "geometry" else grid()
    frame.loc[row, column] = value
    return frame


def test_grid_is_read_whole() -> None:
    regions = kanon.read_regions(data(grid()))
    assert regions.ids.tolist() == grid()["zip"].tolist()
    assert regions.weights.tolist() == grid()["population"].tolist()
    assert [tuple(edge) for edge in regions.edges.tolist()] == grid_edges(3, 4)
    assert regions.unit == "people"
    assert regions.label(3) == "Town 4"
    assert regions.geometry.crs == "EPSG:4326"
    assert regions.notes == (
        "12 areas, 780 people from column population; 1 connected part.",
        f"The ids were taken from column zip, {BASED_ON_ITS_NAME}.",
    )


def test_frame_and_file_give_the_same_instance() -> None:
    from_frame = kanon.Regions.from_frame(grid(), unit="people")
    assert from_frame.digest == kanon.read_regions(data(grid())).digest
    assert kanon.Regions.from_frame(grid()).unit == "records"


@pytest.mark.parametrize(
    ("name", "weight", "id", "areas", "people"),
    [
        ("georgia", "TotPop90", "AreaKey", 159, 6_478_216),
        ("new_york_tracts", "POP8", "AREAKEY", 281, 1_057_673),
        ("boston_tracts", "POP", "poltract", 506, None),
    ],
)
def test_usual_names_are_guessed_and_said(name: str, weight: str, id: str, areas: int, people: int | None) -> None:
    regions = kanon.read_regions(SAMPLES / f"{name}.geojson")
    assert len(regions) == areas
    assert regions.total == (people or regions.total)
    assert regions.notes[0].startswith(f"{areas} areas, {regions.total:,} people from column {weight}; ")
    assert f"The weight was taken from column {weight}, {BASED_ON_ITS_NAME}." in regions.notes
    assert f"The ids were taken from column {id}, {BASED_ON_ITS_NAME}." in regions.notes
    assert regions.digest == kanon.read_regions(SAMPLES / f"{name}.geojson", weight, id).digest


def test_zip_codes_are_called_by_their_places() -> None:
    regions = kanon.read_regions(SAMPLES / "dc_zcta2010.zip")
    assert regions.names is not None
    assert all(name.endswith(f" {code}") for name, code in zip(regions.names, regions.ids, strict=True))
    assert regions.label(regions.ids.tolist().index("20001")) == "Washington 20001"
    codes = ["05401", "99999", "06604"]
    frame = grid().iloc[:3].drop(columns="town")
    assert kanon.read_regions(data(frame.assign(zip=codes))).names.tolist() == [
        "Burlington 05401",
        "99999",
        "Bridgeport 06604",
    ]
    assert kanon.read_regions(data(frame.assign(zip=["99998", "99999", "06604"]))).names is None
    assert kanon.read_regions(data(frame.rename(columns={"zip": "key"}).assign(key=codes)), id="key").names is None


def test_reading_reads_the_same_again() -> None:
    regions = kanon.read_regions(data(grid()), contiguity="queen")
    again = dict(regions.reading)
    assert again.pop("reader") == "read_regions"
    assert kanon.read_regions(data(grid()), **again).digest == regions.digest


def test_zips_keep_zeros_and_numbers_are_warned_of() -> None:
    assert kanon.read_regions(data(grid())).ids[0] == "06001"
    frame = grid().assign(zip=[6001 + place if place else 10001 for place in range(12)])
    regions = kanon.read_regions(data(frame))
    assert regions.ids[1] == 6002
    assert any("leading zeros may have been lost" in note for note in regions.notes)


def test_row_numbers_where_nothing_is_named_like_an_id() -> None:
    regions = kanon.read_regions(data(grid().rename(columns={"zip": "area"})))
    assert regions.ids.tolist() == list(range(1, 13))
    assert any("areas are numbered 1 to 12" in note for note in regions.notes)


def test_names_that_repeat_are_told_apart_by_id() -> None:
    assert kanon.read_regions(data(grid().assign(town="Austin"))).label(0) == "Austin 06001"


def test_areas_without_people_are_counted() -> None:
    note = kanon.read_regions(data(changed("population", 4, 0))).notes[0]
    assert note == "12 areas, 730 people from column population; 1 area without people; 1 connected part."


def test_invalid_shape_is_repaired_and_said() -> None:
    regions = kanon.read_regions(data(changed("geometry", 0, BOWTIE)))
    assert shapely.is_valid(regions.geometry.to_numpy()).all()
    assert "1 area had a shape that crosses itself, which was repaired: Town 1." in regions.notes


def test_lines_and_points_beside_an_area_are_dropped() -> None:
    collection = shapely.GeometryCollection([grid().geometry[0], shapely.Point(0, 0)])
    regions = kanon.read_regions(data(changed("geometry", 0, collection)))
    assert regions.geometry[0].equals(grid().geometry[0])


def test_unknown_system_is_guessed_from_the_coordinates() -> None:
    degrees = kanon.Regions.from_frame(grid(crs=None))
    assert degrees.geometry.crs == "EPSG:4326"
    assert any("taken as longitude and latitude" in note for note in degrees.notes)
    meters = grid(crs=None)
    meters["geometry"] = meters.geometry.scale(1000, 1000, origin=(0, 0))
    plane = kanon.Regions.from_frame(meters)
    assert plane.geometry.crs is None
    assert any("taken as points in a plane" in note for note in plane.notes)
    assert plane.edges.tolist() == degrees.edges.tolist()


def test_islands_are_attached_and_every_join_is_said() -> None:
    frame = grid(1, 6).drop(index=[2, 3]).reset_index(drop=True)  # two pairs, 0.2 degrees of longitude apart
    regions = kanon.read_regions(data(frame))
    assert regions.added_edges.tolist() == [[1, 2]]
    assert regions.notes[0].endswith("; 1 connected part (1 link added between areas that share no border).")
    assert any(
        note.startswith("Town 2 and Town 5 have no common border") and "17.1 km" in note for note in regions.notes
    )
    separate = kanon.read_regions(data(frame), islands="separate")
    assert len(separate.added_edges) == 0
    assert separate.components.max() == 1
    assert separate.notes[0].endswith("; 2 connected parts.")


def test_rows_of_one_area_are_merged_on_request() -> None:
    frame = grid(1, 4).assign(population=[30, 30, 5, 6], zip=["06001", "06001", "06002", "06003"])
    with pytest.raises(InvalidInput, match=rf"The id 06001 {APPEARS_IN_ROWS} 2 .*merge_duplicates=True"):
        kanon.read_regions(data(frame))
    regions = kanon.read_regions(data(frame), merge_duplicates=True)
    assert regions.ids.tolist() == ["06001", "06002", "06003"]
    assert regions.weights.tolist() == [30, 5, 6]
    assert regions.geometry[0].area == pytest.approx(0.02)
    assert any("1 id appeared in several rows" in note for note in regions.notes)
    with pytest.raises(InvalidInput, match=r"id 06001 .*different weights \(30, 31\)"):
        kanon.read_regions(data(frame.assign(population=[30, 31, 5, 6])), merge_duplicates=True)


WHOLE = f"{MUST_BE_WHOLE_NUMBERS} of at least 0, {BUT_THE_VALUE_FOR} area"
COUNTS = f"The values of column population {WHOLE} Town 3"
POINTS = grid().set_geometry(grid().geometry.to_crs(3857).centroid.to_crs(4326))
LINE = shapely.LineString([(0, 0), (1, 1)])
CHOOSE = "choose one with the parameter weight."

REFUSED = {
    "negative": (changed("population", 2, -5), {}, f"{COUNTS} is -5"),
    "fraction": (
        changed("population", 2, 1.5),
        {},
        "1 count in column population of it is not a whole number (the first is 1.5 at area Town 3); rounding would",
    ),
    "missing": (
        changed("population", 2, None),
        {},
        f"1 count in column population of it is hidden or missing ({FIRST_AN_EMPTY_CELL} Town 3)",
    ),
    "words": (grid(), {"weight": "town"}, f"The values of column town {WHOLE} Town 1 is Town 1"),
    "unknown column": (
        grid(),
        {"weight": "pop"},
        f"{THERE_IS_NO_COLUMN} 'pop' for the weight of it; the columns are: zip, population, town",
    ),
    "unknown id": (
        grid(),
        {"id": "fips"},
        f"{THERE_IS_NO_COLUMN} 'fips' for the id of it; the columns are: zip, population, town",
    ),
    "no counts": (
        grid().drop(columns="population"),
        {},
        f"In it no column {HAS_A_NAME_THAT_SUGGESTS} counts (the columns are: zip, town); "
        f"{GIVE_THE_COUNTS} with the parameter counts, or choose one with the parameter weight, or "
        'count each area as one with weight="one".',
    ),
    "two counts": (
        grid().rename(columns={"population": "pop10"}).assign(pop20=1),
        {},
        f"In it {SEVERAL_COLUMNS_COULD_BE_COUNTS} (pop10, pop20); {CHOOSE}",
    ),
    "id twice": (changed("zip", 5, "06001"), {}, f"The id 06001 {APPEARS_IN_ROWS} 6 of it; merge these rows"),
    "id missing": (changed("zip", 5, None), {}, "Row 6 of it has no id in column zip; give every row an id"),
    "points": (POINTS, {}, "In it the area Town 1 is not an area but a Point (like 11 other areas); load polygons"),
    "one line": (
        changed("geometry", 3, LINE),
        {},
        "In it the area Town 4 is not an area but a LineString; load polygons",
    ),
    "no shape": (changed("geometry", 3, None), {}, "In it the area Town 4 has no shape; load polygons"),
    "contiguity": (grid(), {"contiguity": "bishop"}, "contiguity is 'bishop'; choose one of rook, queen"),
    "islands": (grid(), {"islands": "sink"}, "islands is 'sink'; choose one of attach, separate"),
    "unmatched": (grid(), {"unmatched": "ignore"}, "unmatched is 'ignore'; choose one of refuse, drop"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_one_sentence(name: str) -> None:
    frame, options, sentence = REFUSED[name]
    with pytest.raises(InvalidInput) as caught:
        kanon.read_regions(data(frame), filename="it", **options)
    assert str(caught.value).startswith(sentence)
    assert str(caught.value).endswith(".")


def test_meters_that_claim_to_be_degrees() -> None:
    frame = grid()
    frame["geometry"] = frame.geometry.scale(1000, 1000, origin=(0, 0))
    with pytest.raises(
        InvalidInput, match="says that its coordinates are longitudes and latitudes, but they reach 83,000"
    ):
        kanon.Regions.from_frame(frame)


@pytest.mark.parametrize(
    ("shape", "sentence"),
    [
        (shapely.Polygon(), "has an empty shape; load polygons"),
        (shapely.Polygon([(0, 0), (1, np.inf), (1, 1)]), "has a coordinate that is not a number; load polygons"),
        (shapely.from_wkt("POLYGON ((0 0, 1 NaN, 1 1, 0 0))"), "has a coordinate that is not a number; load polygons"),
        (shapely.Polygon([(0, 0), (1, 1), (2, 2), (0, 0)]), "has a shape of zero area; correct it"),
    ],
)
def test_shapes_that_no_file_should_hold(shape: shapely.Geometry, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=f"In the table the area Town 4 {sentence}"):
        kanon.Regions.from_frame(changed("geometry", 3, shape))


def test_system_that_does_not_fit_the_coordinates() -> None:
    frame = grid(crs=None)
    frame["geometry"] = frame.geometry.scale(1e6, 1e6, origin=(0, 0))
    with pytest.raises(InvalidInput, match="lie outside the file's coordinate system, “WGS 84 / UTM zone 17N”"):
        kanon.Regions.from_frame(frame.set_crs(32617))
    local = kanon.Regions.from_frame(frame.set_crs('LOCAL_CS["works",UNIT["metre",1]]'))
    assert local.geometry.crs is None
    assert any("“works” does not describe places on Earth" in note for note in local.notes)


def test_frame_without_shapes() -> None:
    with pytest.raises(InvalidInput, match="A DataFrame has no shapes; give a GeoDataFrame of polygons"):
        kanon.Regions.from_frame(pd.DataFrame({"population": [1]}))


def test_table_without_shapes() -> None:
    with pytest.raises(InvalidInput, match=r"zips\.csv is a table without shapes; load .* or give a list of borders"):
        kanon.read_regions(b"zip,population,town\n06001,5,x\n", filename="zips.csv")


def test_frame_is_not_changed() -> None:
    frame = changed("geometry", 0, BOWTIE)
    before = frame.copy(deep=True)
    kanon.Regions.from_frame(frame)
    pd.testing.assert_frame_equal(pd.DataFrame(frame), pd.DataFrame(before))
    assert np.array_equal(shapely.to_wkb(frame.geometry.to_numpy()), shapely.to_wkb(before.geometry.to_numpy()))


def test_a_system_that_the_file_does_not_name_is_said_by_a_person() -> None:
    meters = grid(2, 2, crs=None)
    meters.geometry = meters.geometry.scale(1000, 1000, origin=(0, 0)).translate(500_000, 4_600_000)
    file = io.BytesIO()
    meters.to_parquet(file)
    path = file.getvalue()
    assert kanon.read_regions(path).geometry.crs is None
    regions = kanon.read_regions(path, crs="EPSG:26918")
    assert regions.geometry.crs.to_epsg() == 26918
    assert (
        "The coordinates were taken as EPSG:26918, as requested; the file states no coordinate system." in regions.notes
    )
    with pytest.raises(InvalidInput, match="EPSG:4326"):
        kanon.read_regions(path, crs="/etc/passwd")
    with pytest.raises(InvalidInput, match="is not known"):
        kanon.read_regions(path, crs="EPSG:1")
    with pytest.raises(InvalidInput, match="no shapes in the upload, so there are no coordinates to take as") as odd:
        kanon.read_regions(b"a,b\nx,y\n", counts=b"id,count\nx,5\ny,6\n", crs="EPSG:4326")
    assert odd.value.parameter == "crs"


def test_a_frame_is_told_of_no_way_out_that_it_does_not_have() -> None:
    frame = grid(2, 2)
    for odd, ending in (
        (frame.assign(population=[1, 2, 3, None]), f"({FIRST_AN_EMPTY_CELL} Town 4); correct the table."),
        (frame.assign(population=[1, 2, 3, 4.5]), "; correct the table."),
        (frame.assign(zip="01"), "of the table; choose another column of ids with the parameter id."),
        (
            frame.rename(columns={"population": "b"}),
            'with the parameter weight, or count each area as one with weight="one".',
        ),
    ):
        with pytest.raises(InvalidInput) as error:
            kanon.Regions.from_frame(odd)
        assert str(error.value).endswith(ending)
