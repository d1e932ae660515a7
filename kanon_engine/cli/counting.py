"""Records where they live, on the command line: a folder, database or file of any size, counted but not read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from kanon_engine.cli.files import given
from kanon_engine.cli.flags import flag_name, option
from kanon_engine.cli.guard import progress_bar
from kanon_engine.errors import InvalidInput
from kanon_engine.io.names import column_list
from kanon_engine.io.source import Source, is_database
from kanon_engine.model.family import Columns, Family
from kanon_engine.model.run import ProgressCallback
from kanon_engine.model.setting import Setting
from kanon_engine.model.words import counted as number_of
from kanon_engine.records.address import Address

if TYPE_CHECKING:
    from kanon_engine.records import Records

PANEL = "Records in a folder or database"
LIVING = "a folder, a file of any size, a database, or an address such as postgresql://user@host/database"
PASSWORD = "The password is read from the variable KANON_PASSWORD or a keyring; do not give it here."
RECORDS = Setting("records", f"Where the records are stored: {LIVING}. {PASSWORD}", panel=PANEL)
TABLE = Setting("table", "The table that holds the records, if they are in a database.", panel=PANEL)
SOURCE_HELP = "What the result was made from: a file, or the place where the records are stored."
Again = Annotated[str | None, option("If the counts came from records: where these records are stored.", panel=PANEL)]
Table = Annotated[str | None, option(TABLE.help, panel=PANEL)]
DRY_RUN = Setting("dry_run", "Print the SQL that would run, without running it.", "flag", panel=PANEL)
DryRun = Annotated[bool, option(DRY_RUN.help, "--dry-run", panel=PANEL)]


def counting_flags(family: Family) -> list[Setting]:
    """None for a family whose items are not counted where records live."""
    columns = family.reader.counted
    if columns is None:
        return []
    titles = " and ".join(title[0].lower() + title[1:] for title in columns.titles)
    words = f"Count the records where they are stored, by {titles}: give the names of these columns."
    if columns.joined:
        return [RECORDS, Setting("count_by", words, panel=PANEL), TABLE, DRY_RUN]
    return [Setting("count_by", f"{words} FILE is then {LIVING}. {PASSWORD}", panel=PANEL), TABLE, DRY_RUN]


@dataclass(frozen=True)
class Counting:
    """What to count, and where it lives."""

    family: Family
    columns: Columns  # what the family is counted by
    source: str  # a path or an address
    table: str | None  # of a database
    by: tuple[str, ...]  # columns

    @classmethod
    def taken(cls, family: Family, file: str, settings: dict[str, Any]) -> Counting | None:
        """Remove it from the given flags; None if a file is read."""
        names, table = settings.pop("count_by", None), settings.pop("table", None)
        columns = family.reader.counted
        if columns is None:
            if elsewhere(file):
                raise InvalidInput(f"These {family.items} are read from a file; give its path.")
            return None
        records = file
        if columns.joined:
            if elsewhere(file):
                raise InvalidInput(
                    f"The {family.items} are read from a file; give its path as FILE. Use --records to say where "
                    "records are stored."
                )
            records = settings.pop("records", None)
            if names is not None and records is None:
                raise InvalidInput("Use --records to say where the records with the columns of --count-by are stored.")
        if names is not None:
            by = tuple(column_list(names))
            if len(by) != len(columns.parameters) and not (columns.several and by):
                many = number_of(len(columns.parameters), "column")
                raise InvalidInput(f"Records are counted by {many}, but --count-by lists {len(by)}; list {many}.")
            return cls(family, columns, records, table, by)
        if table is not None or (records is not None and (columns.joined or elsewhere(records))):
            raise InvalidInput("Records are counted by columns; list these with --count-by.")
        if not columns.joined and _is_database(Path(file)):
            raise InvalidInput(
                f"{Path(file).name} is a database; give its table with --table, and the columns to count by with "
                "--count-by."
            )
        return None

    @property
    def inputs(self) -> list[Path]:
        """The file that it reads, if it is one."""
        return [] if elsewhere(self.source) else [Path(self.source)]

    def instance(self, file: str, reading: Mapping[str, Any]) -> Any:
        """What the counts make, with progress meanwhile."""
        from kanon_engine.records import count

        columns = self.columns
        self._require_fitting(reading)
        with opened(self.source, self.table) as (records, progress):
            if columns.joined:
                return joined(self.family, columns, given(file)[0], records, self.by, reading, progress)
            return count(records, self._by, progress=progress, **reading)

    def sql(self, reading: Mapping[str, Any]) -> str:
        """The statements that `instance` sends to the engine, each with its purpose."""
        self._require_fitting(reading)
        options = {} if self.columns.joined else {name: value for name, value in reading.items() if name != "unit"}
        return count_statements(self.source, self.table, self._by, options)

    @property
    def _by(self) -> str | list[str] | tuple[str, ...]:
        """The columns as `count` takes them."""
        if self.columns.several:
            return list(self.by)
        return self.by[0] if len(self.by) == 1 else self.by

    def _require_fitting(self, reading: Mapping[str, Any]) -> None:
        """Refuse flags that have no meaning when records are counted."""
        from kanon_engine.records.count import LABEL_OPTIONS, POINT_OPTIONS
        from kanon_engine.records.counted import TABLE_OPTIONS

        columns = self.columns
        if columns.joined:
            needing = {one.name for one in self.family.reader.parameters if one.needs and columns.joined in one.needs}
            idle = {*needing, *columns.parameters, columns.counts, columns.joined, "per_record"} & set(reading)
        else:
            idle = set(reading) - {"unit", *LABEL_OPTIONS, *POINT_OPTIONS, *TABLE_OPTIONS}
        if idle:
            flag = flag_name(min(idle))
            raise InvalidInput(f"{flag} does not apply when records are counted; leave out this flag or --count-by.")


@contextmanager
def opened(source: str, table: str | None) -> Iterator[tuple[Records, ProgressCallback]]:
    """Records where they live, with the progress of the count."""
    from kanon_engine.records import Records

    with progress_bar("counting records") as progress, Records.open(source, table) as records:
        yield records, progress


def count_statements(source: str, table: str | None, by: str | Sequence[str], options: Mapping[str, Any]) -> str:
    """The statements that counting sends to the engine, each with its purpose."""
    from kanon_engine.records import Records, sql_of_count

    with Records.open(source, table) as records:
        return statements(sql_of_count(records, by, **options))


def joined(
    family: Family,
    columns: Columns,
    items: Path | Source,
    records: Records,
    by: Sequence[str],
    reading: Mapping[str, Any],
    progress: ProgressCallback,
) -> Any:
    """A file with the counts of records: the same as if these were a second file with one row per record."""
    from kanon_engine.records.count import code_counts

    (name,) = by
    counts = code_counts(records, name, progress)
    return family.reader.function(items, **reading, **{columns.joined: counts, columns.parameters[0]: name})


def elsewhere(source: str | Path) -> bool:
    """Whether this is not a single file to read; `InvalidInput` for an address with a password.

    >>> elsewhere("postgresql://reader@host/births"), elsewhere("births.csv")
    (True, False)
    """
    return Address.of(str(source)) is not None or Path(source).is_dir()


def _is_database(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return is_database(file.read(72))


def statements(listed: Iterable[tuple[str, str]]) -> str:
    """SQL that a person can read and run.

    >>> print(statements([("records by zip", "SELECT 1")]))
    -- records by zip
    SELECT 1;
    """
    return "\n\n".join(f"-- {what}\n{sql};" for what, sql in listed)
