"""A certified result applied to a person's own records: groups replace areas, places, labels or values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.generalize import generalize, verify
from kanon_engine.io.cells import EXACT, typed
from kanon_engine.io.coordinates import numbers_of
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.model.tree import Tree
from kanon_engine.model.values import column_values
from kanon_engine.model.words import cell_text, counted, free_name, listed
from kanon_engine.release import release, require_releasable
from kanon_engine.release.made import released_of
from kanon_engine.release.placing import Placed, code_notes, in_free_names, natural_order
from kanon_engine.release.publication import checked_file
from kanon_engine.release.released import Released, displayed_column, displayed_frame
from kanon_engine.release.reread import Claim, cell_key
from kanon_engine.release.sets import Column, SetSizes, coded, joined, sets_of
from kanon_engine.shown import Shown
from kanon_engine.tables.instance import Table
from kanon_engine.tables.read_columns import keep_notes
from kanon_engine.tables.release import records_claim
from kanon_engine.validate import positive_k, require_known_name

EXAMPLES = 5


@dataclass(frozen=True)
class Unmatched:
    """Records that are in no group; internal, because its examples come from the person's own file."""

    records: int
    # tuple of (reason, records, examples): most records first
    reasons: tuple[tuple[str, int, tuple[str, ...]], ...] = ()

    @property
    def sentence(self) -> str:
        """The number of these records, and why; "" if there are none."""
        if not self.records:
            return ""
        reasons = [
            f"{count:,} {reason}" + (f", such as {listed(list(examples))}" if examples else "")
            for reason, count, examples in self.reasons
        ]
        return (
            f"{counted(self.records, 'record')} {'is' if self.records == 1 else 'are'} left out: {'; '.join(reasons)}."
        )


@dataclass(frozen=True)
class Below:
    """The sets that are too small over all released quasi-identifiers together."""

    # records, groups: the number of records in joint groups of fewer than k records, and of such groups
    records: int
    groups: int
    smallest: int  # records of the smallest joint group; 0 if nothing is released


@dataclass(frozen=True, eq=False, repr=False)
class Applied(Shown):
    """A result applied to a person's own records, in memory or where they live."""

    k: int  # the least size of sets of these records, whatever the groups were made from
    quasi_identifiers: tuple[str, ...]  # released ones: the groups, and others
    sets: SetSizes  # sizes of sets of records that show the same in all of these
    unmatched: Unmatched
    notes: tuple[str, ...]  # what was corrected, and which columns reveal more than they should
    population: np.ndarray  # (m,) int64: the weight of each group in the result, which reaches the result's k
    own: np.ndarray  # (m,) int64: the number of these records in each group
    unit: str  # what the weights count
    promised: int  # k of the result

    def _facts(self) -> dict[str, object]:
        return {"records": int(self.own.sum()), "left out": self.unmatched.records, "below k": self.below.records}

    @property
    def below(self) -> Below:
        """Records and joint groups below k."""
        return Below(*self.sets.below(self.k), self.sets.smallest)

    @property
    def sentence(self) -> str:
        """How many records are released, what k refers to, and the smallest set over all quasi-identifiers together."""
        records, groups = int(self.own.sum()), int((self.own > 0).sum())
        verb = "is" if records == 1 else "are"
        sentences = [f"{counted(records, 'record')} {verb} released in {counted(groups, 'group')}."]
        sentences += [self.unmatched.sentence] if self.unmatched.records else []
        if not records:
            return " ".join(sentences)
        least, below = int(self.own[self.own > 0].min()), self.below
        if np.array_equal(self.own, self.population):
            sentences.append(f"Every group holds at least {self.promised:,} of these records.")
        else:
            sentences.append(
                f"Every group holds at least {self.promised:,} of the {int(self.population.sum()):,} {self.unit} that "
                f"the groups were made from; the smallest group holds {least:,} of the "
                "released records."
            )
        names = listed(list(self.quasi_identifiers))
        sentences.append(
            f"Every set of records with the same {names} holds at least {below.smallest:,}."
            if not below.records
            else f"{counted(below.records, 'record')} {'is' if below.records == 1 else 'are'} in "
            f"{counted(below.groups, 'set')} of fewer than {self.k:,} records with the same {names}; the smallest set "
            f"holds {below.smallest:,}."
        )
        return " ".join(sentences)


@dataclass(frozen=True, eq=False, repr=False)
class OwnRelease(Applied):
    """A person's own records as a result allows them to be released."""

    released: Released
    before: Released  # all original records, with the columns that placed them
    _shown: pd.DataFrame  # for each class the released values that replace the columns that placed its records
    _numbers: np.ndarray  # (rows,) int64: the result's class of each released record
    _table: Table | None

    @property
    def _groups(self) -> tuple[str, ...]:
        return tuple(map(str, self._shown))

    @property
    def frame(self) -> pd.DataFrame:
        """The records as they are released, in a new order."""
        return self.released.frame

    @cached_property
    def joint(self) -> pd.DataFrame:
        """One row for each combination of all released quasi-identifiers: its values, and its number of records."""
        names = list(self.released.quasi_identifiers)
        first = self.frame.groupby(self.released.classes, sort=False)[names].head(1).reset_index(drop=True)
        first[free_name("records", names)] = self.released.sizes
        return first

    @property
    def population_sizes(self) -> np.ndarray | None:
        """(c,) int64: how many of the population each class of `released` represents; None if unknown.

        It is known if only the groups are released; a group does not say who else shares an age in it.
        """
        if self.quasi_identifiers != self._groups:
            return None
        pairs = np.unique(np.column_stack([self.released.classes, self._numbers]), axis=0)
        sizes = np.zeros(len(self.released.sizes), dtype=np.int64)
        np.add.at(sizes, pairs[:, 0], self.population[pairs[:, 1]])
        return sizes

    def together(
        self, k: int | None = None, algorithm: str | None = None, **settings: Any
    ) -> tuple[Table, Generalization, Released]:
        """All released quasi-identifiers generalized together, so that each set of records holds k.

        A group has no order: it stays, or becomes "any". Values of a table are generalized again.

        Parameters
        ----------
        k : That of `released` if None.
        algorithm : An algorithm for tables; their default if None.
        **settings : Arguments of `kanon.generalize`.

        Raises
        ------
        Infeasible : There are fewer than k records.

        References
        ----------
        Du, Eppstein, Goodrich, Lueker 2009, section 6: several attributes at once.
        """
        least = positive_k(self.k if k is None else k)
        if not len(self.frame):
            raise InvalidInput("No record is in a group, so there is nothing to generalize; check the column of codes.")
        table = self._joint_table() if self._table is None else self._table
        g = generalize(table, least, algorithm, **settings)
        keep = [name for name in self.released.kept if name in table.frame.columns]
        return table, g, released_of(table, g, keep, self.released.sensitive)

    def _joint_table(self) -> Table:
        first, *more = self._groups
        frame = self.frame.drop(columns=more)
        values = tuple(dict.fromkeys(column_values(frame[first])))
        tree = Tree(values, [["any"] * len(values)])
        names = [name for name in self.quasi_identifiers if name not in more]
        return Table(frame, names, trees={first: tree} if len(values) > 1 else {})


def apply(
    instance: Any,
    g: Generalization,
    records: pd.DataFrame,
    by: str | Sequence[str] = (),
    *,
    quasi_identifiers: Sequence[str] = (),
    keep: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    k: int | None = None,
    **surroundings: Any,
) -> OwnRelease:
    """A person's own records with groups in place of the values that the result grouped; the result is verified first.

    A grouped zip code protects only if no other quasi-identifier is released: sets of records are counted over all of
    them. Columns that are not listed are left out, and the columns that say where a record is are never released.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    g : Made from this instance.
    records : One row per record. For a table, exactly the records that it was made from.
    by : str or sequence of str
        The column with the code of the area or the label; for points the columns of x and y; for clusters those of the
        coordinates, in the order of the space; none for a table.
        quasi_identifiers : Other columns that are released as they are, by which people could be found.
        keep, sensitive : Columns that are released as they are; those that reveal something about a person.
        k : The least size of sets of these records; that of the result if None.
        **surroundings
        What the family's release `asks`: for areas `codes_are_public`; then groups have names, else numbers.

    Raises
    ------
    InvalidInput
        A column that does not exist, has two roles, says where a record is, or holds the same values as one that does;
        a result that must not be released or cannot place other records.
        CertificateError : The result does not hold what it claims.

    Complexity
    ----------
    O(n log n) for n records; for points O(n m), for clusters O(n m d) with m groups.

    >>> import kanon_engine as kanon
    >>> regions = kanon.Regions(["06604", "06605"], [30, 20], [(0, 1)], unit="people")
    >>> people = pd.DataFrame({"zip": [6604.0, 6605.0, 99999], "age": [41, 30, 30], "illness": ["flu", "cold", "flu"]})
    >>> own = kanon.apply(regions, kanon.generalize(regions, 20), people, "zip", quasi_identifiers=["age"], k=2)
    >>> own.frame.values.tolist(), own.below.records, own.unmatched.records
    ([['Group 1', 41], ['Group 2', 30]], 2, 1)
    """
    asking = get_family(g.family).release
    if asking is None or asking.placed is None:
        raise InvalidInput(f"Groups of {get_family(g.family).items} cannot be applied to your own records.")
    require_releasable(g)
    verify(instance, g)
    if not isinstance(records, pd.DataFrame):
        raise InvalidInput(f"The records are a {type(records).__name__}; give a DataFrame with one row per record.")
    frame = records.reset_index(drop=True)
    frame.columns = [str(name) for name in frame.columns]
    if not frame.columns.is_unique:
        raise InvalidInput(f"Two columns are named {frame.columns[frame.columns.duplicated()][0]!r}; rename one.")
    where = [by] if isinstance(by, str) else [str(name) for name in by]
    for name in where:
        require_known_name(list(frame.columns), name, "places where records are")
    placement: Placed = asking.placed(instance, g, frame, where, **asking.asked(surroundings))
    others, retained = record_roles(list(frame.columns), placement.raw, quasi_identifiers, keep, sensitive)
    require_no_copy(frame, placement.raw, [*others, *retained])
    inside = np.flatnonzero(placement.classes >= 0)
    classes = placement.classes[inside]
    words = {name: list(cells) for name, cells in placement.shown.items()}
    labels = in_free_names(pd.DataFrame(words, dtype=object), [*others, *retained])
    group = natural_order(labels)[1][classes]
    coded_columns = {name: coded(frame[name].iloc[inside]) for name in (*others, *retained)}
    codes = {name: column_codes for name, (_, column_codes) in coded_columns.items()}
    order = np.lexsort([*reversed(codes.values()), group])
    columns = {name: leaving(frame[name].iloc[inside], *coded_columns[name]).array[order] for name in coded_columns}
    label_rows = displayed_frame(labels).iloc[classes[order]].infer_objects().reset_index(drop=True)
    released_frame = pd.concat([label_rows, pd.DataFrame(columns, index=label_rows.index)], axis=1)
    sets = joined([group, *(codes[name] for name in others)], len(inside))
    raw, groups = tuple(dict.fromkeys(placement.raw)), tuple(map(str, labels))
    notes = (
        keep_notes(frame.iloc[inside], placement.raw, [*others, *retained])[1:]
        if len(inside) and (others or retained)
        else ()
    )
    released = Released(
        released_frame,
        (*groups, *others),
        tuple(map(str, sensitive)),
        k=g.k if k is None else positive_k(k),
        left_out=len(frame) - len(inside),
        meanings=dict(zip(groups, (placement.meanings.get(name, {}) for name in placement.shown), strict=True)),
        name="your records",
    )
    return OwnRelease(
        k=released.k,
        quasi_identifiers=released.quasi_identifiers,
        sets=SetSizes(*np.unique(np.bincount(sets), return_counts=True)),
        unmatched=unmatched_of(frame, placement),
        notes=(*code_notes(placement), *notes),
        population=np.asarray(g.class_weights),
        own=np.bincount(classes, minlength=g.classes).astype(np.int64),
        unit=str(instance.unit),
        promised=g.k,
        released=released,
        before=Released(
            frame[[*raw, *others, *retained]],
            (*raw, *others),
            released.sensitive,
            released.k,
            name="your original records",
        ),
        _shown=labels,
        _numbers=classes[order],
        _table=_regrouped(instance, frame, others, retained) if isinstance(instance, Table) else None,
    )


def leaving(column: pd.Series, distinct: Column, codes: np.ndarray) -> pd.Series:
    """A column of own records as it is released: whole numbers without the decimal point that gaps or files cause.

    >>> [leaving(column, *coded(column)).tolist() for column in (pd.Series([41, None]), pd.Series([41, 0.5]))]
    [[41, <NA>], [41.0, 0.5]]
    """
    whole = distinct.numbers is not None and all(abs(one) <= EXACT and one % 1 == 0 for one in distinct.numbers)
    if distinct.numbers is None or not whole or pd.api.types.is_integer_dtype(column):
        return displayed_column(column)
    cells = pd.array([*map(int, distinct.numbers), None], dtype="Int64")[codes]
    return pd.Series(cells if cells.isna().any() else cells.to_numpy(np.int64))


def typed_columns(frame: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    """Records of a file with numbers in these columns, as they are released; the others, including codes, stay text."""
    result = frame.copy()
    for name in set(names) & set(frame.columns):
        result[name] = typed(frame[name])[0]
    return result


def unmatched_of(frame: pd.DataFrame, placement: Placed, counts: np.ndarray | None = None) -> Unmatched:
    """The records that are in no group, and why.

    Parameters
    ----------
    frame : The placed rows; each represents one record, or as many as `counts` says.
    counts : (n,) int, optional
    """
    often = np.ones(len(frame), dtype=np.int64) if counts is None else counts
    outside = placement.reasons != ""
    reasons = []
    for reason, count in pd.Series(often[outside]).groupby(placement.reasons[outside]).sum().items():
        rows = frame.loc[placement.reasons == reason, list(placement.raw)].head(1_000)
        texts = [", ".join(filter(None, map(cell_text, row))) for row in rows.itertuples(index=False)]
        examples = [text[:40] for text in dict.fromkeys(texts) if text]
        reasons.append((str(reason), int(count), tuple(examples[:EXAMPLES])))
    return Unmatched(int(often[outside].sum()), tuple(sorted(reasons, key=lambda entry: (-entry[1], entry[0]))))


def _regrouped(table: Table, frame: pd.DataFrame, others: Sequence[str], retained: Sequence[str]) -> Table:
    """The table with more quasi-identifiers."""
    names = [*table.quasi_identifiers, *others]
    orders = dict(zip(table.quasi_identifiers, table.domains, strict=True))
    return Table(
        pd.concat([table.frame[list(table.quasi_identifiers)], frame[[*others, *retained]]], axis=1),
        names,
        orders={name: order for name, order in orders.items() if table.tree(name) is None},
        trees=dict(table.trees),
        ordered=table.ordered,
        unit=table.unit,
    )


def own_file(instance: Any, g: Generalization, applied: OwnRelease, ending: str, formulas: str = "escape") -> bytes:
    """The records as a file without shapes, read again from its bytes."""
    sizes: dict[tuple[str, ...], int] = {}
    for row, count in zip(applied._shown.itertuples(index=False, name=None), applied.own.tolist(), strict=True):
        if count:
            key = tuple(map(cell_key, row))
            sizes[key] = sizes.get(key, 0) + count
    if isinstance(instance, Table):
        sizes = dict(records_claim(instance, g).sizes)
    claim = Claim(applied._groups, sizes, None, 0)
    return checked_file(applied.frame, ending, instance, g, claim, formulas=formulas, singles=False)


def groups_of_records_file(
    instance: Any, g: Generalization, applied: OwnRelease, ending: str, **surroundings: Any
) -> bytes:
    """The shapes of the groups, with the number of these records in each, as a file.

    Raises
    ------
    InvalidInput : The groups have no shapes, or these must not be released.
    """
    asking = get_family(g.family).release
    frame: Any = release(instance, g, **({} if asking is None else asking.asked(surroundings)))
    frame["records"] = applied.own
    claim = Claim(
        ("group",), {(str(number + 1),): int(count) for number, count in enumerate(applied.own)}, "records", 0
    )
    return checked_file(frame, ending, instance, g, claim, **surroundings)


def together_file(applied: OwnRelease, k: int, ending: str, formulas: str = "escape") -> tuple[bytes, str]:
    """All quasi-identifiers generalized together, as a file without shapes, and a sentence about it."""
    table, g, released = applied.together(k)
    content = checked_file(released.frame, ending, table, g, records_claim(table, g), formulas=formulas)
    sizes = released.sizes
    return content, (
        f"With all columns generalized together, {counted(released.records, 'record')} "
        f"{'is' if released.records == 1 else 'are'} in {counted(len(sizes), 'set')} of at least "
        f"{int(sizes.min()):,}, and {released.left_out:,} {'is' if released.left_out == 1 else 'are'} left out."
    )


# ---------------------------------------------------------------------------------------------------------------------
# The columns of a person's own records that are released with their groups; none may say where a record is.
# ---------------------------------------------------------------------------------------------------------------------


NEARLY_ALL, SEVERAL = 0.9, 10  # share of equal cells, and number of distinct ones, that make a column a copy
SHORT = 2  # length of a code that many texts hold by chance
ALONG = 0.999  # correlation with a coordinate from which a column counts as one


def record_roles(
    columns: Sequence[str],
    raw: Sequence[str],
    quasi_identifiers: Sequence[str],
    keep: Sequence[str],
    sensitive: Sequence[str],
) -> tuple[list[str], list[str]]:
    """The other quasi-identifiers, and the kept columns including the sensitive ones; each once.

    Parameters
    ----------
    columns : All columns of the records.
    raw : Those that say where a record is.
    quasi_identifiers, keep, sensitive : As in `apply`.

    Raises
    ------
    InvalidInput : A column that does not exist, has two roles, or says where a record is.
    """
    roles = {"quasi-identifiers": quasi_identifiers, "columns to keep": keep, "sensitive columns": sensitive}
    for what, names in roles.items():
        if isinstance(names, str):
            raise InvalidInput(f"The {what} are {names!r}; give a list of columns.")
        for name in map(str, names):
            require_known_name(list(columns), name, what)
            if name in raw:
                raise InvalidInput(
                    f"Groups replace {name!r}, so this column itself is never released; leave it out of the {what}."
                )
    others = list(dict.fromkeys(map(str, quasi_identifiers)))
    retained = list(dict.fromkeys([*map(str, keep), *map(str, sensitive)]))
    both = [name for name in retained if name in others]
    if both:
        raise InvalidInput(f"{both[0]!r} is listed as a quasi-identifier and as a column to keep; choose one.")
    return others, retained


def require_no_copy(frame: pd.DataFrame, raw: Sequence[str], names: Sequence[str]) -> None:
    """Refuse a column that would release the values that groups replace, as they are or written in another way."""
    if not names:
        return
    sets = sets_of(frame[[*dict.fromkeys([*raw, *names])]])
    spellings = {name: _spellings(column) for name, column in sets.columns.items()}
    for other in raw:
        for name in names:
            pairs = sets.over([other, name])
            locations, there = (spellings[column].iloc[pairs.code(column)] for column in (other, name))
            both = (locations["plain"].to_numpy() != "") & (there["plain"].to_numpy() != "")
            locations, there, counts = locations[both], there[both], pairs.counts[both]
            if not both.any():
                continue
            same = locations["plain"].to_numpy() == there["plain"].to_numpy()
            several = locations["plain"].nunique() > SEVERAL
            if same.all() or (several and np.average(same, weights=counts) > NEARLY_ALL):
                relation = "holds the same values as"
            elif several and _holds(there["words"], locations["words"], counts):
                relation = "contains the values of"
            elif several and _follows(there["number"].to_numpy(), locations["number"].to_numpy(), counts):
                relation = "rises and falls with"
            else:
                continue
            raise InvalidInput(f"{name!r} {relation} {other!r}, so it would reveal where records are; leave it out.")


def _spellings(column: Column) -> pd.DataFrame:
    """Each cell, then a missing one, in the ways in which another column may hold it.

    plain: in small letters, all that can be read as a number in one way of writing; words: in small letters, without
    zeros in front and behind a decimal point; number: NaN where it is none.
    """
    texts = [*map(cell_text, column.cells), ""]
    numbers, _ = numbers_of(pd.Series(texts, dtype=object))
    pairs = zip(texts, numbers.tolist(), strict=True)
    plain = [text.casefold() if np.isnan(number) else repr(number) for text, number in pairs]
    words = [text.casefold().removesuffix(".0").lstrip("0") for text in texts]
    return pd.DataFrame({"plain": plain, "words": words}, dtype=object).assign(number=numbers)


def _holds(texts: Iterable[str], parts: Iterable[str], counts: np.ndarray) -> bool:
    """Whether nearly all texts contain their part, as 06604-1234 contains 6604; one or two characters prove nothing."""
    contained = [len(part) > SHORT and part in text for text, part in zip(texts, parts, strict=True)]
    return bool(np.average(contained, weights=counts) > NEARLY_ALL)


def _follows(values: np.ndarray, others: np.ndarray, counts: np.ndarray) -> bool:
    """Whether nearly all are numbers along a line, as for a coordinate that was rounded or projected."""
    both = np.isfinite(values) & np.isfinite(others)
    one, other = values[both], others[both]
    if np.average(both, weights=counts) <= NEARLY_ALL or len(np.unique(one)) <= SEVERAL or not np.ptp(other):
        return False
    spread = np.cov(one / np.abs(one).max(), other / np.abs(other).max(), fweights=counts[both])
    return bool(abs(spread[0, 1]) > ALONG * np.sqrt(spread[0, 0] * spread[1, 1]))
