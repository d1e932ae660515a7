"""The address bar: a link reproduces the view, and a page looks the same when the user returns to it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NoReturn
from urllib.parse import urlencode

import streamlit as st

from kanon_engine.project.question import FORMAT, PAIRS, link_of, link_of_pairs, pairs_of_link, rows_of_link
from pages._shared.records import Data
from pages._shared.widgets import begin_widgets, chosen, put_in_widget, send_again
from pages._shared.wording import control_name, escaped, shortened

MOST_NAMES = 100  # a link has
LONGEST = 100_000  # characters of one value; pages write some thousands
DEEPEST = 4  # nesting: a part of the columns, a column, its tree, a row of that
MOST_VALUES = 20_000  # in one text
LONGEST_NUMBER = 19  # digits
MOST_TOLD = 8  # sentences about one link


def address() -> dict[str, str]:
    """The parameters in the address bar, without those that are too long or too many for a link."""
    entries = list(st.query_params.to_dict().items())[:MOST_NAMES]
    return {name: text for name, text in entries if len(text) <= LONGEST}


def begin_link(family: str) -> None:
    """Keep the parameters of the link that opened the page until all of them have been read. Call first on a page."""
    begin_widgets()
    if not had_result(family) and st.query_params:
        st.session_state[f"{family}_link"] = link = address()
        for name in st.query_params:
            if name not in link:
                misread(family, f"“{shortened(name)}” is too long for a link and is ignored.")
        if linked(family, "kanon") not in (None, str(FORMAT)):
            misread(
                family,
                "The link was made by another version of kanon, so parts of the link may mean something else now.",
            )


def linked(family: str, name: str) -> str | None:
    """The link's value for this name, or None; it then counts as read."""
    _read(family).add(name)
    value: str | None = _link(family).get(name)
    return value


def begin(
    family: str,
    name: str,
    default: Any,
    parse: Callable[[str], Any],
    words: Callable[[Any], object] = str,
    key: str = "",
) -> str:
    """Give a widget its initial value, from the link that opened the page or else the default.

    Parameters
    ----------
    family, name : The parameter in the address bar is `name`, the widget's key ``family_name`` unless given.
    parse : Text of the address bar → value, or ValueError: then the default is taken, and a notice says so.
    words : A value as the page spells it.

    Returns
    -------
    str : The widget's key. Its value is in the session state, so the widget itself takes no default.
    """
    key = key or f"{family}_{name}"
    text = linked(family, name)
    send_again(key)
    if key not in st.session_state:
        st.session_state[key] = default
        if text is not None:
            try:
                st.session_state[key] = parse(text)
                st.session_state[chosen(key)] = True
            except ValueError:
                misread(
                    family, f"{_plain(name)} “{shortened(text)}” cannot be used here, so {words(default)} is shown."
                )
    return key


def begin_pairs(family: str, name: str, parse: Callable[[str, str], Any]) -> str:
    """The key of requirements on columns besides k, "minimum" or "demands", each read by ``parse(column, value)``."""
    text, sign = PAIRS[name]
    words = partial(link_of_pairs, sign=sign)
    return begin(family, text, (), lambda value: pairs_of_link(name, value, parse), lambda one: words(one) or "none")


def misread(family: str, message: str) -> None:
    """Note something in the link that the page did not apply."""
    messages: list[str] = st.session_state.setdefault(f"{family}_misread", [])
    if message not in messages and len(messages) < MOST_TOLD:
        messages.append(message)


def report_missing(family: str, words: str) -> None:
    """Note a request that does not fit these data: from a link, or because other data were chosen since."""
    if had_result(family):
        st.toast(escaped(words))
    else:
        misread(family, words)


def one_of(choices: Iterable[Any]) -> Callable[[str], Any]:
    """A parser that takes only these values."""
    values = {str(choice): choice for choice in choices}

    def parse(text: str) -> Any:
        if text not in values:
            raise ValueError(text)
        return values[text]

    return parse


def read_json(text: str) -> Any:
    """A JSON value from a link; ValueError if it is not valid, or if no page writes such a value.

    >>> read_json('{"bins":{"age":[17,5]}}')
    {'bins': {'age': [17, 5]}}
    """
    try:
        value = json.loads(text, parse_int=_whole, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("endlessly nested values") from None
    level, count = [value], 0
    for _ in range(DEEPEST + 1):
        level = [inner for one in level for inner in _inside(one)]
        count += len(level)
    if level or count > MOST_VALUES:
        raise ValueError("more values, or values nested more deeply, than a link can have")
    json.dumps(value, ensure_ascii=False).encode()  # half of a surrogate pair can be written in JSON, and nowhere else
    return value


def show_link(family: str, values: dict[str, Any]) -> None:
    """Write the page's state into the address bar. Link parameters that nothing on the page read are reported."""
    if not had_result(family):
        for name in _link(family):
            if name not in _read(family):
                misread(family, f"“{shortened(name)}” has no meaning here and is ignored.")
        _discard_link(family)
    write_link({name: str(value) for name, value in values.items()})


def write_link(values: dict[str, str]) -> None:
    """Put these into the address bar.

    Also if Streamlit thinks that they are there: a user who goes back before the other page answers sends
    the old address bar, and the browser then writes the other page's link. One that does not differ is left as
    it is.
    """
    st.query_params.from_dict(values)


def forget_link(family: str) -> None:
    """The user wants something different from the link that opened the page."""
    _discard_link(family)
    st.session_state.pop(f"{family}_misread", None)


def had_result(family: str) -> bool:
    """Whether the page had a result, or the user chose data different from the link's."""
    return bool(st.session_state.get(f"{family}_shown"))


def show_misread(family: str) -> None:
    """One notice of everything in the link that was not applied; it stays until the user closes it."""
    messages = st.session_state.get(f"{family}_misread")
    if not messages:
        return
    words, button = st.columns([8, 1], vertical_alignment="center")
    sentences = " ".join(escaped(message) for message in messages)
    words.warning(f"**Parts of the link could not be applied.** {sentences}", icon=":material/link_off:")
    button.button("OK", key=f"{family}_misread_ok", on_click=messages.clear, width="stretch")


def _whole(digits: str) -> int:
    if len(digits.lstrip("-")) > LONGEST_NUMBER:
        raise ValueError(f"a number of {len(digits):,} digits")
    return int(digits)


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number")


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _discard_link(family: str) -> None:
    """From now on the page decides what is shown, not the link."""
    st.session_state[f"{family}_shown"] = True
    st.session_state.pop(f"{family}_link", None)


def _link(family: str) -> dict[str, str]:
    link: dict[str, str] = st.session_state.get(f"{family}_link", {})
    return link


def _read(family: str) -> set[str]:
    names: set[str] = st.session_state.setdefault(f"{family}_link_read", set())
    return names


def _plain(name: str) -> str:
    return name if name == "k" else control_name(name)


# ---------------------------------------------------------------------------------------------------------------------
# The tabs above the stage. The open one is kept across results, other pages and a link.
# ---------------------------------------------------------------------------------------------------------------------


COMPARE = "Compare"


def tabs_of(picture: str, *more: str) -> tuple[str, ...]:
    """The tabs of a page: its picture under its own name, the tabs of every page, and its own."""
    return (picture, "What if", "How it works", COMPARE, "Groups", *more, "Publish")


def begin_tab(family: str, tabs: Sequence[str]) -> str:
    """The open tab: the first, unless the link sets another; for the address bar."""
    tab_names = {_in_link(tab): tab for tab in tabs}
    parse = one_of(tab_names)
    first = COMPARE if linked(family, "compare") is not None else tabs[0]
    key = begin(family, "tab", first, lambda text: tab_names[parse(text)], lambda tab: f"“{tab}”")
    return _in_link(st.session_state[key])


def is_open(family: str, tab: str) -> bool:
    return bool(st.session_state.get(f"{family}_tab") == tab)


@contextmanager
def show_tabs(family: str, tabs: Sequence[str]) -> Iterator[str]:
    """The tabs, initially the first open; what is drawn in this context is in the open one, whose name it gives."""
    # Streamlit forgets which tab is open when a page is drawn without a result, so the page keeps it.
    key, widget = f"{family}_tab", f"{family}_tabs"
    put_in_widget(widget, st.session_state.setdefault(key, tabs[0]))

    def follow() -> None:
        st.session_state[key] = st.session_state[widget]

    drawn = list(zip(tabs, st.tabs(tabs, key=widget, on_change=follow), strict=True))
    name, container = next((one for one in drawn if one[1].open), drawn[0])
    with container:
        yield name


@contextmanager
def linked_tabs(page: str, tabs: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The same on a page without a family that began its link, and this link: what is drawn adds its settings to it."""
    notice = st.empty()
    link: dict[str, Any] = {"tab": begin_tab(page, tabs)}
    with show_tabs(page, tabs) as tab:
        yield tab, link
    show_link(page, link)
    with notice.container():
        show_misread(page)


def _in_link(tab: str) -> str:
    return tab.lower().replace(" ", "-")


# ---------------------------------------------------------------------------------------------------------------------
# Sets of items as the user writes them, one per line, and as a link stores them.
# ---------------------------------------------------------------------------------------------------------------------


LONGEST_LINK = 8_000  # characters of a link; servers refuse addresses of some tens of thousands
NO_ROOM = "These rules are too long for the address bar, so a link omits them. A project file keeps them."
OWN = (
    "A link holds nothing from your file. Rules name items of your file, so a link omits the rules. A project file "
    "keeps them."
)


def rows_in(text: str) -> list[list[str]]:
    """The sets in these lines, with commas between their items.

    >>> rows_in('a, "b, c"\\n\\nd')
    [['a', 'b, c'], ['d']]
    """
    lines = csv.reader(text.splitlines(), skipinitialspace=True)
    rows = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    return [row for row in rows if row]


def text_of(rows: Iterable[Iterable[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def linked_rows(data: Data, name: str) -> list[list[str]] | None:
    """The sets of this name in the link that opened the page; links have sets for samples only."""
    text = None if data.key else linked(data.family, name)
    if text is None:
        return None
    rows = rows_of_link(text)
    if not rows:
        misread(data.family, f"“{name}={shortened(text)}” is not a valid set.")
    return rows


def link_with_sets(data: Data, sets: Mapping[str, Iterable[Iterable[Any]]], **more: str) -> tuple[dict[str, str], str]:
    """The rules in a link, and the page's note if they are omitted: all or none of them fit."""
    values = {name: link_of(rows) for name, rows in sets.items()} | more
    values = {name: value for name, value in values.items() if value}
    if not values:
        return {}, ""
    if data.key:
        return {}, OWN
    return (values, "") if len(urlencode(values)) <= LONGEST_LINK else ({}, NO_ROOM)
