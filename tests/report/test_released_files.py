"""One list of files: what the report shows, what the bundle holds and what is written are the same byte for byte."""

import csv
import io
from functools import cache

import geopandas
import numpy as np
import pandas as pd
import pytest
import shapely
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import kanon_engine as kanon
from kanon_engine.project.recipe import Leaving, reviewed, with_earlier
from kanon_engine.release.formats import archive, unpacked
from kanon_engine.release.reread import ReleasedFile
from kanon_engine.report import bundle as bundling
from kanon_engine.report.assemble import review
from kanon_engine.report.contents import HEADING, LONGEST_CELL, MOST_COLUMNS, MOST_ROWS, data_section
from kanon_engine.report.members import members_of
from kanon_engine.report.parts import Grid
from kanon_engine.risk.attacks.knowledge import Knowledge
from tests.sentences import NOT_A_ZIP

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
DATE = {"date": "2026-11-01"}
PEOPLE = pd.DataFrame(
    {"age": [31, 30, 30, 44, 45, 41] * 4, "sex": list("fmmfmf") * 4, "illness": ["flu", "=1+1", "cold", "gout"] * 6}
)


@cache
def areas():
    """Six squares in a row with second counts."""
    squares = geopandas.GeoSeries([shapely.box(place, 0, place + 1, 1) for place in range(6)], crs=32618)
    line = kanon.Regions(
        [f"0660{place}" for place in range(6)], [30, 20, 25, 40, 22, 31], [(at, at + 1) for at in range(5)], squares,
        columns={"cases": [11, 12, 13, 20, 14, 15], "deaths": [12, 11, 20, 30, 13, 12]}, unit="people",
    )  # fmt: skip
    return line, kanon.generalize(line, 50, "tree-split")


@cache
def points():
    made = kanon.Points(np.random.default_rng(1).uniform(0, 10, (60, 2)))
    return made, kanon.generalize(made, 11, "kd-tree", snap=0.5)


@cache
def labels(names=None):
    made = kanon.Labels(["flu", "cold", "gout", "-x"], [15, 12, 11, 3], **({"class_names": names} if names else {}))
    return made, kanon.generalize(made, 11, "fold")


@cache
def table():
    made = kanon.read_table(PEOPLE, quasi_identifiers=["age", "sex"], keep=["illness"])
    return made, kanon.generalize(made, 3, "k-optimize")


@cache
def clusters():
    made = kanon.MetricSpace(np.random.default_rng(2).uniform(0, 10, (24, 2)), frame=PEOPLE[["illness"]])
    return made, kanon.generalize(made, 5, "gather")


CASES = {
    "areas": (areas, Leaving(("csv", "parquet", "xlsx", "gpkg", "geojson"))),
    "areas in public": (areas, Leaving(("gpkg", "csv"), codes_are_public=True)),
    "package": (areas, Leaving(package=DATE)),
    "package in public": (areas, Leaving(codes_are_public=True, package=DATE | {"title": "Zip codes"})),
    "package with sums": (areas, Leaving(keep=("cases", "deaths"), codes_are_public=True, package=DATE)),
    "package with rates": (
        areas, Leaving(keep=("cases", "deaths"), package=DATE | {"rates": ["cases/people", "deaths/cases"]})
    ),
    "points": (points, Leaving(("csv", "gpkg", "geojson"))),
    "labels": (labels, Leaving(("csv", "parquet", "xlsx"))),
    "named labels": (lambda: labels("largest"), Leaving()),
    "table": (table, Leaving(("csv", "parquet", "xlsx"), sensitive=("illness",))),
    "clusters": (clusters, Leaving(("csv", "parquet"))),
}  # fmt: skip


@cache
def made(case):
    (instance, g), leaving = CASES[case][0](), CASES[case][1]
    return instance, g, leaving, review(instance, g, leaving=leaving, rules=())


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("case", CASES)
def test_section_bundle_and_written_files_are_equal_byte_for_byte(case, monkeypatch):
    instance, g, leaving, found = made(case)
    written = leaving.files(instance, g, None)
    monkeypatch.setattr(bundling, "reports", lambda review: (b"page", b"pdf"))
    members = members_of(bundling.bundle(found, key=KEY))
    bundled = {name.removeprefix("release/"): own for name, own in members.items() if name.startswith("release/")}
    assert bundled == written == dict(found.files)
    section = next(part for part in data_section(found).parts if part.heading == HEADING)
    listing, *tables = [part for part in section.parts if isinstance(part, Grid)]
    assert [row[0].words for row in listing.rows] == list(written)
    assert [row[2].words for row in listing.rows] == [bundling.listed(content)[0] for content in written.values()]
    for row, content in zip(listing.rows, written.values(), strict=True):
        file = ReleasedFile(row[0].words, content)
        if file.table is None:
            assert row[1].words == f"{len(content):,} bytes"
            continue
        assert row[1].words.startswith(f"{len(file.table):,} row")
        grid = next(one for one in tables if f"“{file.name}”" in one.caption)
        assert [column.title for column in grid.columns] == list(map(str, file.table.columns[:MOST_COLUMNS]))
        if file.ending == "csv":
            head, *rows = csv.reader(io.StringIO(content.decode(), newline=""))
            assert len(rows) == len(file.table)
            assert head == list(file.table.columns)
            told = [[cell.words for cell in cells] for cells in grid.rows]
            if "overfull_ratio" in head[:MOST_COLUMNS]:
                place = head.index("overfull_ratio")
                assert all(len(cells[place]) <= len("12.3456") for cells in told)
                for cells, written_cells in zip(told, rows, strict=False):
                    assert float(cells[place]) == round(float(written_cells[place]), 4)
                    cells[place] = written_cells[place]
            assert told == [cells[:MOST_COLUMNS] for cells in rows[:MOST_ROWS]]
            assert all(len(cell) <= LONGEST_CELL for cells in told for cell in cells)


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("case", CASES)
def test_rules_and_attacks_work_on_the_columns_of_the_files(case):
    instance, _, leaving, found = made(case)
    first = next(file for name, own in found.files.items() if (file := ReleasedFile(name, own)).table is not None)
    if case == "clusters":  # one by one, which tells more than the file
        assert len(found.released.frame) == len(instance)
        return
    shown = [name.removeprefix("'") for name in first.table.columns]
    assert list(found.released.frame.columns) == shown
    assert len(found.released.frame) == len(first.table)
    assert [role.column for role in found.roles if role.released != "nothing"] == shown
    known = {*found.released.quasi_identifiers, *found.released.sensitive, *found.released.sums}
    assert found.released.sums == leaving.keep
    assert known | {found.released.counts, *found.released.derived, *found.released.kept} - {None} >= set(shown)


@pytest.mark.thorough
def test_a_published_package_is_reviewed_as_it_is():
    instance, g, leaving, found = made("package with sums")
    content = archive(found.files)
    read, files, other = reviewed(instance, g, content, "ours.zip")
    assert (files, other) == (dict(found.files), ())
    assert (read.keep, read.package["date"], read.codes_are_public) == (leaving.keep, "2026-11-01", True)
    again = review(instance, g, leaving=read, files=files, rules=())
    assert again.released.frame.equals(found.released.frame)
    assert again.released.frame["cases"].sum() == sum(instance.columns["cases"])
    older = found.files | {"README.txt": found.files["README.txt"].replace(b"By kanon", b"By older kanon")}
    assert reviewed(instance, g, archive(older), "ours.zip")[2] == ("README.txt",)


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"groups.csv": (b"cases", b"ill")}, "has a column “ill”, but these areas have no such count"),
        ({"groups.csv": (b"\n1,", b"\n7,")}, "row 1 of “group” does not match the result|content does not match"),
        ({"codes.csv": (b"06600", b"06699")}, "does not match the result"),
        ({"README.txt": (b"Date: ", b"Made: ")}, "has no date"),
        ({"README.txt": (b"=", b"-")}, "in the form that kanon writes"),
        ({"notes.txt": None}, "“notes.txt” does not belong in a package"),
    ],
)
def test_a_package_of_something_else_is_refused(change, words):
    instance, g, _, found = made("package with sums")
    files = dict(found.files)
    for name, pair in change.items():
        files[name] = b"" if pair is None else files[name].replace(*pair)
    with pytest.raises(kanon.KanonError, match=words):
        reviewed(instance, g, archive(files), "ours.zip")
    with pytest.raises(kanon.InvalidInput, match=NOT_A_ZIP):
        unpacked(b"PK", "ours.zip")


def test_packages_that_were_published_before_are_what_attackers_have():
    instance, g, _, _ = made("package with sums")
    other = kanon.generalize(instance, 70, "exact")
    package = Leaving(keep=("cases",), codes_are_public=True, package=DATE).files(instance, other, None)
    known = with_earlier(Knowledge(), instance, g, archive(package), "last year.zip")
    assert known.totals[0].classes.tolist() == other.assignment.tolist()
    released = known.others[0]
    sums = np.bincount(other.assignment, weights=instance.columns["cases"])
    assert (released.sums, released.frame["cases"].tolist()) == (("cases",), sums.tolist())
    held = {number: set(codes) for number, codes in released.meanings["group"].items()}
    assert held == {c + 1: set(instance.ids[other.assignment == c]) for c in range(other.classes)}
    found = review(instance, g, knowledge=known, rules=())
    told = {one.attack: one for one in found.attacks}
    apart = other.assignment * 100 + g.assignment
    light = [np.unique(apart, return_inverse=True)[1], instance.weights]
    assert (told["differencing"].verdict == "does not survive") == bool((np.bincount(*light) < g.k).any())
    assert told["composition"].verdict == "not run"


def test_a_package_of_other_counts_or_without_codes_is_not_compared():
    instance, g, _, found = made("package with sums")
    for files, words in (
        (made("package")[3].files, "does not list the codes of its groups"),
        (found.files | {"codes.csv": b"group,name,code\n1,x,99999\n"}, "lists “99999” in group 1"),
        (found.files | {"codes.csv": b"group,name,code\n"}, "and these data have different counts: group 1 has"),
    ):
        with pytest.raises(kanon.InvalidInput, match=words):
            with_earlier(Knowledge(), instance, g, archive(files), "q.zip")


def test_columns_that_the_result_keeps_are_judged_whatever_else_is_named():
    made = kanon.read_table(PEOPLE.assign(days=range(24)), quasi_identifiers=["age", "sex"], keep=["illness", "days"])
    g = kanon.generalize(made, 3, "k-optimize")
    leaving = Leaving(keep=("illness",), sensitive=("illness",))
    released = leaving.released(made, g, None, leaving.files(made, g, None))
    assert released.derived == ()
    assert sorted(released.frame["days"]) == list(range(24))
