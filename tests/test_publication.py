"""What may be published, read byte for byte: no item's own value is in it."""

from __future__ import annotations

import base64
import io
import json
import re
import sqlite3
from pathlib import Path

import geopandas
import numpy as np
import openpyxl
import pandas as pd
import pyarrow.parquet as pq
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.release import groups_frame, publication
from kanon_engine.release.publication import outputs, single_items
from tests.sentences import RUN_IT_AS_A_FORMULA, WITHOUT_A_GRID

ROOT = Path(__file__).parent.parent
NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?")


@pytest.fixture(autouse=True)
def without_a_browser(monkeypatch):
    """A PNG holds no data but pixels; the figure that it is drawn from is read as HTML."""
    monkeypatch.setattr("kanon_engine.plot.export.browser_found", lambda: False)


def figure_of(html: str) -> list:
    """Data and layout of a plotly page."""
    start = html.index("Plotly.newPlot(")
    decoder, place, found = json.JSONDecoder(), html.index("[", start), []
    for _ in range(2):
        content, place = decoder.raw_decode(html, place)
        found.append(content)
        place = html.index("{", place) if len(found) < 2 else place
    return found


def leaves(value):
    """Every number and text in JSON, arrays of plotly unpacked."""
    if isinstance(value, dict):
        if set(value) >= {"dtype", "bdata"}:
            kind = np.dtype(value["dtype"]).newbyteorder("<")
            yield from np.frombuffer(base64.b64decode(value["bdata"]), kind).tolist()
            return
        for key, entry in value.items():
            yield key
            yield from leaves(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from leaves(entry)
    elif value is not None:
        yield value


def cells(content: bytes, ending: str):
    """Everything that somebody who opens the file can read: numbers and texts."""
    if ending.endswith(".csv"):
        for line in pd.read_csv(io.BytesIO(content), header=None, dtype=str, keep_default_na=False).to_numpy():
            yield from line
    elif ending.endswith(".parquet"):
        yield from (cell for column in pq.read_table(io.BytesIO(content)).columns for cell in column.to_pylist())
    elif ending.endswith(".xlsx"):
        for row in openpyxl.load_workbook(io.BytesIO(content)).worksheets[0].iter_rows(values_only=True):
            yield from row
    elif ending.endswith(".html"):
        yield from leaves(figure_of(content.decode()))
    elif ending.endswith(".geojson"):
        yield from leaves(json.loads(content))
    elif ending.endswith(".gpkg"):
        store = sqlite3.connect(":memory:")
        store.deserialize(content)
        for (name,) in store.execute("select name from sqlite_master where type = 'table'").fetchall():
            if not name.startswith("rtree"):  # needs the extension; a file's index holds the bounds of shapes alone
                yield from (cell for row in store.execute(f'select * from "{name}"') for cell in row)
        frame = geopandas.read_file(io.BytesIO(content))
        yield from shapely.get_coordinates(frame.geometry).ravel().tolist()
    else:
        raise AssertionError(f"nothing here can read {ending}")


def numbers_and_texts(output):
    content = output.make()
    content = content.encode() if isinstance(content, str) else content
    numbers, texts = [], []
    for cell in cells(content, output.ending):
        if isinstance(cell, str):
            texts.append(cell)
            numbers += [float(found.replace(",", "")) for found in NUMBER.findall(cell.replace("−", "-"))]
        elif isinstance(cell, int | float) and not isinstance(cell, bool):
            numbers.append(float(cell))
    return np.array([number for number in numbers if np.isfinite(number)]), texts


def published(instance, g, **more):
    return [output for output in outputs(instance, g, **more) if output.publishable]


def near(numbers, secrets, tolerance):
    """Secrets that some number tells."""
    numbers = np.sort(np.concatenate([[-np.inf, np.inf], numbers]))
    place = np.searchsorted(numbers, secrets).clip(1, len(numbers) - 1)
    distance = np.minimum(abs(numbers[place] - secrets), abs(numbers[place - 1] - secrets))
    return np.asarray(secrets)[distance <= tolerance]


def some_points(crs):
    rng = np.random.default_rng(4)
    xy = np.column_stack([rng.uniform(-77.9, -76.2, 300), rng.uniform(38.1, 39.4, 300)])
    return kanon.Points(xy, ids=[f"person {number}" for number in range(300)], crs=crs)


@pytest.mark.parametrize("crs", ["EPSG:4326", None])
@pytest.mark.parametrize("algorithm", ["kd-tree", "balanced-kd-tree"])
def test_no_coordinate_of_a_point_leaves(crs, algorithm):
    points = some_points(crs)
    g = kanon.generalize(points, 20, algorithm, snap=0.05)
    found = published(points, g, area=shapely.box(-78, 38, -77.013, 40))
    assert {output.key for output in found} == {"shapes", "area", "groups", "picture"}
    for output in found:
        numbers, texts = numbers_and_texts(output)
        assert near(numbers, points.xy.ravel(), 1e-6).tolist() == [], output.label
        assert not any("person" in text or points.digest in text for text in texts), output.label


def test_the_picture_of_the_page_holds_every_point():
    """What the tests above look for is found where it is: in the picture that stays inside."""
    from kanon_engine.rectangles.plot import rectangles_figure

    points = some_points("EPSG:4326")
    g = kanon.generalize(points, 20, "kd-tree", snap=0.05)
    html = rectangles_figure(points, g).to_html(include_plotlyjs=False)
    numbers = np.array([cell for cell in leaves(figure_of(html)) if isinstance(cell, int | float)])
    assert len(near(numbers, points.xy.ravel(), 1e-6)) == 600


def test_without_a_grid_no_file_of_points_is_publishable():
    points = some_points("EPSG:4326")
    files = outputs(points, kanon.generalize(points, 20, "kd-tree"))
    assert [output.label for output in files if output.publishable] == []
    assert all(WITHOUT_A_GRID in output.contents for output in files if output.key == "shapes")


def some_labels(**rules):
    rng = np.random.default_rng(5)
    return kanon.Labels([f"name {n}" for n in range(40)], rng.integers(1_001, 9_999, 40) * 7 + 3, **rules)


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("algorithm", ["fold", "spread", "near-optimal"])
@pytest.mark.parametrize("names", ["number", "largest"])
def test_no_count_of_a_label_in_company_leaves(algorithm, names):
    labels = some_labels(class_names=names)
    g = kanon.generalize(labels, 60_000, algorithm)
    company = np.bincount(g.assignment)[g.assignment] > 1
    found = published(labels, g)
    assert {output.key for output in found} == {"groups", "picture"}
    for output in found:
        numbers, texts = numbers_and_texts(output)
        assert not set(numbers) & set(labels.counts[company].tolist()), output.label
        told = {text for text in texts if text.startswith("name ")}
        assert told <= set(labels.named_classes(g.assignment) or ())


def squares(counts):
    side = int(np.sqrt(len(counts)))
    shapes = [shapely.box(x, y, x + 1, y + 1) for y in range(side) for x in range(side)]
    columns = {"id": [f"z{n}" for n in range(len(counts))], "population": counts}
    frame = geopandas.GeoDataFrame(columns, geometry=shapes, crs="EPSG:4326")
    return kanon.read_regions(frame.to_json().encode(), filename="squares.geojson")


@pytest.mark.parametrize("shapes", [True, False])
def test_no_count_of_an_area_in_company_leaves(shapes):
    counts = np.random.default_rng(6).integers(10_007, 99_991, 49)
    counts[3] = 400_009  # a group of its own
    regions = squares(counts)
    if not shapes:
        regions = kanon.Regions(regions.ids, regions.weights, regions.edges)
    g = kanon.generalize(regions, 200_000, "tree-split")
    alone = np.bincount(g.assignment)[g.assignment] == 1
    assert alone.any()
    found = published(regions, g, codes_are_public=True)
    assert {output.key for output in found} == ({"shapes", "groups", "picture"} if shapes else {"groups", "picture"})
    assert {output.key for output in published(regions, g)} == {"groups"}
    for output in found:
        numbers, texts = numbers_and_texts(output)
        assert not set(numbers) & set(counts[~alone].tolist()), output.label
        assert not any(regions.digest in text for text in texts), output.label
        assert f"{alone.sum()} of {g.classes} groups" in output.contents
        assert set(counts[alone].tolist()) <= set(numbers)  # public by construction, as the sentence says


def test_exact_borders_leave_only_where_codes_are_said_to_be_public():
    row = squares(np.full(49, 10))
    regions = kanon.Regions(row.ids, row.weights, row.edges, geometry=row.geometry.translate(0.123, 0.123))
    g = kanon.generalize(regions, 50, "tree-split")
    made = {said: outputs(regions, g, codes_are_public=said) for said in (None, False, True)}
    shapes = {said: next(one for one in files if one.ending == "groups.geojson") for said, files in made.items()}
    assert [shapes[said].publishable for said in made] == [False, True, True]
    assert "--codes-are-public" in shapes[None].contents
    own = shapely.get_coordinates(regions.geometry.to_numpy()).ravel()
    assert len(near(numbers_and_texts(shapes[True])[0], own, 1e-9)) > 0
    assert near(numbers_and_texts(shapes[False])[0], own, 1e-9).tolist() == []
    assert "grid squares" in shapes[False].contents


def test_a_group_with_one_inhabited_area_is_told():
    line = kanon.Regions(list("abcd"), [7, 0, 5, 4], [(0, 1), (1, 2), (2, 3)])
    g = kanon.generalize(line, 7, "tree-split")
    assert sorted(g.class_weights.tolist()) == [7, 9]
    assert single_items(line, g) == 1
    one = next(output for output in outputs(line, g) if output.key == "groups")
    assert (
        "1 of 2 groups has only one area, or only one area with records. The count of such a group is the count of "
        "this one area."
    ) in one.contents
    rest = kanon.Regions(list("abcd"), [4, 3, 5, 4], [(0, 1), (1, 2), (2, 3)])
    files = outputs(rest, kanon.generalize(rest, 7, "tree-split"))
    assert "Every group has at least two areas" in next(file.contents for file in files if file.key == "groups")


def some_people():
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "name": [f"Person {n}" for n in range(400)],
            "height": rng.normal(170, 9, 400).round(2),
            "salary": rng.integers(20_000, 90_000, 400) * 7 + 3,
            "town": rng.choice(["Oslo", "Rome", "Bonn", "Wien"], 400),
            "illness": rng.choice(["flu", "gout"], 400),
            "note": [f"remark {n}" for n in range(400)],
        }
    )
    frame.loc[0, "height"] = 231.37
    return frame


@pytest.mark.parametrize(
    ("algorithm", "options"), [("hill-climb", {}), ("k-optimize", {"suppression_limit": 3}), ("cell-suppression", {})]
)
def test_no_raw_value_and_no_unnamed_column_of_a_table_leaves(algorithm, options):
    frame = some_people()
    quasi = ["town", "illness"] if algorithm == "cell-suppression" else ["height", "salary", "town"]
    table = kanon.read_table(
        frame.to_csv(index=False).encode(), quasi, identifiers=["note"], keep=["illness"][: len(quasi) - 2]
    )
    g = kanon.generalize(table, 40, algorithm, time_limit=2, **options)
    found = published(table, g)
    assert {output.key for output in found} >= {"release", "groups", "picture"}
    for output in found:
        numbers, texts = numbers_and_texts(output)
        for column in ("height", "salary"):
            counted = frame[column].value_counts()
            alone = counted[counted == 1].index.to_numpy(dtype=float)
            assert near(numbers, alone, 1e-9).tolist() == [], (output.label, column)
        assert not any("Person" in text or "remark" in text or table.digest in text for text in texts), output.label
        assert not any(text in ("name", "note") for text in texts), output.label
    release = next(output for output in found if output.key == "release")
    assert "and unchanged: illness" in release.contents or algorithm == "cell-suppression"
    internal = next(output for output in outputs(table, g) if output.key == "crosswalk")
    assert "Internal" in internal.contents


def test_the_rows_of_a_release_have_an_order_of_their_own():
    frame = some_people()
    texts = []
    for seed in (None, 3):
        rows = frame if seed is None else frame.sample(frac=1, random_state=seed)
        table = kanon.read_table(rows.to_csv(index=False).encode(), ["salary", "town"], keep=["illness"])
        g = kanon.generalize(table, 40, "hill-climb", seed=1)
        texts.append(next(output.make() for output in outputs(table, g) if output.key == "release"))
    assert texts[0] == texts[1]


def test_intervals_value_by_value_stay_inside():
    frame = some_people()
    table = kanon.read_table(frame.to_csv(index=False).encode(), ["salary", "town"])
    files = {output.key: output for output in outputs(table, kanon.generalize(table, 40, "hill-climb"))}
    assert not files["intervals"].publishable
    assert "Internal" in files["intervals"].contents
    assert len(near(numbers_and_texts(files["intervals"])[0], frame["salary"].to_numpy(float), 0)) == 400


def test_a_relaxed_result_leaves_as_nothing_but_its_certificate():
    labels = kanon.Labels("abcdef", [5, 5, 5, 5, 5, 9])
    g = kanon.generalize(labels, 10, "relaxed-scheme", epsilon=0.9)
    assert [output.key for output in outputs(labels, g)] == ["certificate"]


def test_internal_files_say_so():
    labels = some_labels()
    files = {output.key: output for output in outputs(labels, kanon.generalize(labels, 60_000, "fold"))}
    assert not files["crosswalk"].publishable
    assert files["crosswalk"].contents.startswith("The group of each")
    assert all("Internal" in files[key].contents for key in ("crosswalk", "certificate"))


SECOND = {"homes": [10_007, 20_011, 30_011, 40_009, 50_021, 60_013, 70_001, 80_021, 90_001, 10_009, 20_021, 30_013]}


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("family", ["regions", "rectangles", "labels"])
def test_no_second_count_leaves(family):
    """Neither of an item nor of a group: a release tells the groups' weights alone."""
    tens = [10] * 12
    instance, options = {
        "regions": (lambda: kanon.Regions(range(12), tens, [(i, i + 1) for i in range(11)], columns=SECOND), {}),
        "rectangles": (
            lambda: kanon.Points([(i % 4, i // 4) for i in range(12)], tens, columns=SECOND),
            {"snap": 0.5},
        ),
        "labels": (lambda: kanon.Labels("abcdefghijkl", tens, columns=SECOND), {}),
    }[family]
    made = instance()
    g = kanon.generalize(made, 20, require=kanon.Minimum("homes", 60_000), **options)
    sums = np.bincount(g.assignment, weights=SECOND["homes"])
    found = published(made, g)
    assert {output.key for output in found} >= {"groups", "picture"} - ({"picture"} if family == "regions" else set())
    for output in found:
        numbers, texts = numbers_and_texts(output)
        assert near(numbers, np.array([*SECOND["homes"], *sums, 60_000]), 0.5).tolist() == [], output.label
        assert not any("homes" in text for text in texts), output.label


def test_every_file_is_made_in_one_place():
    """No page and no command makes a release by itself, and no table is written past the guard against formulas."""
    makers = re.compile(r"\.to_csv\(|\.to_excel\(|\.to_file\(|crosswalk_frame\(|shapes_frame\(|to_html\(")
    allowed = {"release/", "/release.py", "regions/package.py", "kanon_engine/plot/export.py", "io/worker.py"}
    allowed |= {"teaching/studies/recoding.py"}  # what another program is given and gives back
    allowed |= {"report/bundle.py", "rectangles/print_picture.py"}  # the internal crosswalk; what is drawn
    for folder in ("kanon_engine", "pages"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not any(place in path.as_posix() for place in allowed):
                assert makers.search(path.read_text("utf-8")) is None, path


def test_groups_of_every_sample_family_count_what_they_say():
    labels = some_labels()
    g = kanon.generalize(labels, 60_000, "spread")
    text = next(output.make() for output in publication.outputs(labels, g) if output.key == "groups")
    pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(text)), groups_frame(labels, g), check_dtype=False)


def test_text_that_a_spreadsheet_would_run_is_escaped_or_refused():
    names = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "plain", "-5", "−5"]
    frame = pd.DataFrame({"town": names * 4, "=head": [-1.5, 2] * 16, "loss": [-7] * 32})
    table = kanon.read_table(frame.to_csv(index=False).encode(), ["town"], keep=["=head", "loss"])
    g = kanon.generalize(table, 4, "cell-suppression")
    content = next(output.make() for output in outputs(table, g) if output.key == "release")
    back = pd.read_csv(io.BytesIO(content), dtype=str)
    assert list(back.columns) == ["town", "'=head", "loss"]
    starts = {text[0] for text in [*back.columns, *back["town"]] if text != "-5"}
    assert not starts & set("=+-@\t\r\n")
    assert set(back["loss"]) == {"-7"}
    assert set(back["'=head"]) == {"-1.5", "2.0"}
    assert {"'=cmd|' /C calc'!A0", "plain", "-5"} <= set(back["town"])
    refused = next(output for output in outputs(table, g, formulas="refuse") if output.key == "release")
    with pytest.raises(kanon.InvalidInput, match=f"a spreadsheet may {RUN_IT_AS_A_FORMULA}"):
        refused.make()
    with pytest.raises(kanon.InvalidInput, match="choose one of escape, refuse"):
        next(output for output in outputs(table, g, formulas="keep") if output.key == "release").make()
