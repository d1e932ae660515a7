"""The hierarchy of a column as lines that a person can edit, "value; group; larger group", and back."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import kanon_engine as kanon
from kanon_engine.tables.domain import Value
from kanon_engine.tables.tree import ROOT, Tree, tree_for
from pages._tables.order_lines import lines_of


def lines_of_tree(rows: Sequence[Sequence[Any]], values: Sequence[Value]) -> str:
    """A line a row; the last column is left out where it says “*” for all.

    Example
    -------
    >>> lines_of_tree([["Rome", "Italy", "*"], ["Lima", "Peru; Callao", "*"]], ["Lima", "Rome"])
    'Rome; Italy\\nLima; "Peru; Callao"'
    """
    line_of = {value: line for line, value in lines_of(values).items()}
    last = all(row[-1] == ROOT for row in rows)
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";", lineterminator="\n")
    for value, *words in rows:
        writer.writerow([line_of.get(value, str(value)), *(f" {word}" for word in (words[:-1] if last else words))])
    return "\n".join(line.replace(';" ', '; "') for line in text.getvalue().splitlines())


def tree_of_lines(name: str, text: str, values: Sequence[Value]) -> Tree:
    """The hierarchy that lines give, over all these values.

    Raises
    ------
    InvalidInput
        A value stands twice or is lacking, or the groups are not nested.

    Example
    -------
    >>> tree_of_lines("city", 'Rome; Italy\\nLima; "Peru; Callao"', ["Lima", "Rome"]).rows
    [['Rome', 'Italy', '*'], ['Lima', 'Peru; Callao', '*']]
    """
    known: Mapping[str, Value] = lines_of(values)
    rows: list[list[Any]] = []
    for cells in csv.reader(text.splitlines(), delimiter=";", skipinitialspace=True):
        row = [cell.strip() for cell in cells]
        if any(row):
            rows.append([known.get(row[0], row[0]), *row[1:]])
    if not rows:
        raise kanon.InvalidInput("There are no lines yet; write “value; group; larger group”, one value a line.")
    return tree_for(name, Tree.from_levels(rows), values)
