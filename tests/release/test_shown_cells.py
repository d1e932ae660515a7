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
from kanon_engine.errors import KanonError
from kanon_engine.io.cells import typed
from kanon_engine.io.frames import read_frame
from kanon_engine.io.source import Source
from kanon_engine.recipe import Leaving
from kanon_engine.release.formats import written
from kanon_engine.release.own import own_file
from kanon_engine.release.publication import leaving_file
from kanon_engine.release.released import Released
from kanon_engine.release.reread import reread
from kanon_engine.release.spreadsheet import csv_text, unescaped
from kanon_engine.report.check import unescaped as unescaped_by_check
from kanon_engine.report.manifest import sha256
from kanon_engine.risk.audit import audit_released

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
    "decimals": ([Decimal("1.0"), Decimal("1.00"), Decimal("2.5"), None], object),
    "categories": (pd.Categorical(["a", "b", None], ["z", "b", "a"]), None),
    "categories of numbers": (pd.Categorical([1, 2, 9]), None),
    "categories of fractions": (pd.Categorical([1.0, 2.5, None]), None),
    "categories, empty": (pd.Categorical(["", None, "a"]), None),
    "times": ([DAY, DAY.replace(hour=5), pd.NaT], "datetime64[us]"),
    "times, fractions": ([DAY, DAY.replace(microsecond=500_000)], "datetime64[us]"),
    "times, nanoseconds": (pd.to_datetime([1, 2, 1001], unit="ns"), "datetime64[ns]"),
    "times, zone": (pd.to_datetime([DAY, DAY.replace(hour=5)]).tz_localize("Europe/Berlin"), None),
    "times, zones": ([DAY.replace(tzinfo=datetime.UTC), DAY.replace(tzinfo=EAST, hour=1)], object),
    "dates": ([datetime.date(2020, 1, 2), datetime.date(2021, 3, 4), None], object),
}
LABELS = kanon.Labels(["a", "b", "c", "d"], [9, 8, 7, 6])
FOLDED = kanon.generalize(LABELS, 14, "fold")
ONE = kanon.Labels(["a"], [9])
ALL = kanon.generalize(ONE, 9, "fold")


def column(kind, rng, rows):
    values, dtype = KINDS[kind]
    drawn = rng.integers(0, len(values), rows)
    if isinstance(values, pd.Categorical | pd.DatetimeIndex):
        return pd.Series(values.take(drawn))
    made = pd.Series([values[place] for place in drawn], dtype=object)
    return made if dtype is object else made.astype(dtype)


def ugly(seed):
    """A frame of 3 to 14 rows with a plain column and two to four ugly ones."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(3, 15))
    kinds = {"q": "text"} | {f"u{n}": str(rng.choice(list(KINDS))) for n in range(int(rng.integers(2, 5)))}
    return pd.DataFrame({name: column(kind, rng, rows) for name, kind in kinds.items()})


def shown(content, ending):
    """The rows that a file shows, by readers that share nothing with what is tested."""
    if ending == "csv":
        return [tuple(row) for row in list(csv.reader(io.StringIO(content.decode(), newline="")))[1:] if any(row)]
    if ending == "xlsx":
        sheet = openpyxl.load_workbook(io.BytesIO(content), read_only=True).worksheets[0]
        return [tuple(map(repr, row)) for row in list(sheet.iter_rows(values_only=True))[1:]]
    return [tuple(map(repr, row.values())) for row in pq.read_table(io.BytesIO(content)).to_pylist()]


def sets(rows, begin=0, end=None, k=3):
    """The smallest set of rows in these columns, how many rows are alone, and how many in sets of fewer than k."""
    sizes = Counter(row[begin:end] for row in rows)
    small = [size for size in sizes.values() if size < k]
    return min(sizes.values()), sum(size == 1 for size in small), sum(small)


def of_audit(found):
    return found.k_together, found.alone, found.below


def in_memory(frame, endings):
    """(way, what it says of the sets, what a file shows), of own records and of a table."""
    first, *others = frame.columns
    own = kanon.apply(LABELS, FOLDED, frame, first, quasi_identifiers=others[:1], keep=others[1:], k=3)
    for ending in endings if len(own.frame) else ():
        rows = shown(own_file(LABELS, FOLDED, own, ending), ending)
        said = own.below.smallest, sum(own.released.sizes == 1), own.below.records
        yield f"apply, {ending}", said, sets(rows, 0, 2)
        yield f"audit of apply, {ending}", of_audit(audit_released(own.released, own.before.frame)), sets(rows)
    table = kanon.Table(frame, [first])
    g = kanon.generalize(table, 3)
    found = kanon.audit(table, g, keep=others)
    released = kanon.release(table, g, others)
    for ending in endings:
        yield f"table, {ending}", of_audit(found), sets(shown(leaving_file(released, ending, table, g), ending))


def where_records_live(frame, source, folder, endings):
    """The same of records in a file of this kind."""
    first, *others = frame.columns
    path = folder / f"people.{source}"
    with_place = frame.assign(**{first: "a"})
    if source == "csv":
        with_place.to_csv(path, index=False)
    else:
        pq.write_table(pa.Table.from_pandas(with_place, preserve_index=False), path)
    audited = of_audit(living.audit(path, others[:1], k=3, keep=others[1:]))
    for ending in endings:
        (target := folder / f"out.{ending}").unlink(missing_ok=True)
        made = living.release(path, ONE, ALL, target, by=first, quasi_identifiers=others[:1], keep=others[1:], k=3)
        rows = shown(target.read_bytes(), ending)
        alone = int(made.joint.sets_of[made.joint.sizes == 1].sum())
        yield f"release of {source}, {ending}", (made.below.smallest, alone, made.below.records), sets(rows, 0, 2)
        yield f"audit of {source}, {ending}", audited, sets(rows)
        again = living.audit(target, made.quasi_identifiers, k=3, keep=others[1:])
        yield f"audit of the release of {source}, {ending}", of_audit(again), sets(rows)


def compared(frame, folder, endings=("csv", "parquet")):
    """Way → what it says and what the file shows; "refused" where a sentence says why not."""
    ways = [lambda: in_memory(frame, endings)]
    for source in ("csv", "parquet"):
        ways.append(lambda source=source: where_records_live(frame, source, folder, endings[:2]))
    for way in ways:
        try:
            yield from way()
        except KanonError as error:
            assert not isinstance(error, kanon.errors.CertificateError), error
            yield "refused", None, None
        except (pa.ArrowInvalid, pa.ArrowTypeError):  # of the test's own writer of Parquet
            yield "refused", None, None


def called_safe(said, there):
    """Whether k is larger, or fewer are alone or below k, than the file shows."""
    return said[0] > there[0] or said[1] < there[1] or said[2] < there[2]


@pytest.mark.parametrize("seed", range(6))
def test_no_record_is_called_safe_that_a_file_shows_alone_or_below_k(seed, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = list(compared(ugly(seed), tmp_path))
    assert [one for one in found if one[1] is not None and called_safe(*one[1:])] == []
    assert sum(one[0] != "refused" for one in found) >= 6
