"""The samples are what sample_data/README.md and catalog.json say they are."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import geopandas as gpd
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.model.known import get_family
from kanon_engine.rectangles.kd_tree import suggested_snap

SAMPLE_DATA = Path(__file__).resolve().parent.parent / "sample_data"
README = (SAMPLE_DATA / "README.md").read_text(encoding="utf-8")
CATALOG = json.loads((SAMPLE_DATA / "catalog.json").read_text(encoding="utf-8"))
FILES = sorted(path.relative_to(SAMPLE_DATA).as_posix() for path in SAMPLE_DATA.rglob("*") if path.is_file())
FILES = [path for path in FILES if not path.endswith(".pyc")]
ANSWERS = [path for path in FILES if path.startswith("answers/")]
OTHERS = ("README.md", "catalog.json", *ANSWERS)
DATA = [path for path in FILES if not path.startswith("make/") and path not in OTHERS]

# key: rows kept, total weight
EXPECTED = {
    "connecticut-zip": (282, 3_574_097),
    "washington-zip": (53, 601_723),
    "california-zip": (1_769, 37_269_815),
    "georgia": (159, 6_478_216),
    "north-carolina-births": (100, 329_962),
    "boston": (506, 2_702_002),
    "new-york": (281, 1_057_673),
    "st-louis": (78, 26_508_682),
    "st-louis-homicides": (78, 2_650),
    "cycle-hire": (742, 742),
    "carshare": (249, 249),
    "us-zip": (32_967, 312_333_739),
    "cross": (5, 46),
    "pinwheel": (9, 10),
    "first-names-women": (4_275, 89_940),
    "first-names-men": (1_219, 90_052),
    "last-names": (18_839, 79_590),
    "adult-coarse": (30_162, 30_162),
    "adult-fine": (30_162, 30_162),
    "adult-occupation": (14, 30_718),
    "adult-native-country": (41, 31_978),
    "cycle-hire-circles": (742, 742),
    "car-sharing": (249, 249),
    "us-zip-circles": (32_967, 32_967),
    "adult-mixed": (2_000, 2_000),
    "figure-1": (5, 5),
}
MADE_UP = {"cross", "pinwheel", "figure-1"}  # a few points that show something
NAMELESS = 83  # tracts of the New York sample
ROOK_BORDERS = {
    "georgia.geojson": 416,
    "north_carolina.geojson": 231,
    "boston_tracts.geojson": 1_338,
    "new_york_tracts.geojson": 768,
    "st_louis.geojson": 199,
}
REAL = [entry for entry in CATALOG if entry["key"] not in MADE_UP]


def entries(family: str) -> list:
    return [pytest.param(entry, id=entry["key"]) for entry in CATALOG if entry["family"] == family]


def read_names(file: str) -> pd.DataFrame:
    return pd.read_csv(SAMPLE_DATA / file, sep=r"\s+", names=["name", "percent", "sum", "rank"], keep_default_na=False)


def test_catalog_lists_every_expected_sample_once():
    keys = [entry["key"] for entry in CATALOG]
    assert sorted(keys) == sorted(EXPECTED)
    assert {entry["file"] for entry in CATALOG} == set(DATA) - {"us_states.geojson", "atlas.npz"}
    first = {}
    for entry in CATALOG:
        first.setdefault(entry["family"], entry["file"])
        assert set(entry) == {"key", "family", "title", "file", "options", "k", "source", "license"}
    assert first["labels"] == "names_1990/dist.female.first"
    assert set(first) == {"regions", "rectangles", "labels", "tables", "clusters"}


@pytest.mark.parametrize("entry", REAL, ids=lambda entry: entry["key"])
def test_starting_k_leaves_several_groups(entry):
    assert EXPECTED[entry["key"]][1] // entry["k"] >= 10


@pytest.mark.parametrize("entry", entries("regions"))
def test_regions(entry):
    options = entry["options"]
    frame = gpd.read_file(SAMPLE_DATA / entry["file"])
    weights = frame[options["weight"]]
    assert (len(frame), weights.sum()) == EXPECTED[entry["key"]]
    assert pd.api.types.is_integer_dtype(weights)
    assert (weights >= 0).all()
    assert pd.api.types.is_string_dtype(frame[options["id"]])
    assert frame[options["id"]].is_unique
    if options["name"] is not None:
        assert pd.api.types.is_string_dtype(frame[options["name"]])
        assert frame[options["name"]].isna().sum() == (NAMELESS if entry["key"] == "new-york" else 0)
    assert frame.crs.to_epsg() == (4269 if entry["file"].endswith(".zip") else 4326)


@pytest.mark.parametrize("file", ROOK_BORDERS)
def test_polygons_are_a_connected_coverage(file):
    areas = gpd.read_file(SAMPLE_DATA / file).geometry.to_numpy()
    assert shapely.is_valid(areas).all()
    assert not shapely.is_empty(areas).any()
    assert shapely.coverage_is_valid(areas)
    left, right = shapely.STRtree(areas).query(areas, predicate="intersects")
    left, right = left[left < right], right[left < right]
    common = shapely.get_dimensions(shapely.intersection(areas[left], areas[right]))
    assert common.max() == 1  # no overlap
    graph = nx.Graph(zip(left[common == 1], right[common == 1], strict=True))
    assert graph.number_of_edges() == ROOK_BORDERS[file]
    assert graph.number_of_nodes() == len(areas)
    assert nx.is_connected(graph)


@pytest.mark.parametrize("entry", entries("rectangles"))
def test_points(entry):
    options = entry["options"]
    frame = pd.read_csv(SAMPLE_DATA / entry["file"], dtype={"zip": str})
    weights = frame[options["weight"]] if options["weight"] else pd.Series(np.ones(len(frame), dtype=int))
    assert (len(frame), weights.sum()) == EXPECTED[entry["key"]]
    assert (weights > 0).all()
    west, south = (-2, -2) if entry["key"] in MADE_UP else (-180, 17)
    assert frame[options["x"]].between(west, 20).all()
    assert frame[options["y"]].between(south, 72).all()
    assert options["id"] is None or frame[options["id"]].is_unique


@pytest.mark.parametrize("entry", entries("clusters"))
def test_records(entry):
    space = kanon.read_records(SAMPLE_DATA / entry["file"], **entry["options"])
    assert (len(space), space.total) == EXPECTED[entry["key"]]
    assert (space.metric, list(space.names)) == (entry["options"]["metric"], entry["options"]["columns"])


def test_zip_codes_keep_leading_zeros_and_lie_in_the_states():
    points = pd.read_csv(SAMPLE_DATA / "zcta_points_2010.csv", dtype={"zip": str})
    assert points.zip.str.fullmatch(r"\d{5}").all()
    assert points.zip.str.startswith("0").any()
    assert points.lon.max() < -60
    assert "75116" not in set(points.zip)
    areas = gpd.read_file(SAMPLE_DATA / "ct_zcta2010.zip").set_index("ZCTA5CE10")
    both = points.set_index("zip").pop10.reindex(areas.index)
    assert both.isna().sum() == 3  # those without people
    assert (both.dropna() == areas.pop10[both.notna()]).all()


@pytest.mark.parametrize("entry", [entry for entry in entries("labels") if "adult" in entry.id])
def test_counts_of_adult(entry):
    options = entry["options"]
    frame = pd.read_csv(SAMPLE_DATA / entry["file"])
    assert list(frame.columns) == [options["label"], options["count"]]
    assert (len(frame), frame[options["count"]].sum()) == EXPECTED[entry["key"]]
    assert frame[options["label"]].is_unique
    assert (frame[options["count"]] > 0).all()
    assert "?" not in set(frame[options["label"]])


@pytest.mark.parametrize("entry", [entry for entry in entries("labels") if "adult" not in entry.id])
def test_names(entry):
    names = read_names(entry["file"])
    counts = (names.percent * 1000).round().astype(int)
    kept = counts[counts > 0]
    assert (len(kept), kept.sum()) == EXPECTED[entry["key"]]
    assert names.name.is_unique
    assert kept.max() < entry["k"]


@pytest.mark.parametrize("entry", entries("tables"))
def test_adult_is_as_the_paper_prepared_it(entry):
    table = kanon.read_table(SAMPLE_DATA / entry["file"], **entry["options"])
    assert (len(table), table.total) == EXPECTED[entry["key"]]
    assert table.frame.shape[1] == 9
    assert not table.frame.isna().any().any()
    assert table.frame["salary"].value_counts().to_dict() == {"<=50K": 22_654, ">50K": 7_508}
    ages, cuts = (15, 99) if entry["key"] == "adult-coarse" else (72, 156)
    assert (len(table.domains[0]), len(table.cut_values)) == (ages, cuts)
    assert table.orders["education"][0] == "Preschool"
    assert table.orders["education"][-1] == "Doctorate"
    assert f"{cuts} cut values" in README


def test_ages_floor_divided_by_five_make_one_range_more():
    entry = next(entry for entry in CATALOG if entry["key"] == "adult-coarse")
    table = kanon.read_table(SAMPLE_DATA / entry["file"], **entry["options"] | {"bins": {"age": 5}})
    assert (len(table.domains[0]), len(table.cut_values)) == (16, 100)
    assert table.domains[0][0] == "15–19"


def test_last_names_rounded_to_zero():
    names = read_names("names_1990/dist.all.last")
    assert len(names) == 88_799
    assert (names.percent == 0).sum() == 69_960


def test_st_louis_population_is_summed_over_years():
    counties = gpd.read_file(SAMPLE_DATA / "st_louis.geojson").set_index("FIPS")
    city = counties.loc["29510"]
    assert city.NAME == "St. Louis City"
    # 396,685 people at the census of 1990, which is in the middle of 1988-93
    assert 5.5 < city.PO8893 / 396_685 < 6.5


def test_background_has_every_state_once():
    states = gpd.read_file(SAMPLE_DATA / "us_states.geojson")
    assert len(states) == 52
    assert states.postal.is_unique
    assert states.name.is_unique
    assert dict(zip(states.postal, states.name, strict=True))["CT"] == "Connecticut"
    assert shapely.coverage_is_valid(states.geometry.to_numpy())
    assert states.total_bounds[2] < 0
    areas = gpd.read_file(SAMPLE_DATA / "ct_zcta2010.zip").to_crs(states.crs).union_all()
    assert states.set_index("postal").geometry["CT"].intersection(areas).area > 0.98 * areas.area


def test_only_the_census_names_have_male_in_their_path():
    assert [path for path in FILES if "male" in path and not path.startswith("names_1990/")] == []
    assert {path for path in FILES if path.startswith("names_1990/")} == {
        f"names_1990/dist.{file}" for file in ("female.first", "male.first", "all.last")
    }


@pytest.mark.parametrize("file", [path for path in FILES if path not in ("README.md", *ANSWERS)])
def test_readme_mentions_every_file(file):
    assert f"`{file}`" in README


@pytest.mark.parametrize("entry", CATALOG, ids=lambda entry: entry["key"])
def test_readme_states_rows_and_totals(entry):
    rows, total = EXPECTED[entry["key"]]
    line = next(
        line
        for line in README.splitlines()
        if line.startswith(f"| `{entry['file']}`") and (entry["options"].get("weight") or "") in line
    )
    assert f"{rows:,}" in line
    assert f"{total:,}" in line


def test_samples_stay_small():
    sizes = {path: (SAMPLE_DATA / path).stat().st_size for path in DATA}
    assert max(size for path, size in sizes.items() if not path.startswith("names_1990/")) < 2_000_000
    assert sizes["us_states.geojson"] < 300_000
    assert sum(sizes.values()) < 10_000_000


def test_every_sample_has_a_stored_answer():
    assert sorted(f"answers/{entry['key']}.json.gz" for entry in CATALOG) == ANSWERS


@pytest.mark.parametrize("entry", CATALOG, ids=lambda entry: entry["key"])
def test_a_stored_answer_is_what_the_default_algorithm_makes_and_stands_the_check(entry):
    stored = gzip.decompress((SAMPLE_DATA / "answers" / f"{entry['key']}.json.gz").read_bytes())
    g, family = kanon.Generalization.from_json(stored), get_family(entry["family"])
    instance = family.reader.function(SAMPLE_DATA / entry["file"], **entry["options"])
    algorithm = family.algorithm(None)
    defaults = {option.name: option.default for option in algorithm.options}
    if entry["family"] == "rectangles":  # the page suggests a grid for their sides
        defaults["snap"] = suggested_snap(instance, entry["k"])
    assert (g.k, g.algorithm, g.options, g.seed) == (entry["k"], algorithm.name, defaults, 0)
    kanon.verify(instance, g)
    if g.seconds < 1:
        again = kanon.generalize(instance, g.k, **g.options)
        assert (again.cost, again.lower_bound) == (g.cost, g.lower_bound)
        assert (again.assignment == g.assignment).all()
