"""Beat the algorithm: draw an instance, and see how far its cost is from the best possible and from its ceiling."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES, get_family
from kanon_engine.model.words import number_text
from kanon_engine.teaching.studies.beat import Duel, duel, opponent_of, opponents
from kanon_engine.teaching.studies.draft import Draft
from kanon_engine.teaching.studies.plot import duel_figure
from pages._lab.drafts import (
    DraftSheet,
    board,
    clear,
    first_of,
    load,
    load_result,
    loadables,
    note,
    scope_of,
    sheet_of,
    worst,
)
from pages._shared.controls import read_k, read_seed
from pages._shared.link import begin, one_of
from pages._shared.picture import picture, plain_figure
from pages._shared.tasks import once
from pages._shared.wording import escaped, on_page

HEIGHT = 400  # of the board
HEIGHT_OF_TABLE = 250  # of its picture, above its rows
GAUGE = 150  # of the lines for optimum, cost and ceiling
MOST_DUELS = 80  # duels of a visit
THEIRS, BEST = "the algorithm's", "the best"


def show_beat(link: dict[str, Any]) -> None:
    """The opponent and family, the drawing next to its figures, and the worst instances of this visit."""
    family, name, k, seed = _choose()
    sheet = sheet_of(family)
    link["kind"] = family
    if sheet.loaded is not None:  # a link holds no drawing
        titles = [one.title for one in loadables(family)]
        link |= {"instance": titles.index(sheet.loaded.title), "against": name, "k": k, "seed": seed}
    result, fault = _duel(sheet.draft, name, k, seed)
    if result is not None:
        note(sheet.draft, name, k, seed, result)
    drawn, figures = st.columns([3, 2], gap="medium")
    with figures:
        g = _tell(result, fault or sheet.fault)
    with drawn:
        _draw(family, sheet, g, k)
        if how := sheet.how_against(name, k, seed):
            st.caption(escaped(how))
        with st.expander("As a table", expanded=family == "tables"):
            _edit(family, sheet)
    with figures:
        _show_worst(family, name)


def _choose() -> tuple[str, str, int, int]:
    """Family, opponent, k and seed; an instance can also be loaded."""
    names, instances, against, least, seeds, wipe = st.columns([4, 7, 7, 4, 3, 2], vertical_alignment="bottom")
    family = names.selectbox(
        "Kind of data",
        list(FAMILIES),
        format_func=lambda name: get_family(name).page.title,
        key=begin("lab", "kind", next(iter(FAMILIES)), one_of(FAMILIES), key="beat_family"),
        persist_state="session",
    )
    drafts, known = loadables(family), [one.name for one in opponents(family)]
    first = drafts[st.session_state[begin("lab", "instance", 0, one_of(range(len(drafts))), key=first_of(family))]]
    begin("lab", "against", first.opponent or known[0], one_of(known), key=f"beat_opponent_{family}")
    begin("lab", "k", first.k, read_k, key=f"beat_k_{family}")
    begin("lab", "seed", first.seed, read_seed, key=f"beat_seed_{family}")
    sheet_of(family)
    slot = f"beat_load_{family}"

    def loaded() -> None:
        chosen: int | None = st.session_state[slot]
        if chosen is not None:
            load(family, drafts[chosen])
            st.session_state[slot] = None  # so that it can be loaded again

    instances.selectbox(
        "Load an instance",
        range(len(drafts)),
        index=None,
        placeholder="the worst known instances, and others",
        format_func=lambda number: drafts[number].title,
        key=slot,
        on_change=loaded,
    )
    name = against.selectbox(
        "Against",
        known,
        format_func=lambda one: opponent_of(family, one).title,
        key=f"beat_opponent_{family}",
        persist_state="session",
        help=escaped(get_family(family).algorithm(_algorithm(family)).guarantee),
    )
    k = least.number_input("k", 1, key=f"beat_k_{family}", persist_state="session")
    seed = seeds.number_input("Seed", 0, key=f"beat_seed_{family}", persist_state="session")
    wipe.button(
        "Empty", key="beat_clear", on_click=clear, args=(family,), width="stretch", help="Start with an empty sheet."
    )
    return family, name, int(k), int(seed)


def _algorithm(family: str) -> str:
    return opponent_of(family, st.session_state[f"beat_opponent_{family}"]).algorithm


def _duel(draft: Draft, name: str, k: int, seed: int) -> tuple[Duel | None, str]:
    """The duel, or why there is none; duels of this visit are reused."""
    of, words = (draft, name, k, seed), "Looking for the best possible groups …"
    try:
        return once(duel, draft.instance(), k, name, seed=seed, of=of, most=MOST_DUELS, words=words), ""
    except kanon.KanonError as error:
        return None, on_page(error)


def _tell(result: Duel | None, fault: str) -> kanon.Generalization | None:
    """The figures as a sentence and as lines; returns the result whose groups the drawing shows."""
    if fault:
        st.error(fault, icon=":material/error:")
    if result is None:
        return None
    g = result.g
    noun = get_family(g.family).objective(g.algorithm, g.options).noun
    st.markdown(f"#### {_sentence(result)}")
    picture(duel_figure(result, noun), key="beat_gauge", height=GAUGE)
    if result.ceiling is None:
        st.caption("The algorithm has no guarantee here.")
    else:
        st.caption(f"What the algorithm guarantees here: {escaped(result.ceiling_words)}.")
    choice = st.segmented_control(
        "Colors show",
        [THEIRS, BEST],
        default=THEIRS,
        required=True,
        key="beat_shown",
        persist_state="session",
        format_func=lambda one: f"{one} groups",
    )
    return result.best if choice == BEST else g


def _sentence(result: Duel) -> str:
    """Ratio, cost and optimum, and whether the ceiling is reached."""
    cost, optimum = number_text(result.cost), number_text(result.optimum)
    if not result.optimum_is_proven:
        return (
            f"The algorithm's result costs {cost}, at most {result.ratio:.3g} times the best possible: no cost below "
            f"{optimum} is possible, and the lowest cost found is {number_text(result.best.cost)}."
        )
    if result.cost == result.optimum:
        return f"The algorithm's result costs {cost}, and no lower cost is possible."
    return f"The algorithm's result costs {cost}, {result.ratio:.3g} times the best possible, which is {optimum}."


def _draw(family: str, sheet: DraftSheet, g: kanon.Generalization | None, k: int) -> None:
    """The board; for a table, the family's picture."""
    if family == "tables":
        if g is not None:
            figure = plain_figure(get_family(family), sheet.draft.instance(), g)
            picture(figure, key="beat_table_picture", height=HEIGHT_OF_TABLE)
        return
    board(
        sheet.draft,
        g,
        k,
        key=f"beat_board_{family}",
        height=HEIGHT,
        past=bool(sheet.past),
        entered=sheet.heard,
        scope=scope_of(family),
    )


def _edit(family: str, sheet: DraftSheet) -> None:
    """The drawing as text fields."""
    draft, version = sheet.draft, sheet.version
    if family == "labels":
        line = f"beat_line_{version}"
        st.text_input(
            "Counts, separated by spaces",
            " ".join(str(item[2]) for item in draft.items),
            key=line,
            on_change=lambda: sheet.enter(lambda: draft.counted(st.session_state[line])),
        )
    frame = draft.frame
    edited = st.data_editor(frame, num_rows="dynamic", key=f"beat_rows_{family}_{version}", width="stretch", height=180)
    if not edited.equals(frame) and len(edited.dropna()) == len(edited):
        sheet.enter(lambda: draft.edited(edited))
        st.rerun()
    if family == "regions":
        borders = f"beat_borders_{version}"
        st.text_input(
            "Borders: 1-2 means areas 1 and 2 touch",
            draft.borders,
            key=borders,
            on_change=lambda: sheet.enter(lambda: draft.bordered(st.session_state[borders])),
        )


def _show_worst(family: str, name: str) -> None:
    """The list of worst instances, for this opponent or all; a click loads one."""
    st.markdown("##### Worst instances of this session")
    alone = st.toggle("Show only instances for this algorithm", key="beat_alone", persist_state="session")
    rows = [one for one in worst() if not alone or (one.family, one.opponent) == (family, name)]
    if not rows:
        st.caption("No instance found yet on which an algorithm is worse than the best possible.")
        return

    def clicked() -> None:
        selected = st.session_state[key].selection.rows
        if selected:
            load_result(rows[selected[0]])

    key = f"beat_worst_rows_{hash(tuple(rows))}"
    st.dataframe(
        pd.DataFrame(
            [
                (
                    one.ratio,
                    opponent_of(one.family, one.opponent).title,
                    one.k,
                    f"{number_text(one.cost)} (best {number_text(one.optimum)})",
                    len(one.draft.items) + len(one.draft.rows),
                )
                for one in rows
            ],
            columns=["ratio", "algorithm", "k", "cost", "items"],
        ),
        hide_index=True,
        key=key,
        on_select=clicked,
        selection_mode="single-row",
        column_config={"ratio": st.column_config.NumberColumn(format="%.3f")},
        height=180,
    )
