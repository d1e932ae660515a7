"""A review as one page: for a browser without a network, and for paper."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from html import escape

from kanon_engine.report.contents import report_contents
from kanon_engine.report.findings import SIGNS, tone
from kanon_engine.report.parts import NOT_SAID, Cell, FactList, Grid, Paragraph, Part, Picture, Section, SignHere
from kanon_engine.report.review import Review
from kanon_engine.report.style import CSS

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

HIDDEN = '<span class="hidden">Answered</span>'  # title of a column, only for screen readers
UNSPOKEN = 'aria-hidden="true"'  # of a sign next to its word, for screen readers


def report_html(review: Review) -> str:
    """The report as one file of HTML, the same text for the same review.

    It contains its style and its picture, no script, and no address that a browser could request.
    """
    report = report_contents(review)
    title = escape(report.title)
    names = [(f"section-{number}", section) for number, section in enumerate(report.sections)]
    links = "".join(f'<li><a href="#{name}">{escape(section.heading)}</a></li>' for name, section in names)
    body = "".join(
        f'<section aria-labelledby="{name}">{_heading(section, 2, name)}</section>\n' for name, section in names
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{CSS}</style>\n</head>\n<body>\n"
        f'<header><p class="kind">{escape(report.subtitle)}</p><h1 dir="auto">{title}</h1></header>\n'
        f'<nav aria-label="Sections"><ul>{links}</ul></nav>\n<main>\n{body}</main>\n'
        "<footer><p>Made by kanon. Internal: this report is not part of the release.</p></footer>\n"
        "</body>\n</html>\n"
    )


def _heading(section: Section, level: int, name: str) -> str:
    """A heading and what follows it; sections inside are one level below."""
    parts = "".join(_part(part, level, f"{name}-{place}") for place, part in enumerate(section.parts))
    return f'<h{level} id="{name}">{escape(section.heading)}</h{level}>\n{parts}'


def _part(part: Part, level: int, name: str) -> str:
    match part:
        case Paragraph():
            return f'<p class="{part.style}" dir="auto">{escape(part.words)}</p>\n'
        case FactList():
            return f"<dl>\n{''.join(_facts(part))}</dl>\n"
        case SignHere():
            return f'<div class="sign">{"".join(f"<p>{escape(name)}</p>" for name in part.names)}</div>\n'
        case Grid():
            return _table(part)
        case Picture():
            source = f"data:image/svg+xml;base64,{b64encode(part.svg).decode()}"
            return (
                f'<figure><img alt="{escape(part.told)}" src="{source}">'
                f"<figcaption>{escape(part.caption)}</figcaption></figure>\n"
            )
        case Section():
            return f'<section aria-labelledby="{name}">{_heading(part, level + 1, name)}</section>\n'


def _facts(facts: FactList) -> Iterator[str]:
    for fact in facts.rows:
        value = escape(fact.value) if fact.value else f'<span class="missing">{NOT_SAID}</span>'
        note = f'<span class="small" dir="auto">{escape(fact.note)}</span>' if fact.note else ""
        room = ' class="write"' if facts.by_hand and not fact.value else ""
        content = f'<span dir="auto">{value}</span>{note}'
        yield f'<div{room}><dt dir="auto">{escape(fact.name)}</dt><dd>{content}</dd></div>\n'


def _table(grid: Grid) -> str:
    whole = sum(column.share for column in grid.columns)
    widths = "".join(f'<col style="width:{100 * column.share / whole:.1f}%">' for column in grid.columns)
    heads = "".join(
        f'<th scope="col"{_right(column.right)} dir="auto">{escape(column.title) or HIDDEN}</th>'
        for column in grid.columns
    )
    rights = [column.right for column in grid.columns]
    rows = "".join(f"<tr>{''.join(_cells(row, rights))}</tr>\n" for row in grid.rows)
    return (
        f'<table>\n<caption dir="auto">{escape(grid.caption)}</caption>\n<colgroup>{widths}</colgroup>\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    )


def _cells(row: Iterable[Cell], rights: Iterable[bool]) -> Iterator[str]:
    for place, (cell, right) in enumerate(zip(row, rights, strict=True)):
        notes = "".join(f'<span class="small" dir="auto">{escape(note)}</span>' for note in cell.notes)
        words = f'<span dir="auto">{escape(cell.words)}</span>'
        if cell.kind == "strong" and place == 0:
            yield f'<th scope="row">{words}{notes}</th>'
        elif cell.kind == "verdict":
            grade = tone(cell.words)
            yield f'<td class="verdict {grade}"><span {UNSPOKEN}>{SIGNS[grade]} </span>{words}{notes}</td>'
        else:
            kind = ' class="code"' if cell.kind == "code" else _right(right)
            yield f"<td{kind}>{words}{notes}</td>"


def _right(right: bool) -> str:
    return ' class="right"' if right else ""
