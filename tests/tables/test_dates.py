"""Dates in every format, units, ages in ranges and codes: ordered as a person means them, and read so again."""

import datetime
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.cli.reading import read_again
from kanon_engine.io.ordered import ordered_cells
from kanon_engine.records import count
from kanon_engine.records import release as pushed
from kanon_engine.tables.release import released_frame
from tests.cli.command import kanon as command
from tests.sentences import DAY_OR_MONTH_FIRST, HAS_A_NAME_THAT_SUGGESTS

WAYS = {
    "yyyy-mm-dd": "%Y-%m-%d",
    "dd.mm.yyyy": "%d.%m.%Y",
    "dd/mm/yyyy": "%d/%m/%Y",
    "mm/dd/yyyy": "%m/%d/%Y",
    "dd-Mon-yyyy": "%d-%b-%Y",
    "yyyymmdd": "%Y%m%d",
    "yyyy/mm/dd": "%Y/%m/%d",
}
QUASI = ["birth_date", "sex"]


def births(rows=150):
    rng = np.random.default_rng(11)
    days = pd.Timestamp("1926-01-01") + pd.to_timedelta(rng.integers(0, 90 * 365, rows), unit="D")
    return days, rng.choice(["f", "m"], rows)


def file_in(way, rows=150):
    days, sex = births(rows)
    if way == "Excel":
        return pd.DataFrame({"birth_date": (days - pd.Timestamp("1899-12-30")).days, "sex": sex})
    return pd.DataFrame({"birth_date": days.strftime(WAYS[way]), "sex": sex})


def partition(table, k=5):
    g = kanon.generalize(table, k, "mondrian")
    return g.assignment.tolist(), g


def groups(table, g):
    """The values of the records of each group."""
    cells = zip(*(table.frame[name] for name in QUASI), g.assignment.tolist(), strict=True)
    found = [set() for _ in range(g.classes)]
    for *values, number in cells:
        found[number].add(tuple(values))
    return {frozenset(values) for values in found}


def require_forward(words):
    """No range ends before it begins."""
    for word in set(words):
        ends = word.split(" (")[0].replace(" or ", " … ").replace(", ", " … ").split(" … ")
        days = [datetime.date.fromisoformat(end) for end in ends]
        assert days == sorted(days), word


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("way", [*WAYS, "Excel"])
def test_the_format_of_dates_changes_nothing_of_the_groups(way, tmp_path):
    expected, _ = partition(kanon.read_table(file_in("yyyy-mm-dd"), QUASI))
    frame = file_in(way)
    table = kanon.read_table(frame.to_csv(index=False).encode(), QUASI)
    assert table.reading["dates"] == {"birth_date": way}
    assert any(f"“birth_date” holds dates, read as {way}" in note for note in table.notes)
    found, g = partition(table)
    assert found == expected
    require_forward(released_frame(table, g)["birth_date"])
    assert read_again(g.reading, _saved(frame, tmp_path), {}).digest == table.digest
    own = kanon.apply(table, g, frame.astype(str), keep=[])
    assert own.released.records == len(frame)
    counted = count(_saved(frame, tmp_path), QUASI)
    made = kanon.generalize(counted, 5, "mondrian")
    assert groups(counted, made) == groups(table, g)
    out = tmp_path / "release.csv"
    pushed(_saved(frame, tmp_path), counted, made, out)
    require_forward(pd.read_csv(out)["birth_date"])


def _saved(frame, folder):
    path = Path(folder) / "people.csv"
    frame.to_csv(path, index=False)
    return path


def test_dates_of_workbooks_are_dates():
    days, sex = births()
    file = io.BytesIO()
    pd.DataFrame({"birth_date": days, "sex": sex}).to_excel(file, index=False)
    table = kanon.read_table(file.getvalue(), QUASI, filename="people.xlsx")
    assert table.digest == kanon.read_table(file_in("dd.mm.yyyy"), QUASI).digest


UNDECIDED = b"born,sex\n01/02/1960,m\n03/04/1970,f\n05/04/1980,f\n"


def test_where_no_value_tells_day_from_month_a_person_is_asked(tmp_path):
    with pytest.raises(kanon.ChoiceNeeded, match=DAY_OR_MONTH_FIRST) as asked:
        kanon.read_table(UNDECIDED, ["born", "sex"])
    assert asked.value.parameter == "dates"
    assert asked.value.choices == ("born=dd/mm/yyyy", "born=mm/dd/yyyy")
    orders = [
        kanon.read_table(UNDECIDED, ["born"], dates=dates).domains[0][0]
        for dates in (asked.value.choices[0], {"born": "mm/dd/yyyy"}, {"born": "text"})
    ]
    assert orders == ["1960-02-01", "1960-01-02", "01/02/1960"]
    assert kanon.read_table(UNDECIDED, ["sex"]).domains == (("f", "m"),)
    with pytest.raises(kanon.InvalidInput, match="date format of 'born' is 'soon'; choose one of yyyy-mm-dd"):
        kanon.read_table(UNDECIDED, ["born"], dates={"born": "soon"})
    path = tmp_path / "people.csv"
    path.write_bytes(UNDECIDED)
    refused = command("table", path, "-k", "1", "--quasi-identifiers", "born,sex")
    assert "with --date-format born=dd/mm/yyyy, or read them as mm/dd/yyyy" in refused.stderr
    claim = tmp_path / "claim.json"
    chosen = ("--date-format", "born=mm/dd/yyyy", "--certificate", claim)
    assert command("table", path, "-k", "1", "--quasi-identifiers", "born,sex", *chosen).exit_code == 0
    assert kanon.Generalization.from_json(claim.read_bytes()).reading["dates"] == {"born": "mm/dd/yyyy"}
    assert command("verify", claim, path).exit_code == 0


def test_a_certificate_without_dates_reads_text_as_it_stands(tmp_path):
    """So were files read before there were dates; its tree of dates had no decades."""
    frame = file_in("dd.mm.yyyy", 60).assign(dose="5 mg")
    frame.loc[::2, "dose"] = "10 mg"
    names = ["birth_date", "sex", "dose"]
    table = kanon.read_table(frame, names, dates="text")
    assert table.domains[0] == tuple(sorted(frame["birth_date"]))
    assert table.domains[2] == ("10 mg", "5 mg")
    grown = kanon.read_table(frame, names, dates="text", grow={"birth_date": "dates"})
    assert len(grown.tree("birth_date").levels) == 4
    for old in (table, grown):
        reading = {name: value for name, value in old.reading.items() if name != "dates"}
        assert read_again(reading, _saved(frame, tmp_path), {}).digest == old.digest


@pytest.mark.parametrize(
    ("cells", "order"),
    [
        (["12 mg", "2 mg", "1.5 mg"], [1.5, 2, 12]),
        (["$1,234.50", "$99", "-$5.00"], [-5, 99, 1234.5]),
        (["1.234,50 €", "99,00 €"], [99, 1234.5]),
        (["45 %", "7 %"], [7, 45]),
        (["65+", "18-24", "under 18", "25-64", "unknown"], ["under 18", "18-24", "25-64", "65+", "unknown"]),
        (["90 or older", "5 to 17", "80–89"], ["5 to 17", "80–89", "90 or older"]),
        (["ab 65", "unter 18", "18 bis 64"], ["unter 18", "18 bis 64", "ab 65"]),
        (["Stage 10", "Stage 9"], ["Stage 9", "Stage 10"]),
        (["10th", "1st", "2nd"], ["1st", "2nd", "10th"]),
        (["13:05", "9:40", "1:30 PM"], ["09:40", "13:05", "13:30"]),
        (["2.1.2024 9:05", "31.12.2023 14:00"], ["2023-12-31 14:00", "2024-01-02 09:05"]),
        (["2.1.2024", "31.12.2023", "soon"], ["2023-12-31", "2024-01-02", "soon"]),
        (["06604-1234", "06604-0001"], ["06604-0001", "06604-1234"]),
        (["J18.9", "E11.9"], ["E11.9", "J18.9"]),
        (["12A", "3B"], ["12A", "3B"]),
    ],
)
def test_what_has_an_order_is_in_it(cells, order):
    table = kanon.read_table(pd.DataFrame({"x": cells}), ["x"])
    assert table.domains == (tuple(order),)


def test_years_are_no_days_of_excel_and_numbers_no_dates():
    for name, values in {"birth": [1950, 1961], "date": [20231301, 20230101], "age": [20000, 30000]}.items():
        assert ordered_cells(pd.Series(values, name=name)).date == ""


def test_values_that_a_person_names_stay_as_they_stand():
    frame = pd.DataFrame({"dose": ["5 mg", "10 mg", "5 mg"]})
    table = kanon.read_table(frame, ["dose"], orders={"dose": ["5 mg", "10 mg"]})
    assert table.domains == (("5 mg", "10 mg"),)
    assert table.reading["dates"] == {"dose": "text"}
    tree = [["02.01.2024", "2024"], ["31.12.2023", "2023"]]
    dated = pd.DataFrame({"born": ["02.01.2024", "31.12.2023"]})
    assert kanon.read_table(dated, ["born"], trees={"born": tree}).domains == (("02.01.2024", "31.12.2023"),)


HOSPITAL = ["Patient ID", "DOB", "Sex", "ZIP", "Race", "Admit date", "LOS", "ICD-10", "Charges", "Ward"]


def hospital(rows=300):
    rng = np.random.default_rng(3)
    days, sex = births(rows)
    admitted = pd.Timestamp("2022-01-01") + pd.to_timedelta(rng.integers(0, 700, rows), unit="D")
    columns = [
        [f"P{100_000 + 7 * row}" for row in range(rows)],
        days.strftime("%m/%d/%Y"),
        sex,
        [f"{code:05}" for code in rng.integers(6_601, 6_760, rows)],
        rng.choice(["White", "Black", "Asian"], rows),
        admitted.strftime("%m/%d/%Y"),
        rng.geometric(0.2, rows),
        rng.choice(["J18.9", "I21.4", "E11.9"], rows),
        [f"${amount:,.2f}" for amount in rng.lognormal(9, 1, rows)],
        rng.choice(["3 East", "ICU"], rows),
    ]
    return pd.DataFrame(dict(zip(HOSPITAL, columns, strict=True)))


def test_a_hospitals_columns_are_guessed_and_each_that_is_left_out_is_named():
    table = kanon.read_table(hospital().to_csv(index=False).encode())
    assert table.quasi_identifiers == ("DOB", "Sex", "ZIP", "Race", "Admit date")
    for name in set(HOSPITAL) - set(table.quasi_identifiers):
        assert [note for note in table.notes if f"“{name}”" in note and "eft out" in note], name
    for name in ("LOS", "Charges", "Ward"):
        assert [note for note in table.notes if note.endswith(f", “{name}” is left out until you set its role.")]
    assert f"“ICD-10” is left out because it {HAS_A_NAME_THAT_SUGGESTS} private information." in table.notes


def test_a_lone_early_date_does_not_hide_all_others_along_a_tree():
    """Its decade is in a group with the next; a class of each single year would need k records in every year."""
    frame = file_in("yyyy-mm-dd", 600)
    frame.loc[0, "birth_date"] = "1899-03-04"
    table = kanon.read_table(frame, QUASI, grow={"birth_date": "dates"})
    shown = released_frame(table, kanon.generalize(table, 5, "mondrian"))["birth_date"]
    assert "*" not in set(shown)
    assert shown.nunique() > 30
