"""Records of some groups as they were and as they are released, side by side."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.values import value_words
from kanon_engine.model.words import counted, enumerated, listed
from kanon_engine.tables.utility import Spread
from kanon_engine.tables.words import class_rows
from pages._shared.stage import selected_class, show_selected
from pages._shared.tasks import once

MOST_GROUPS, MOST_RECORDS = 6, 5  # to show, and per group
GROUP_HINT = "Select a group under “Groups” to see it here."
WEIGHTS_HINT = " To keep more detail in one column, give it a larger weight under “Options”."
MOST_NAMED = 3  # columns with less detail to list in the sentence
_CSS = """
<style>
  .kanon-records {overflow: auto; max-height: calc(100vh - 25rem); min-height: 14rem}
  .kanon-records table {border-collapse: collapse; font-size: 0.85rem; margin: 0}
  .kanon-records :is(th, td) {padding: 0.15rem 0.6rem; text-align: left; vertical-align: top; border: 0}
  .kanon-records td {max-width: 11rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap}
  .kanon-records .released {white-space: normal; vertical-align: middle; min-width: 5rem;
    border-right: 1px solid color-mix(in srgb, currentColor 35%, transparent);
    background: rgb(0 114 178 / var(--share, 0))}
  .kanon-records th {font-weight: 600}
  .kanon-records thead tr:last-child th {font-weight: 400}
  .kanon-records small {display: block; font-weight: 400}
  .kanon-records tbody {border-top: 2px solid currentColor}
  .kanon-records .selected {outline: 3px solid rgb(230 159 0); outline-offset: -3px}
</style>
"""


def detail_words(table: kanon.Table, g: kanon.Generalization) -> str:
    """How much detail of each column is lost, as a sentence; the columns that lose most come first."""
    spread = Spread(table, g)
    detail = list(zip(spread.detail, spread.possible, strict=True))
    less = sorted((one for one in detail if one[0][1] > 1), key=lambda one: -(one[0][1] - 1) / (one[0][2] - 1))
    exact = [name for (name, shown, _), _ in detail if shown == 1]
    if not less:
        return "Every released record shows its exact values."
    parts = [f"{possible} in “{name}”" for (name, _, _), possible in less[:MOST_NAMED]]
    words = f"On average, a released record leaves {enumerated(parts)} possible"
    if len(less) > MOST_NAMED:
        more = len(less) - MOST_NAMED
        words += f"; {counted(more, 'more column')} {'loses' if more == 1 else 'lose'} less detail"
    if exact:
        words += f"; {listed(exact) if len(exact) <= MOST_NAMED else f'{len(exact)} columns'} "
        words += "is exact" if len(exact) == 1 else "are exact"
    return f"{words}."


def show_records(table: kanon.Table, g: kanon.Generalization) -> None:
    """Some records of some groups, the selected group first: each value as read and as released."""
    rows = once(class_rows, table, g, of=g.digest, words="Making the release …")
    st.html(_CSS + _html(table, g, [[value_words(value) for value in cells] for cells, _ in rows]))
    words = (
        "Before: records as they were read, which stay internal. After: the values that the release shows for them. "
        "Darker cells cover more of their column’s range; unshaded cells are exact values. Ranges of dates and numbers "
        "are measured from the first to the last value in the table that a cell covers."
    )
    st.caption(words + WEIGHTS_HINT * (g.options.get("metric") == "LM"))
    show_selected(g, GROUP_HINT, "table")


def _html(table: kanon.Table, g: kanon.Generalization, released: list[list[str]]) -> str:
    spread = Spread(table, g)
    shares = (spread.widths - 1) / np.array([max(of - 1, 1) for _, _, of in spread.detail])
    names = "".join(
        f"<th scope='colgroup' colspan='2'>{escape(name)}<small>{possible} possible</small></th>"
        for (name, _, _), possible in zip(spread.detail, spread.possible, strict=True)
    )
    sides = "<th scope='col'>before</th><th scope='col' class='released'>after</th>" * len(spread.detail)
    bodies = "".join(_body(table, g, number, released[number], shares[number]) for number in _groups(g))
    return (
        "<div class='kanon-records' tabindex='0' role='region' aria-label='Records before and after'><table><thead>"
        f"<tr><th scope='col' rowspan='2'>Group</th>{names}</tr><tr>{sides}</tr></thead>{bodies}</table></div>"
    )


def _groups(g: kanon.Generalization) -> list[int]:
    """The selected class first, then some evenly spaced among all."""
    selected = selected_class(g)
    evenly = np.linspace(0, g.classes - 1, MOST_GROUPS).astype(int).tolist()
    return list(dict.fromkeys(evenly if selected is None else [selected, *evenly[1:]]))


def _body(table: kanon.Table, g: kanon.Generalization, number: int, released: list[str], shares: np.ndarray) -> str:
    """One group: a row for each of some records, and one released cell for all of them next to each column."""
    members = np.flatnonzero(g.assignment == number)[:MOST_RECORDS]
    size = int(g.class_weights[number])
    more = size - int(table.weights[members].sum())
    columns = []
    for codes, domain in zip(table.codes[members].T.tolist(), table.domains, strict=True):
        columns.append([escape(value_words(domain[code])) for code in codes])
    if table.weighted:
        weights = table.weights[members].tolist()
        unit = escape(table.unit)
        columns[0] = [f"{value} <small>{n:,} {unit}</small>" for value, n in zip(columns[0], weights, strict=True)]
    if more:
        columns = [[*column, "…"] for column in columns]
    height = len(columns[0])
    head = (
        f"<th scope='rowgroup' rowspan='{height}'>{number + 1:,}<small>{size:,} {escape(table.unit)}</small>"
        f"<small>{f'{more:,} not shown' * (more > 0)}</small></th>"
    )
    lines = []
    for place, cells in enumerate(zip(*columns, strict=True)):
        line = head if place == 0 else ""
        for before, after, share in zip(cells, released, shares.tolist(), strict=True):
            line += f"<td>{before}</td>"
            if place == 0:
                shade = f"style='--share: {0.5 * share:.2f}'"
                line += f"<td class='released' rowspan='{height}' {shade}>{escape(after)}</td>"
        lines.append(f"<tr>{line}</tr>")
    selected = " class='selected'" * (number == selected_class(g))
    return f"<tbody{selected}>{''.join(lines)}</tbody>"
