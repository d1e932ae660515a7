"""What the records are, which column plays which role, and what is released."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pandas as pd

from kanon_engine.io.roles import listed
from kanon_engine.model.known import family_named
from kanon_engine.model.words import counted, cut, one_line
from kanon_engine.release.files import ReleasedFile
from kanon_engine.release.spreadsheet import NUMBER
from kanon_engine.report.contents.parts import (
    Cell,
    Column,
    Fact,
    Facts,
    Grid,
    Paragraph,
    Part,
    Picture,
    Section,
    said,
)
from kanon_engine.report.review import Review

ROLES = (
    "A quasi-identifier is a column that others know too, such as age or zip code: by it a person can be looked up. A "
    "sensitive column tells what others do not know, such as an illness."
)
HEADING = "What is released"
OTHER = "Other bytes than this version of kanon writes: look at it before it is published."
MOST_ROWS, MOST_COLUMNS, LONGEST = 3, 8, 48
GUESSED = re.compile(r" (?:was|were) (?:guessed to be|taken from column)")  # whoever reads it again says the column
BETWEEN = 3.0  # letters between columns
FITS = 80  # letters of a row beside each other, those between columns counted
WIDEST = 12  # letters of a column, beside others that must not be narrower than theirs


def data_section(review: Review) -> Section:
    """The section “Data”."""
    return Section("Data", (_source(review), _roles(review), _released(review)))


def _source(review: Review) -> Section:
    context, instance = review.context, review.instance
    family = family_named(review.g.family)
    items = "rows" if getattr(instance, "weighted", False) else family.items
    held = f"{len(instance):,} {items}"
    if items != instance.unit and instance.total != len(instance):
        held += f" with {instance.total:,} {one_line(instance.unit)}"
    facts = (
        Fact("Release", said(context.title)),
        Fact("Holder", said(context.holder), "Who holds the records."),
        Fact("People", said(context.people), "Whose records they are, and from when."),
        Fact("Records", held),
        Fact("Left out", f"{review.released.left_out:,} {one_line(review.released.unit)}",
             "What is not in the release at all."),
    )  # fmt: skip
    notes = tuple(Paragraph(one_line(note), "note") for note in instance.notes if not GUESSED.search(note))
    return Section("What the records are", (Facts(facts), *notes))


def _roles(review: Review) -> Section:
    rows = tuple(
        (Cell(one_line(role.column), kind="strong"), Cell(one_line(role.role)), Cell(one_line(role.released)))
        for role in review.roles
    )
    if not rows:
        return Section("Columns and their roles", (Paragraph("No column was given a role."),))
    columns = (Column("Column", 1.4), Column("Role", 1), Column("What is released of it", 1.6))
    grid = Grid(f"The role of {'each of ' * (len(rows) > 1)}{counted(len(rows), 'column')}", columns, rows)
    return Section("Columns and their roles", (Paragraph(ROLES, "note"), grid))


def _released(review: Review) -> Section:
    """The files, each with its digest, and the first rows of each different table in them as they stand there."""
    parts: list[Part] = []
    if review.picture is not None:
        name = one_line(review.released.name)
        caption = "Drawn from the groups alone: no single record and no raw value is in it."
        told = f"{counted(review.g.classes, 'group')} of {name} with at least {review.g.k:,} "
        parts.append(Picture(review.picture, caption, f"Picture of {told}{one_line(review.released.unit)} each."))
    files = [ReleasedFile(name, content) for name, content in review.files.items()]
    if not files:
        parts.append(Paragraph("No file of the release was made with this report.", "note"))
        return Section(HEADING, tuple(parts))
    parts.append(_files(files, review.other_bytes))
    for names, table in _tables(files):
        parts.append(_first_rows(names, table))
        further = [one_line(str(name)) for name in table.columns[MOST_COLUMNS:]]
        if further:
            parts.append(Paragraph(f"Further columns of {listed(names)}: {', '.join(further)}.", "note"))
    return Section(HEADING, tuple(parts))


def _files(files: Sequence[ReleasedFile], other: Sequence[str]) -> Grid:
    rows = tuple(
        (
            Cell(one_line(file.name), (OTHER,) if file.name in other else (), "strong"),
            Cell(f"{len(file.content):,} bytes" if file.table is None else _size(file.table)),
            Cell(file.digest, kind="code"),
        )
        for file in files
    )
    columns = (Column("File", 1.05), Column("What is in it", 1.25), Column("SHA-256", 3.1))
    return Grid("The files that are released, and no others", columns, rows)


def _size(table: pd.DataFrame) -> str:
    return f"{counted(len(table), 'row')}, {counted(len(table.columns), 'column')}"


def _tables(files: Sequence[ReleasedFile]) -> list[tuple[list[str], pd.DataFrame]]:
    """Each different table, by its columns, its length and its first rows, with the files that hold it."""
    found: dict[tuple[Any, ...], tuple[list[str], pd.DataFrame]] = {}
    for file in files:
        if file.table is not None:
            first = tuple(map(tuple, _texts(file.table)))
            key = (len(file.table), *map(str, file.table.columns)), first
            found.setdefault(key, ([], file.table))[0].append(one_line(file.name))
    return list(found.values())


def _texts(table: pd.DataFrame) -> list[list[str]]:
    """The first cells of each column, as they stand in the file."""
    return [
        ["" if cell is None else str(cell) for cell in table.iloc[:MOST_ROWS, place]]
        for place in range(len(table.columns))
    ]


def _first_rows(names: Sequence[str], table: pd.DataFrame) -> Grid:
    """The first rows as they stand in the file; columns as wide as what stands in them asks for."""
    cells = [[cut(one_line(text), LONGEST) for text in texts] for texts in _texts(table)[:MOST_COLUMNS]]
    titles = [cut(one_line(str(name)), LONGEST) for name in table.columns[:MOST_COLUMNS]]
    whole = [max(map(len, [title, *texts])) + BETWEEN for title, texts in zip(titles, cells, strict=True)]
    shares = whole if sum(whole) <= FITS else [_share([title, *own]) for title, own in zip(titles, cells, strict=True)]
    columns = tuple(
        Column(title, share, all(map(NUMBER.fullmatch, texts)))
        for title, share, texts in zip(titles, shares, cells, strict=True)
    )
    rows = tuple(tuple(Cell(text) for text in row) for row in zip(*cells, strict=True))
    shown = f"First {len(rows):,} of {counted(len(table), 'row')}" if len(rows) < len(table) else "All rows"
    return Grid(f"{shown} of {listed(names)}", columns, rows)


def _share(texts: Sequence[str]) -> float:
    """How wide a column of these texts is beside others: by its longest word, which should not be broken."""
    longest = max(len(word) for text in texts for word in text.split() or [""])
    return min(longest, WIDEST) + BETWEEN
