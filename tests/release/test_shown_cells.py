"""What is audited is what the file shows: random frames of ugly cells, in memory and where records live."""

import csv
import datetime
import io
import warnings
from collections import Counter
from decimal import Decimal

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kanon_engine as kanon
from kanon_engine import records as living
from kanon_engine.apply import own_file, typed_columns
from kanon_engine.io.cells import typed
from kanon_engine.io.frames import read_frame
from kanon_engine.io.source import Source
from kanon_engine.project.manifest import sha256
from kanon_engine.project.recipe import Leaving
from kanon_engine.release.audit import audit_released
from kanon_engine.release.formats import csv_text, unescaped, written
from kanon_engine.release.publication import leaving_file
from kanon_engine.release.released import Released
from kanon_engine.release.reread import reread
from kanon_engine.verification.bundle import unescaped as unescaped_by_check

DAY = datetime.datetime(2020, 1, 2)
EAST = datetime.timezone(datetime.timedelta(hours=1))
KINDS = {  # kind of a column → the values that it draws from, and the type that they get
    "whole": ([1, 2, 3], "int64"),
    "whole, gaps": ([1, 2, None], "float64"),
    "whole, nullable": ([1, 2, None], "Int64"),
    "large, nullable": ([2**53, 2**53 + 1, None], "Int64"),
    "unsigned, large": ([2**63 + 5, 2**63 + 6, 3], "uint64"),
    "beyond 64 bits": ([10**30, 10**30 + 1, 3], object),
    "number": ([0.1, 0.5, 2.5, np.nan], "float64"),
    "number, ends": ([0.0, -0.0, 1e22, np.inf, 0.1 + 0.2, 0.3], "float64"),
    "number, smallest": ([0.0, -0.0, 5e-324, -5e-324, 1e-310], "float64"),
    "number, largest": ([1e308, -1e308, 2.0**53, 2.0**53 + 2, 2.0**63], "float64"),
    "number, 4 bytes": ([0.1, 2.0, np.nan], "float32"),
    "number, nullable": ([0.1, -0.0, 0.0, None], "Float64"),
    "yes or no": ([True, False], "bool"),
    "yes or no, gaps": ([True, False, None], object),
    "yes or no, nullable": ([True, False, None], "boolean"),
    "text": (["a", "b", "c"], "str"),
    "text, gaps": (["a", "b", None], "str"),
    "text, empty": (["a", "", None], "str"),
    "text, empty, object": (["a", "", None, np.nan, pd.NA], object),
    "text, case": (["a", "A", "\u00e1", "a\u0301"], "str"),
    "text, spaces": (["a", " a", "a ", "a\n", "a\r\n"], "str"),
    "text, marks": (["NA", "?", "nan", "None", "x"], "str"),
    "text, numbers": (["1", "2", "10"], "str"),
    "text, numbers twice": (["1", "1.0", "2", "+1"], "str"),
    "text, large": ([str(2**53), str(2**53 + 1), "0.5"], "str"),
    "text, codes": (["01", "1", "001"], "str"),
    "text, formulas": (["=1", "-1", "'=1", "''=1", "-1+2", 'a"b,c'], "str"),
    "mixed, numbers": ([1, 1.0, 2.5, None], object),
    "mixed, yes": ([1, True, 0, False], object),
    "mixed, text": ([1, "1", 1.0, "True", True], object),
    "mixed, missing": (["a", None, np.nan, pd.NA, pd.NaT], object),
    "mixed, large": ([2**53 + 1, 2**53, 0.5], object),
    "mixed, smallest": ([0, 5e-324, -0.0, "0", False], object),
    "decimals": ([Decimal("1.0"), Decimal("1.00"), Decimal("2.5"), None], object),
    "categories": (pd.Categorical(["a", "b", None], ["z", "b", "a"]), None),
    "categories of numbers": (pd.Categorical([1, 2, 9]), None),
    "categories of fractions": (pd.Categorical([1.0, 2.5, None]), None),
    "categories, empty": (pd.Categorical(["", None, "a"]), None),
    "times": ([DAY, DAY.replace(hour=5), pd.NaT], "datetime64[us]"),
    "times, fractions": ([DAY, DAY.replace(microsecond=500_000)], "datetime64[us]"),
    "times, nanoseconds": (pd.to_datetime([1, 2, 1001], unit="ns"), "datetime64[ns]"),
    "times, nanoseconds of a zone": (pd.to_datetime([1, 2, 1001], unit="ns").tz_localize("Europe/Berlin"), None),
    "times, zone": (pd.to_datetime([DAY, DAY.replace(hour=5)]).tz_localize("Europe/Berlin"), None),
    "times, zones": ([DAY.replace(tzinfo=datetime.UTC), DAY.replace(tzinfo=EAST, hour=1)], object),
    "dates": ([datetime.date(2020, 1, 2), datetime.date(2021, 3, 4), None], object),
}
PLACES = ["north", "east", "south"]  # what no other column holds
LABELS = kanon.Labels([*PLACES, "west"], [9, 8, 7, 6])
FOLDED = kanon.generalize(LABELS, 14, "fold")
ONE = kanon.Labels(["a"], [9])
ALL = kanon.generalize(ONE, 9, "fold")
PLACE = kanon.Labels(["place"], [9])
ANYWHERE = kanon.generalize(PLACE, 9, "fold")
FORMS = "csv", "parquet"
AUDITED = (2, 3)  # an audit counts who is alone, and who is in sets of fewer than k = 3
KS = range(2, 62)  # a release has the size of every set


def column(kind, rng, rows):
    values, dtype = KINDS[kind]
    drawn = rng.integers(0, len(values), rows)
    if isinstance(values, pd.Categorical | pd.DatetimeIndex):
        return pd.Series(values.take(drawn))
    made = pd.Series([values[place] for place in drawn], dtype=object)
    return made if dtype is object else made.astype(dtype)


def ugly(seed):
    """A frame of 3 to 60 rows with a plain column and two to four ugly ones."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(3, rng.choice([15, 61])))
    kinds = {f"u{n}": str(rng.choice(list(KINDS))) for n in range(int(rng.integers(2, 5)))}
    columns = {name: column(kind, rng, rows) for name, kind in kinds.items()}
    return pd.DataFrame({"q": rng.choice(PLACES, rows)} | columns)


def shown(content, ending):
    """The rows that a file shows, by readers that share nothing with what is tested."""
    if ending == "csv":
        return [tuple(row) for row in list(csv.reader(io.StringIO(content.decode(), newline="")))[1:] if any(row)]
    if ending == "xlsx":
        sheet = openpyxl.load_workbook(io.BytesIO(content), read_only=True).worksheets[0]
        return [tuple(map(repr, row)) for row in list(sheet.iter_rows(values_only=True))[1:]]
    return [tuple(map(repr, row.values())) for row in pq.read_table(io.BytesIO(content)).to_pylist()]


def in_small(sizes, ks=KS):
    """The size of the smallest set, then how many records are in sets of fewer than each of these."""
    return min(sizes), *(sum(size for size in sizes if size < k) for k in ks)


def sets(rows, end=None, ks=KS):
    """The same of the sets of rows that are equal in all columns up to `end`."""
    return in_small(Counter(row[:end] for row in rows).values(), ks)


def of_audit(found):
    return found.k_together, found.alone, found.below


def in_memory(frame, endings):
    """(way, what it says of the sets, what a file shows), of own records and of a table."""
    first, *others = frame.columns
    own = kanon.apply(LABELS, FOLDED, frame, first, quasi_identifiers=others[:1], keep=others[1:], k=3)
    for ending in endings if len(own.frame) else ():
        rows = shown(own_file(LABELS, FOLDED, own, ending), ending)
        assert (own.below.smallest, own.below.records) == in_small(own.released.sizes.tolist(), [3])
        yield f"apply, {ending}", in_small(own.released.sizes.tolist()), sets(rows, 2)
        audited = of_audit(audit_released(own.released, own.before.frame))
        yield f"audit of apply, {ending}", audited, sets(rows, ks=AUDITED)
    generalized, kept = [first, *others[: len(frame) % 2]], others[len(frame) % 2 :]
    table = kanon.Table(frame, generalized)
    g = kanon.generalize(table, 3, "mondrian")
    found = kanon.audit(table, g, keep=kept)
    released = kanon.release(table, g, kept)
    for ending in endings:
        rows = shown(leaving_file(released, ending, table, g), ending)
        yield f"table, {ending}", of_audit(found), sets(rows, ks=AUDITED)


def fits_parquet(column):
    """Whether Arrow makes a column of it: not of numbers beside text."""
    try:
        pa.array(column, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return False
    return True


def where_records_live(frame, source, folder, endings):
    """The same of records in a file of this kind; of Parquet without the columns that it cannot hold."""
    first, *others = frame.columns
    path = folder / f"people.{source}"
    with_place = frame.assign(**{first: "place"})
    if source == "csv":
        with_place.to_csv(path, index=False)
    else:
        others = [name for name in others if fits_parquet(frame[name])]
        if not others:
            return
        pq.write_table(pa.Table.from_pandas(with_place[[first, *others]], preserve_index=False), path)
    audited = of_audit(living.audit(path, others[:1], k=3, keep=others[1:]))
    for ending in endings:
        (target := folder / f"out.{ending}").unlink(missing_ok=True)
        made = living.release(
            path, PLACE, ANYWHERE, target, by=first, quasi_identifiers=others[:1], keep=others[1:], k=3
        )
        rows = shown(target.read_bytes(), ending)
        sizes = np.repeat(made.joint.sizes, made.joint.sets_of).tolist()
        assert (made.below.smallest, made.below.records) == in_small(sizes, [3])
        yield f"release of {source}, {ending}", in_small(sizes), sets(rows, 2)
        yield f"audit of {source}, {ending}", audited, sets(rows, ks=AUDITED)
        again = living.audit(target, made.quasi_identifiers, k=3, keep=others[1:])
        yield f"audit of the release of {source}, {ending}", of_audit(again), sets(rows, ks=AUDITED)


def compared(seed, folder):
    """Way → what it says and what the file shows; "refused" where a sentence says why not."""
    frame = ugly(seed)
    ways = [lambda: in_memory(frame, FORMS)]
    if seed == 0:
        ways += [lambda source=source: where_records_live(frame, source, folder, FORMS) for source in FORMS]
    else:  # one form of the records and one of the release, in turns
        ways.append(lambda: where_records_live(frame, FORMS[seed % 2], folder, [FORMS[seed // 2 % 2]]))
    for way in ways:
        try:
            yield from way()
        except (kanon.errors.InvalidInput, kanon.errors.Infeasible):
            yield "refused", None, None


def called_safe(said, there):
    """Whether the smallest set is larger, or fewer records are in small ones, than the file shows."""
    return said[0] > there[0] or any(one < other for one, other in zip(said[1:], there[1:], strict=True))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, 1_000))])
def test_no_record_is_called_safe_that_a_file_shows_alone_or_below_k(seed, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = list(compared(seed, tmp_path))
    assert [one for one in found if one[1] is not None and called_safe(*one[1:])] == []
    assert sum(one[0] != "refused" for one in found) >= 6


def as_stored(frame, source, folder):
    """The records in a file of this kind, and the same as they are read into memory; without what Parquet changes."""
    path = folder / f"people.{source}"
    if source == "csv":
        frame.to_csv(path, index=False)
        read = read_frame(Source.open(path))[0]
        return path, typed_columns(read, read.columns[1:])
    scaled = {name for name in frame if any(isinstance(cell, Decimal) for cell in frame[name])}  # as 1.00 each
    frame = frame[[name for name in frame if fits_parquet(frame[name]) and name not in scaled]]
    frame = frame.drop(columns=[name for name in frame if frame[name].isna().all()])  # which have no type there
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)
    return path, frame


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(4, 500))]
)
def test_records_leave_alike_from_memory_and_from_where_they_live(seed, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path, frame = as_stored(ugly(seed), ("csv", "parquet")[seed % 2], tmp_path)
    first, *others = frame.columns
    roles = {"quasi_identifiers": others[:1], "keep": others[1:], "k": 3}
    own = kanon.apply(LABELS, FOLDED, frame, first, **roles)
    for ending in FORMS:
        made = living.release(path, LABELS, FOLDED, tmp_path / f"out.{ending}", by=first, **roles)
        assert own_file(LABELS, FOLDED, own, ending) == made.path.read_bytes()
        assert (own.below, own.sentence, own.notes) == (made.below, made.sentence, made.notes)


def test_what_changed_once_when_memory_and_engines_got_one_writer(tmp_path):
    """A lone carriage return is quoted in a CSV from memory too, which could not be read again, so that none was given
    out; Parquet from where records live has the bytes of memory's, with its types and statistics."""
    frame = pd.DataFrame({"q": ["a"] * 3, "v": ["b\rc", "d", None], "n": [1.5, 2.0, None]})
    own = kanon.apply(ONE, ALL, frame, "q", keep=["v", "n"], k=2)
    quoted = b'group,v,n\nGroup 1,"b\rc",1.5\nGroup 1,d,2.0\nGroup 1,,\n'
    assert own_file(ONE, ALL, own, "csv") == csv_text(own.frame).encode() == quoted
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / "people.parquet")
    for ending in FORMS:
        living.release(tmp_path / "people.parquet", ONE, ALL, tmp_path / f"o.{ending}", by="q", keep=["v", "n"], k=2)
        assert (tmp_path / f"o.{ending}").read_bytes() == own_file(ONE, ALL, own, ending)


def shows(values, **more):
    """The rows of a CSV, and what `apply` says is below k = 2, of records in one group with these values."""
    frame = pd.DataFrame({"q": "a", "v": pd.Series(values, **more)})
    own = kanon.apply(ONE, ALL, frame, "q", quasi_identifiers=["v"], k=2)
    return [row[1] for row in shown(own_file(ONE, ALL, own, "csv"), "csv")], own.below.records


@pytest.mark.parametrize(
    ("values", "dtype", "cells", "below"),
    [
        ([1, True, 1, True], object, ["1", "1", "True", "True"], 0),
        ([1, True], object, ["1", "True"], 2),
        ([2**53 + 1, None], "Int64", ["9007199254740993", ""], 2),
        ([2**53 + 1, 2**53, None], "Int64", ["9007199254740992", "9007199254740993", ""], 3),
        ([2**53 + 1, 2**53, 0.5], object, ["0.5", "9007199254740992", "9007199254740993"], 3),
        ([0.5, 0.0, -0.0, 0.5], "float64", ["0.0", "0.0", "0.5", "0.5"], 0),
        ([Decimal("1.0"), Decimal("1.00")], object, ["1.0", "1.00"], 2),
        (["", None, np.nan], object, ["", "", ""], 0),
        (["=1", "'=1"], "str", ["''=1", "'=1"], 2),
        ([DAY.replace(tzinfo=datetime.UTC), DAY.replace(tzinfo=EAST, hour=1)], object,
         ["2020-01-02 00:00:00+00"] * 2, 0),
    ],
)  # fmt: skip
def test_apply_counts_the_sets_that_its_file_shows(values, dtype, cells, below):
    assert shows(values, dtype=dtype) == (cells, below)


def test_a_table_is_audited_by_what_its_file_shows():
    people = pd.DataFrame({"age": [30] * 4, "note": pd.Series([1, True, 1.0, Decimal("1.0")], dtype=object)})
    table = kanon.Table(people, ["age"])
    found = kanon.audit(table, kanon.generalize(table, 2), keep=["note"])
    assert csv_text(kanon.release(table, kanon.generalize(table, 2), ["note"])).split() == [
        "age,note", "30,1", "30,1.0", "30,1.0", "30,True"]  # fmt: skip
    assert (found.k_reached, found.k_together, found.alone, found.below) == (4, 1, 2, 2)


def test_a_column_of_four_bytes_is_released_and_read_again():
    people = pd.DataFrame({"age": [30, 30], "part": pd.Series([0.1, 2.0], dtype="float32")})
    table = kanon.Table(people, ["age"])
    g = kanon.generalize(table, 2)
    assert b"0.10000000149011612" in leaving_file(kanon.release(table, g, ["part"]), "csv", table, g)


def test_another_whole_number_than_was_meant_is_found():
    frame = pd.DataFrame({"id": [2**53 + 1]})
    with pytest.raises(kanon.errors.CertificateError, match="does not hold the intended value"):
        reread(written(frame - 1, "parquet"), "parquet", frame, ONE, ALL)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["9007199254740993", "", "9007199254740992"], [2**53 + 1, None, 2**53]),
        (["18446744073709551615", ""], [2**64 - 1, None]),
        (["9007199254740993", "0.5"], ["9007199254740993", "0.5"]),
        (["1" + "0" * 30, "1" + "0" * 29 + "1"], ["1" + "0" * 30, "1" + "0" * 29 + "1"]),
        (["-1", "18446744073709551615"], ["-1", "18446744073709551615"]),
        (["9" * 5000, "1"], ["9" * 5000, "1"]),
        (["1000000000000000000000", "0.5", ""], [1e21, 0.5, None]),
        (["41", ""], [41.0, None]),
    ],
)
def test_two_ids_never_become_one(cells, values):
    found = typed(pd.Series(cells, name="id"))[0]
    assert [None if pd.isna(value) else value for value in found.tolist()] == values


def test_ids_beside_a_gap_stay_apart_in_a_table_and_from_parquet(tmp_path):
    ids = [2**53 + 1, 2**53, None, None, 5, 5]
    frame = pd.DataFrame({"id": pd.array(ids, "Int64"), "age": 30, "pay": pd.array(ids[::-1], "Int64")})
    pq.write_table(pa.table({name: pa.array(frame[name]) for name in frame}), tmp_path / "people.parquet")
    frame.to_csv(tmp_path / "people.csv", index=False)
    for path in (tmp_path / "people.parquet", tmp_path / "people.csv"):
        table = kanon.read_table(path, ["id", "age"], keep=["pay"])
        assert table.domains[0] == (5, 2**53, 2**53 + 1, None)
        g = kanon.generalize(table, 2, "mondrian")
        assert str(2**53 + 1) in csv_text(kanon.release(table, g))
        assert kanon.audit(table, g).k_together == 1
        ranged = kanon.read_table(path, ["age"], keep=["pay"], bins={"pay": 10})
        assert ranged.frame["pay"].nunique() == 2
    assert read_frame(Source.open(tmp_path / "people.parquet"))[0]["id"].tolist()[:2] == ids[:2]


def test_apostrophes_before_formulas_are_told_apart_and_taken_off_again():
    cells = ["=1", "'=1", "''=1", "'tis", "-5", "'-5"]
    text = csv_text(pd.DataFrame({"v": cells}))
    assert text.split("\n")[1:-1] == ["'=1", "''=1", "'''=1", "'tis", "-5", "'-5"]
    assert unescaped(pd.read_csv(io.StringIO(text)))["v"].tolist() == cells
    assert [unescaped_by_check(cell) for cell in text.split("\n")[1:4]] == cells[:3]
    assert csv_text(pd.DataFrame({"v": ["'=1"]}), "refuse") == "v\n'=1\n"


def test_rows_with_nothing_in_them_are_no_records_of_an_audit():
    frame = pd.DataFrame({"age": ["a", "a", "", None], "ill": ["x", "x", None, ""]})
    found = audit_released(Released(frame, ("age",), ("ill",), k=2), frame)
    assert (found.records, found.k_reached, found.alone) == (2, 2, 0)
    with pytest.raises(kanon.InvalidInput, match="All rows of the release are empty"):
        audit_released(Released(frame[2:], ("age",), ("ill",)))


@pytest.mark.parametrize("values", [[None, None], [np.inf, 1.0]])
def test_a_column_without_numbers_to_round_is_audited(values):
    frame = pd.DataFrame({"q": "a", "v": values})
    own = kanon.apply(ONE, ALL, frame, "q", quasi_identifiers=["v"], k=2)
    assert audit_released(own.released, own.before.frame).records == 2


@pytest.mark.parametrize("values", [[0.0, 5e-324], [-5e-324, 1e-320], [-1.7e308, 1.7e308], [1e308, 2.0**1023]])
def test_the_smallest_and_largest_numbers_are_audited(values):
    released = Released(pd.DataFrame({"q": "a", "v": [*values, *values[:1] * 2]}), ("q",), k=3)
    found = audit_released(released)
    assert (found.k_reached, found.k_together, found.alone) == (4, 1, 1)


def test_one_csv_has_one_smallest_set_however_it_is_released(tmp_path):
    """1.0 and 1 are one number in a column of numbers: for a recipe, for the command line, and where records live."""
    (tmp_path / "people.csv").write_text("zip,v\na,1.0\na,1\na,2\na,2\n")
    roles = {"by": ("zip",), "quasi_identifiers": ("v",), "k": 2}
    by_recipe = Leaving(own="people.csv", **roles).own_release(ONE, ALL, tmp_path / "people.csv")
    rows = [row[1] for row in shown(own_file(ONE, ALL, by_recipe, "csv"), "csv")]
    assert (rows, by_recipe.below.smallest) == (["1", "1", "2", "2"], 2)
    for ending in ("csv", "parquet"):
        made = living.release(tmp_path / "people.csv", ONE, ALL, tmp_path / f"out.{ending}", **roles)
        assert made.below == by_recipe.below
        assert sets(shown(made.path.read_bytes(), ending))[0] == 2
    assert pq.read_schema(tmp_path / "out.parquet").field("v").type == pa.int64()


def test_a_recipe_of_before_makes_the_same_bytes(tmp_path):
    """It released numbers of own records as the text of their file."""
    (tmp_path / "people.csv").write_text("zip,v\na,1.50\na,1\na,2\n")
    asked = Leaving(("csv", "parquet"), own="people.csv", by=("zip",), keep=("v",))
    older = asked.files(ONE, ALL, asked.own_release(ONE, ALL, tmp_path / "people.csv", as_text=True))
    assert b"1.50" in older["records.csv"]
    _, files, compared_with = asked.sealed(older).made(ONE, ALL, tmp_path)
    assert (files, set(compared_with.values())) == (older, {True})
    _, files, compared_with = asked.made(ONE, ALL, tmp_path)
    assert b"1.5\n" in files["records.csv"]
    changed = Leaving(**vars(asked) | {"digests": {"records.csv": sha256(b"other")}})
    assert changed.made(ONE, ALL, tmp_path)[2] == {"records.csv": False, "records.parquet": None}


def test_columns_of_a_csv_get_types_in_parquet(tmp_path):
    columns = {
        "whole": ["1", "+2", ""], "part": ["1.5", ".5", "1e3"], "code": ["01", "2", "3"], "words": ["1", "x", "2"],
        "long": [str(2**53 + 1), str(2**53), "1"], "longer": ["1" * 19, "2", "3"], "both": [str(2**53 + 1), "0.5", "1"],
    }  # fmt: skip
    pd.DataFrame({"zip": "a"} | columns).to_csv(tmp_path / "people.csv", index=False)
    target = tmp_path / "out.parquet"
    living.release(tmp_path / "people.csv", ONE, ALL, target, by="zip", keep=list(columns))
    table = pq.read_table(target)
    kinds = dict(zip(table.column_names, map(str, table.schema.types), strict=True))
    assert [kinds[name] for name in columns] == ["int64", "double", "string", "string", "int64", "int64", "string"]
    assert sorted(table["long"].to_pylist()) == [1, 2**53, 2**53 + 1]


def test_empty_rows_are_no_records_of_a_release_and_of_an_intersection(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n1,f\n1,f\n,m\n,m\n,\n,\n")
    table = living.count(path, ["age"])
    g = kanon.generalize(table, 2)
    made = living.release(path, table, g, tmp_path / "out.csv", keep=["sex"])
    assert (made.records, len(shown(made.path.read_bytes(), "csv"))) == (4, 4)
    assert living.intersect(path, living.Grouping(table, g), "sex", k=2).cells["weight"].sum() == 4


def test_the_empty_text_is_missing_where_records_live(tmp_path):
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"zip": ["a", "a"], "note": ["", None]}), path)
    assert living.audit(path, ["zip", "note"], k=2).k_reached == 2
    made = living.release(path, ONE, ALL, tmp_path / "out.parquet", by="zip", quasi_identifiers=["note"], k=2)
    assert (made.below.records, pq.read_table(made.path)["note"].to_pylist()) == (0, [None, None])


def test_nanoseconds_with_a_zone_are_released_where_records_live(tmp_path):
    path = tmp_path / "people.parquet"
    times = pd.to_datetime([1, 1, 2], unit="ns").tz_localize("Europe/Berlin")
    pq.write_table(pa.table({"zip": ["a"] * 3, "born": pa.array(times)}), path)
    made = living.release(path, ONE, ALL, tmp_path / "out.csv", by="zip", quasi_identifiers=["born"], k=2)
    times = [row[1] for row in shown(made.path.read_bytes(), "csv")]
    assert times == [f"1969-12-31 23:00:00.00000000{digit}+00" for digit in "112"]
    assert (made.below.records, made.below.smallest) == (1, 1)


@pytest.mark.parametrize("engine", ["DuckDB", pytest.param("Spark", marks=pytest.mark.thorough)])
def test_spaces_before_values_count_for_who_reads_a_csv(engine, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("zip,note,ill\na,x,flu\na, x, flu\na, x,flu\n")
    with living.Records.open(path if engine == "DuckDB" else f"spark:local?path={path}") as people:
        found = living.audit(people, ["zip", "note"], k=2, sensitive=["ill"])
        assert (found.k_reached, found.below, found.sensitive[0].l) == (1, 1, 1)
        assert living.count(people, ["note"]).codes.tolist() == [[0]]


def test_text_has_the_order_of_numbers_in_a_csv_alone(tmp_path):
    """As in memory, where a CSV is read as numbers and text of Parquet stays text."""
    frame = pd.DataFrame({"g": list("aabb"), "v": ["1", "2", "10", "10"]})
    frame.to_csv(tmp_path / "people.csv", index=False)
    frame.to_parquet(tmp_path / "people.parquet", index=False)
    for path, values in ((tmp_path / "people.csv", frame["v"].astype(int)), (tmp_path / "people.parquet", frame["v"])):
        released = Released(frame.assign(v=values), ("g",), ("v",), k=2)
        assert living.audit(path, ["g"], k=2, sensitive=["v"]).sensitive == audit_released(released).sensitive
