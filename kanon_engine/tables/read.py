"""A table from a file: columns with roles, values with an order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import ChoiceNeeded, InvalidInput, Remedy
from kanon_engine.io.cells import as_values, typed
from kanon_engine.io.confined import confined
from kanon_engine.io.counts import Counted
from kanon_engine.io.frames import frame_with_columns
from kanon_engine.io.names import CERTAIN, Guess, guesses, plain
from kanon_engine.io.ordered import TEXT, Cells, checked_formats, ordered_cells
from kanon_engine.io.roles import Counts, Roles, resolve
from kanon_engine.io.source import Source
from kanon_engine.io.workbook import lists_sheets, with_sheet
from kanon_engine.io.worker import Scene
from kanon_engine.model.tree import Tree
from kanon_engine.model.values import Value, column_values
from kanon_engine.model.words import counted as number_of
from kanon_engine.model.words import listed
from kanon_engine.tables.hierarchies import GROWN, checked_limits, coded_tails, column_tree, date_tree, require_aligned
from kanon_engine.tables.instance import Table
from kanon_engine.tables.read_columns import (
    as_tree,
    by_columns,
    checked_bins,
    columns_frame,
    date_formats,
    in_ranges,
    keep_notes,
    read_hierarchy,
    require_keepable,
)
from kanon_engine.validate import require_known_name, told

ROLES: Roles = {"weight": Counts()}


@confined("file", "hierarchies")
@lists_sheets(file="sheet")
def read_table(
    file: Any,
    quasi_identifiers: Sequence[str] | None = None,
    class_label: str | None = None,
    *,
    orders: Mapping[str, Sequence[Value]] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    trees: Mapping[str, Any] | None = None,
    order_only: Sequence[str] | None = None,
    grow: Mapping[str, str] | None = None,
    top: Mapping[str, float] | None = None,
    bottom: Mapping[str, float] | None = None,
    bins: Mapping[str, Any] | None = None,
    identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    filename: str | None = None,
    unit: str | None = None,
    accept_guesses: bool = False,
    weight: str | None = None,
    dates: Mapping[str, str] | str | None = None,
    sheet: str | int | None = None,
) -> Table:
    """Records from CSV, Parquet or Excel, one per row or counted. Columns without a role are left out.

    Parameters
    ----------
    file : path, bytes, readable object or DataFrame
    quasi_identifiers : Columns that could be linked with other data. All roles are guessed, and reported, when None.
    class_label : The column that a model is to predict.
    orders : mapping of column to sequence of values, optional. The order of a quasi-identifier's domain.
    hierarchies : mapping of column to file, optional
        A generalization hierarchy as ARX writes it (value;level 1;…;*): values are shown as its groups, by its words.
        In a workbook the sheet with the name of the column is read.
    trees : mapping of column to Tree or rows, optional. The same in memory: a `Tree`, or rows [value, level 1, …].
    order_only : sequence of str, optional
        Columns whose hierarchy gives no more than the order of the values, by the preorder of its leaves; intervals may
        then reach from one group into another.
    grow : mapping of column to str, optional
        Hierarchies made from the values: "characters" (47678, 4767*, 476**), "dates" (day, month, quarter, year),
        "ranges" (numbers), or another column that has a group for each value, as a state for each city.
    top, bottom : mapping of column to number, optional
        All numbers from `top` on are one category, "≥ 85", and all up to `bottom`.
    bins : mapping of column to number or pair, optional
        Width of the ranges that numbers are put into first, or where the first range begins and the width: 5 makes
        15–19, 20–24, …; (17, 5) makes 17–21, 22–26, ….
    identifiers : Columns that are left out, whatever their guessed role.
    sensitive : Columns that reveal something about a person, such as an illness.
    keep : sequence of str, optional
        Columns that a release shows unchanged. When None: the sensitive columns and the class label that are given;
        nothing that was only guessed.
    filename : What to call uploaded bytes in sentences.
    unit : What a record is; when None, taken from the name of the counts, or "records".
    accept_guesses : A person confirms the guessed roles; without that no records are released.
    weight : The column of counts: how many records, identical in all columns, a row represents. One each when None.
    dates : mapping of column to str, optional
        The format of its dates, such as "dd/mm/yyyy", if the values do not show it; "text" keeps a column unchanged.
        "text" instead of the mapping does so for all columns: no dates, units or ages in ranges are detected.
    sheet : Which sheet of a workbook, by its name or its number from 1; the first that fits when None, with a note.

    Returns
    -------
    Table : `notes` say how it was read. Missing cells (empty, "?", "NA" …) are a value of their own, last in order.

    Raises
    ------
    InvalidInput
        No such file or column, another kind of file, a column with two roles, no quasi-identifier found, an order that
        lacks a value, a count that is missing or not a whole number.
    ChoiceNeeded : Dates in which the day and the month cannot be distinguished.

    >>> table = read_table(b"name,age,sex\\nAda,17,f\\nBo,21,m\\nCy,22,m\\nDee,?,f\\nEd,21,m\\n", bins={"age": (17, 5)})
    >>> table.quasi_identifiers, table.domains
    (('age', 'sex'), (('17–21', '22–26', None), ('f', 'm')))
    >>> read_table(b"zip,people\\n06604,1200\\n06605,37\\n", ["zip"], weight="people").total
    1237
    """
    dates = _formats(dates)
    source = Source.open(file, filename)
    declared = {name: _names(value, name) for name, value in (("identifiers", identifiers), ("sensitive", sensitive))}
    retained = None if keep is None else _names(keep, "keep")
    quasi_identifiers = None if quasi_identifiers is None else _names(quasi_identifiers, "quasi-identifiers")
    class_label = None if class_label is None else str(class_label)
    label = [] if class_label is None else [class_label]
    require_compatible(
        {
            "quasi_identifiers": quasi_identifiers,
            **declared,
            "keep": retained,
            "class_label": class_label,
            "weight": weight,
        }
        | {"orders": orders, "hierarchies": hierarchies, "trees": trees, "grow": grow, "order_only": order_only}
        | {"top": top, "bottom": bottom, "bins": bins}
    )
    retained = [*declared["sensitive"], *label] if retained is None else retained
    requested = [*(quasi_identifiers or ()), *declared["identifiers"], *declared["sensitive"], *label, *retained]
    weight = None if weight is None else str(weight)
    source = with_sheet(source, sheet, [*requested, weight])
    frame, notes = frame_with_columns(source, requested if weight is None else [*requested, weight])
    roles = resolve(frame, ROLES, {"weight": weight}, source.name)
    often, unit, counting = roles.weights(np.zeros(len(frame), dtype=bool), unit, "rows")
    if weight is not None:
        if not often.any():
            raise InvalidInput(f"Every count in column “{weight}” of {source.name} is 0; choose a column with counts.")
        frame = frame.loc[often > 0].drop(columns=weight).reset_index(drop=True)
    weights = None if weight is None else often[often > 0]
    columns = list(frame.columns)
    _once(columns, declared)
    for name in retained:
        require_known_name(columns, name, "columns to keep")
    domains: dict[str, Sequence[Value]] = {}
    raw: dict[str, pd.Series] = {}
    odd: dict[str, tuple[str, ...]] = {}
    ranges = checked_bins(_by_name(bins), columns)
    formats = checked_formats(dates, columns)
    detected_dates: dict[str, str] = {}
    unsure: dict[str, tuple[str, ...]] = {}
    hierarchies, orders = by_columns(hierarchies, columns), _by_name(orders)
    if isinstance(hierarchies, Mapping):
        hierarchies = {name: read_hierarchy(file, column=name) for name, file in hierarchies.items()}
    declared_values = _declared_values(orders, hierarchies, _by_name(trees))
    tops, bottoms = (
        checked_limits(_by_name(limits), what, columns) for limits, what in ((top, "top"), (bottom, "bottom"))
    )
    for name in columns:
        if name in declared["identifiers"]:
            continue  # never released, so their values need no order and no form of dates
        cells = ordered_cells(frame[name], TEXT if dates == TEXT else formats.get(name, ""))
        if name in declared_values and _names_values(declared_values[name], frame[name], cells):
            # a given order or hierarchy spells values as the file does, so they must not become dates or numbers
            cells = replace(ordered_cells(frame[name], TEXT), date=TEXT)
        frame[name], order, odd[name] = cells.values, cells.order, cells.notes
        detected_dates |= {name: cells.date} if cells.date else {}
        unsure |= {name: cells.choices} if cells.choices and not cells.date else {}
        ends = (bottoms.get(name), tops.get(name))
        if name in ranges or ends != (None, None):
            raw[name] = frame[name].copy()  # a kept column must not repeat the values before ranges, either
            frame[name], order = _in_parts(frame[name], ranges.get(name), *ends)
        if order is not None:
            domains[name] = order
    # guesses depend on whether values repeat, so a row of several records must not look like one record
    reduced = once_or_twice(frame, weights) if quasi_identifiers is None else frame
    tree_sources = (hierarchies, trees, grow)
    found_roles = _roles(
        reduced,
        quasi_identifiers,
        class_label,
        declared,
        retained,
        tree_sources,
        {*unsure, *(name for name in detected_dates if detected_dates[name] != TEXT)},
    )
    quasi, class_label, left_out, more, guessed = found_roles
    used_columns = {*quasi, *declared["sensitive"], *retained, class_label}
    _require_decided({name: unsure[name] for name in columns if name in unsure and name in used_columns}, frame)
    idle = [name for name in {**ranges, **tops, **bottoms} if name not in used_columns]
    if idle:
        are, them = ("is", "it") if len(idle) == 1 else ("are", "them")
        more = (
            *more,
            f"{listed(idle)} {are} not released, so ranges and top or bottom categories given for {them} have no "
            "effect.",
        )
    unnamed = [name for name in columns if name not in {*used_columns, *left_out, *idle}]
    if unnamed and quasi_identifiers is not None:
        more = (*more, f"Left out, because neither quasi-identifiers nor kept: {listed(unnamed)}.")
    grown_here = _grown(frame, quasi, _by_name(grow), decades=dates != TEXT)
    frame = frame[[name for name in columns if name in used_columns]]
    plain_order = _names(order_only, "order only")
    grown = _trees(quasi, hierarchies, _by_name(trees))
    column_orders = _orders(frame, quasi, orders, grown | grown_here, plain_order)
    grown = {name: tree for name, tree in grown.items() if name not in plain_order}
    domains = {
        name: order
        for name, order in domains.items()
        if name in quasi and name not in {*column_orders, *grown, *grown_here}
    } | column_orders
    reading: dict[str, Any] = {
        "reader": "read_table",
        "quasi_identifiers": list(quasi),
        "class_label": class_label,
        "orders": {name: list(order) for name, order in column_orders.items()},
        "trees": {},
        "grow": {name: str(way) for name, way in _by_name(grow or {}).items()},
        "top": tops,
        "bottom": bottoms,
        "bins": {name: list(entry) for name, entry in ranges.items()},
        "identifiers": left_out,
        "sensitive": declared["sensitive"],
        "keep": [name for name in columns if name in retained],
        "unit": unit,
        "dates": TEXT
        if dates == TEXT
        else {name: detected_dates[name] for name in frame.columns if name in detected_dates},
        **({"weight": weight} if weight else {}),
        **source.sheet_read(),
    }
    doubt = "" if weight else _counts_overlooked(columns)
    what = f"column {weight} of {source.name}" if weight else f"each row of {source.name} as one record"
    if weight and weight == source.counts:
        what = f"the records of {source.name}"
    count_source = Counted(what, doubt=doubt)
    ordered = (*column_orders, *grown, *(name for name in ranges if name in quasi))
    table = Table(
        frame,
        quasi,
        class_label,
        domains,
        unit=unit,
        weights=weights,
        reading=reading,
        counted=count_source,
        ordered=ordered,
        trees=grown | {name: tree for name, tree in grown_here.items() if name not in plain_order},
        left_out=tuple(name for name in columns if name not in frame.columns),
    )
    object.__setattr__(table, "guessed", {} if accept_guesses else guessed)
    reading["trees"] = {name: table.trees[name].rows for name in grown}
    require_keepable(table.frame, quasi, retained, raw)
    more = (
        *([doubt] if doubt else []),
        *more,
        *counting,
        *keep_notes(
            once_or_twice(table.frame, weights) if retained else table.frame,
            quasi,
            table.reading["keep"],
            {*ranges, *tops, *bottoms},
        ),
    )
    notes += tuple(note for name in table.frame.columns for note in odd[name])
    notes += _by_letters(table, {*domains, *detected_dates})
    object.__setattr__(
        table, "notes", (_summary(table), *more, *notes, *_range_notes(table, ranges), *_tree_notes(table))
    )
    return table


def _counts_overlooked(columns: list[str]) -> str:
    """A sentence where a row seems to represent several records, but no counts were declared."""
    names = [name for name in columns if CERTAIN.fullmatch(plain(name))]
    if not names:
        return ""
    return (
        f"The name of column “{names[0]}” suggests counts, but each row is read as one record; if rows represent "
        "several records, set this column as the column of counts."
    )


def _formats(dates: Any) -> Any:
    """Date formats by column, which may be written as text."""
    try:
        return date_formats(dates) if isinstance(dates, str) else _by_name(dates)
    except ValueError as error:
        raise InvalidInput(str(error)) from None


def _declared_values(orders: Any, hierarchies: Any, trees: Any) -> dict[str, set[str]]:
    """The values that a person gives in the order or the hierarchy of each column, as text."""
    declared: dict[str, Any] = dict(orders) if isinstance(orders, Mapping) else {}
    declared |= {name: tree.values for name, tree in hierarchies.items()} if isinstance(hierarchies, Mapping) else {}
    if isinstance(trees, Mapping):
        declared |= {name: as_tree(name, tree).values for name, tree in trees.items()}
    return {name: set(map(str, values)) for name, values in declared.items() if isinstance(values, Sequence)}


def _names_values(values: set[str], column: pd.Series, cells: Cells) -> bool:
    """Whether a person gives all values of a column as in the file, although they would be read differently."""
    plain = typed(column)[0]
    return bool(cells.choices or not plain.equals(cells.values)) and set(plain.dropna().astype(str)) <= values


def _require_decided(unsure: Mapping[str, tuple[str, ...]], frame: pd.DataFrame) -> None:
    """Ask for the format of dates in which the day and the month cannot be distinguished."""
    for name, choices in unsure.items():
        dates = frame[name].dropna().iloc[0]
        raise ChoiceNeeded(
            f"“{name}” holds dates such as “{str(dates)[:40]}”, and its values do not show whether the day or the "
            "month comes first",
            "dates",
            tuple(f"{name}={format}" for format in choices),
            remedy=[Remedy(f"read them as {format}", "dates", f"{name}={format}") for format in choices],
        )


def _names(names: Any, role: str) -> list[str]:
    if names is None:
        return []
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InvalidInput(f"The columns for “{role}” are {names!r}; give a list of names.")
    return [str(name) for name in names]


def _by_name(entries: Any) -> Any:
    """With column names as text, as in every file."""
    return {str(name): entry for name, entry in entries.items()} if isinstance(entries, Mapping) else entries


def _once(columns: list[str], roles: Mapping[str, Sequence[str]]) -> None:
    """Every given column exists and has one role."""
    assigned: dict[str, str] = {}
    for role, names in roles.items():
        for name in names:
            require_known_name(columns, name, role.replace("_", "-"))
            if name in assigned:
                raise InvalidInput(f"Column {name!r} is given for {assigned[name]} and for {role}; give it one role.")
            assigned[name] = role


def _roles(
    frame: pd.DataFrame,
    quasi: Sequence[str] | None,
    class_label: str | None,
    declared: dict[str, list[str]],
    retained: Sequence[str],
    hierarchies: tuple[Any, ...],
    dates: Collection[str],
) -> tuple[list[str], str | None, list[str], tuple[str, ...], dict[str, str]]:
    """Quasi-identifiers, class label, columns to leave out as identifiers, and the guesses with reasons."""
    role_of = dict.fromkeys(retained, "keep") | {name: role for role, names in declared.items() for name in names}
    if class_label is not None:
        require_known_name(list(frame.columns), class_label, "class label")
        role_of[class_label] = "class label"
    free = [name for name in frame.columns if name not in role_of]
    trees = [str(name) for one in hierarchies if isinstance(one, Mapping) for name in one if str(name) in free]
    if quasi is None:
        guess = guesses(frame[free], dates)
        guess |= dict.fromkeys(trees, Guess("quasi-identifier", "has a hierarchy"))
        quasi = [name for name in free if guess[name].role == "quasi-identifier"]
        if class_label is None:
            class_label = next((name for name in free if guess[name].role == "class label"), None)
        identifiers = [name for name in free if guess[name].role == "identifier"]
        if not quasi:
            raise InvalidInput(
                "No column looks as if it could be linked with other data (few values, but more than one); give the "
                "quasi-identifiers."
            )
        alike: dict[str, list[str]] = {}
        for name in quasi:
            alike.setdefault(guess[name].reason, []).append(name)
        guessed = [f"{listed(names)} ({'it' if len(names) == 1 else 'each'} {why})" for why, names in alike.items()]
        notes = [f"Guessed to be quasi-identifiers: {'; '.join(guessed)}."]
        if identifiers:
            notes.append(
                "Left out as identifiers because of their names or because they have many values: "
                f"{listed(identifiers)}."
            )
        for name in free:
            if guess[name].asked:
                notes.append(f"Because it {guess[name].reason}, “{name}” is left out until you set its role.")
            elif name not in {*quasi, *identifiers, class_label}:
                notes.append(f"“{name}” is left out because it {guess[name].reason}.")
        reasons = {name: f"was read as {one.role} because it {one.reason}" for name, one in guess.items()}
        return list(quasi), class_label, declared["identifiers"] + identifiers, tuple(notes), reasons
    _once(list(frame.columns), {**declared, "quasi-identifiers": quasi})
    more = [name for name in trees if name not in quasi]
    notes = [f"Quasi-identifiers because they have hierarchies: {listed(more)}."] if more else []
    return [*quasi, *more], class_label, declared["identifiers"], tuple(notes), {}


def _require_columns(quasi: Sequence[str], entries: Any, what: str) -> None:
    if entries is not None and not isinstance(entries, Mapping):
        raise InvalidInput(f"The {what} are {entries!r}; give one for each column, by column name.")
    for name in entries or ():
        if name not in quasi:
            listing = ", ".join(quasi)
            raise InvalidInput(
                f"The {what} contain {name!r}, which is not a quasi-identifier; the quasi-identifiers are: {listing}."
            )


def _trees(
    quasi: Sequence[str], hierarchies: Mapping[str, Tree] | None, trees: Mapping[str, Any] | None
) -> dict[str, Tree]:
    """The hierarchies that a person gave, from files or in memory."""
    _require_columns(quasi, hierarchies, "hierarchies")
    _require_columns(quasi, trees, "trees")
    result = {name: as_tree(name, tree) for name, tree in (trees or {}).items()}
    return result | dict(hierarchies or {})


def _grown(frame: pd.DataFrame, quasi: Sequence[str], grow: Any, *, decades: bool) -> dict[str, Tree]:
    """Hierarchies made from the values of columns."""
    _require_columns(quasi, grow, "hierarchies to make")
    trees = {}
    for name, way in (grow or {}).items():
        values = column_values(frame[name])
        if way == "dates" and not decades:
            trees[name] = date_tree(values, decades=False)
        elif way in GROWN:
            trees[name] = GROWN[way](values)
        elif way in frame.columns and way != name:
            trees[name] = column_tree(values, column_values(frame[way]))
        else:
            raise InvalidInput(
                f"The hierarchy of {name!r} cannot be made from {told(way)}; give {', '.join(GROWN)}, or the name "
                "of another column."
            )
    return trees


def _in_parts(
    column: pd.Series, ranges: tuple[float, float] | None, bottom: float | None, top: float | None
) -> tuple[pd.Series, list[Any]]:
    """A column of numbers with one category per tail, the rest in ranges if these are given; and its order."""
    if bottom is None and top is None and ranges is not None:
        return in_ranges(column, *ranges)  # type: ignore[return-value]
    if ranges is not None:
        require_aligned(str(column.name), ranges, bottom, top)
    inner, tails = coded_tails(column, bottom, top)
    if ranges is None:
        order = sorted({value for value in column_values(inner) if value is not None})  # type: ignore[type-var]
    else:
        inner, order = in_ranges(inner, *ranges)  # type: ignore[assignment]
    for name, cells in tails.items():
        if any(cells):
            inner = inner.mask(pd.Series(cells, index=inner.index), name)
            order = [name, *order] if name.startswith("≤") else [*order, name]  # type: ignore[list-item]
    return inner, order


def _orders(
    frame: pd.DataFrame,
    quasi: Sequence[str],
    orders: Mapping[str, Sequence[Value]] | None,
    trees: Mapping[str, Tree],
    order_only: Sequence[str],
) -> dict[str, Sequence[Value]]:
    """The orders that a person gave, by a list or by a hierarchy that only gives an order."""
    _require_columns(quasi, orders, "orders")
    result: dict[str, Any] = dict(orders or {})
    for name in order_only:
        if name not in trees:
            raise InvalidInput(
                f"The order of {name!r} should come from its hierarchy, but this column has no hierarchy; give one."
            )
    result |= {name: list(tree.values) for name, tree in trees.items() if name in order_only}
    for name, order in result.items():
        if isinstance(order, str) or not isinstance(order, Sequence):
            raise InvalidInput(f"The order of {name!r} is {order!r}; give a list of its values.")
    return {name: as_values(order, frame[name]) for name, order in result.items()}


def _summary(table: Table) -> str:
    parts = ", ".join(
        f"{name} ({len(domain):,} value{'s' * (len(domain) != 1)})"
        for name, domain in zip(table.quasi_identifiers, table.domains, strict=True)
    )
    label = "" if table.class_label is None else f"; the class label is {table.class_label}"
    return f"{table.total:,} {table.unit}; quasi-identifiers: {parts}{label}."


def _tree_notes(table: Table) -> tuple[str, ...]:
    return tuple(
        f"“{name}” is shown as groups of its hierarchy. The hierarchy has {number_of(len(tree.levels), 'level')} above "
        f"the values and {number_of(len(tree.nodes) - len(tree), 'group')} with more than one value."
        for name, tree in table.trees.items()
    )


def _by_letters(table: Table, ordered: Collection[str]) -> tuple[str, ...]:
    """The columns that are only ordered alphabetically."""
    names = [
        name
        for name, domain in zip(table.quasi_identifiers, table.domains, strict=True)
        if name not in {*ordered, *table.trees, *(table.ordered or ())}
        and len([value for value in domain if isinstance(value, str)]) > 2
        and not isinstance(table.frame[name].dtype, pd.CategoricalDtype)
    ]
    words = (
        f"In alphabetical order because no other order was given: {listed(names)}. Neighbors in it are combined first."
    )
    return (words,) if names else ()


def _range_notes(table: Table, ranges: Mapping[str, tuple[float, float]]) -> tuple[str, ...]:
    return tuple(
        f"The numbers of “{name}” were put into ranges of {width:g}"
        + (f", from {table.orders[name][0]} on." if name in table.quasi_identifiers else ".")  # type: ignore[index]
        for name, (_, width) in ranges.items()
        if name in table.frame.columns
    )


# ---------------------------------------------------------------------------------------------------------------------
# Rows of a file that represent several records, by a column of counts.
# ---------------------------------------------------------------------------------------------------------------------


def once_or_twice(frame: pd.DataFrame, weights: np.ndarray | None) -> pd.DataFrame:
    """Each row that represents several records twice, to distinguish values of a single record from others.

    >>> once_or_twice(pd.DataFrame({"age": [30, 41]}), np.array([5, 1]))["age"].tolist()
    [30, 30, 41]
    """
    if weights is None:
        return frame
    return frame.iloc[np.repeat(np.arange(len(frame)), np.minimum(weights, 2))].reset_index(drop=True)


ORDERINGS = ("orders", "hierarchies", "trees", "grow")  # each gives the order of a quasi-identifier's values
GENERALIZED = ("quasi_identifiers", *ORDERINGS, "order_only", "weights")
UNCHANGED = ("sensitive", "keep", "class_label", "diversity", "closeness")
NUMBERS = ("top", "bottom", "bins")
EXCLUSIVE = {
    **dict.fromkeys(GENERALIZED, "generalized"),
    **dict.fromkeys(UNCHANGED, "unchanged"),
    "identifiers": "identifiers",
    "weight": "weight",
}


def require_compatible(settings: Mapping[str, Any]) -> None:
    """Raise `InvalidInput` where two parameters that exclude each other contain the same column.

    Parameters
    ----------
    settings : What is given, by parameter: a column, a list of columns, a mapping of column to something, or None.

    >>> require_compatible({"sensitive": ["illness"], "keep": ["illness"], "bins": {"age": 5}})
    >>> require_compatible({"keep": ["age"], "orders": {"age": [1, 2]}})
    Traceback (most recent call last):
    ...
    kanon_engine.errors.InvalidInput: Column 'age' is given for keep and for orders; give it one role.
    """
    columns = {parameter: _columns_in(value) for parameter, value in settings.items()}
    for one, other in combinations(columns, 2):
        both = next((name for name in columns[one] if name in columns[other]), None)
        if both is None:
            continue
        conflict = f"{both!r} is given for {_spelled(one)} and for {_spelled(other)}"
        if one in EXCLUSIVE and other in EXCLUSIVE and EXCLUSIVE[one] != EXCLUSIVE[other]:
            raise InvalidInput(f"Column {conflict}; give it one role.")
        if "weight" in (one, other):
            raise InvalidInput(f"Column {conflict}; counts are not put into ranges.")
        if {one, other} <= {*ORDERINGS} or {one, other} == {"orders", "order_only"}:
            raise InvalidInput(f"Column {conflict}; give one of them.")
        numbers = [name for name in (one, other) if name in NUMBERS]
        if numbers and {one, other} & {*ORDERINGS, "order_only"}:
            reason = (
                "Ranges are always ordered by their numbers"
                if numbers == ["bins"]
                else "Values with a top or bottom category, such as “90+”, are always ordered by their numbers"
            )
            raise InvalidInput(f"{reason}, but column {conflict}; give one of them.")


def _columns_in(value: Any) -> list[str]:
    """The columns in a parameter; none in one of the wrong type, because the reader reports that."""
    if value is None or isinstance(value, str):
        return [] if value is None else [value]
    return [str(name) for name in value] if isinstance(value, Mapping | list | tuple) else []


def _spelled(parameter: str) -> str:
    return parameter.replace("_", "-")


def rehearsal(shapes: Sequence[bytes], tables: Sequence[bytes]) -> Iterator[Scene]:
    """A reader with arguments and settings for each try, on small files of every kind."""
    for data in (tables[0], tables[-2]):
        yield read_table, (data,), {}
        yield columns_frame, (data,), {}
    yield read_hierarchy, (b"a;A;*\nb;B;*\n",), {}
    ranges = {"bins": {"count": 5}, "hierarchies": {"kind": b"a;*\nb;*\n"}}
    yield read_table, (tables[0], ["count", "kind"]), ranges
