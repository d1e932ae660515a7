"""Export a table: generalized records, groups and intervals, and whether each may be published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.io.names import SENSITIVE, plain_name
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.requirement import Diversity
from kanon_engine.model.values import Value, column_values, value_words
from kanon_engine.model.words import listed
from kanon_engine.plot.colors import BLUE, GRAY, INK, SKY
from kanon_engine.plot.drawing import SMALL, TITLE, WORDS, drawable
from kanon_engine.release import require_releasable
from kanon_engine.release.audit import Audit, audit_view
from kanon_engine.release.audit_figures import WAYS, View
from kanon_engine.release.formats import TABLE
from kanon_engine.release.placing import LEFT_OUT, Placed
from kanon_engine.release.publication import Offered, groups_offered
from kanon_engine.release.released import Released
from kanon_engine.release.reread import Claim, cell_key
from kanon_engine.release.sets import Heard, Sets, coded
from kanon_engine.tables.hierarchies import guessed_way
from kanon_engine.tables.instance import CellDetails, Table, record_rows
from kanon_engine.tables.read_columns import require_keepable
from kanon_engine.tables.words import (
    RangeWords,
    class_rows,
    column_ranges,
    counts_by_label,
    hidden,
    rare_values,
    released_ranges,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from plotly import graph_objects as go


def files(table: Table, g: Generalization) -> list[Offered]:
    """The records as they are released, what their intervals hold or how often values are shown, and the groups."""
    retained, cells = kept_columns(table), isinstance(g.details, CellDetails)
    contents = f"values and “{hidden(table)}” for hidden cells" if cells else "generalized quasi-identifiers"
    if cells and table.trees:
        contents += (
            f" (hidden cells of {listed(list(table.trees))} instead show the smallest group of the hierarchy that "
            "holds all values of these cells)"
        )
    unchanged = [name for name in retained if name not in table.reading.get("bins", {})]
    put = [name for name in retained if name not in unchanged]
    others = f", and unchanged: {', '.join(unchanged)}" if unchanged else ""
    others += f", and in ranges: {', '.join(put)}" if put else ""
    rare = [f"{count:,} of “{name}”" for name, count in rare_values(table, g).items()]
    rarity_note = (
        f" The released file shows values that only one record has: {', '.join(rare)}. They appear because the "
        "possible values were taken from the table; to take them from elsewhere, give an order or a hierarchy."
        if rare
        else ""
    )
    return [
        Offered(
            "release",
            "Released table",
            f"{int(g.class_weights.sum()):,} of {table.total:,} {table.unit} with {contents}{others}. "
            "Rows are sorted by what they show. The file has no row numbers, no trace of the original order, and no "
            f"other columns.{rarity_note}",
            "release",
            True,
            lambda: released_frame(table, g, retained),
            TABLE,
            lambda: records_claim(table, g),
        ),
        Offered(
            "values" if cells else "intervals",
            "Values" if cells else "Intervals",
            "How often each value of a column is shown, and how many cells are hidden. Only shown values are listed."
            if cells
            else "The values in every interval, and how many records it holds. Internal: the file lists all values of "
            "a column, even those of a single record.",
            "values" if cells else "intervals",
            cells,
            lambda: intervals_frame(table, g),
        ),
        groups_offered(
            g,
            f"Size of every group and what its records show.{rarity_note}",
            True,
            lambda: class_frame(table, g),
            counts="records",
        ),
        *_meanings(table, g),
    ]


def records_claim(table: Table, g: Generalization) -> Claim:
    """The number of records by what they show, from the certificate."""
    sizes: dict[tuple[str, ...], int] = {}
    for (cells, _), weight in zip(class_rows(table, g), g.class_weights.tolist(), strict=True):
        key = tuple(map(cell_key, cells))
        sizes[key] = sizes.get(key, 0) + weight
    return Claim(tuple(table.quasi_identifiers), sizes, None, g.k)


def _meanings(table: Table, g: Generalization) -> list[Offered]:
    """What the words of hierarchies mean, where one has a value that may be listed."""
    counts = [_tree_counts(table, name) for name in table.trees]
    if not any((one == 0).any() or one.max() >= g.k for one in counts):
        return []
    contents = (
        "For every hierarchy group that appears in the release, the values that the hierarchy puts in it. If a "
        "hierarchy has only values that occur in the file, values of fewer than k records are not listed."
    )
    return [
        Offered(
            "words",
            "Hierarchy groups",
            contents,
            "words",
            True,
            lambda: words_frame(table, g),
        )
    ]


def words_frame(table: Table, g: Generalization) -> pd.DataFrame:
    """One row for each group of a hierarchy that a class shows: column, word, values.

    A hierarchy with values that do not occur is public because it was not made from the file. For any other, values of
    fewer than k records are not listed; "…" replaces them.
    """
    rows = []
    for name, word, values, counts, public in _tree_words(table, g):
        named = [value for value, count in zip(values, counts, strict=True) if public or count >= g.k]
        rows.append((name, word, "; ".join([*map(value_words, named), *(["…"] if len(named) < len(values) else [])])))
    return pd.DataFrame(rows, columns=["column", "word", "values"])


def _tree_words(table: Table, g: Generalization) -> Iterator[tuple[str, str, tuple[Value, ...], list[int], bool]]:
    """For each group of a hierarchy that is shown: column, word, values, records of each, whether values are public."""
    visible = class_rows(table, g)
    for place, name in enumerate(table.quasi_identifiers):
        tree = table.tree(name)
        if tree is None:
            continue
        counts = _tree_counts(table, name)
        words = {cells[place] for cells, _ in visible}
        for low, high in tree.nodes.tolist():
            word = tree.label(low, high)
            if low < high and word in words:
                values = tuple(tree.values[low : high + 1])
                yield name, str(word), values, counts[low : high + 1].tolist(), bool((counts == 0).any())


def _tree_counts(table: Table, name: str) -> np.ndarray:
    """(v,) float64: how many records have each value of a column's hierarchy."""
    return np.bincount(table.codes[:, table.quasi_identifiers.index(name)], table.weights, len(table.trees[name]))


def released(
    table: Table, g: Generalization, keep: Sequence[str] | None = None, sensitive: Sequence[str] | None = None
) -> Released:
    """The records as they are released, and what readers know about the columns."""
    retained = kept_columns(table) if keep is None else list(map(str, keep))
    sensitive_names = sensitive_columns(table, retained, sensitive)
    label = [table.class_label] if table.class_label in retained else []
    records = released_frame(table, g, retained)
    return Released(
        records,
        tuple(table.quasi_identifiers),
        (*sensitive_names, *(name for name in label if name is not None)),
        k=g.k,
        unit=table.unit,
        left_out=table.total - len(records),
        meanings=meanings_of(table, g),
    )


def sensitive_columns(table: Table, keep: Sequence[str], sensitive: Sequence[str] | None = None) -> tuple[str, ...]:
    """The kept columns that reveal something about a person, except the class label.

    If None: those given when the table was read, and of columns that were not chosen to be kept then, those whose names
    suggest it, such as “illness”.
    """
    declared = table.reading.get("keep", ())
    called = [name for name in keep if plain_name(name) in SENSITIVE and name not in declared]
    candidates = [*table.reading.get("sensitive", ()), *called] if sensitive is None else list(map(str, sensitive))
    return tuple(name for name in keep if name in candidates and name != table.class_label)


def meanings_of(table: Table, g: Generalization) -> dict[str, dict[Any, tuple[Value, ...]]]:
    """Column → what it shows → all values that this represents, for who knows the hierarchy or the order.

    The release itself may not list all of them (`words_frame`), but an attacker can know what “2024 Q1” holds.
    """
    meanings: dict[str, dict[Any, tuple[Value, ...]]] = {}
    for name, word, values, *_ in _tree_words(table, g):
        meanings.setdefault(name, {})[word] = values
    for place, (name, domain) in enumerate(zip(table.quasi_identifiers, table.domains, strict=True)):
        if table.tree(name) is None and table.is_ordered(name) and not isinstance(g.details, CellDetails):
            range_words, ranges = RangeWords(table, name), column_ranges(table, g, place).tolist()
            meanings[name] = {range_words(low, high): domain[low : high + 1] for low, high in ranges}
    return meanings


def cells_of_classes(table: Table, g: Generalization) -> pd.DataFrame:
    """What each class shows in the quasi-identifiers."""
    return pd.DataFrame([cells for cells, _ in class_rows(table, g)], columns=list(table.quasi_identifiers))


def picture(table: Table, g: Generalization) -> go.Figure:
    """Drawn from what the released records show."""
    from kanon_engine.tables.plot import release_figure

    return release_figure(table, g)


def pictured(table: Table, g: Generalization) -> tuple[str, bool]:
    """What the picture shows, and that it may be published."""
    return "The picture is drawn only from what the released records show.", True


def released_frame(table: Table, g: Generalization, keep: Sequence[str] = ()) -> pd.DataFrame:
    """The records with generalized quasi-identifiers, without row numbers and in an order of their own.

    Records that are left out are not in it. Rows are sorted by what they show and then by the columns that are kept, so
    that no trace of the order of the file is left. Each row is one record: a row that represented several is repeated,
    so that the release does not reveal how the records were counted.

    Parameters
    ----------
    g : Made from this table.
    keep : Other columns to release unchanged, such as an illness; no others are included.

    Returns
    -------
    DataFrame
        Quasi-identifiers and kept columns in the order of the table: intervals in words, suppressed cells as "*" (or
        more stars if a value is one), all other cells unchanged.

    Raises
    ------
    InvalidInput
        A column to keep that does not exist, is a quasi-identifier, or holds the same values as one; a weighted table
        of more than 5,000,000 records.

    >>> import kanon_engine as kanon
    >>> people = pd.DataFrame({"age": [41, 30, 30, 44], "sex": list("fmmf"), "illness": ["flu", "mumps", "flu", "flu"]})
    >>> table = Table(people, ["age", "sex"])
    >>> g = kanon.generalize(table, 2, "cell-suppression")
    >>> released_frame(table, g, ["illness"]).values.tolist()
    [['*', 'f', 'flu'], ['*', 'f', 'flu'], [30, 'm', 'flu'], [30, 'm', 'mumps']]
    """
    keep = [str(name) for name in keep]
    require_keepable(table.frame, table.quasi_identifiers, keep)
    rows = class_rows(table, g)
    ranking = np.empty(g.classes, dtype=np.int64)
    ranking[sorted(range(g.classes), key=lambda number: rows[number][1])] = np.arange(g.classes)
    released_rows = record_rows(table, np.flatnonzero(g.assignment >= 0))
    classes = g.assignment[released_rows]
    columns = [name for name in table.frame.columns if name in keep or name in table.quasi_identifiers]
    frame = table.frame[columns].iloc[released_rows].reset_index(drop=True)
    # as text, because a kept column may mix values that cannot be compared
    keys = {f"kept {place}": frame[name].astype("string").fillna("") for place, name in enumerate(keep)}
    order = pd.DataFrame({"class": ranking[classes]} | keys).sort_values(["class", *keys]).index.to_numpy()
    for place, name in enumerate(table.quasi_identifiers):
        class_cells = np.empty(g.classes, dtype=object)
        class_cells[:] = [cells[place] for cells, _ in rows]
        frame[name] = pd.Series(class_cells[classes], dtype=object)
    return frame.iloc[order].reset_index(drop=True)


def frame(table: Table, g: Generalization, keep: Sequence[str] = ()) -> pd.DataFrame:
    """The records as they are released, with the columns that were chosen when the table was read and these."""
    require_settled(table)
    return released_frame(table, g, list(dict.fromkeys([*kept_columns(table), *map(str, keep)])))


def require_settled(table: Table) -> None:
    """Raise `InvalidInput` where the roles of columns were guessed and nobody confirmed them."""
    if table.guessed:
        names: dict[str, list[str]] = {}
        for name, why in table.guessed.items():
            names.setdefault(why, []).append(name)
        reasons = "; ".join(
            f"{listed(columns)} {why}" if len(columns) == 1 else f"each of {listed(columns)} {why}"
            for why, columns in names.items()
        )
        raise InvalidInput(
            f"Records can only be released once a person confirms the guessed roles: {reasons}",
            parameter="accept_guesses",
            remedy=[Remedy("set the roles", "quasi_identifiers"), Remedy("confirm them", "accept_guesses", True)],
        )


def kept_columns(table: Table) -> list[str]:
    """The columns that a person chose to release unchanged when the table was read, in its order."""
    return list(table.reading.get("keep", ()))


def class_frame(table: Table, g: Generalization) -> pd.DataFrame:
    """One row per group, in the order of the classes: group, records, overfull_ratio, what its records show.

    Returns
    -------
    DataFrame
        group (from 1), records, overfull_ratio (records / k), and a column for each quasi-identifier, with "shown "
        in front where its name is one of these.
    """
    columns: dict[str, Any] = {
        "group": np.arange(1, g.classes + 1),
        "records": g.class_weights,
        "overfull_ratio": g.class_weights / g.k,
    }
    rows = class_rows(table, g)
    for place, name in enumerate(table.quasi_identifiers):
        columns[f"shown {name}" if name.lower() in columns else name] = [value_words(cells[place]) for cells, _ in rows]
    return pd.DataFrame(columns)


def intervals_frame(table: Table, g: Generalization) -> pd.DataFrame:
    """One row per interval: column, interval in words, records in it that are not left out, and its values.

    For suppressed cells: one row per value, and one for "*".
    """
    rows: list[tuple[Any, ...]] = []
    inside = g.assignment >= 0
    for place, (name, domain) in enumerate(zip(table.quasi_identifiers, table.domains, strict=True)):
        if isinstance(g.details, CellDetails):
            codes, weights = table.codes[inside, place], table.weights[inside]
            stars = g.details.stars[g.assignment[inside], place]
            counts = np.bincount(codes[~stars], weights[~stars], len(domain)).astype(np.int64)
            words = map(value_words, domain)
            entries: list[tuple[Any, ...]] = [(word, count, word) for word, count in zip(words, counts, strict=True)]
            instead = "a star, or a larger group" if name in table.trees else hidden(table)
            rows += [(name, *entry) for entry in [*entries, (instead, int(weights[stars].sum()), "")] if entry[1]]
            continue
        range_words, records = RangeWords(table, name), Counter[tuple[int, int]]()
        for (low, high), weight in zip(
            released_ranges(table, g)[:, place].tolist(), g.class_weights.tolist(), strict=True
        ):
            records[low, high] += weight
        for low, high in column_ranges(table, g, place).tolist():
            values = "; ".join(map(value_words, domain[low : high + 1]))
            rows.append((name, range_words(low, high), records[low, high], values))
    return pd.DataFrame(rows, columns=["column", "interval", "records", "values"])


def _same(table: Table, records: pd.DataFrame) -> bool:
    """Whether each record shows the same as its record in the table."""
    return len(records) == len(table) and all(
        column_values(records[name]) == column_values(table.frame[name]) for name in table.quasi_identifiers
    )


def cells_again(table: Table, records: Any, weight: str | None = None) -> pd.DataFrame:
    """The quasi-identifiers of records, with numbers, dates and ranges as the table was read."""
    from kanon_engine.tables.read import read_table

    names = list(table.quasi_identifiers)
    settings: dict[str, Any] = {}
    for what in ("dates", "top", "bottom", "bins"):
        setting = table.reading.get(what, {})
        settings[what] = (
            setting if isinstance(setting, str) else {name: setting[name] for name in setting if name in names}
        )
    frame: pd.DataFrame = read_table(records, names, weight=weight, **settings).frame
    return frame


def placed(table: Table, g: Generalization, records: pd.DataFrame, by: Sequence[str]) -> Placed:
    """What each class shows, in place of the quasi-identifiers."""
    if table.weighted:
        raise InvalidInput(
            "A row of this table represents several records, so its result cannot be applied to individual records of "
            "your own; release the table, or generalize the records themselves."
        )
    names = tuple(table.quasi_identifiers)
    if by and set(by) != set(names):
        raise InvalidInput(f"This result generalizes {', '.join(names)}; give exactly these columns, or none.")
    there = set(names) <= set(records.columns)
    if not there or not (_same(table, records) or (table.reading and _same(table, cells_again(table, records)))):
        raise InvalidInput(
            "The result was not made from these records, and its labels describe only the records that it was made "
            "from; give the same file, or generalize these records."
        )
    classes = np.asarray(g.assignment, dtype=np.int64)
    reasons = np.where(classes >= 0, "", LEFT_OUT).astype(object)
    rows = class_rows(table, g)
    cells_by_name = {name: [cells[place] for cells, _ in rows] for place, name in enumerate(names)}
    return Placed(classes, reasons, names, cells_by_name, meanings_of(table, g))


# ---------------------------------------------------------------------------------------------------------------------
# What the records of a released table show: a histogram for each quasi-identifier.
# ---------------------------------------------------------------------------------------------------------------------


MOST_COLUMNS, MOST_BARS, LONGEST = 12, 10, 18  # columns, bars of a column, letters of a value


def draw_ranges(figure: Figure, table: Table, g: Generalization) -> bool:
    """How many records show each range or word; drawn only from the classes."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    names = list(table.quasi_identifiers)[:MOST_COLUMNS]
    columns = counts_by_label(table, g)
    across = min(len(names), 3)
    down = -(-len(names) // across)
    figure.set_size_inches(9.5, 1.1 + 2.35 * down)
    left_out = table.quasi_identifiers[MOST_COLUMNS:]
    more = f" {len(left_out):,} more columns are not drawn." if left_out else ""
    unit = drawable(table.unit, 40)
    high = figure.get_figheight()
    figure.text(0.03, 1 - 0.34 / high, f"How many {unit} show each range or value", size=TITLE, weight="bold",
                color=INK)  # fmt: skip
    caption = f"Drawn only from the released {unit}; k = {g.k:,}.{more}"
    figure.text(0.03, 1 - 0.58 / high, caption, size=WORDS, color=GRAY)
    grid = figure.subplots(down, across, squeeze=False)
    figure.subplots_adjust(left=0.17, right=0.97, bottom=0.35 / high, top=1 - 1.0 / high, wspace=0.78, hspace=0.6)
    for place, axes in enumerate(grid.flat):
        if place >= len(names):
            axes.set_axis_off()
            continue
        _bars(axes, names[place], [(words, count) for _, words, count in columns[place]])
        axes.xaxis.set_major_locator(MaxNLocator(3, integer=True))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    return True


def _bars(axes: Axes, name: str, counts: list[tuple[str, int]]) -> None:
    """One bar each; of many ranges the most common, and the others combined."""
    bars = counts
    if len(counts) > MOST_BARS:
        largest = sorted(sorted(range(len(counts)), key=lambda place: -counts[place][1])[: MOST_BARS - 1])
        others = len(counts) - len(largest)
        rest = sum(count for _, count in counts) - sum(counts[place][1] for place in largest)
        bars = [*(counts[place] for place in largest), (f"{others:,} others", rest)]
    places = np.arange(len(bars))
    colors = [SKY if len(counts) > MOST_BARS and place == len(bars) - 1 else BLUE for place in places.tolist()]
    axes.barh(places, [count for _, count in bars], color=colors, height=0.8)
    axes.set_yticks(places, [drawable(words, LONGEST) for words, _ in bars])
    axes.invert_yaxis()
    axes.set_ylim(max(len(bars), 3) - 0.4, -0.6)
    axes.set_title(drawable(name, 30), size=WORDS + 1, weight="bold", color=INK, loc="left")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.tick_params(labelsize=SMALL, colors=GRAY, length=3)


# ---------------------------------------------------------------------------------------------------------------------
# `kanon.audit`: what the released records of a table reveal to their readers.
# ---------------------------------------------------------------------------------------------------------------------


def audit(
    table: Table,
    g: Generalization,
    keep: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    progress: Heard | None = None,
) -> Audit:
    """Examine the release like a reader who also knows something about people.

    It only reads the released records and the table, and shares no code with the search.

    Parameters
    ----------
    table : Table
    g : Made from this table.
    keep : Columns that are released unchanged; those that were chosen when the table was read if it is None.
    sensitive : sequence of str, optional
        Which of them reveal something about a person. If None: those given when the table was read, and of columns that
        were not chosen to be kept then, those whose names suggest it, such as “illness”. Others are assumed to be known
        to other people; the sentence lists them.
    progress : Called with the share of the combinations of columns that has been examined.

    Raises
    ------
    InvalidInput : A result of different data, or a column that cannot be released unchanged.

    Complexity
    ----------
    Passes over the records, one for each two and three of at most 20 kept columns.

    References
    ----------
    Machanavajjhala et al. 2007 (l-diversity); Li, Li, Venkatasubramanian 2007 (t-closeness); Elliot, Manning, Ford
    2002 (special uniques).

    >>> import kanon_engine as kanon
    >>> people = pd.DataFrame({"age": [30, 30, 41, 41], "illness": ["flu", "flu", "flu", "cold"]})
    >>> table = kanon.Table(people, ["age"])
    >>> found = kanon.audit(table, kanon.generalize(table, 2), keep=["illness"])
    >>> found.k_reached, found.k_together, found.alone, found.sensitive[0].l
    (2, 1, 2, 1)
    >>> [(one.severity, one.kind, one.records) for one in found.findings][:2]
    [('serious', 'constant groups', 2), ('notable', 'single values', 1)]
    """
    if g.instance_digest != table.digest or len(g.assignment) != len(table):
        raise InvalidInput("The result was made from different data, or from the same data read in another way.")
    require_releasable(g)
    retained = tuple(kept_columns(table) if keep is None else map(str, keep))
    require_keepable(table.frame, table.quasi_identifiers, retained)
    quasi = tuple(table.quasi_identifiers)
    inside = g.assignment >= 0
    were = {name: coded(table.frame[name]) for name in retained}
    left = {**were} if inside.all() else {name: coded(table.frame.loc[inside, name]) for name in retained}
    visible = zip(*(cells for cells, _ in class_rows(table, g)), strict=True)
    for name, domain, values, cells in zip(quasi, table.domains, table.codes.T, visible, strict=True):
        column, codes = coded(pd.Series(domain, dtype=object))
        were[name] = column, codes[values]
        column, codes = coded(pd.Series(cells, dtype=object))
        left[name] = column, codes[g.assignment[inside]]
    view = View(
        rows=Sets.of(left, table.weights[inside]),
        before=Sets.of(were, table.weights),
        quasi_identifiers=quasi,
        kept=retained,
        sensitive=sensitive_columns(table, retained, sensitive),
        k=g.k,
        unit=table.unit,
        label=table.class_label if table.class_label in retained else None,
        public=tuple(filter(table.is_ordered, quasi)),
        ranges={name: tuple(entry[:2]) for name, entry in table.reading.get("bins", {}).items()},
        groups={
            name: way
            for name, domain in zip(quasi, table.domains, strict=True)
            if name not in table.trees and (way := guessed_way(domain)) in WAYS
        },
        diverse=tuple(one.column for one in g.require if isinstance(one, Diversity)),
    )
    return audit_view(view, table.total - view.rows.total, progress)
