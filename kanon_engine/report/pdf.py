"""A review as a PDF: the same sections as the page, with page numbers, an outline and repeated table headers.

fpdf2 makes it: pure Python, without system packages; it takes SVG and fonts as they are, and writes the same bytes for
the same content once its date is fixed. The free part of reportlab has no SVG.
"""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from kanon_engine.plot.colors import REPORT_GRAY, REPORT_INK, RULE
from kanon_engine.plot.drawing import FILES, font_file, missing_words, written
from kanon_engine.project.context import day_of
from kanon_engine.report.contents import report_contents
from kanon_engine.report.findings import SIGNS, tone
from kanon_engine.report.parts import NOT_SAID, Cell, Fact, FactList, Grid, Paragraph, Part, Picture, Section, SignHere
from kanon_engine.report.review import Review
from kanon_engine.report.style import TONE_COLORS

if TYPE_CHECKING:
    from fpdf import FPDF


MARGIN, BOTTOM = 16.0, 18.0  # mm
PAGES = "0  0"  # placeholder for the number of pages; no other text has two adjacent spaces
UNDATED = datetime.datetime(1980, 1, 1, tzinfo=datetime.UTC)  # if no decision is dated
POINT = 25.4 / 72  # mm
PAD, GAP = 1.6, 3.2  # mm between rows and columns of a table
NAMES, NUMBER = 45.0, 24.0  # mm, of the names of facts, and of the page number
BODY, SMALL, HEAD = 9.5, 7.8, 8.2  # points
TALLEST = 150.0  # mm, of a picture
HEADED = 45.0  # mm that a heading needs below it: a note, and a table with its caption, heads and first row
WHOLE, LEAST = 55.0, 25.0  # mm: rows up to WHOLE are not broken, and none is broken with less than LEAST left


@dataclass(frozen=True)
class Style:
    """How a line is written: points, font and color."""

    size: float = BODY
    font: str = ""
    color: str = REPORT_INK

    @property
    def height(self) -> float:
        """Of a line, in mm."""
        return self.size * POINT * 1.38


@dataclass(frozen=True)
class Line:
    """One line of a cell."""

    words: str
    style: Style
    right: bool = False


PLAIN, STRONG, NOTE = Style(), Style(font="B"), Style(SMALL, color=REPORT_GRAY)
ROOM = Style(13)  # of a line to write on by hand
MISSING, CODE = Style(font="I", color=TONE_COLORS["bad"]), Style(7.2, "M")
PARAGRAPHS = {"lead": Style(12.5, "B"), "plain": PLAIN, "note": NOTE, "warning": Style(color=TONE_COLORS["bad"])}


def report_pdf(review: Review) -> bytes:
    """The report as a PDF, the same bytes for the same review.

    Its date is that of the decision, or 1980-01-01. Letters that the fonts lack are replaced by □, and the first page
    says so.
    """
    report = report_contents(review)
    pdf = _document(written(report.title))
    day = day_of(review.context.decided)
    pdf.set_creation_date(UNDATED if day is None else datetime.datetime.combine(day, datetime.time(), datetime.UTC))
    pdf.set_title(written(report.title))
    pdf.set_subject(report.subtitle)
    pdf.add_page()
    _write(pdf, [Line(report.subtitle.upper(), Style(8, color=REPORT_GRAY))])
    _write(pdf, _lines(report.title, Style(16, "B"), pdf.epw))
    pdf.set_y(pdf.get_y() + 1)
    _rule(pdf, TONE_COLORS["good"], 0.8)
    for place, section in enumerate(report.sections):
        if place in (1, len(report.sections) - 1):  # the decision has its own page, and the annex begins a new one
            pdf.add_page()
        _section(pdf, section, 0)
        missing = missing_words("\n".join(report.words())) if place == 0 else ""
        if missing:
            _part(pdf, Paragraph(missing, "warning"), 0)
    return bytes(pdf.output())


def _document(title: str) -> FPDF:
    """An empty document with its fonts and its page footer."""
    from fpdf import FPDF

    class Document(FPDF):
        def footer(self) -> None:
            self.set_y(-11)
            _use(self, Style(SMALL, color=REPORT_GRAY))
            self.cell(self.epw - NUMBER, 4, first, align="L")
            self.cell(NUMBER, 4, f"Page {self.page_no()} of {PAGES}", align="L")

    pdf = Document(format="A4")
    for style in FILES:
        name = "mono" if style == "M" else "sans"
        pdf.add_font(name, "" if style == "M" else style, font_file(style))
    pdf.set_margin(MARGIN)
    first = first_that_fits(title, "", SMALL * POINT, pdf.epw - NUMBER - 20) + " · internal"
    pdf.set_auto_page_break(False, BOTTOM)
    pdf.c_margin = 0
    pdf.alias_nb_pages(PAGES)
    pdf.set_lang("en")
    pdf.set_creator("kanon")
    pdf.set_producer("fpdf2")
    return pdf


def _section(pdf: FPDF, section: Section, level: int) -> None:
    style = Style(16 if level == 0 else 11.5, "B")
    lines = _lines(section.heading, style, pdf.epw)
    pdf.set_y(pdf.get_y() + (3 if level else 7))
    _room(pdf, sum(line.style.height for line in lines) + _first_height(pdf, section))
    pdf.start_section(written(section.heading), level)
    _write(pdf, lines)
    pdf.set_y(pdf.get_y() + 1)
    for part in section.parts:
        _part(pdf, part, level)


def _first_height(pdf: FPDF, section: Section) -> float:
    """How much room a heading needs below it, so that it is not left alone."""
    first = section.parts[0]
    if isinstance(first, Section):
        return 12 + _first_height(pdf, first)
    if isinstance(first, FactList):
        return _height(_fact(pdf, first.rows[0], first.by_hand)) + 1
    return _size(pdf, first)[1] + 8 if isinstance(first, Picture) else HEADED


def _part(pdf: FPDF, part: Part, level: int) -> None:
    match part:
        case Paragraph():
            _write(pdf, _lines(part.words, PARAGRAPHS[part.style], pdf.epw))
            pdf.set_y(pdf.get_y() + 1.5)
        case FactList():
            for fact in part.rows:
                _row(pdf, _fact(pdf, fact, part.by_hand), [NAMES, pdf.epw - NAMES])
            pdf.set_y(pdf.get_y() + 2)
        case SignHere():
            _sign_here(pdf, part)
        case Grid():
            _table(pdf, part)
        case Picture():
            _picture(pdf, part)
        case Section():
            _section(pdf, part, level + 1)


def _fact(pdf: FPDF, fact: Fact, by_hand: bool) -> list[list[Line]]:
    """The name of a fact, and its value."""
    width = pdf.epw - NAMES
    right = _lines(fact.value or NOT_SAID, PLAIN if fact.value else MISSING, width)
    right += _lines(fact.note, NOTE, width) if fact.note else []
    right += [Line("", ROOM)] if by_hand and not fact.value else []
    return [_lines(fact.name, STRONG, NAMES - GAP), right]


def _sign_here(pdf: FPDF, part: SignHere) -> None:
    width = (pdf.epw + GAP) / len(part.names)
    _room(pdf, 2 * ROOM.height + NOTE.height)
    y = pdf.get_y() + 2 * ROOM.height
    pdf.set_draw_color(REPORT_INK)
    pdf.set_line_width(0.2)
    for place, name in enumerate(part.names):
        x = pdf.l_margin + place * width
        pdf.line(x, y, x + width - GAP, y)
        _put(pdf, Line(name, NOTE), x, y + 0.5, width - GAP)
    pdf.set_y(y + NOTE.height + 3)


def _table(pdf: FPDF, grid: Grid) -> None:
    whole = sum(column.share for column in grid.columns)
    widths = [pdf.epw * column.share / whole for column in grid.columns]
    columns = list(zip(grid.columns, widths, strict=True))
    heads = [
        _lines(column.title, Style(HEAD, "B", REPORT_GRAY), width - GAP, right=column.right)
        for column, width in columns
    ]
    caption = _lines(grid.caption, STRONG, pdf.epw)
    rows = [
        [list(_cell(cell, width - GAP, column.right)) for cell, (column, width) in zip(row, columns, strict=True)]
        for row in grid.rows
    ]
    first = 0.0 if not rows else _height(rows[0]) if _height(rows[0]) < WHOLE else LEAST
    _room(pdf, sum(line.style.height for line in caption) + _height(heads) + first + 4)
    _write(pdf, caption)
    pdf.set_y(pdf.get_y() + 0.5)
    _row(pdf, heads, widths, REPORT_GRAY)
    for row in rows:
        _row(pdf, row, widths, heads=heads)
    pdf.set_y(pdf.get_y() + 3)


def _cell(cell: Cell, width: float, right: bool) -> Iterator[Line]:
    style, words = {"strong": STRONG, "code": CODE}.get(cell.kind, PLAIN), cell.words
    if cell.kind == "verdict":
        grade = tone(words)
        style, words = Style(BODY, "B", TONE_COLORS[grade]), f"{SIGNS[grade]} {words}"
    yield from _lines(words, style, width, right=right)
    for note in cell.notes:
        yield from _lines(note, NOTE, width)


def _row(
    pdf: FPDF,
    cells: Sequence[Sequence[Line]],
    widths: Sequence[float],
    color: str = RULE,
    heads: Sequence[Sequence[Line]] = (),
) -> None:
    """A row of cells with a line below; a row taller than the page continues on the next, below the headers."""
    rest = [list(cell) for cell in cells]
    height = _height(rest)
    if height > _left(pdf) and (height < WHOLE or _left(pdf) < LEAST):
        _next_page(pdf, heads, widths)
    while any(rest):
        top, bottom = pdf.get_y() + PAD / 2, pdf.get_y()
        x = pdf.l_margin
        for place, width in enumerate(widths):
            y = top
            while rest[place] and y + rest[place][0].style.height <= _end(pdf) - PAD / 2:
                line = rest[place].pop(0)
                _put(pdf, line, x, y, width - GAP)
                y += line.style.height
            bottom, x = max(bottom, y + PAD / 2), x + width
        pdf.set_y(bottom)
        if any(rest):
            _next_page(pdf, heads, widths)
    _rule(pdf, color, 0.15)


def _next_page(pdf: FPDF, heads: Sequence[Sequence[Line]], widths: Sequence[float]) -> None:
    pdf.add_page()
    if heads:
        _row(pdf, heads, widths, REPORT_GRAY)


def _picture(pdf: FPDF, picture: Picture) -> None:
    width, height = _size(pdf, picture)
    _room(pdf, height + 8)
    y = pdf.get_y()
    pdf.image(io.BytesIO(picture.svg), x=pdf.l_margin, y=y, w=width, h=height, alt_text=written(picture.told))
    pdf.set_y(y + height + 1)
    _write(pdf, _lines(picture.caption, NOTE, pdf.epw))
    pdf.set_y(pdf.get_y() + 2)


def _size(pdf: FPDF, picture: Picture) -> tuple[float, float]:
    """As wide as the page, or as high as a picture may be, in mm."""
    sides = [re.search(rf'<svg[^>]* {side}="([0-9.]+)'.encode(), picture.svg) for side in ("width", "height")]
    wide, high = (float(match[1]) if match else 1.0 for match in sides)
    width = min(pdf.epw, TALLEST * wide / high)
    return width, width * high / wide


def _lines(text: str, style: Style, width: float, *, right: bool = False) -> list[Line]:
    """The text in lines of this width."""
    if not text:
        return []
    # a number stays next to its sign, and k next to its number
    unbroken = written(text).replace(" %", "\u00a0%").replace("k = ", "k\u00a0=\u00a0")
    return [Line(words, style, right) for words in wrapped(unbroken, style.font, style.size * POINT, width)]


def _write(pdf: FPDF, lines: Sequence[Line]) -> None:
    """Below the current content, or on the next page if there is no room."""
    for line in lines:
        _room(pdf, line.style.height)
        y = pdf.get_y()
        _put(pdf, line, pdf.l_margin, y, pdf.epw)
        pdf.set_y(y + line.style.height)


def _put(pdf: FPDF, line: Line, x: float, y: float, width: float) -> None:
    _use(pdf, line.style)
    pdf.set_xy(x, y)
    pdf.cell(width, line.style.height, line.words, align="R" if line.right else "L")


def _use(pdf: FPDF, style: Style) -> None:
    pdf.set_font("mono" if style.font == "M" else "sans", "" if style.font == "M" else style.font, style.size)
    pdf.set_text_color(style.color)


def _rule(pdf: FPDF, color: str, width: float) -> None:
    pdf.set_draw_color(color)
    pdf.set_line_width(width)
    y = pdf.get_y()
    pdf.line(pdf.l_margin, y, pdf.l_margin + pdf.epw, y)
    pdf.set_y(y + width)


def _height(cells: Sequence[Sequence[Line]]) -> float:
    return max((sum(line.style.height for line in cell) for cell in cells), default=0.0) + PAD


def _end(pdf: FPDF) -> float:
    return float(pdf.h - BOTTOM)


def _left(pdf: FPDF) -> float:
    return _end(pdf) - float(pdf.get_y())


def _room(pdf: FPDF, height: float) -> None:
    """Go to the next page if there is less room than this and the page is not empty."""
    if height > _left(pdf) and pdf.get_y() > MARGIN + 1:
        pdf.add_page()


# ---------------------------------------------------------------------------------------------------------------------
# Text in lines of a given width, by the widths of the letters of a font.
# ---------------------------------------------------------------------------------------------------------------------


SLACK = 0.995  # widths in the file are rounded


def wrapped(text: str, font: str, size: float, width: float) -> list[str]:
    """The text in lines of at most this width; a wider word is broken. `font` is a key of `FILES`.

    >>> wrapped("one two\\nthree unbrokenword", "M", 10, 60)
    ['one two', 'three', 'unbrokenw', 'ord']
    >>> wrapped("made-in-Zug", "M", 10, 60)
    ['made-in-', 'Zug']
    """
    widths, most = _widths(font), width * SLACK / size
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line, used = "", 0.0
        for word in paragraph.split(" "):
            wide = _wide(word, widths)
            gap = widths[" "] if line else 0.0
            if used + gap + wide <= most:
                line, used = f"{line} {word}" if line else word, used + gap + wide
                continue
            lines += [line] if line else []
            *whole, line = _broken(word, widths, most)
            lines += whole
            used = _wide(line, widths)
        lines.append(line)
    return lines


def first_that_fits(text: str, font: str, size: float, width: float) -> str:
    """The text, or as much as fits on a line and an ellipsis.

    >>> first_that_fits("unbrokenword", "M", 10, 60), first_that_fits("word", "M", 10, 60)
    ('unbroken…', 'word')
    """
    widths = _widths(font)
    most = width * SLACK / size
    return text if _wide(text, widths) <= most else _broken(text, widths, most - widths["…"])[0].rstrip() + "…"


def _broken(word: str, widths: dict[str, float], most: float) -> list[str]:
    """A word in parts that fit, each of at least one letter, broken after a hyphen if possible."""
    parts, used = [""], 0.0
    for letter in word:
        wide = _wide(letter, widths)
        if parts[-1] and used + wide > most:
            whole, hyphen, rest = parts[-1].rpartition("-")
            parts[-1:] = [whole + hyphen, rest] if hyphen else [rest, ""]
            used = _wide(parts[-1], widths)
        parts[-1] += letter
        used += wide
    return parts


def _wide(text: str, widths: dict[str, float]) -> float:
    """Its width in parts of the size; a letter that the font lacks is as wide as it is high."""
    return sum(widths.get(letter, 1.0) for letter in text)


@cache
def _widths(font: str) -> dict[str, float]:
    """Letter → its width in parts of the size."""
    from fontTools.ttLib import TTFont

    with TTFont(font_file(font), lazy=True) as file:
        unit, advances = file["head"].unitsPerEm, file["hmtx"].metrics
        return {chr(code): advances[name][0] / unit for code, name in file.getBestCmap().items()}
