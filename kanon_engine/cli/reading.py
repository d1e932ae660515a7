"""The readers with their flags: what each command takes, and how a certificate's file is read again."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kanon_engine as kanon
from kanon_engine.cli.flags import Flag, one_of
from kanon_engine.cli.values import by_column, column_list, orders, ranges
from kanon_engine.errors import InvalidInput, KanonError
from kanon_engine.model.algorithm import Family
from kanon_engine.registry import FAMILIES

ID = Flag("id", "Column of the ids.")
WEIGHT = Flag("weight", "Column of the counts.")
UNIT = Flag("unit", "What the counts count, for sentences: people, births, …")
LAYER = Flag("layer", "Which layer, of a file with several.")
PER_RECORD = Flag("per_record", "Each row is one record, or each row has a count.", bool, "in-column")
MERGE = Flag("merge_duplicates", "Take rows with the same id or label as one.", bool)


@dataclass(frozen=True)
class Kind:
    """One command's kind of data.

    Attributes
    ----------
    name, items, help : str
        The command, what its items are called, and one line.
    family : Family
    read : callable
    flags : tuple of Flag
        The reader's parameters, all but the file itself and what to call it.
    shapes : bool
        Whether classes can have shapes.
    release : bool
        Whether the items themselves can be released, generalized.
    """

    name: str
    items: str
    help: str
    family: Family
    read: Callable[..., Any]
    flags: tuple[Flag, ...]
    shapes: bool = True
    release: bool = False


COMMANDS = {
    kind.name: kind
    for kind in (
        Kind(
            "regions",
            "areas",
            "Group areas with counts into connected groups of at least k.",
            FAMILIES["regions"],
            kanon.read_regions,
            (
                WEIGHT,
                ID,
                Flag("name", "Column of what people call the areas."),
                Flag(
                    "contiguity",
                    "Who is a neighbour: a common border, or also a common point.",
                    one_of(("rook", "queen")),
                ),
                Flag(
                    "islands", "Join separate parts to their nearest neighbour, or not.", one_of(("attach", "separate"))
                ),
                Flag("counts", "A second table, joined by id: of counts, or of one row a record.", Path),
                Flag("counts_id", "Its column of ids."),
                Flag("counts_column", "Its column of counts. Guessed by its name when left out."),
                PER_RECORD,
                Flag("unmatched", "Rows of the second table without an area.", one_of(("refuse", "drop"))),
                Flag("edges", "A list of borders (CSV of two ids, .gal), used instead of contiguity.", Path),
                LAYER,
                MERGE,
                UNIT,
            ),
        ),
        Kind(
            "points",
            "points",
            "Group points into rectangles with at least k records.",
            FAMILIES["rectangles"],
            kanon.read_points,
            (
                Flag("x", "Column of longitudes, or x."),
                Flag("y", "Column of latitudes, or y."),
                WEIGHT,
                ID,
                Flag("crs", "Coordinate system, as EPSG:4326, where the file does not say it."),
                Flag("project", "Coordinate system to cut in, as EPSG:5070, or utm for the best zone."),
                PER_RECORD,
                Flag("drop_bad", "Leave rows without a possible position out instead of refusing the file.", bool),
                LAYER,
                UNIT,
            ),
        ),
        Kind(
            "labels",
            "labels",
            "Group labels such as names or diagnoses into groups of at least k records.",
            FAMILIES["labels"],
            kanon.read_labels,
            (
                Flag("label", "Column of the labels."),
                Flag("count", "Column of the counts."),
                Flag("per_record", "Each row is one record, or each row has a count.", bool, "per-label"),
                Flag("together", "A CSV in which each line is a set of labels that stay in one group.", Path),
                Flag("apart", "A CSV in which each line is a set of labels of which no two share a group.", Path),
                Flag("class_names", "What groups are called: number, largest (by their largest label), or A,B,C."),
                MERGE,
                UNIT,
            ),
            shapes=False,
        ),
        Kind(
            "table",
            "records",
            "Put the values of columns into intervals until every record has at least k − 1 equals.",
            FAMILIES["tables"],
            kanon.read_table,
            (
                Flag(
                    "quasi_identifiers",
                    "Columns that could be linked with other data, as age,sex. Guessed when left out.",
                    parsed=column_list,
                ),
                Flag("class_label", "Column that a model is to predict."),
                Flag("orders", 'Values in order, as {"size": ["S", "M", "L"]}, or a JSON file of this.', parsed=orders),
                Flag("hierarchies", "ARX hierarchies that give the order, as education=levels.csv.", parsed=by_column),
                Flag("bins", "Ranges of numbers, as age=5 or, the first from 17 on, age=17:5.", parsed=ranges),
                Flag("identifiers", "Columns to leave out, which are never guessed to be more.", parsed=column_list),
                Flag("sensitive", "Columns that tell something about a person, as an illness.", parsed=column_list),
                Flag(
                    "keep",
                    "Columns to release unchanged. Default: those of --sensitive and --class-label. What is not named "
                    "is left out.",
                    parsed=column_list,
                ),
                UNIT,
            ),
            shapes=False,
            release=True,
        ),
    )
}
READERS = {kind.read.__name__: kind for kind in COMMANDS.values()}
FILES = ("counts", "edges")
ELSEWHERE = re.compile(r"grids|init\s*=|parameterfile|://|^\s*[/\\~.{]", re.IGNORECASE)  # what PROJ would open


def reader_settings(kind: Kind, settings: dict[str, Any]) -> dict[str, Any]:
    """Take the reader's part out of the flags that were given."""
    given = [flag for flag in kind.flags if flag.name in settings]
    taken = {flag: settings.pop(flag.name) for flag in given}
    return {flag.name: value if flag.parsed is None else flag.parsed(value) for flag, value in taken.items()}


def read_again(reading: Mapping[str, Any], file: Path, files: Mapping[str, Path | None]) -> Any:
    """The instance of a certificate: `file` read by the reader and the parameters that the certificate keeps.

    Raises
    ------
    InvalidInput
        The result was not made from a file, or names parameters that the reader does not have.
    """
    settings = dict(reading)
    name = settings.pop("reader", None)
    if name not in READERS:
        raise InvalidInput(
            "This certificate does not say how its file was read; verify it where it was made, with kanon.verify."
        )
    known = {flag.name for flag in READERS[name].flags}
    unknown = sorted(set(settings) - known | {*FILES, "hierarchies"} & set(settings))
    if unknown:
        raise InvalidInput(f"This certificate names {', '.join(unknown)}, which {name} does not take; it was edited.")
    _require_no_file(settings)
    given = {role: path for role, path in files.items() if path is not None}
    unfit = sorted(set(given) - known)
    if unfit:
        raise InvalidInput(
            f"This certificate is about {READERS[name].items}, which need no --{unfit[0]}; leave it out."
        )
    if settings.get("counts_id") is not None and "counts" not in given:
        raise InvalidInput("The counts of this certificate came from a second table; name it with --counts.")
    try:
        return READERS[name].read(file, **settings, **given)
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError) as error:
        if isinstance(error, KanonError):
            raise
        raise InvalidInput(
            f"The reading parameters of this certificate do not fit {file.name}; it may be edited."
        ) from error


def _require_no_file(settings: Mapping[str, Any]) -> None:
    """Only the files that a person names are opened: a certificate comes from anybody."""
    for name in ("together", "apart"):
        sets = settings.get(name, ())
        if not isinstance(sets, tuple) or not all(isinstance(members, tuple) for members in sets):
            raise InvalidInput(f"The {name} of this certificate are no sets of labels; it was edited.")
    for name in ("crs", "project"):
        system = settings.get(name)
        if system is not None and (not isinstance(system, str | int) or ELSEWHERE.search(str(system))):
            raise InvalidInput(f"The {name} of this certificate names no coordinate system by itself; it was edited.")
