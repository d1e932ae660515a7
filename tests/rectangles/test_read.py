import io
import json

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely

import kanon_engine as kanon
from tests.sentences import (
    EACH_ROW_IS_ONE_RECORD,
    ITEM_2_IS_MISSING,
    ITEMS_1_AND_2_HAVE,
    LEFT_OUT_BECAUSE_OF_0,
    MUST_BE_WHOLE_NUMBERS,
    ROW_2_IS_MISSING,
    THERE_IS_NO_COLUMN,
)

CSV = "site,lat,lon,people\na,48.5,11.25,3\nb,-33,151.2,4\nc,0.5,-70,5\n"
FRAME = pd.DataFrame(
    {"site": ["a", "b", "c"], "lat": [48.5, -33, 0.5], "lon": [11.25, 151.2, -70], "people": [3, 4, 5]}
)
XY = [[11.25, 48.5], [151.2, -33], [-70, 0.5]]


def points_frame(crs="EPSG:4326"):
    shapes = gpd.points_from_xy(FRAME["lon"], FRAME["lat"])
    return gpd.GeoDataFrame(FRAME[["site", "people"]], geometry=shapes, crs=crs)


def as_bytes(write):
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def geopackage(frame, folder):
    path = folder / "points.gpkg"
    frame.to_file(path, driver="GPKG")
    return path.read_bytes()


def all_kinds(folder):
    return {
        "csv": CSV.encode(),
        "semicolons, decimal commas": b"site;lat;lon;people\na;48,5;11,25;3\nb;-33;151,2;4\nc;0,5;-70;5\n",
        "utf-16": CSV.encode("utf-16"),
        "parquet": as_bytes(FRAME.to_parquet),
        "excel": as_bytes(lambda file: FRAME.to_excel(file, index=False)),
        "geojson": points_frame().to_json().encode(),
        "geopackage": geopackage(points_frame(), folder),
        "geoparquet": as_bytes(points_frame().to_parquet),
        "sets of one": points_frame()
        .set_geometry(shapely.multipoints(shapely.get_coordinates(points_frame().geometry)[:, None]), crs="EPSG:4326")
        .to_json()
        .encode(),
    }


def test_every_kind_of_file_gives_the_same_points(tmp_path):
    for kind, data in all_kinds(tmp_path).items():
        points = kanon.read_points(data, weight="people", id="site", unit="people")
        assert points.xy.tolist() == XY, kind
        assert points.weights.tolist() == [3, 4, 5], kind
        assert points.ids.tolist() == ["a", "b", "c"], kind
        assert (points.crs, points.unit) == ("EPSG:4326", "people"), kind


def test_a_path_and_what_is_read_again(tmp_path):
    path = tmp_path / "places.csv"
    path.write_text(CSV, encoding="utf-8")
    points = kanon.read_points(path, weight="people", unit="people")
    assert points.ids.tolist() == [1, 2, 3]
    reading = json.loads(json.dumps(points.reading))
    assert reading.pop("reader") == "read_points"
    assert kanon.read_points(path, **reading).digest == points.digest
    assert "12 people from column people" in points.notes[0]


@pytest.mark.thorough(one_in=4)
@pytest.mark.parametrize(
    ("x", "y", "degrees"),
    [
        ("lon", "lat", True),
        ("LONGITUDE", "Latitude", True),
        ("lng", "lat", True),
        ("long", "lat", True),
        ("INTPTLON10", "INTPTLAT10", True),
        ("Längengrad", "Breitengrad", True),
        ("longitud", "latitud", True),
        ("centroid_lon", "centroid_lat", True),
        ("pickupLongitude", "pickupLatitude", True),
        ("lon_wgs84", "lat_wgs84", True),
        ("x", "y", False),
        ("X_coord", "Y_coord", False),
        ("point_x", "point_y", False),
        ("Easting", "Northing", False),
        ("Rechtswert", "Hochwert", False),
    ],
)
def test_usual_names_are_known(x, y, degrees):
    points = kanon.read_points(f"id,{y},name,{x}\n1,2,a,1\n".encode())
    assert points.xy.tolist() == [[1, 2]]
    assert points.crs == ("EPSG:4326" if degrees else None)


def test_columns_can_be_chosen():
    data = b"from_lon,from_lat,to_lon,to_lat\n1,2,3,4\n"
    with pytest.raises(kanon.InvalidInput, match=r"may be x and y \(from_lon, to_lon, from_lat, to_lat\)"):
        kanon.read_points(data)
    assert kanon.read_points(data, "to_lon", "to_lat").xy.tolist() == [[3, 4]]
    assert kanon.read_points(b"a,b\n1,2\n", "b", "a", crs="EPSG:4326").crs == "EPSG:4326"
    assert kanon.read_points(b"lon,height,lat\n1,2,3\n", y="height").xy.tolist() == [[1, 2]]


def test_columns_of_a_file_with_areas(tmp_path):
    areas = points_frame().assign(lat=FRAME["lat"], lon=FRAME["lon"])
    areas["geometry"] = shapely.buffer(areas.geometry.to_numpy(), 1)
    points = kanon.read_points(areas.to_json().encode(), weight="people")
    assert points.xy.tolist() == XY


def test_projected_coordinates_stay_as_they_are(tmp_path):
    frame = gpd.GeoDataFrame(geometry=gpd.points_from_xy([500000.0], [4649776.25]), crs="EPSG:26918")
    points = kanon.read_points(geopackage(frame, tmp_path))
    assert points.crs == "EPSG:26918"
    assert points.xy.tolist() == [[500000.0, 4649776.25]]
    assert any("NAD83 / UTM zone 18N" in note for note in points.notes)


BAD = "lat,lon,n\n1,1,1\n,2,1\n95,3,1\nx,4,1\n5,-181,1\ninf,6,1\n7,7,\n"


def test_bad_positions_are_listed_and_refused():
    with pytest.raises(kanon.InvalidInput) as caught:
        kanon.read_points(BAD.encode(), filename="trips.csv", per_record=True)
    text = str(caught.value)
    assert text.startswith("trips.csv has no valid position in 5 of 7 rows (row 2: lat is missing; row 3: ")
    for words in (
        "95, beyond ±90",
        "row 4: lat is 'x', not a number",
        "lon is -181, beyond ±180",
        "row 6: lat is 'inf'",
    ):
        assert words in text


def test_bad_positions_are_dropped_on_request_and_counted():
    points = kanon.read_points(BAD.encode(), drop_bad=True, per_record=True)
    assert points.ids.tolist() == [1, 7]
    assert any(note.startswith("Left out because they have no valid position: 5 of 7 rows") for note in points.notes)
    weighted = kanon.read_points(BAD.replace("7,7,\n", "7,7,2\n").encode(), weight="n", drop_bad=True)
    assert weighted.weights.tolist() == [1, 2]


def test_a_bad_row_may_lack_its_weight_too():
    points = kanon.read_points(b"lat,lon,n\n1,1,4\n,,\nx,2,\n", weight="n", drop_bad=True)
    assert points.weights.tolist() == [4]


def test_points_without_weight_are_left_out_and_counted():
    points = kanon.read_points(b"lat,lon,n\n1,1,4\n2,2,0\n3,3,0\n", weight="n", unit="people")
    assert points.weights.tolist() == [4]
    assert f"{LEFT_OUT_BECAUSE_OF_0} people: 2 of 3 points." in points.notes


def test_oddities_are_noted():
    notes = " ".join(kanon.read_points(b"lat,lon\n0,0\n1,1\n1,1\n").notes)
    assert "Points at 0°, 0°" in notes
    assert "Points at the coordinates of another point: 1." in notes
    assert "No coordinate system is stated" in " ".join(kanon.read_points(b"x,y\n1,2\n").notes)


LINES = '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":%s}]}'


@pytest.mark.parametrize(
    ("data", "arguments", "words"),
    [
        (b"", {}, "is empty"),
        (b"lat,lon\n", {}, "no rows"),
        (b"%PDF-1.7 ...", {}, "kind “pdf”; load a CSV"),
        (b"a,b\n1,2\n", {}, "no columns with a usual name for x and y; choose them from: a, b"),
        (
            b"lat,lon\n1,2\n",
            {"x": "east"},
            f"{THERE_IS_NO_COLUMN} 'east' for the x coordinate or longitude; the .* lat, lon",
        ),
        (b"lat,lon\n1,2\n", {"x": "lon", "y": "lon"}, "for both x and y"),
        (b"lat,lon\n1,2\n", {"weight": "pop"}, f"{THERE_IS_NO_COLUMN} 'pop' for the weight; the columns are: lat, lon"),
        (b"lat,lon\n1,2\n", {"id": "zip"}, f"{THERE_IS_NO_COLUMN} 'zip' for the id"),
        (b"lat,lon\n1,2\n", {"crs": "EPSG:0"}, "coordinate system 'EPSG:0' is not known"),
        (b"lat,lon\n100,2\n120,3\n", {}, "swap x and y, because they seem to be reversed"),
        (b"lat,lon\nx,2\n", {"drop_bad": True}, r"1 of 1 rows \(row 1: lat is 'x', not a number\); correct them\."),
        (b"lat,lon,n\n1,2,-1\n", {"weight": "n"}, f"column “n” {MUST_BE_WHOLE_NUMBERS} .* row 1 of the upload is -1"),
        (b"lat,lon,n\n1,2,1.5\n", {"weight": "n"}, "row 1 of the upload is 1.5"),
        (b"lat,lon,n\n1,2,3\n1,2,\n", {"weight": "n"}, ROW_2_IS_MISSING),
        (b"lat,lon,n\n1,2,few\n", {"weight": "n"}, "row 1 of the upload is few"),
        (b"lat,lon,n\n1,2,0\n", {"weight": "n"}, "has both a position and records; check column n"),
        (b"lat,lon,i\n1,2,a\n3,4,a\n", {"id": "i"}, f"{ITEMS_1_AND_2_HAVE} id a"),
        (b"lat,lon,i\n1,2,a\n3,4,\n", {"id": "i"}, ITEM_2_IS_MISSING),
        (b"lat,lon,lat \n1,2,3\n", {}, r"may be x and y \(lon, lat, lat\.1\); choose"),
        (b'{"a": 1}', {}, "neither GeoJSON nor TopoJSON"),
        ((LINES % '{"type":"LineString","coordinates":[[0,0],[1,1]]}').encode(), {}, "type LineString but no points"),
        ((LINES % '{"type":"Point","coordinates":[400,0]}').encode(), {}, "x is 400, beyond ±180"),
        (b"PAR1 broken", {}, "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(data, arguments, words):
    with pytest.raises(kanon.InvalidInput, match=words) as caught:
        kanon.read_points(data, **arguments)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named():
    with pytest.raises(kanon.InvalidInput, match="no file nowhere.csv"):
        kanon.read_points("nowhere.csv")


def test_shapes_of_several_kinds_are_listed_row_by_row():
    frame = points_frame()
    frame.loc[1, "geometry"] = shapely.LineString([(0, 0), (1, 1)])
    data = frame.to_json().encode()
    with pytest.raises(kanon.InvalidInput, match=r"1 of 3 rows \(row 2: not a point\)"):
        kanon.read_points(data)
    assert np.array_equal(kanon.read_points(data, drop_bad=True).xy, np.array(XY)[[0, 2]])


def test_counts_at_points_are_not_overlooked():
    points = kanon.read_points(CSV.encode())
    assert (points.weights.tolist(), points.unit) == ([3, 4, 5], "people")
    assert points.counted.words == "column people of the upload"
    rows = kanon.read_points(CSV.encode(), per_record=True)
    assert (rows.weights.tolist(), rows.unit) == ([1, 1, 1], "records")
    for reading in (points.reading, rows.reading):
        again = {name: value for name, value in reading.items() if name != "reader"}
        assert kanon.read_points(CSV.encode(), **again).digest in (points.digest, rows.digest)


def test_visits_of_a_point_are_asked_about():
    data = b"lat,lon,visit_count,house_number\n1,1,4,7\n2,2,5,8\n"
    with pytest.raises(kanon.ChoiceNeeded, match="Column visit_count of the upload may say how many") as caught:
        kanon.read_points(data)
    assert caught.value.choices == ("visit_count", EACH_ROW_IS_ONE_RECORD)
    assert kanon.read_points(data, weight="visit_count").unit == "visits"
