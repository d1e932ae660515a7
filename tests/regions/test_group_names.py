"""Names of groups: what they tell, that no two are alike, and who keeps a given one."""

from __future__ import annotations

import re
import zipfile
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.regions.group_names import (
    CustomName,
    custom_name,
    group_names,
    places_of,
    read_custom_names,
    retained_names,
)
from kanon_engine.regions.package import county_source
from tests.cli.command import kanon as command
from tests.cli.command import refused
from tests.regions.grids import grid
from tests.sentences import COUNTY_IN_THE_DATA

SAMPLES = Path(__file__).parents[2] / "sample_data"
PLACES = ("Barre", "Burlington", "Stowe")


def line(weights, names=None, ids=None, counties=None):
    count, edges = len(weights), [(i, i + 1) for i in range(len(weights) - 1)]
    return kanon.Regions(ids or range(count), weights, edges, names=names, counties=counties)


def some_map(rng):
    """Up to eight areas with places, some of them without records, and two groupings."""
    count = int(rng.integers(1, 9))
    ids = [f"{code:05d}" for code in rng.choice(99_999, count, replace=False)]
    names = [f"{PLACES[place]} {code}" for place, code in zip(rng.integers(0, 3, count), ids, strict=True)]
    regions = line(rng.integers(0, 5, count), names, ids)
    groupings = [np.unique(rng.integers(0, count, count), return_inverse=True)[1] for _ in range(2)]
    return regions, *groupings


@pytest.fixture(scope="module")
def connecticut():
    return kanon.read_regions(SAMPLES / "ct_zcta2010.zip")


@pytest.mark.parametrize("seed", range(40))
def test_no_two_names_are_alike_and_each_tells_the_truth(seed):
    rng = np.random.default_rng(seed)
    regions, assignment, _ = some_map(rng)
    names = group_names(regions, assignment, codes_are_public=True)
    assert len({name.casefold() for name in names}) == len(names) == assignment.max() + 1
    assert names == group_names(regions, assignment, codes_are_public=True)
    places = np.array(places_of(regions))
    for number, name in enumerate(names):
        inside = assignment == number
        records = {place: regions.weights[inside & (places == place)].sum() for place in set(places[inside])}
        first, _, more = name.partition(" + ")
        place, _, code = first.partition(" ")
        assert records[place] == max(records.values())
        assert int(more.split(" ")[0] or 0) == len(records) - 1
        if code.isdecimal():
            assert code == min(regions.ids[inside & (places == place)])


@pytest.mark.parametrize("seed", range(40))
def test_given_names_are_matched_so_that_most_records_keep_theirs(seed):
    """Against all ways to give each name to one group that holds most of it, and against networkx."""
    rng = np.random.default_rng(1_000 + seed)
    regions, before, after = some_map(rng)
    given = [custom_name(regions, np.flatnonzero(before == number), f"N{number}") for number in range(before.max() + 1)]
    kept = retained_names(regions, after, given)
    overlap = {}
    for place, one in enumerate(given):
        counted = one.records if sum(one.records.values()) else dict.fromkeys(one.records, 1)
        for number in range(after.max() + 1):
            held = sum(counted[area] for area, own in zip(regions.ids, after, strict=True)
                       if own == number and area in counted)  # fmt: skip
            if 2 * held > sum(counted.values()):
                overlap[place, number] = held
    got = sum(overlap[int(name[1:]), number] for number, name in kept.items())
    assert len(set(kept.values())) == len(kept)
    ways = (
        way
        for size in range(len(overlap) + 1)
        for way in combinations(overlap, size)
        if len({one for one, _ in way}) == len({other for _, other in way}) == size
    )
    assert got == max(sum(overlap[pair] for pair in way) for way in ways)
    graph = nx.Graph()
    graph.add_weighted_edges_from((("old", one), ("new", other), held) for (one, other), held in overlap.items())
    matching = nx.max_weight_matching(graph)
    assert got == sum(graph.edges[pair]["weight"] for pair in matching)


@pytest.mark.thorough
def test_a_group_that_holds_most_of_a_named_one_keeps_its_name(connecticut):
    regions = connecticut
    g = kanon.generalize(regions, 20_001, "tree-split")
    named = [custom_name(regions, np.flatnonzero(g.assignment == number), f"District {number}") for number in range(40)]
    same = group_names(regions, g.assignment, codes_are_public=True, given=named)
    assert same[:40] == [f"District {number}" for number in range(40)]
    larger = kanon.generalize(regions, 25_000, "tree-split")
    kept = retained_names(regions, larger.assignment, named)
    assert 10 < len(kept) < 40
    for number, name in kept.items():
        was = g.assignment == int(name.split()[1])
        both = regions.weights[was & (larger.assignment == number)].sum()
        assert 2 * both > regions.weights[was].sum()
    names = group_names(regions, larger.assignment, codes_are_public=True, given=named)
    assert len(set(names)) == larger.classes
    assert all(names[number] == name for number, name in kept.items())


def test_a_name_outlives_a_year_in_which_codes_changed():
    before = line([5, 6, 7, 8], ids=["a", "b", "c", "d"])
    named = [custom_name(before, np.array([0, 1]), "West")]
    after = line([50, 1, 7, 8], ids=["a", "x", "c", "d"])  # b is gone: most of West went with it
    assert retained_names(after, np.array([0, 0, 1, 1]), named) == {}
    again = line([50, 1, 7, 8], ids=["b", "x", "c", "d"])
    assert retained_names(again, np.array([1, 0, 0, 1]), named) == {1: "West"}


def test_names_of_connecticut(connecticut):
    g = kanon.generalize(connecticut, 20_001, "tree-split")
    names = group_names(connecticut, g.assignment, codes_are_public=True)
    assert "Bridgeport 06604" in names  # not the only group of that place alone
    assert "Torrington + 5" in names
    assert len(set(names)) == g.classes
    numbered = group_names(connecticut, g.assignment, codes_are_public=False)
    assert numbered == [f"Group {number}" for number in range(1, g.classes + 1)]


def test_the_county_with_most_records_names_a_group():
    regions = line([1, 2, 3, 4, 5], names=["A", "B", "C", "D", "E"])
    counties = ["Essex", "Essex", "Orange", "Orange", None]

    def told(*groups, **more):
        return group_names(regions, np.array(groups), codes_are_public=True, counties=counties, **more)

    assert told(0, 0, 1, 1, 2) == ["Essex", "Orange", "E"]  # nobody knows the county of the last one
    assert told(0, 0, 0, 0, 1) == ["Orange + 1", "E"]
    assert told(0, 0, 1, 1, 1) == ["Essex", "Orange"]
    assert told(0, 1, 2, 2, 2) == ["Essex: A", "Essex: B", "Orange"]
    west = custom_name(regions, np.array([1]), "essex")
    assert told(0, 1, 2, 2, 2, given=[west]) == ["Essex: A", "essex", "Orange"]
    with pytest.raises(InvalidInput, match="The list of counties has 1 entries for 5 areas"):
        group_names(regions, np.zeros(5, dtype=int), codes_are_public=True, counties=["Essex"])


@pytest.mark.parametrize("seed", range(20))
def test_names_after_counties_are_true_and_no_two_alike(seed):
    rng = np.random.default_rng(seed)
    regions, assignment, _ = some_map(rng)
    counties = np.array(["", "Essex", "Orange"], dtype=object)[rng.integers(0, 3, len(regions))]
    names = group_names(regions, assignment, codes_are_public=True, counties=counties)
    assert len({name.casefold() for name in names}) == len(names)
    for number, name in enumerate(names):
        inside = (assignment == number) & (counties != "")
        records = {county: regions.weights[inside & (counties == county)].sum() for county in {*counties[inside]}}
        if records:
            told = re.match("Essex|Orange", name)[0]
            assert records[told] == max(records.values())
            if ":" not in name and "(" not in name:
                assert name == told + (" + 1" if len(records) == 2 else "")


def test_the_counties_of_zip_codes_are_known(connecticut):
    counties = dict(zip(connecticut.ids.tolist(), connecticut.counties.tolist(), strict=True))
    assert (counties["06604"], counties["06510"], counties["06103"]) == ("Fairfield", "New Haven", "Hartford")
    named = {*counties.values()} - {""}  # nobody lives in some of them
    assert " ".join(sorted(named)) == "Fairfield Hartford Litchfield Middlesex New Haven New London Tolland Windham"
    g = kanon.generalize(connecticut, 400_000, "tree-split")
    names = group_names(connecticut, g.assignment, codes_are_public=True, counties=connecticut.counties)
    assert any(name.startswith("Fairfield") for name in names)
    assert len({*names}) == g.classes


def test_the_column_of_counties_is_found_kept_and_named_after(tmp_path):
    frame = grid(2, 4).assign(COUNTYFP10=["001", "001", "003", "003"] * 2, County=["Ash", "Ash", "Elm", None] * 2)
    path = tmp_path / "zips.geojson"
    path.write_bytes(frame.to_json().encode())
    regions = kanon.read_regions(path)
    assert regions.reading["county"] == "County"
    assert regions.counties.tolist() == ["Ash", "Ash", "Elm", ""] * 2
    coded = kanon.read_regions(path, county="COUNTYFP10")
    assert coded.counties.tolist() == ["001", "001", "003", "003"] * 2
    total = int(frame["population"].sum())
    done = command("regions", path, "-k", total, "--codes-are-public", "--named-after", "county",
                   "--package", tmp_path / "a.zip", "--certificate", tmp_path / "c.json")  # fmt: skip
    assert done.exit_code == 0, done.output
    with zipfile.ZipFile(tmp_path / "a.zip") as files:
        held = {name: regions.weights[regions.counties == name].sum() for name in ("Ash", "Elm")}
        assert f"1,{max(held, key=held.get)} + 1," in files.read("groups.csv").decode()
        words = " ".join(files.read("README.txt").decode().split())
    assert "A group is named after the county with the most of the group's people" in words
    assert command("verify", tmp_path / "c.json", path).exit_code == 0
    alone = grid(2, 4).rename(columns={"zip": "id"}).to_json().encode()
    (tmp_path / "none.geojson").write_bytes(alone)
    said = refused(command("regions", tmp_path / "none.geojson", "-k", total, "--codes-are-public", "--named-after",
                           "county", "--package", tmp_path / "b.zip"))  # fmt: skip
    assert "The counties of these areas are not known" in said
    assert "--county" in said


def test_codes_of_counties_are_whole_numbers_and_a_missing_one_is_none(tmp_path):
    frame = grid(1, 4).assign(countyfp=pd.array([9001, 9001, None, 9003], dtype="Int64"))
    frame.to_file(tmp_path / "zips.gpkg")  # which tells whole numbers beside a missing one as 9001.0
    assert kanon.read_regions(tmp_path / "zips.gpkg").counties.tolist() == ["9001", "9001", "", "9003"]
    given = line([1, 2, 3], counties=["Old\ntown", pd.NA, float("nan")])
    assert given.counties.tolist() == ["Old town", "", ""]


def test_who_gave_counties_is_told():
    assert county_source(line([1, 2], counties=["Ash", "Elm"])) == COUNTY_IN_THE_DATA
    regions = kanon.read_regions(b"zip,population\n06604,1\n06510,2\n", edges=b"a,b\n06604,06510\n")
    assert regions.counties.tolist() == ["Fairfield", "New Haven"]
    assert "Census Bureau" in county_source(regions)


def test_names_that_are_alike_are_numbered():
    regions = line([1, 2, 3])
    twice = [CustomName("West", {"0": 1}), CustomName("West", {"2": 3}), CustomName("Group 2", {"1": 2})]
    assert group_names(regions, np.arange(3), codes_are_public=False, given=twice[:2]) == [
        "West",
        "Group 2",
        "West (2)",
    ]
    taken = group_names(regions, np.arange(3)[::-1].copy(), codes_are_public=False, given=[twice[2]])
    assert taken == ["Group 1", "Group 2", "Group 3"]
    clash = group_names(regions, np.array([1, 0, 2]), codes_are_public=False, given=[twice[2]])
    assert clash == ["Group 2", "Group 2 (2)", "Group 3"]


def test_a_name_is_one_line_of_letters():
    regions = line([1, 2])
    assert custom_name(regions, np.array([0]), "a\x00b\n c").name == "a b c"
    for bad in ("", " \n", "x" * 81):
        with pytest.raises(InvalidInput, match="must have 1 to 80 characters"):
            custom_name(regions, np.array([0]), bad)


def test_names_that_look_alike_are_one_name():
    looks = ["Montre\u0301al", "Montr\u00e9al", "Laval\n", "La\u00a0val\u200b"]
    regions = kanon.Regions(list("abcd"), [1, 2, 3, 4], [(0, 1), (1, 2), (2, 3)], names=looks)
    assert places_of(regions) == ["Montr\u00e9al", "Montr\u00e9al", "Laval", "La val"]
    assert group_names(regions, np.array([0, 1, 2, 2]), codes_are_public=True) == [
        "Montr\u00e9al a",
        "Montr\u00e9al b",
        "La val + 1",
    ]


def test_names_from_a_file():
    regions = line([5, 9, 1], ids=["01001", "01002", "01003"])
    rows = read_custom_names(regions, b"name,id,weight\nWest,1001,4\nWest,1002,3\nGone,99999,7\n")
    assert rows == (CustomName("West", {"01001": 4, "01002": 3}), CustomName("Gone", {"99999": 7}))
    for bad in (b"West\n", b"West,1001,many\n", b"West,1001,1,2\n"):
        with pytest.raises(InvalidInput, match="Line 1 of the group names"):
            read_custom_names(regions, bad)
        with pytest.raises(InvalidInput, match="Line 2 of the group names"):
            read_custom_names(regions, b"Name,ID\n" + bad)
    assert read_custom_names(regions, [["West", 1001]]) == (CustomName("West", {"01001": 5}),)
