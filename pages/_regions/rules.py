"""Requirements on groups besides k: the section "More rules"."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.io.frames import sets_in
from kanon_engine.io.source import Source
from kanon_engine.model.wishes import checked_sets
from kanon_engine.model.words import counted, enumerated
from kanon_engine.project import Project
from kanon_engine.regions.group_names import names_for
from kanon_engine.regions.moves import with_locks
from kanon_engine.regions.read import sets_by_column, with_wishes
from pages._regions.groups import put_names
from pages._shared.controls import data_of
from pages._shared.data import show_problem
from pages._shared.files import choose_upload
from pages._shared.link import (
    begin_pairs,
    link_with_sets,
    linked,
    linked_rows,
    misread,
    report_missing,
    rows_in,
    text_of,
)
from pages._shared.project import first_time, tell_unfit
from pages._shared.records import Data, File
from pages._shared.tasks import once
from pages._shared.widgets import (
    LARGEST,
    forget_number,
    minimum_key,
    number_field,
    pick_from,
    put_in_widget,
    put_number,
    whole_number,
)
from pages._shared.wording import escaped, on_page, shortened


def choose_rules(
    data: Data, file: File, notice: DeltaGenerator, project: Project | None = None
) -> tuple[Data, tuple[kanon.Minimum, ...]]:
    """The data with their rules, and the minima of their second counts; a project starts with its own.

    If the rules are not valid, the page says why and stops.
    """
    rules = f"{data.family}_{data.instance.digest[:16]}"
    data = replace(data, rules=rules, asked=tuple(f"{rules}_{name}" for name in (*KINDS, "prefix", "locks", "held")))
    begin_wishes(data)
    restore_rules(data, project)
    with st.expander("More rules"):
        minima = choose_minima(data)
        choose_wishes(data, file)
        show_locks(data)
        sets = {kind: _rows(data, kind) for kind in KINDS} | {LOCKED_IN_LINK: sets_fixed_in_search(data)}
        prefix = st.session_state.get(f"{data.rules}_prefix", 0)
        link, message = link_with_sets(data, sets, prefix=str(prefix) if prefix else "")
        if message:
            st.caption(message)
    try:
        return replace(data, instance=with_rules(data), link={**data.link, **link}), minima
    except kanon.KanonError as error:
        show_problem(data.family, on_page(error), "Correct this under “More rules” in the sidebar.", notice)


def restore_rules(data: Data, project: Project | None) -> None:
    """Load rules, locks and names of a project into the page, once for these areas."""
    if project is None or not first_time(project, "rules", data.instance.digest):
        return
    for kind in KINDS:
        sets = project.reading.get(kind)
        put_sets(data, kind, sets if isinstance(sets, tuple) else ())
    # the sets that a prefix made are among the barriers of the project
    st.session_state[f"{data.rules}_prefix"] = 0
    ids, hands = data.instance.ids, project.by_hand
    try:
        fixed_sets, since = (
            checked_sets(sets, ids, "in a locked group", "area", 1) for sets in (hands.held, hands.locked)
        )
        put_locks(data, (*fixed_sets, *since), fixed_sets)
    except kanon.InvalidInput as error:
        put_locks(data, (), ())
        tell_unfit(project, f"Nothing is locked. {error}")
    try:
        put_names(data, names_for(data.instance, hands.names))
    except kanon.InvalidInput as error:
        tell_unfit(project, f"Group names are left out. {error}")


# ---------------------------------------------------------------------------------------------------------------------
# Areas to keep together, areas to keep apart, and barriers such as county lines
# ---------------------------------------------------------------------------------------------------------------------


KINDS = {"together": "Together", "apart": "Apart", "barriers": "Barriers"}
MEANINGS = {
    "together": "The areas of each line stay in one group.",
    "apart": "No two areas listed on the same line share a group.",
    "barriers": "Each line is a set, such as a county. A group crosses its border only if one side is too small to "
    "be a group of its own, or if the border separates areas that stay together.",
}
TAKE_BACK = {"together": "{} together", "apart": "{} apart", "barriers": "the barrier around {}"}
SET_FILES = ("csv", "txt")
LOCKED_IN_LINK = "locked"  # the name in a link of the groups that the search keeps
MOST_WAYS = 6


def begin_wishes(data: Data) -> None:
    """Load what the link requests, unless the user entered something else since."""
    for kind in KINDS:
        rows = linked_rows(data, kind)
        if rows and _sets_key(data, kind) not in st.session_state:
            put_sets(data, kind, rows)
    text = None if data.key else linked(data.family, "prefix")
    if text is not None and f"{data.rules}_prefix" not in st.session_state:
        lengths = [str(length) for length, _ in prefixes(data.instance.ids)]
        if text in lengths:
            st.session_state[f"{data.rules}_prefix"] = int(text)
        else:
            misread(data.family, f"“{shortened(text)}” is not a usable prefix length, so no barriers were made.")
    rows = linked_rows(data, LOCKED_IN_LINK)
    if rows and not locked_sets(data):
        try:
            fixed_sets = checked_sets(rows, data.instance.ids, "in a locked group", "area", 1)
            put_locks(data, fixed_sets, fixed_sets)
        except kanon.InvalidInput as error:
            misread(data.family, error.message)


def choose_wishes(data: Data, file: File) -> None:
    """One kind of sets at a time: typed, from a file, or by code prefix."""
    counts = {kind: len(_rows(data, kind)) for kind in KINDS}
    words = {kind: f"{name} ({counts[kind]})" if counts[kind] else name for kind, name in KINDS.items()}
    wish, first = f"{data.family}_wish", {"default": "together", "required": True}
    kind = pick_from(st.segmented_control, "Areas to keep together or apart", words, wish, **first)
    key, widget = _sets_key(data, kind), f"{_sets_key(data, kind)}_text"
    put_in_widget(widget, st.session_state.get(key, ""))

    def take() -> None:
        st.session_state[key] = st.session_state[widget]

    ids = data.instance.ids
    st.text_area(
        MEANINGS[kind],
        key=widget,
        placeholder=", ".join(str(name) for name in ids[:2]),
        on_change=take,
        height=90,
        help="Write one set per line, with codes separated by commas. Areas picked on the map are added here.",
    )
    if kind == "barriers":
        _choose_prefix(data)
        _choose_column(data, file)

    def take_file() -> None:
        file = st.session_state.get(f"{key}_file_uploaded")
        st.session_state.pop(f"{key}_refused", None)
        if file is None:
            return
        try:
            put_sets(data, kind, [*_rows(data, kind), *sets_in(Source.open(file[1], file[0]))])
        except kanon.KanonError as error:
            st.session_state[f"{key}_refused"] = on_page(error)

    choose_upload("Sets from a file", SET_FILES, f"{key}_file", "A CSV with one set of codes per line.", take_file)
    if f"{key}_refused" in st.session_state:
        st.error(st.session_state[f"{key}_refused"], icon=":material/error:")


def _choose_prefix(data: Data) -> None:
    choices = {0: "none"}
    for length, count in prefixes(data.instance.ids):
        choices[length] = f"first {counted(length, 'character')}: {count} sets"
    if len(choices) > 1:
        help = "The first 5 digits of a tract code are its county; the first 3 of a zip code are its sorting center."
        pick_from(st.selectbox, "Barriers by code prefix", choices, f"{data.rules}_prefix", help=help)


def _choose_column(data: Data, file: File) -> None:
    """Barriers between areas with different values in a column of the user's file, such as counties."""
    others = [name for name in file.columns if name != data.instance.reading.get("id")]
    if not others or not data.instance.reading.get("id"):
        return
    widget = f"{data.rules}_column"

    def take() -> None:
        column, st.session_state[widget] = st.session_state.get(widget), None
        if column is None:
            return
        st.session_state.pop(f"{_sets_key(data, 'barriers')}_refused", None)
        try:
            sets = sets_by_column(data.instance, file.content, column, filename=file.name)
            put_sets(data, "barriers", [*_rows(data, "barriers"), *sets])
        except kanon.KanonError as error:
            st.session_state[f"{_sets_key(data, 'barriers')}_refused"] = on_page(error)

    st.selectbox(
        "Barriers by a column of the file",
        others,
        index=None,
        placeholder="such as county",
        key=widget,
        on_change=take,
        help="Areas with the same value become a set in the list above.",
    )


def prefixes(ids: Iterable[Any]) -> list[tuple[int, int]]:
    """(prefix length, number of sets) for codes of one length, where sets have a few areas each.

    >>> prefixes(["0101", "0102", "0203", "0204"])
    [(2, 2)]
    """
    texts = [str(name) for name in ids]
    length = len(texts[0])
    if any(len(text) != length for text in texts):
        return []
    sizes: dict[int, int] = {}
    for size in range(1, length):
        count = len({text[:size] for text in texts})
        if 1 < count <= len(texts) / 2 and count not in sizes:
            sizes[count] = size
    return [(size, count) for count, size in sizes.items()]


def with_rules(data: Data) -> kanon.Regions:
    """The areas with all wishes, and with the groups that the search keeps."""
    regions, prefix = data.instance, st.session_state.get(f"{data.rules}_prefix", 0)
    fixed_sets = sets_fixed_in_search(data)
    sets: dict[str, list[tuple[Any, ...]]] = {kind: [tuple(row) for row in _rows(data, kind)] for kind in KINDS}
    if prefix:
        by_prefix: dict[str, list[Any]] = {}
        for name in regions.ids.tolist():
            by_prefix.setdefault(str(name)[:prefix], []).append(name)
        sets["barriers"] += map(tuple, by_prefix.values())
    wished = {kind: rows for kind, rows in sets.items() if rows}
    if not (fixed_sets or wished):
        return regions
    # built once, so that values cached on the areas are there the next time
    of = regions.digest, repr((wished, fixed_sets))
    return once(lambda: with_locks(with_wishes(regions, **wished), fixed_sets), of=of)


def add_set(data: Data, kind: str, members: Iterable[Any]) -> None:
    put_sets(data, kind, [*_rows(data, kind), list(members)])


def offer_to_take_back(data: Data, error: kanon.KanonError) -> None:
    """A button for each wish named in the sentence; for all wishes if it names none."""
    regions = data.instance
    ways: list[tuple[int, str, Callable[..., None], tuple[Any, ...]]] = []
    for kind in KINDS:
        count = len(_rows(data, kind))
        for number, members in enumerate(regions.places(getattr(regions, kind)[:count])):
            mentions = _named(regions, members, error)
            words = TAKE_BACK[kind].format(escaped(regions.listing(members)))
            others = [row for place, row in enumerate(_rows(data, kind)) if place != number]
            ways.append((mentions, words, put_sets, (data, kind, others)))
    for members in sets_fixed_in_search(data):
        places = regions.places([members])[0]
        mentions = _named(regions, places, error)
        ways.append((mentions, f"the lock of {escaped(regions.listing(places))}", unlock, (data, members)))
    if st.session_state.get(f"{data.rules}_prefix"):
        mentions, none = int("barrier" in error.message), {f"{data.rules}_prefix": 0}
        ways.append((mentions, "the barriers by code prefix", st.session_state.update, (none,)))
    least = min(1, max((way[0] for way in ways), default=0))
    with st.container(horizontal=True, gap="small", key=f"{data.family}_ways"):
        for number, (mentions, words, act, arguments) in enumerate(ways[:MOST_WAYS] if not least else ways):
            if mentions >= least:
                st.button(f"Undo: {words}", key=f"{data.family}_way_{number}", on_click=act, args=arguments)


def show_crossings(regions: kanon.Regions, g: kanon.Generalization) -> None:
    crossings: Any = getattr(g.details, "joined", ())
    if len(crossings):
        pairs = [regions.listing(pair) for pair in crossings.tolist()]
        more = [f"{len(pairs) - 3:,} more"] if len(pairs) > 3 else []
        where = enumerated([f"between {pair}" for pair in pairs[:3]] + more)
        places = "one place" if len(pairs) == 1 else f"{len(pairs):,} places"
        st.caption(
            f"Barriers had to be crossed in {places} because one side could not be a group on its own: "
            f"{escaped(where)}."
        )


def _named(regions: kanon.Regions, places: Iterable[int], error: kanon.KanonError) -> int:
    """How many of these areas a sentence names."""
    return sum(regions.label(place) in error.message or str(regions.ids[place]) in error.message for place in places)


def _rows(data: Data, kind: str) -> list[list[str]]:
    return rows_in(st.session_state.get(_sets_key(data, kind), ""))


def put_sets(data: Data, kind: str, rows: Iterable[Iterable[Any]]) -> None:
    st.session_state[_sets_key(data, kind)] = text_of(rows)


def _sets_key(data: Data, kind: str) -> str:
    return f"{data.rules}_{kind}"


# ---------------------------------------------------------------------------------------------------------------------
# Minimum numbers of cases, births or households in every group
# ---------------------------------------------------------------------------------------------------------------------


FIRST_MINIMUM = 11  # the smallest count that the US Centers for Medicare & Medicaid Services (CMS) publishes
NO_COUNTS = "To require a minimum of cases or births too, choose their columns as second counts of the file."
ADD_MINIMUM = "Add a minimum …"


def choose_minima(data: Data) -> tuple[kanon.Minimum, ...]:
    """A row for each second count that has a minimum, and a list of the others."""
    family, columns = data.family, data.instance.columns
    key = begin_pairs(family, "minimum", lambda column, m: whole_number(m, "The minimum", 1))
    for column in [column for column, _ in st.session_state[key] if column not in columns]:
        report_missing(family, f"These data have no second count “{column}”, so it has no minimum.")
        _remove_minimum(family, column)
    if not columns:
        if data.key:
            st.caption(NO_COUNTS)
        return ()
    minima = tuple(kanon.Minimum(column, _minimum_row(data, key, column, m)) for column, m in st.session_state[key])
    left = [column for column in columns if column not in dict(st.session_state[key])]
    if left:
        widget = f"{key}_add"
        st.selectbox(
            ADD_MINIMUM,
            left,
            index=None,
            placeholder="choose a count",
            key=widget,
            on_change=lambda: _add_minimum(family, widget),
            help="Every group will then also hold a minimum that you choose, for example of births.",
        )
    return minima


def _minimum_row(data: Data, key: str, column: str, m: int) -> int:
    field = minimum_key(data.family, column)
    if field not in st.session_state:
        st.session_state[field] = m
    name = f"Minimum of {column}"

    def parse(text: str) -> int:
        return whole_number(text, name, 1, LARGEST)

    words, button = st.columns([4, 1], vertical_alignment="bottom", gap="small")
    with words:
        least = int(number_field(field, f"minimum of {column} per group", parse, name=name, scope=data_of(data.family)))
    help = f"Remove the minimum of {escaped(column)}"
    button.button("✕", key=f"{field}_remove", help=help, on_click=_remove_minimum, args=(data.family, column))
    st.session_state[key] = tuple((one, least if one == column else other) for one, other in st.session_state[key])
    return least


def _add_minimum(family: str, widget: str) -> None:
    key = f"{family}_minima"
    column, st.session_state[widget] = st.session_state.get(widget), None
    if column is not None:
        st.session_state[key] = (*st.session_state[key], (column, FIRST_MINIMUM))
        put_number(minimum_key(family, column), FIRST_MINIMUM)


def _remove_minimum(family: str, column: str) -> None:
    key = f"{family}_minima"
    st.session_state[key] = tuple(one for one in st.session_state[key] if one[0] != column)
    forget_number(minimum_key(family, column))


# ---------------------------------------------------------------------------------------------------------------------
# Locked groups: nothing is moved into or out of them, and the next search keeps them
# ---------------------------------------------------------------------------------------------------------------------


Sets = tuple[tuple[Any, ...], ...]


def locked_sets(data: Data) -> Sets:
    sets: Sets = st.session_state.get(f"{data.rules}_locks", ())
    return sets


def sets_fixed_in_search(data: Data) -> Sets:
    """The groups that the search keeps: all that were locked when it was last started."""
    sets: Sets = st.session_state.get(f"{data.rules}_held", ())
    return sets


def unlock(data: Data, members: tuple[Any, ...]) -> None:
    """Let it change; a search that kept it is no longer requested."""
    both = locked_sets(data), sets_fixed_in_search(data)
    put_locks(data, *(tuple(locked for locked in sets if locked != members) for sets in both))


def put_locks(data: Data, sets: Sets, fixed_sets: Sets) -> None:
    """Lock exactly these groups: nothing is moved into or out of them. The search keeps some of them."""
    st.session_state[f"{data.rules}_locks"], st.session_state[f"{data.rules}_held"] = sets, fixed_sets


def locked_groups(data: Data, g: kanon.Generalization) -> set[int]:
    regions = data.instance
    groups = {members: int(g.assignment[regions.place_of[members[0]]]) for members in locked_sets(data)}
    return {group for locked, group in groups.items() if tuple(regions.ids[g.assignment == group].tolist()) == locked}


def show_locks(data: Data) -> None:
    """A row for each locked group, with a button that unlocks it."""
    regions = data.instance
    for number, members in enumerate(locked_sets(data)):
        words, button = st.columns([4, 1], vertical_alignment="center", gap="small")
        listing = regions.listing(regions.places([members])[0])
        words.caption(f"Locked: {escaped(listing)}")
        button.button(
            "✕", key=f"{data.rules}_unlock_{number}", help="Unlock this group", on_click=unlock, args=(data, members)
        )
