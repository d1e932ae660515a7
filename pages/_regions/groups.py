"""What the page says about groups of areas: their compactness and names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.objective import partition_cost
from kanon_engine.model.requirement import percent_up
from kanon_engine.regions.bounds import partition_cost_bound
from kanon_engine.regions.group_names import CustomName, custom_name, group_names, read_custom_names, retained_names
from kanon_engine.regions.package import counties_for, county_source
from kanon_engine.regions.utility import perimeter, polsby_popper
from pages._shared.files import choose_upload
from pages._shared.records import Data, Question
from pages._shared.results import Choice, begin_search, key_of, search_again
from pages._shared.stage import heaviest_first, selected_class
from pages._shared.tasks import once, redraw_when, tasks
from pages._shared.widgets import in_field, mistakes, pick_from, put_in_widget, put_number
from pages._shared.wording import escaped, on_page


def area_names(regions: kanon.Regions, areas: np.ndarray) -> str:
    largest = heaviest_first(regions, areas)
    words = list(dict.fromkeys(regions.label(area) for area in largest[:12]))[:6]
    return ", ".join(words) + (" …" if len(areas) > len(words) else "")


def show_members(regions: kanon.Regions, g: kanon.Generalization) -> None:
    """The areas of the highlighted group, the heaviest first."""
    selected = selected_class(g)
    if selected is None:
        return
    areas = heaviest_first(regions, np.flatnonzero(g.assignment == selected))
    names = {} if regions.names is None else {"Name": regions.names[areas]}
    unit = regions.unit.capitalize()
    st.dataframe(
        pd.DataFrame({f"Areas of group {selected + 1}": regions.ids[areas], **names, unit: regions.weights[areas]}),
        hide_index=True,
        key="regions_members",
        column_config={unit: st.column_config.NumberColumn(format="localized", width="small")},
        alt=f"The areas of group {selected + 1}",
    )


def show_compactness(regions: kanon.Regions, g: kanon.Generalization) -> None:
    """How compact the groups are and, if the run minimized it, the sum over all groups next to its lower bound."""
    borders = _measured(perimeter, regions, g)
    words = []
    if borders is not None:
        length = "" if borders.kilometers is None else f"{borders.kilometers:,.0f} km, "
        words.append(f"Borders between groups: {length}{percent_up(borders.share)} of all borders between areas.")
    round_ = _measured(polsby_popper, regions, g)
    if round_ is not None and not np.isnan(round_).all():
        least = int(np.nanargmin(round_))
        words.append(
            f"The least compact group is group {least + 1:,}: Polsby–Popper {round_[least]:.2f}; a circle has 1."
        )
    if g.options.get("objective") == "sum":
        total, least = partition_cost(g), once(partition_cost_bound, regions, g.k, of=(regions.digest, g.k))
        words.append(
            f"The sum of w (w − k) over all groups is {total:,}, where w is the number of {escaped(regions.unit)} in a "
            f"group. In every grouping, this sum is at least {least:,}."
        )
    if words:
        st.markdown(" ".join(words))


def _measured(measure: Callable[..., Any], regions: kanon.Regions, g: kanon.Generalization) -> Any:
    """A property of the groups' shapes, computed once per visit."""
    return once(measure, regions, g.assignment, of=g.digest, most=50)


# ---------------------------------------------------------------------------------------------------------------------
# The value of shorter borders, as a choice with its price next to it
# ---------------------------------------------------------------------------------------------------------------------


COMPACTNESS = "compactness"
COMPACTNESS_SETTINGS = (0.0, 0.3, 1.0, 3.0)
LOOK_AGAIN = 1.0  # seconds between two looks at searches
COMPACTNESS_HELP = (
    "0: only group sizes count. 1: if borders get 1 % shorter, the largest group may get 1 % larger. Below "
    "each value you see its result: the largest group, the borders between groups, and how compact the least "
    "compact group is (Polsby–Popper score; a circle has 1)."
)


def choose_compactness(data: Data, question: Question) -> None:
    """Some settings of the option, each with its cost if it was searched; the others can be searched."""
    if COMPACTNESS not in dict(question.choice.options) or mistakes():
        return
    fold = st.expander("Compactness", key=f"{data.family}_prices_fold", on_change="rerun")
    if not fold.open:  # lengths of borders take a while on large maps
        return
    with fold:
        key, widget = f"{data.family}_{COMPACTNESS}", f"{data.family}_{COMPACTNESS}_setting"
        now = float(dict(question.choice.options)[COMPACTNESS])
        put_in_widget(widget, now)
        settings = sorted({*COMPACTNESS_SETTINGS, now})
        choices = {setting: question.choice.with_options(compactness=setting) for setting in settings}
        st.radio(
            "Importance of short borders",
            settings,
            format_func=in_field,
            captions=[_known_price(data, question.k, choice) for choice in choices.values()],
            key=widget,
            on_change=lambda: put_number(key, st.session_state[widget]),
            help=COMPACTNESS_HELP,
        )
        _search_others(data, question, choices)


def _known_price(data: Data, k: int, choice: Choice) -> str:
    """The result of this setting in one line."""
    key = key_of(data.instance, k, choice)
    g = tasks().found(key)
    if g is not None:
        return price(data.instance, g)
    if tasks().works(key):
        return "searching …"
    reason = tasks().failure(key)
    return "not searched yet" if reason is None else f"no result: {on_page(reason)}"


def price(regions: kanon.Regions, g: kanon.Generalization) -> str:
    borders, round_ = _measured(perimeter, regions, g), _measured(polsby_popper, regions, g)
    words = [f"largest group {g.class_weights.max():,}"]
    if borders is not None:
        far = borders.kilometers
        words.append(f"{percent_up(borders.share)} of all borders" if far is None else f"borders {far:,.0f} km")
    if round_ is not None and not np.isnan(round_).all():
        words.append(f"lowest score {np.nanmin(round_):.2f}")
    ended = "; the search ended early, so a better result may exist" if g.status == "stopped" else ""
    return ", ".join(words) + ended


def _search_others(data: Data, question: Question, choices: dict[float, Choice]) -> None:
    """A button that searches the settings without a price, as capacity permits, and their progress."""
    keys = {setting: key_of(data.instance, question.k, choice) for setting, choice in choices.items()}
    searches: dict[str, Any] = st.session_state.setdefault(f"{data.family}_prices", {})
    for slot in [slot for slot, key in searches.items() if key not in keys.values()]:  # from another question
        tasks().leave(slot)
        del searches[slot]
    missing = [setting for setting, key in keys.items() if tasks().found(key) is None and not tasks().works(key)]
    now = float(dict(question.choice.options)[COMPACTNESS])

    def search() -> None:
        for setting in missing:
            slot = f"{data.family}_price_{setting}"
            searches[slot] = keys[setting]
            begin = begin_search if tasks().failure(keys[setting]) is None else search_again
            begin(slot, data.instance, question.k, choices[setting])

    others = [setting for setting in missing if setting != now]
    if others:
        st.button("Search with the other settings", key=f"{data.family}_search_prices", on_click=search)
    working = len(_searches(data))
    if working:
        redraw_when(lambda: len(_searches(data)) != working, LOOK_AGAIN)


def _searches(data: Data) -> set[Any]:
    searches: dict[str, Any] = st.session_state.get(f"{data.family}_prices", {})
    return {key for key in searches.values() if tasks().works(key)}


# ---------------------------------------------------------------------------------------------------------------------
# Names that the user gives to groups; they stay with the groups for the visit, whatever k is
# ---------------------------------------------------------------------------------------------------------------------


NAMES_HELP = "Click a name to write your own. Clear it to restore kanon's name."


def given_names(data: Data) -> tuple[CustomName, ...]:
    """All names that the user gave to groups of these data in this visit."""
    names: tuple[CustomName, ...] = st.session_state.get(_names_key(data), ())
    return names


def names_of(data: Data, g: kanon.Generalization, codes_are_public: bool) -> list[str]:
    counties = counties_for(data.instance, named_after(data))
    return group_names(
        data.instance, g.assignment, codes_are_public=codes_are_public, counties=counties, given=given_names(data)
    )


def named_after(data: Data) -> str:
    """What groups without a user's name are named after: "place" or "county"."""
    choice: str = st.session_state.get(f"{_names_key(data)}_after") or "place"
    return choice if data.instance.counties is not None else "place"


def choose_name_source(data: Data) -> None:
    """Asked only if the counties of areas are known."""
    if data.instance.counties is None:
        return
    unit = escaped(data.instance.unit)
    choices = {area: f"the {area} with the most of the group's {unit}" for area in ("place", "county")}
    help = f"Each area is assigned to one county: {county_source(data.instance)}."
    key = f"{_names_key(data)}_after"
    pick_from(st.radio, "Name each group after", choices, key, horizontal=True, help=help)


def edit_names(data: Data, g: kanon.Generalization, codes_are_public: bool) -> None:
    """A table of the groups with editable names; below it, names of an earlier grouping from a file."""
    key = f"regions_names_{g.digest[:12]}_{codes_are_public}_{named_after(data)}"
    before = f"{key}_before"  # the table shows these with the edits since; it must not change under an editor
    if key not in st.session_state or before not in st.session_state:
        st.session_state[before] = given_names(data), names_of(data, g, codes_are_public)
    earlier, names = st.session_state[before]
    unit = data.instance.unit.capitalize()
    table = pd.DataFrame({"Group": range(1, g.classes + 1), "Name": names, unit: g.class_weights})

    def take() -> None:
        _take_names(data, g, earlier, st.session_state[key]["edited_rows"])

    st.data_editor(
        table,
        key=key,
        hide_index=True,
        disabled=["Group", unit],
        on_change=take,
        height=245,
        column_config={
            "Group": st.column_config.NumberColumn(width="small"),
            "Name": st.column_config.TextColumn(help=NAMES_HELP, max_chars=80),
            unit: st.column_config.NumberColumn(format="localized", width="small"),
        },
    )
    st.caption(
        f"{NAMES_HELP} If the groups change, each of your names stays with the group that holds most of the same "
        f"{escaped(data.instance.unit)}."
    )
    with st.expander("Names from an earlier grouping"):
        _take_names_of_file(data)


def _take_names(
    data: Data, g: kanon.Generalization, earlier: tuple[CustomName, ...], edited: Mapping[Any, Any]
) -> None:
    """The edits replace the names that these groups would have kept."""
    previous = retained_names(data.instance, g.assignment, earlier)
    edits = {int(row): str(cells["Name"] or "") for row, cells in edited.items() if "Name" in cells}
    replaced = {previous[number] for number in edits if number in previous}
    mine = [
        custom_name(data.instance, np.flatnonzero(g.assignment == number), name)
        for number, name in edits.items()
        if name.strip()
    ]
    st.session_state[_names_key(data)] = (*(one for one in earlier if one.name not in replaced), *mine)


def _take_names_of_file(data: Data) -> None:
    """Names from the names.csv of an internal package, or from the user's own table."""
    chosen = choose_upload(
        "names.csv",
        ["csv", "txt"],
        f"{_names_key(data)}_file",
        "Each line has a name, the code of an area and, optionally, the weight of that area, as in the names.csv among "
        "the internal files.",
    )
    last_key = f"{_names_key(data)}_taken"
    # the upload stays in its widget, but its names are taken once: later edits replace them
    if chosen is None or st.session_state.get(last_key) == chosen:
        return
    try:
        names = read_custom_names(data.instance, chosen[1])
    except kanon.KanonError as error:
        st.error(on_page(error), icon=":material/error:")
        return
    st.session_state[last_key] = chosen
    put_names(data, names)
    st.rerun()


def put_names(data: Data, names: tuple[CustomName, ...]) -> None:
    st.session_state[_names_key(data)] = names
    # editors start again from the new names; their old edits would be applied to these
    for key in [key for key in st.session_state if str(key).startswith("regions_names_")]:
        del st.session_state[key]


def _names_key(data: Data) -> str:
    """Codes in other data are other areas, even if they are spelled the same."""
    return f"regions_given_{data.key or st.session_state['regions_sample']}"
