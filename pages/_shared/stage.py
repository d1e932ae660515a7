"""The contents of the stage: a result with its groups, one of which can be highlighted, or two results side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine import Generalization
from kanon_engine.model.comparison import Comparison, compare
from kanon_engine.model.generalization import members_of
from kanon_engine.model.known import get_family
from kanon_engine.model.objective import Cost
from kanon_engine.model.words import counted, number_text
from kanon_engine.plot import companions
from kanon_engine.plot.colors import shading_of
from kanon_engine.plot.maps import show_same_part
from pages._shared.picture import Drawing, PictureEvent, Rest, picture, picture_name
from pages._shared.records import Data, Question
from pages._shared.result import second_slot, show_search, try_answer
from pages._shared.results import Answer, objective_of, title
from pages._shared.scenarios import Scenario, choose_comparison, show_scenarios
from pages._shared.tasks import once, tasks
from pages._shared.wording import escaped

MOST_NAMED = 6


def selected_class(g: Generalization) -> int | None:
    digest, number = st.session_state.get(f"{g.family}_selected", (None, None))
    return number if digest == g.digest else None


def select_class(g: Generalization, number: int | None) -> None:
    st.session_state[f"{g.family}_selected"] = (g.digest, number)


def follow_click(g: Generalization, event: PictureEvent | None) -> None:
    """A click on a group in the picture selects it, a click on the selected group deselects it."""
    if event is None or event.class_number is None:
        return
    if not 0 <= event.class_number < g.classes:  # in no group, or in a group of the previous result
        return
    again = selected_class(g) == event.class_number
    if again and not event.lets_go:
        return
    select_class(g, None if again else event.class_number)
    st.rerun()


def heaviest_first(instance: Any, members: np.ndarray) -> np.ndarray:
    return members[np.argsort(-instance.weights[members], kind="stable")]


def heaviest(instance: Any, members: np.ndarray) -> str:
    largest = heaviest_first(instance, members)[:MOST_NAMED]
    words = ", ".join(instance.label(int(position)) for position in largest)
    return words + (" …" if len(members) > MOST_NAMED else "")


def group_table(
    data: Data,
    g: Generalization,
    contents: Callable[[Any, np.ndarray], str] = heaviest,
    names: Sequence[str] | None = None,
) -> pd.DataFrame:
    """One row per group: number, name, weight, number of members, weight / k and a short summary of its contents."""
    instance, members = data.instance, members_of(g.assignment, g.classes)
    if names is None and hasattr(instance, "named_classes"):
        names = instance.named_classes(g.assignment)
    inside = g.assignment >= 0
    second = {  # second counts, such as cases, summed over each group
        f"Sum of {name}": np.bincount(g.assignment[inside], values[inside], g.classes).astype(np.int64)
        for name, values in getattr(instance, "columns", {}).items()
    }
    return pd.DataFrame(
        {
            "Group": range(1, g.classes + 1),
            **({} if names is None else {"Name": names}),
            instance.unit.capitalize(): g.class_weights,
            get_family(data.family).items.capitalize(): [len(part) for part in members],
            **second,
            "× k": g.class_weights / g.k,
            "Contents": [contents(instance, part) for part in members],
        }
    )


def chosen_items(data: Data, g: Generalization) -> pd.DataFrame | None:
    """The contents of the highlighted group, the heaviest first; None if there is none."""
    selected, instance = selected_class(g), data.instance
    if selected is None:
        return None
    items = heaviest_first(instance, np.flatnonzero(g.assignment == selected))
    noun = get_family(data.family).items.capitalize()
    names = [instance.label(position) for position in items.tolist()]
    return pd.DataFrame({noun: names, instance.unit.capitalize(): instance.weights[items]})


def show_groups(data: Data, g: Generalization, table: pd.DataFrame) -> None:
    """A table with the columns "Group" and "× k"; its selected row is the group highlighted in the picture."""
    key = f"{data.family}_groups_{g.digest[:12]}"
    selected = selected_class(g)
    count_columns = (get_family(data.family).items.capitalize(), data.instance.unit.capitalize())

    def follow_row() -> None:
        rows = st.session_state[key].selection.rows
        select_class(g, rows[0] if rows else None)

    rows = [] if selected is None else [selected]
    if key not in st.session_state or list(st.session_state[key]["selection"]["rows"]) != rows:
        st.session_state[key] = {"selection": {"rows": rows}}
    st.dataframe(
        table,
        hide_index=True,
        on_select=follow_row,
        selection_mode="single-row",
        key=key,
        column_config={
            "× k": st.column_config.NumberColumn(format="%.2f", help="Size of the group divided by k.", width="small"),
            "Group": st.column_config.NumberColumn(width="small"),
            **dict.fromkeys(count_columns, st.column_config.NumberColumn(format="localized", width="small")),
            "Contents": st.column_config.TextColumn(width="large"),
        },
        alt="The groups with their size, number of items and contents",
    )
    if selected is None:
        st.caption("Select a group's row to highlight it in the picture.")
    else:
        show_selected(g)


def show_selected(g: Generalization, otherwise: str = "", where: str = "picture") -> None:
    """The highlighted group with a button to clear it, or `otherwise`."""
    selected = selected_class(g)
    if selected is None:
        st.caption(otherwise)
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f"Group {selected + 1:,} is highlighted in the {where}.", width="content")
        st.button("Clear", type="tertiary", key=f"{g.family}_let_go", on_click=select_class, args=(g, None))


# ---------------------------------------------------------------------------------------------------------------------
# Two results side by side: the differences as a line and as tables.
# ---------------------------------------------------------------------------------------------------------------------


IN_ANOTHER = "In another group"


@dataclass(frozen=True, eq=False)
class Pair:
    """Two results of the same items."""

    instance: Any  # Regions, Points, Labels, Table or MetricSpace
    results: tuple[kanon.Generalization, kanon.Generalization]
    titles: tuple[str, str]  # the words above each, as Markdown
    found: Comparison

    def selected(self, number: int | None) -> tuple[int | None, int | None]:
        """The highlighted class in each picture if this class of the first is: itself and its partner, if any."""
        partner = -1 if number is None else int(self.found.partners[0][number])
        return number, None if partner < 0 else partner


def sides(pair: Pair | None) -> list[tuple[kanon.Generalization, int | None]]:
    """Each of the two results and its highlighted class; empty if nothing is compared."""
    return [] if pair is None else list(zip(pair.results, pair.selected(selected_class(pair.results[0])), strict=True))


def compared_figures(
    pair: Pair | None,
    draw: Callable[..., go.Figure | Drawing],
    borders: Callable[[Any, kanon.Generalization], np.ndarray],
    *,
    shaded: bool = True,
    **layers: Any,
) -> list[go.Figure | Drawing]:
    """The pictures of both results; matching groups have the same color, and both scales end at the same value.

    ``borders(instance, g)`` are the pairs of adjacent groups; if no map is `shaded` by rank, the scale ends
    at the largest group.
    """
    if pair is None:
        return []
    instance, (first, second) = pair.instance, pair.results
    top = shading_of(np.concatenate([g.class_weights / g.k for g in pair.results])).top if shaded else None
    both = companions(pair.results, pair.found, (borders(instance, first), borders(instance, second)), top)
    return [
        draw(instance, g, selected=number, companion=companion, **layers)
        for (g, number), companion in zip(sides(pair), both, strict=True)
    ]


def difference(pair: Pair) -> str:
    """The differences in one line: items in another group, the cost, the number of groups."""
    first, second = pair.results
    parts = [_changed(pair)]
    comparable = objective_of(first).noun == objective_of(second).noun
    if comparable:
        noun = objective_of(first).noun
        same = f"{noun} {number_text(first.cost)} in both"
        parts.append(
            same if first.cost == second.cost else f"{noun} {number_text(first.cost)} → {number_text(second.cost)}"
        )
    more = second.classes - first.classes
    words = "same number of groups" if not more else f"{counted(abs(more), 'group')} {'more' if more > 0 else 'fewer'}"
    line = "; ".join([*parts, words]) + "."
    if not comparable:
        line += " The two results minimize different costs, so their costs cannot be compared."
    return line


def _changed(pair: Pair) -> str:
    """How many items are in another group, and their weight if that differs."""
    instance, changed = pair.instance, pair.found.changed
    item = get_family(pair.results[0].family).items.removesuffix("s")
    many, weight = int(changed.sum()), int(instance.weights[changed].sum())
    if not many:
        return f"No {item} is {IN_ANOTHER.lower()}"
    heavy = f" with {weight:,} {escaped(instance.unit)}" if (instance.weights != 1).any() else ""
    return f"{counted(many, item)}{heavy} {'is' if many == 1 else 'are'} {IN_ANOTHER.lower()}"


def figures_table(pair: Pair) -> pd.DataFrame:
    """The figures of both results side by side, and their differences."""
    instance, (first, second) = pair.instance, pair.results
    items, unit = get_family(first.family).items, instance.unit
    changed = pair.found.changed
    rows: list[tuple[str, Cost | None, Cost | None, Cost]] = [("k", first.k, second.k, second.k - first.k)]
    for words, values in {
        "Groups": [g.classes for g in pair.results],
        f"Smallest group ({unit})": [int(g.class_weights.min()) for g in pair.results],
        f"Largest group ({unit})": [int(g.class_weights.max()) for g in pair.results],
    }.items():
        rows.append((words, values[0], values[1], values[1] - values[0]))
    one, other = (objective_of(g) for g in pair.results)
    if one.noun == other.noun:
        if not one.is_largest_class:
            rows.append((one.noun.capitalize(), first.cost, second.cost, second.cost - first.cost))
        bounds = first.lower_bound, second.lower_bound
        rows.append(("Lower bound", *bounds, bounds[1] - bounds[0]))
    rows.append((f"{IN_ANOTHER}: {items}", None, None, int(changed.sum())))
    rows.append((f"{IN_ANOTHER}: {unit}", None, None, int(instance.weights[changed].sum())))
    table = pd.DataFrame(rows, columns=["", "First", "Second", "Difference"])
    whole = all(isinstance(value, int | None) for row in rows for value in row[1:])
    return table.astype(dict.fromkeys(("First", "Second"), "Int64" if whole else "Float64"))


def pairs_table(pair: Pair) -> pd.DataFrame:
    """One row per pair of matching groups, the most changed first; below them groups without a partner."""
    (first, second), comparison = pair.results, pair.found
    inside = (first.assignment >= 0) & (second.assignment >= 0) & ~comparison.changed
    shared = pd.Series(pair.instance.weights[inside]).groupby(first.assignment[inside]).sum()
    rows: list[tuple[Any, ...]] = [
        (
            group + 1,
            other + 1,
            int(first.class_weights[group]),
            int(second.class_weights[other]),
            int(shared.get(group, 0)),
        )
        for group, other in comparison.pairs.tolist()
    ]
    rows.sort(key=lambda row: row[4] - max(row[2], row[3]))
    alone, new = comparison.partners
    rows += [(group + 1, None, int(first.class_weights[group]), None, 0) for group in (alone < 0).nonzero()[0].tolist()]
    rows += [(None, group + 1, None, int(second.class_weights[group]), 0) for group in (new < 0).nonzero()[0].tolist()]
    unit = pair.instance.unit.capitalize()
    columns = ["Group in the first result", "Group in the second result"]
    columns += [f"{unit} in the first result", f"{unit} in the second result", "In both"]
    return pd.DataFrame(rows, columns=columns).astype("Int64")


def same_heights(figures: Iterable[go.Figure], tallest: int) -> None:
    """Put the bars of all figures on one scale, so that equal heights mean equal sizes."""
    for figure in figures:
        if any(trace.type == "bar" for trace in figure.data):
            figure.update_yaxes(range=[0, 1.08 * tallest])


# ---------------------------------------------------------------------------------------------------------------------
# The contents of the stage: a result with the sizes of its groups, or two results side by side.
# ---------------------------------------------------------------------------------------------------------------------


LINE = 56  # pixels of two lines below a picture
BESIDE = Rest(least=280)  # of two pictures side by side
CLICK = "Click a group to see it alone."


def show_result(
    data: Data,
    g: kanon.Generalization,
    figure: go.Figure | Drawing,
    sizes: go.Figure,
    *,
    chosen: pd.DataFrame | None = None,
    hint: str = CLICK,
    internal: bool = True,
    follow: Callable[[kanon.Generalization, PictureEvent | None], None] = follow_click,
) -> None:
    """The picture of the result with the sizes of its groups.

    Parameters
    ----------
    chosen : Contents of the highlighted group; shown in place of the sizes.
    hint : How to highlight a group.
    internal : Whether the picture shows more than a release may, so that a downloaded picture is internal.
    follow : Called on a click.
    """
    left, right = st.columns([7, 3])
    with left:
        event = picture(figure, key=f"{data.family}_picture", height=Rest(), filename=picture_name(g, internal))
    with right:
        if chosen is None:
            picture(sizes, key=f"{data.family}_sizes", height=Rest(below=LINE))
        show_selected(g, hint)
        if chosen is not None:
            weights = st.column_config.NumberColumn(format="localized", width="small")
            columns = {chosen.columns[-1]: weights}
            st.dataframe(chosen, hide_index=True, key=f"{data.family}_chosen", column_config=columns)
    follow(g, event)


def find_compared(data: Data, question: Question, answer: Answer) -> Pair | None:
    """The result and the one to compare it with; if that has no result, the page says why."""
    slot = second_slot(data.family)
    left, right, aside = st.columns([8, 7, 3], vertical_alignment="bottom")
    with aside:
        show_scenarios(data, answer)
    with left:
        second = choose_comparison(data, question)
    if isinstance(second, Scenario):
        tasks().leave(slot)
        g, words = second.named.g, f"{escaped(second.named.name)} ({title(second.named.g)})"
    else:
        other = None if second is None else try_answer(slot, data.instance, *second)[0]
        if other is None:
            return None
        with right:
            show_search(slot, data.instance, other, narrow=True)
        g, words = other.g, title(other.g)
    both = answer.g.digest, g.digest
    differing = once(compare, answer.g, g, data.instance.weights, of=both, most=20, words="Comparing the groups …")
    return Pair(data.instance, (answer.g, g), (title(answer.g), words), differing)


def show_compared(
    data: Data, pair: Pair | None, figures: Sequence[go.Figure | Drawing], *, internal: bool = True
) -> None:
    """Two pictures that move together, each with its own line, and the differences as a line and as tables."""
    if pair is None:
        return
    first, second = pair.results
    plotted = [figure for figure in figures if isinstance(figure, go.Figure)]
    if plotted:
        show_same_part(plotted)
    if objective_of(first).is_largest_class:  # otherwise bars are not groups
        same_heights(plotted, max(first.cost, second.cost))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(difference(pair), width="stretch")
        with st.popover("As a table", type="tertiary", key=f"{data.family}_difference"):
            _show_tables(data, pair)
    events = []
    places = zip(st.columns(2), pair.results, pair.titles, figures, ("first", "second"), strict=True)
    for column, g, words, figure, place in places:
        with column:
            with st.container(
                key=f"title-of-{data.family}_{place}"
            ):  # one line, so that both maps have the same height
                st.markdown(f"**{words}**: {counted(g.classes, 'group')}, {objective_of(g).noun} {number_text(g.cost)}")
            key, name = f"{data.family}_{place}", picture_name(g, internal)
            together = f"{data.family}_compared"
            events.append(picture(figure, key=key, height=BESIDE, filename=name, together=together))
    follow_click(first, events[0])
    partners, event = pair.found.partners[1], events[1]
    if event is not None and event.class_number in range(len(partners)):  # its group of the first, -1 for none
        follow_click(first, replace(event, class_number=int(partners[event.class_number])))


def _show_tables(data: Data, pair: Pair) -> None:
    numbers = st.column_config.NumberColumn(format="localized")
    for name, table in (("figures", figures_table(pair)), ("pairs", pairs_table(pair))):
        formats = {column: numbers for column in table.columns if column}
        key = f"{data.family}_difference_{name}"
        st.dataframe(table, hide_index=True, key=key, column_config=formats, placeholder="")
    st.caption("Groups are matched so that as few items as possible change groups.")
