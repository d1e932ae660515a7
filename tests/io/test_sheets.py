"""The sheets of workbooks: chosen, guessed and named by every reader, and read again from a certificate."""

from __future__ import annotations

import io
from dataclasses import replace
from itertools import pairwise

import openpyxl
import pytest

import kanon_engine as kanon
from kanon_engine.cli.reading import read_again
from kanon_engine.errors import InvalidInput
from kanon_engine.io.preview import sheets_of
from kanon_engine.io.source import Source
from kanon_engine.io.workbook import MOST_NAMED
from kanon_engine.model.known import FAMILIES
from kanon_engine.regions.read import match_codes
from kanon_engine.tables.read_columns import columns_frame
from tests.cli.command import kanon as command
from tests.regions.grids import grid
from tests.sentences import WORKBOOK_ALSO_HAS

TITLE = [["Patients by town"], [], ["Source: the state"], ["Contact: the office"]]
NOTES = [["Author", "Someone"], ["Made on", "Monday"], ["For", "the office"]]
NAMES = [["name", "births"], ["Ada", 30], ["Bo", 20], ["Cy", 44]]
PEOPLE = [["age", "sex"], *([age, "f" if age % 2 else "m"] for age in range(20, 40))]
PLACES = [["lon", "lat", "people"], [-71.5, 43.5, 6], [-71.4, 43.6, 9], [-71.2, 43.1, 5]]
ZIPS = grid(3, 4)["zip"].tolist()
COUNTS = [["zip", "patients"], *([code, 5 + place] for place, code in enumerate(ZIPS))]
SHAPES = grid(3, 4).drop(columns="population").to_json().encode()


def workbook(**sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


READ = {  # the reader, its second sheet, and what else it needs
    "labels": (kanon.read_labels, NAMES, {}),
    "rectangles": (kanon.read_points, PLACES, {}),
    "tables": (kanon.read_table, PEOPLE, {"quasi_identifiers": ["age", "sex"]}),
    "clusters": (kanon.read_records, PEOPLE, {"columns": ["age"]}),
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("family", READ)
def test_the_second_sheet_is_read_by_guess_by_name_and_by_number(family) -> None:
    reader, rows, options = READ[family]
    more = [rows[0], *rows[1:3]]
    book = workbook(Title=TITLE, Data=rows, Old=more)
    alone = reader(workbook(Data=rows), **options)
    assert "sheet" not in alone.reading
    for sheet in (None, "Data", 2, "2"):
        read = reader(book, **options, sheet=sheet)
        assert read.digest == alone.digest
        assert read.reading["sheet"] == "Data"
        assert f"The sheet “Data” {WORKBOOK_ALSO_HAS} “Title” and “Old”." in read.notes
    assert reader(book, **options, sheet="Old").reading["sheet"] == "Old"
    assert reader(book, **options, sheet="Old").digest != alone.digest
    with pytest.raises(InvalidInput, match="no sheet 'New' in it; the workbook has “Title”, “Data” and “Old”."):
        reader(book, **options, sheet="New", filename="it")
    with pytest.raises(InvalidInput, match="is not a workbook, so it has no sheet 'Data'"):
        reader(b"name,births\nAda,3\n", sheet="Data")
    assert FAMILIES[family].reader.parameter("sheet") is not None


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("family", READ)
def test_a_certificate_reads_its_sheet_again_and_one_without_a_sheet_the_first(family) -> None:
    reader, rows, options = READ[family]
    book, other = workbook(Title=TITLE, Data=rows), workbook(Data=rows, Title=TITLE)
    read = reader(book, **options)
    file = Source.open(book, "it")
    assert read_again(read.reading, file, {}).digest == read.digest
    before = {name: value for name, value in read.reading.items() if name != "sheet"}
    assert read_again(before, Source.open(other, "it"), {}).digest == read.digest
    with pytest.raises(InvalidInput, match="Title"):  # which was read then, whatever fits better
        read_again(before, Source.open(book, "it"), {})


@pytest.mark.usefixtures("here")
def test_named_columns_choose_the_sheet() -> None:
    births, deaths = [["town", "births"], ["A", 4], ["B", 5]], [["town", "deaths"], ["A", 1], ["B", 9]]
    book = workbook(Births=births, Deaths=deaths)
    assert kanon.read_labels(book, "town").reading["sheet"] == "Births"
    assert kanon.read_labels(book, "town", "deaths").reading["sheet"] == "Deaths"
    assert kanon.read_table(book, ["town"], weight="deaths").reading["sheet"] == "Deaths"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("first", [TITLE, NOTES, [], [[], ["only", "a", "row"]], [["Table 1", None], ["name", 1]]])
def test_titles_notes_and_empty_sheets_are_passed_over(first) -> None:
    assert sheets_of(workbook(First=first, Second=NAMES)) == (("First", "Second"), "Second")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "first", [NAMES, PEOPLE, [["ill"], ["flu"], ["flu"], ["cold"]], [["a", "b", "c"], ["x", "y", "z"]]]
)
def test_the_first_table_stays_the_one_that_is_read(first) -> None:
    assert sheets_of(workbook(First=first, Second=PLACES))[1] == "First"
    assert kanon.preview(workbook(First=first, Second=PLACES)).columns.tolist() == first[0]


def test_errors_list_the_other_sheets() -> None:
    book = workbook(Data=[["name", "births"], ["Ada", -3], ["Bo", 4]], Old=NAMES, Notes=NOTES)
    with pytest.raises(InvalidInput) as error:
        kanon.read_labels(book, "name", "births", filename="it.xlsx")
    assert "it.xlsx (sheet “Data”)" in str(error.value)
    assert str(error.value).endswith(", or choose another sheet (“Old” and “Notes”) with the parameter sheet.")
    with pytest.raises(InvalidInput, match=r"Notes”\) is empty; put your table there, or choose another sheet"):
        kanon.read_labels(workbook(Names=NAMES, Notes=[]), sheet="Notes")
    many = workbook(**{f"s{number}": NAMES for number in range(MOST_NAMED + 5)})
    with pytest.raises(InvalidInput, match=r"“s11” and 5 more\."):
        kanon.read_labels(many, sheet="none")
    with pytest.raises(InvalidInput) as error:
        kanon.read_labels(workbook(Only=[["name", "births"], ["Ada", -3]]), "name", "births")
    assert "sheet" not in str(error.value)


def test_a_hidden_sheet_is_not_guessed() -> None:
    book = openpyxl.load_workbook(io.BytesIO(workbook(Kept=PEOPLE, Names=NAMES)))
    book["Kept"].sheet_state = "hidden"
    file = io.BytesIO()
    book.save(file)
    assert sheets_of(file.getvalue())[1] == "Names"


@pytest.mark.usefixtures("here")
def test_a_second_table_and_a_list_of_borders_may_be_sheets() -> None:
    counts = workbook(Title=TITLE, Counts=COUNTS, Old=[COUNTS[0], *([code, 1] for code in ZIPS)])
    regions = kanon.read_regions(SHAPES, counts=counts)
    assert regions.total == sum(count for _, count in COUNTS[1:])
    assert regions.reading["counts_sheet"] == "Counts"
    assert kanon.read_regions(SHAPES, counts=counts, counts_sheet="Old").total == len(ZIPS)
    assert match_codes(SHAPES, counts=counts)["matched"] == len(ZIPS)
    assert match_codes(SHAPES, counts=workbook(Counts=COUNTS, Few=COUNTS[:3]), counts_sheet="Few")["matched"] == 2
    borders = [["a", "b"], *pairwise(ZIPS)]
    book = workbook(Title=TITLE, Borders=borders, Other=borders[:3])
    listed = kanon.read_regions(SHAPES, counts=counts, edges=book)
    assert (listed.reading["edges_sheet"], len(listed.edges)) == ("Borders", len(ZIPS) - 1)
    whole = kanon.read_regions(workbook(Title=TITLE, Borders=borders), counts=counts)
    assert (whole.reading["sheet"], whole.reading["counts_sheet"]) == ("Borders", "Counts")
    for sheet in ("counts_sheet", "edges_sheet"):
        with pytest.raises(InvalidInput, match=r"but there is no (second table|list); give one with the parameter"):
            kanon.read_regions(grid(3, 4).to_json().encode(), **{sheet: "Old"})


@pytest.mark.usefixtures("here")
def test_a_hierarchy_is_the_sheet_that_is_called_like_its_column() -> None:
    sexes = [["m", "any"], ["f", "any"]]
    ages = [[age, "young" if age < 30 else "old"] for age in range(20, 40)]
    book = workbook(sex=sexes, age=ages)
    table = kanon.read_table(workbook(Data=PEOPLE), ["age", "sex"], hierarchies={"age": book, "sex": book})
    assert set(table.trees) == {"age", "sex"}
    assert table.trees["age"].rows[0][1] == "young"
    with pytest.raises(InvalidInput, match="has no sheet 'age' for the hierarchy of this column"):
        kanon.read_table(workbook(Data=PEOPLE), ["age", "sex"], hierarchies={"age": workbook(sex=sexes, more=ages)})


def test_columns_of_a_sheet() -> None:
    book = workbook(People=PEOPLE, Names=NAMES)
    assert columns_frame(book)["column"].tolist() == ["age", "sex"]
    assert columns_frame(book, sheet="Names")["column"].tolist() == ["name", "births"]
    assert kanon.preview(book, sheet=2).columns.tolist() == ["name", "births"]


def test_the_command_line_reads_and_verifies_a_sheet(tmp_path) -> None:
    path, certificate = tmp_path / "book.xlsx", tmp_path / "c.json"
    path.write_bytes(workbook(Title=TITLE, Names=NAMES, Old=[["name", "births"], ["Ada", 7], ["Bo", 8]]))
    done = command("labels", path, "-k", 15, "--algorithm", "fold", "--sheet", "Old", "--certificate", certificate)
    assert done.exit_code == 0, done.output
    assert f"The sheet “Old” {WORKBOOK_ALSO_HAS} “Title” and “Names”." in done.stdout
    assert kanon.Generalization.from_json(certificate.read_bytes()).reading["sheet"] == "Old"
    checked = command("verify", certificate, path)
    assert "checks passed: 1 groups of at least 15 births" in checked.stdout
    refused = command("labels", path, "-k", 15, "--sheet", "New")
    assert refused.exit_code == 1
    assert "There is no sheet 'New' in book.xlsx; the workbook has “Title”, “Names” and “Old”." in refused.stderr
    g = kanon.Generalization.from_json(certificate.read_bytes())
    edited = {**g.reading, "sheet": ["Old"]}
    certificate.write_text(replace(g, reading=edited).sealed().to_json(), "utf-8")
    assert "The sheet of this certificate is not a name; it was edited." in command("verify", certificate, path).stderr
