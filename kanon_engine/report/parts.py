"""The parts of a report: sections of text, facts, tables and pictures, independent of page and PDF."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from kanon_engine.model.words import one_line

NOT_SAID = "not stated"


@dataclass(frozen=True)
class Paragraph:
    """Some sentences."""

    words: str
    style: str = "plain"  # "plain"; "lead", the one large sentence; "note", small; "warning"


@dataclass(frozen=True)
class Fact:
    """A name, its value, and what it means; "" as the value if nobody stated it."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class FactList:
    """A list of facts; optionally with room to fill in by hand what nobody stated."""

    rows: tuple[Fact, ...]
    by_hand: bool = False


@dataclass(frozen=True)
class SignHere:
    """Lines next to each other to write on by hand, each above its label."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """A cell of a table."""

    words: str
    notes: tuple[str, ...] = ()  # small lines below
    # "plain"; "strong"; "code", monospaced; "verdict", words with a color and a sign
    kind: str = "plain"


@dataclass(frozen=True)
class TableColumn:
    """A column of a table: its title, its share of the width, and whether it holds numbers."""

    title: str
    share: float = 1.0
    right: bool = False


@dataclass(frozen=True)
class Grid:
    """A table; its caption says what it contains."""

    caption: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Picture:
    """A picture as SVG, its caption, and a text alternative."""

    svg: bytes
    caption: str
    told: str


@dataclass(frozen=True)
class Section:
    """A heading and what follows it."""

    heading: str
    parts: tuple[Part, ...]


Part = Paragraph | FactList | SignHere | Grid | Picture | Section


@dataclass(frozen=True)
class Report:
    """A whole report: its title and its sections."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]

    def words(self) -> Iterator[str]:
        """Every text in it, in order."""
        yield from (self.title, self.subtitle)
        for section in self.sections:
            yield from words_of(section)


def section(heading: str, *parts: Part | None, none: str = "") -> Section:
    """The existing parts below a heading; if there are none, a sentence that says so."""
    present = tuple(part for part in parts if part is not None)
    return Section(heading, present or (Paragraph(none),))


def note(words: str) -> Paragraph:
    """Small sentences."""
    return Paragraph(words, "note")


def plain(words: str, *notes: str, kind: str = "plain") -> Cell:
    """A cell on one line, with small lines below; empty ones are left out."""
    return Cell(one_line(words), tuple(filter(None, map(one_line, notes))), kind)


strong = partial(plain, kind="strong")  # the name of a row
code = partial(plain, kind="code")  # a fingerprint
verdict = partial(plain, kind="verdict")  # words with a color and a sign


def grid(caption: str, columns: Mapping[str, float], rows: Iterable[tuple[Cell, ...]]) -> Grid | None:
    """A table of text, by the titles and widths of its columns; None if it has no rows."""
    cells = tuple(rows)
    return Grid(caption, tuple(TableColumn(title, share) for title, share in columns.items()), cells) if cells else None


def words_of(part: Part) -> Iterator[str]:
    """Every text in a part, in order."""
    match part:
        case Paragraph():
            yield part.words
        case FactList():
            for fact in part.rows:
                yield from (fact.name, fact.value or NOT_SAID, fact.note)
        case SignHere():
            yield from part.names
        case Grid():
            yield part.caption
            yield from (column.title for column in part.columns)
            for row in part.rows:
                for cell in row:
                    yield from (cell.words, *cell.notes)
        case Picture():
            yield from (part.caption, part.told)
        case Section():
            yield part.heading
            for inner in part.parts:
                yield from words_of(inner)


def said(text: str) -> str:
    """What a person wrote, line by line, without invisible characters.

    >>> said("  Under contract.\\r\\n\\n Access is\\x00 logged. ")
    'Under contract.\\nAccess is logged.'
    """
    return "\n".join(filter(None, map(one_line, text.splitlines())))


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text.

    >>> sentences("It counts records. It is no law.")
    ('It counts records.', 'It is no law.')
    """
    return tuple(filter(None, re.split(r"(?<=\.) (?=[A-Z])", one_line(text))))


# ---------------------------------------------------------------------------------------------------------------------
# The technical terms that a report uses, each explained briefly.
# ---------------------------------------------------------------------------------------------------------------------


TERMS = {
    "certificate": "all checks of a result, every one passed; each can be repeated",
    "differencing": "finding what is hidden by subtracting published numbers from each other",
    "downcoding": "finding the original values behind a release that hides as little as possible",
    "gap": "how far the cost is above the lower bound; it is at most this far above the best possible",
    "generalization": "showing values less exactly, such as a range of ages instead of one age",
    "group": "records or places that the release shows as one; what the group shows is the same for all of them",
    "homogeneity": "all records of a group have the same sensitive value, so this value is known for each of them",
    "journalist": "someone who looks for anyone in the release, using a list of a larger population",
    "k": "the smallest number of people or records that a group may have",
    "linking": "linking the release to a list of names through the columns that both have",
    "lower bound": "a number that no solution of this kind can go below",
    "marketer": "someone who looks for as many people as possible, and does not mind mistakes",
    "minimality": "finding hidden values from the fact that an algorithm changes no more than necessary",
    "prosecutor": "someone who looks for one person who is known to be in the release",
    "quasi-identifier": "a column that others also know, which can be used to look a person up",
    "reported by the solver": "found by a search and not recomputed, because that would take too long; the search can "
    "be repeated",
    "seed": "the number that random choices start from; with it, a run can be repeated",
    "sensitive": "a column that reveals what others do not know",
    "SHA-256": "a fingerprint of a file: changing one byte changes it",
    "suppression": "leaving out a record or a value",
    "unique": "a record with a combination of values that no other record has",
    "utility": "what the release is still good for",
}


def terms_section(texts: Iterable[str]) -> Section:
    """The terms that appear in these texts, as the section “Words”."""
    text = "\n".join(texts)
    used = [term for term in TERMS if re.search(rf"(?<![\w-]){re.escape(term)}s?(?![\w-])", text, re.IGNORECASE)]
    rows = tuple((strong(term), plain(TERMS[term])) for term in used)
    columns = (TableColumn("Word", 1), TableColumn("Meaning", 3.4))
    return Section("Words", (Grid("Terms used in this report", columns, rows),))
