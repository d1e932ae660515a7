"""What the records are, which column plays which role, and what leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from kanon_engine.model.words import cell_text, counted, cut, one_line
from kanon_engine.registry import family_named
from kanon_engine.release.released import Released
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
MOST_ROWS, MOST_COLUMNS, LONGEST = 8, 8, 48
WIDEST = 12  # letters of a column, beside others that must not be narrower than theirs
SHAPES = ("geometry", "geom")


def data_section(review: Review) -> Section:
    """The section “Data”."""
    return Section("Data", (_source(review), _roles(review), _leaves(review)))


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
    notes = tuple(Paragraph(one_line(note), "note") for note in instance.notes)
    return Section("What the records are", (Facts(facts), *notes))


def _roles(review: Review) -> Section:
    rows = tuple(
        (Cell(one_line(role.column), kind="strong"), Cell(one_line(role.role)), Cell(one_line(role.released)))
        for role in review.roles
    )
    if not rows:
        return Section("Columns and their roles", (Paragraph("No column was given a role."),))
    columns = (Column("Column", 1.4), Column("Role", 1), Column("What leaves of it", 1.6))
    grid = Grid(f"The role of {'each of ' * (len(rows) > 1)}{counted(len(rows), 'column')}", columns, rows)
    return Section("Columns and their roles", (Paragraph(ROLES, "note"), grid))


def _leaves(review: Review) -> Section:
    parts: list[Part] = []
    if review.picture is not None:
        name = one_line(review.released.name)
        caption = "Drawn from the groups alone: no single record and no raw value is in it."
        told = f"{counted(review.g.classes, 'group')} of {name} with at least {review.g.k:,} "
        parts.append(Picture(review.picture, caption, f"Picture of {told}{one_line(review.released.unit)} each."))
    parts.append(_files(review))
    return Section("What leaves", tuple(parts))


def first_rows(review: Review) -> Section:
    """The first different rows of the release, and the names of columns that have no room there."""
    parts: list[Part] = [_first_rows(review.released)]
    further = [one_line(str(name)) for name in review.released.frame.columns if str(name) not in SHAPES][MOST_COLUMNS:]
    if further:
        parts.append(Paragraph(f"Further columns that leave: {', '.join(further)}.", "note"))
    return Section("First rows of the release", tuple(parts))


def _first_rows(released: Released) -> Grid:
    """The first different rows; columns as wide as what stands in them asks for."""
    frame, counts = released.frame, (released.counts, *released.sums)
    names = [name for name in frame.columns if str(name) not in SHAPES][:MOST_COLUMNS]
    numbers = [pd.api.types.is_numeric_dtype(frame[name]) for name in names]
    different = frame[names][~frame[names].astype("string").duplicated().to_numpy()]
    first = different.head(MOST_ROWS)
    cells = [
        [cut(f"{value:,}" if name in counts else _shown(value), LONGEST) for value in first[name].tolist()]
        for name in names
    ]
    titles = [cut(one_line(str(name)), LONGEST) for name in names]
    columns = tuple(
        Column(title, _share([title, *texts]), number)
        for title, texts, number in zip(titles, cells, numbers, strict=True)
    )
    rows = tuple(tuple(Cell(text) for text in row) for row in zip(*cells, strict=True))
    shown = f"{len(first):,} of {len(different):,}" if len(first) < len(different) else "All"
    return Grid(f"{shown} different rows of the release, which has {counted(len(frame), 'row')}", columns, rows)


def _share(texts: Sequence[str]) -> float:
    """How wide a column of these texts is beside others: by its longest word, which should not be broken."""
    longest = max(len(word) for text in texts for word in text.split() or [""])
    return min(longest, WIDEST) + 3.0  # and what is between columns


def _shown(value: Any) -> str:
    """A cell on one line; a number that is not whole to six digits."""
    if isinstance(value, float) and not value.is_integer():
        return cell_text(value) and f"{value:,.6g}"
    return cell_text(value)


def _files(review: Review) -> Grid | Paragraph:
    if not review.files:
        return Paragraph("No file of the release was made with this report.", "note")
    rows = tuple(
        (Cell(one_line(name), kind="strong"), Cell(f"{len(content):,} bytes")) for name, content in review.files.items()
    )
    return Grid("Files that leave", (Column("File", 3), Column("Size", 1, right=True)), rows)
