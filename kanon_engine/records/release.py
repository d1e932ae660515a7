"""A certified result applied to records where they live: groups replace the grouped values, in one file."""

from __future__ import annotations

import csv
import errno
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.apply import Applied, record_roles
from kanon_engine.errors import InvalidInput, SearchEnded
from kanon_engine.generalize import verify
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Progress, ProgressCallback
from kanon_engine.records.address import Address
from kanon_engine.records.crosswalk import COUNT, GROUP, Crosswalk, crosswalk, joined, on_grid
from kanon_engine.records.folder_lock import held
from kanon_engine.records.guards import looked_at
from kanon_engine.records.joint import JointGroups, set_sizes
from kanon_engine.records.rows import CountedRows, require_same, write
from kanon_engine.records.source import Records, opened
from kanon_engine.records.texts import cells_leaving
from kanon_engine.release import require_releasable
from kanon_engine.release.formats import FORMULAS, csv_lines, dotted, harmless
from kanon_engine.release.placing import in_free_names
from kanon_engine.release.reread import PIECES, Claim, cell_key, require_claimed, require_columns
from kanon_engine.release.sets import SetSizes
from kanon_engine.validate import positive_k


@dataclass(frozen=True, eq=False, repr=False)
class PushedRelease(Applied):
    """A release that was written to its destination."""

    path: Path
    columns: tuple[str, ...]  # of the file
    sensitive: tuple[str, ...]
    records: int  # how many are in it

    @property
    def joint(self) -> JointGroups:
        """The sets of records that are identical in all released quasi-identifiers."""
        return JointGroups(self.sets.sizes, self.sets.sets_of, self.quasi_identifiers)


def release(
    source: str | Path | Records,
    instance: Any,
    g: Generalization,
    destination: str | Path,
    *,
    by: str | Sequence[str] = (),
    quasi_identifiers: Sequence[str] = (),
    keep: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    k: int | None = None,
    formulas: str = "escape",
    progress: ProgressCallback | None = None,
    **surroundings: Any,
) -> PushedRelease:
    """Release records as `kanon.apply` does, without reading them into memory; the result is verified first.

    The engine joins each record with its group and counts identical released records. The file is made from these
    counts, sorted, so that its bytes depend only on the released rows, not on the order of the records, the engine or
    the machine. It is written to a temporary place, read again record by record, and then appears complete. A run that
    ends early leaves nothing under its name.

    A column of a CSV that holds only numbers is a column of numbers in the file, as in memory. Times with a zone are
    in UTC, and say so.

    Parameters
    ----------
    source : path, address or Records
    instance : Regions, Points, Labels, Table or MetricSpace
    g : Made from this instance.
    destination : A file that does not exist yet, of a kind in `PIECES`.
    by, quasi_identifiers, keep, sensitive, k, **surroundings : As in `kanon.apply`.
    formulas : What to do in CSV with text that a spreadsheet may take for a formula: "escape" or "refuse".
    progress : Called with a `Progress` now and then; returns False to stop.

    Raises
    ------
    InvalidInput
        As for `kanon.apply`; no record in any group; records that change while they are read; a file that already
        exists, or cannot be written.
    CertificateError : The result does not hold what it claims, or the file does not hold what it should.
    SearchEnded : `progress` returned False.

    Complexity
    ----------
    Two passes over the records, a third over a few columns, and a sort of the distinct released rows by an engine that
    spills if it must. In memory: the distinct values that say where records are.

    >>> import tempfile
    >>> import kanon_engine as kanon
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "people.csv").write_text("zip,age\\n06605,30\\n06604,41\\n06606,41\\n99999,30\\n")
    >>> labels = kanon.Labels(["06604", "06605", "06606"], [1, 1, 1])
    >>> g, out = kanon.generalize(labels, 3), folder / "out.csv"
    >>> made = release(folder / "people.csv", labels, g, out, by="zip", keep=["age"])
    >>> out.read_text().splitlines()
    ['group,age', 'Group 1,30', 'Group 1,41', 'Group 1,41']
    >>> made.sentence.split(": ")[0]
    '3 records are released in 1 group. 1 record is left out'
    """
    target = Path(destination)
    require_free(target, source)
    if formulas not in FORMULAS:
        raise InvalidInput(f"{formulas!r} is not a way to handle formulas; choose one of {', '.join(FORMULAS)}.")
    least = g.k if k is None else positive_k(k)
    require_releasable(g)
    verify(instance, g)
    with opened(source) as records:
        mapping = crosswalk(records, instance, g, [by] if isinstance(by, str) else list(by), surroundings, progress)
        others, retained = record_roles(records.columns, mapping.raw, quasi_identifiers, keep, sensitive)
        names = (*others, *retained)
        records.require(names, "columns to release")
        notes = looked_at(records, mapping.raw, names, progress)
        if not mapping.own.sum():
            raise InvalidInput(f"No record is in a group, so nothing is released. {mapping.unmatched.sentence}")
        labels = in_free_names(mapping.shown, names)
        with apart(target) as folder:
            path, sets = _counted(records, mapping, names, len(others), folder, progress)
            rows = CountedRows(path, labels, names, GROUP, COUNT, formulas if target.suffix == ".csv" else "")
            part = folder / f"whole{target.suffix}"
            total = int(mapping.own.sum())
            write(rows, part, _heard(progress, "Writing the release", total))
            require_same(part, rows, _heard(progress, "Reading the release again", total))
            _require_groups(part, harmless(labels, rows.formulas) if rows.formulas else labels, mapping.records)
            groups = tuple(map(str, labels.columns))
            pushed = PushedRelease(
                path=target,
                columns=rows.columns,
                quasi_identifiers=(*groups, *others),
                sensitive=tuple(map(str, sensitive)),
                records=total,
                k=least,
                unmatched=mapping.unmatched,
                notes=(*mapping.notes, *_changed(instance, mapping), *notes),
                population=mapping.population,
                own=mapping.own,
                unit=str(instance.unit),
                promised=g.k,
                sets=sets,
            )
            appear(part, target)  # nothing may fail after it
    return pushed


def sql_of_release(
    source: str | Path | Records, by: str | Sequence[str], columns: Sequence[str] = (), *, instance: Any = None
) -> tuple[tuple[str, str], ...]:
    """The statements of a release, as (purpose, SQL). Nothing runs and nothing is written.

    Parameters
    ----------
    by : The columns that say where records are.
    columns : All other released columns.
    instance : Points, optional. If places were counted in cells of a grid, these cells are used.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("zip,age\\n06605,30\\n")
    >>> [(what, "JOIN" in sql) for what, sql in sql_of_release(path, "zip", ["age"])]
    [('how many records are in each place', False), ('how many records look the same once released', True)]
    """
    import ibis

    with opened(source) as records:
        raw = [by] if isinstance(by, str) else list(map(str, by))
        records.require(tuple(raw), "places where records are")
        records.require(tuple(columns), "columns to keep")
        table = records.table if instance is None else on_grid(records, instance, raw).table
        kinds: dict[str, Any] = {f"p{place}": table[name].type() for place, name in enumerate(raw)}
        places = ibis.table(kinds | {GROUP: "int64"}, name="crosswalk")
        where = table.group_by([table[name] for name in raw]).aggregate(records=table.count())
        return (
            ("how many records are in each place", records.engine.sql(where)),
            (
                "how many records look the same once released",
                records.engine.sql(joined(table, places, raw, columns)),
            ),
        )


def _counted(
    records: Records,
    mapping: Crosswalk,
    names: Sequence[str],
    others: int,
    folder: Path,
    progress: ProgressCallback | None,
) -> tuple[Path, SetSizes]:
    """The released rows, counted and sorted in a file, and the sizes of the sets that the quasi-identifiers make.

    The engine of the records counts. DuckDB always sorts, so that all engines give the same file.
    """
    unsorted, path = folder / "counted", folder / "sorted.parquet"
    records.engine.write(mapping.grouped(names), unsorted, progress)
    from kanon_engine.records.engines.duckdb import DuckDB

    local = DuckDB()
    try:
        table = local.read_written(unsorted)
        keys = [f"v{place}" for place in range(len(names))]
        cells = cells_leaving(local, table, keys, records.untyped, progress)
        plain = table.select(table[GROUP].cast("int64").name(GROUP), **cells, **{COUNT: table[COUNT].cast("int64")})
        if records.untyped:  # as text " 1.0" and "1" would be two values
            total = plain[COUNT].sum().cast("uint64").cast("int64")  # sums have 128 bits, which Ibis does not report
            plain = plain.group_by([GROUP, *keys]).aggregate(**{COUNT: total})
        order = [plain[name].asc(nulls_first=False) for name in (GROUP, *keys)]
        local.write(plain.order_by(order), path, progress)
        whole = local.read_written(path)
        group_sizes = local.run(whole.group_by(GROUP).aggregate(records=whole[COUNT].sum()), progress)
        counts = np.bincount(
            group_sizes[GROUP].to_numpy(np.int64), group_sizes["records"].to_numpy(np.int64), len(mapping.records)
        )
        if not np.array_equal(counts, mapping.records):
            raise InvalidInput(
                f"{records.name} changed while it was read: groups hold different numbers of records than a moment "
                "before. Nothing was released; release again when nothing is being written there."
            )
        sets = plain.group_by([GROUP, *keys[:others]]).aggregate(size=plain[COUNT].sum())
        return path, set_sizes(Records("the released columns", sets, local), [(sets, progress)])
    finally:
        local.stop()


def _require_groups(path: Path, words: pd.DataFrame, counts: np.ndarray) -> None:
    """Let an engine count the groups of the file, and compare them with those of the records."""
    from kanon_engine.records.engines.duckdb import DuckDB

    local = DuckDB()
    try:
        table = local.read_written(path)
        names = list(table.columns[: words.shape[1]])
        frame = local.run(table.group_by(names).aggregate(**{COUNT: table.count()}))
    finally:
        local.stop()
    require_columns(names, list(map(str, words.columns)))
    cells = csv.reader(csv_lines(words)[1:]) if path.suffix == ".csv" else words.itertuples(index=False, name=None)
    keys = [tuple(map(cell_key, row)) for row in cells]
    sizes = {key: count for key, count in zip(keys, counts.tolist(), strict=True) if count}
    require_claimed(frame, Claim(tuple(names), sizes, COUNT, 0))


def _changed(instance: Any, mapping: Crosswalk) -> tuple[str, ...]:
    """Whether groups that were made by counting records now hold different numbers of them."""
    if not str(instance.reading.get("reader", "")).startswith("records.") or np.array_equal(
        mapping.own, mapping.population
    ):
        return ()
    groups = int((mapping.own != mapping.population).sum())
    phrase = "1 group holds" if groups == 1 else f"{groups:,} groups hold"
    return (
        f"These are not the records that were counted, or they have changed since: {phrase} a different number of "
        "records. Count again, so that k applies to these records.",
    )


def _heard(progress: ProgressCallback | None, doing: str, total: int) -> Callable[[int], None]:
    def heard(done: int) -> None:
        if progress is not None and progress(Progress(done / total, None, None, doing)) is False:
            raise SearchEnded(f"{doing} was stopped early; nothing was released.")

    return heard


# ---------------------------------------------------------------------------------------------------------------------
# A file that is written under a hidden name, and appears complete or not at all.
# ---------------------------------------------------------------------------------------------------------------------


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def require_free(destination: Path, source: object = None) -> None:
    """Refuse, before any work, a place where a release must not be written.

    Raises
    ------
    InvalidInput
        A kind of file that is not in `PIECES`, no such folder, something that already exists, a place among the
        records themselves, or one that the system refuses.
    """
    with told(destination):
        _require_free(destination, source)


def _require_free(destination: Path, source: object) -> None:
    if "\0" in str(destination):
        raise InvalidInput(f"{str(destination)!r} is not a path; write to another file.")
    if destination.suffix.removeprefix(".") not in PIECES:
        raise InvalidInput(f"The name of a release must end in {dotted(PIECES)}; rename {destination.name}.")
    if not destination.parent.is_dir():
        raise InvalidInput(
            f"There is no folder {destination.parent}; create it, or write {destination.name} elsewhere."
        )
    if os.path.lexists(destination):
        raise _taken(destination)
    if isinstance(source, Records):
        place: object = source.root
    else:
        address = Address.of(str(source)) if isinstance(source, str) else None
        place = source if address is None else address.path
    folder = Path(place).resolve() if isinstance(place, str | Path) and str(place) else None
    if folder is not None and folder.is_dir() and destination.resolve().is_relative_to(folder):
        raise InvalidInput(
            f"{destination} is in the folder of the records, where it would be read as more records; write elsewhere."
        )


@contextmanager
def apart(destination: Path) -> Iterator[Path]:
    """A hidden folder next to a file, for unfinished work; nobody else may look into it.

    Files of a killed run are removed from it. It is always removed at the end.

    Raises
    ------
    InvalidInput : Another run is writing the same file; the folder is read-only, the disk is full.
    """
    folder = destination.with_name(f".{destination.name}.kanon")
    with told(destination):
        lock = _locked(folder, destination)
        try:
            for left in folder.iterdir():
                if left.is_dir() and not left.is_symlink():
                    shutil.rmtree(left)
                else:
                    left.unlink()
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def appear(part: Path, destination: Path) -> None:
    """Give a finished file its name, which must be unused; the file is on disk before it gets the name."""
    _sync(part)
    try:
        os.link(part, destination)  # unlike a rename it never replaces a file
    except FileExistsError:
        raise _taken(destination) from None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
            raise
        if os.path.lexists(destination):  # a disk without links
            raise _taken(destination) from None
        os.rename(part, destination)
    with suppress(OSError):  # not every disk can flush a folder
        _sync(destination.parent)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """An error of the system, as a sentence."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        todo = "make room there, or write to another folder" if error.errno in FULL else "write to another folder"
        raise InvalidInput(f"{path} cannot be written ({reason}), and nothing was released; {todo}.") from error


def _taken(destination: Path) -> InvalidInput:
    return InvalidInput(f"{destination} already exists, and a release never replaces a file; choose another name.")


def _locked(folder: Path, destination: Path) -> int:
    """The folder, created if needed, locked by this process."""
    while True:
        folder.mkdir(mode=0o700, exist_ok=True)
        with suppress(FileNotFoundError):  # the other run ended and removed it meanwhile
            lock = held(folder)
            if lock is None:
                raise InvalidInput(f"Another run is writing {destination}; wait for it, or choose another name.")
            os.fchmod(lock, 0o700)  # whoever created it
            return lock


def _sync(path: Path) -> None:
    place = os.open(path, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)
