"""The tab "Released table": the release to look at, and its remaining utility."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.requirement import percent_up
from kanon_engine.model.values import plain_value, value_words
from kanon_engine.model.words import counted, listed, number_text
from kanon_engine.release.audit_figures import SensitiveFigures
from kanon_engine.tables.instance import too_many
from kanon_engine.tables.plot import utility_figure
from kanon_engine.tables.release import kept_columns, released_frame
from kanon_engine.tables.utility import error_words
from pages._shared.picture import Rest, picture
from pages._shared.records import File, failing_rules
from pages._shared.tasks import Task, offer_again, once, tasks, wait_for
from pages._shared.widgets import pick_view
from pages._shared.wording import escaped, on_page
from pages._tables.demands import ask
from pages._tables.editor import mend_columns

ROWS, BEFORE_AND_AFTER = "Rows", "Before and after"
MOST_ROWS = 10_000  # sent to a browser at a time
MOST_CHOICES = 300  # words of a column to pick from; with more, the user types a part


def show_released(table: kanon.Table, g: kanon.Generalization) -> None:
    if pick_view("Show", {ROWS: ROWS, BEFORE_AND_AFTER: BEFORE_AND_AFTER}, "tables_released_view") == ROWS:
        _show_rows(table, g)
    else:
        show_utility(table, g)


def _show_rows(table: kanon.Table, g: kanon.Generalization) -> None:
    """All rows of the release, or the filtered ones, and their number."""
    if why := too_many(table):
        st.info(escaped(why), icon=":material/info:")
        return
    columns = tuple(kept_columns(table))
    frame = once(released_frame, table, g, columns, of=(g.digest, columns), words="Making the release …")
    missing = table.total - len(frame)
    left_out = f"{missing:,} are left out ({percent_up(missing / table.total)})" if missing else "none are left out"
    words, button, number = st.columns([6, 2, 2], vertical_alignment="center")
    words.markdown(
        f"{len(frame):,} of {table.total:,} {escaped(table.unit)} are released, {left_out}. Rows are sorted by their "
        "released values; the original order is gone."
    )
    with button.popover("Filter rows", width="stretch"):
        there = _picked(frame)
    if not there.all():
        st.caption(f"{there.sum():,} of these {len(frame):,} rows match your choice.")
        frame = frame[there]
    pages = -(-len(frame) // MOST_ROWS)
    first = 0
    if pages > 1:
        help = f"{MOST_ROWS:,} rows per page"
        page = number.number_input(f"Page (1 to {pages:,})", 1, pages, key="tables_release_page", help=help)
        first = (int(page) - 1) * MOST_ROWS
    st.dataframe(frame.iloc[first : first + MOST_ROWS], hide_index=True, key="tables_release", alt="The released rows")


def _picked(frame: pd.DataFrame) -> np.ndarray:
    """Which rows match the user's filter in each column."""
    there = np.ones(len(frame), dtype=bool)
    for place, name in enumerate(frame.columns):
        key = f"tables_pick_{place}_{name}"
        codes, values = pd.factorize(frame[name], use_na_sentinel=False)
        words = [value_words(plain_value(value)) for value in values]
        if len(words) > MOST_CHOICES:
            part = st.text_input(f"{escaped(name)} contains", key=key).strip().lower()
            fits = np.array([part in word.lower() for word in words])
        else:
            choices = list(dict.fromkeys(words))
            st.session_state[key] = [word for word in st.session_state.get(key, ()) if word in choices]
            chosen = st.multiselect(f"{escaped(name)} is", choices, key=key, placeholder="anything")
            fits = np.array([not chosen or word in chosen for word in words])
        if len(fits):
            there &= fits[codes]
    return there


# ---------------------------------------------------------------------------------------------------------------------
# Utility of a release compared with the table: a sentence, a picture and tables.
# ---------------------------------------------------------------------------------------------------------------------


BELOW, LEAST = 72, 300  # pixels below the picture, and of the picture
WIDE = 620  # pixels of the tables


def show_utility(table: kanon.Table, g: kanon.Generalization) -> None:
    """Before and after, of the columns that were generalized."""
    measured = once(kanon.utility, table, g, of=g.digest, words="Comparing the release with the table …")
    queries = measured.queries
    st.markdown(
        f"Test with {len(queries.frame):,} random questions: how many records lie in given ranges of up to three "
        f"columns? Half of the answers from the release are off by about {error_words(queries.median)} or less, "
        f"nine in ten by about {error_words(queries.ninth)} or less. {accuracy_words(table, measured)}"
    )
    picture(
        utility_figure(measured), key="tables_utility", height=Rest(BELOW, LEAST), filename="kanon-before-and-after"
    )
    words, button = st.columns([5, 2], vertical_alignment="top")
    words.caption(
        f"{left_out_words(table)}If a released cell represents several values, the comparison treats them as equally "
        "likely. The left picture shows, for each column, the smallest share of records whose values would have to "
        "change to match the distribution in the table."
    )
    with button.popover("Show numbers as tables", width="stretch"):
        _show_tables(measured)


def left_out_words(table: kanon.Table) -> str:
    """The columns that are not compared because nothing of them is released; "" for none."""
    released = {*table.quasi_identifiers, *kept_columns(table)}
    names = [name for name in (*table.frame.columns, *table.left_out) if name not in released]
    return escaped(f"Not counted here: what is lost with columns that are left out, {listed(names)}. ") if names else ""


def accuracy_words(table: kanon.Table, measured: kanon.Utility) -> str:
    """How well the class label can be predicted, or why that was not measured."""
    accuracy = measured.accuracy
    if accuracy.before is None or accuracy.after is None or accuracy.baseline is None:
        return f"Prediction of a class label was not measured: {accuracy.reason}."
    return (
        f"A decision tree predicts “{escaped(str(table.class_label))}” correctly for {100 * accuracy.after:.1f} % of "
        f"the records if it sees only the release, and for {100 * accuracy.before:.1f} % if it sees the table. "
        f"Guessing the most common label is right for {100 * accuracy.baseline:.1f} %."
    )


def _show_tables(measured: kanon.Utility) -> None:
    share = st.column_config.NumberColumn(format="percent")
    two = st.column_config.NumberColumn(format="%.2f")
    names = {"column": "Column", "ranges": "Ranges shown", "possible": "Possible per cell", "difference": "Difference"}
    st.dataframe(measured.columns[list(names)].rename(columns=names), hide_index=True, width=WIDE,
                 key="tables_utility_columns", column_config={"Difference": share})  # fmt: skip
    if len(measured.numbers):
        names = {"column": "Column", "figure": "Mean or quantile", "before": "Before", "after": "After"}
        st.caption("Mean and quantiles. A quantile is the number that the stated share of the records does not exceed.")
        st.dataframe(measured.numbers.rename(columns=names), hide_index=True, width=WIDE, key="tables_utility_numbers",
                     column_config={"Before": two, "After": two})  # fmt: skip
    if len(measured.pairs):
        names = {"first": "Column", "second": "With", "before": "Before", "after": "After"}
        st.caption(
            "Cramér’s V of each pair of columns: 0 if one column reveals nothing about the other, 1 if one determines "
            "the other."
        )
        st.dataframe(measured.pairs.rename(columns=names), hide_index=True, width=WIDE, key="tables_utility_pairs",
                     column_config={"Before": two, "After": two})  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------------
# What a release reveals, before it is published: findings, worst first, each with a button that fixes it.
# ---------------------------------------------------------------------------------------------------------------------


FIRST = 5  # findings shown initially
AUDITED = (
    "The audit looks at what the records reveal; the page “Review” compares the release with stated rules and attacks"
)
SEVERITY = {
    "serious": ":red[:material/error:] **Serious.**",
    "notable": ":orange[:material/warning:] **Notable.**",
    "minor": ":material/info: **For your information.**",
}


def show_audit(file: File, table: kanon.Table, g: kanon.Generalization) -> None:
    """The worst findings, the others folded, and what groups reveal about sensitive columns."""
    try:
        audit = audit_of(table, g)
    except kanon.SearchEnded as error:
        offer_again(on_page(error), "Compute it again", "tables_audit_again", audit_key(table, g))
        return
    failing = failing_rules(g)
    rules = f": {counted(failing, 'rule')} {'does' if failing == 1 else 'do'} not hold" if failing else ""
    st.markdown(f"##### What this release reveals\n{escaped(audit.sentence)} {AUDITED}{rules}.")
    for place, finding in enumerate(audit.findings[:FIRST]):
        _show(file, finding, place)
    rest = audit.findings[FIRST:]
    if rest:
        severity = rest[0].severity if len(rest) == 1 else "none more severe than those above"
        with st.expander(f"{counted(len(rest), 'more finding')}, {severity}"):
            for place, finding in enumerate(rest, start=FIRST):
                _show(file, finding, place)
    if audit.sensitive:
        sentences = [_figures(one) for one in audit.sensitive]
        if audit.left_out:
            lost = f"{audit.left_out:,} {table.unit} that are left out"
            sentences.append(f"The whole table includes {lost}; the page “Review” computes t without them.")
        st.caption(escaped(" ".join(sentences)))


def audit_key(table: kanon.Table, g: kanon.Generalization) -> tuple[str, ...]:
    return "audit", table.digest, g.digest


def audit_of(table: kanon.Table, g: kanon.Generalization) -> kanon.Audit:
    """Computed once per visit, while the page shows progress."""

    def work(task: Task) -> kanon.Audit:
        def heard(share: float) -> None:
            task.require_wanted()
            task.report(kanon.Progress(share, None, None, ""))

        return kanon.audit(table, g, progress=heard)

    task = tasks().begin("tables_audit", audit_key(table, g), work)
    wait_for(task, "Computing what this release reveals …", stop="tables_stop_audit", give_up=True)
    audit: kanon.Audit = task.result()
    return audit


def _show(file: File, finding: kanon.Finding, place: int) -> None:
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.markdown(f"{SEVERITY[finding.severity]} {escaped(finding.what)} :gray[{escaped(finding.reason)}]")
    steps = right.container(horizontal=True, gap="small")
    demands = dict(st.session_state.get("tables_demands", ()))
    # a column has one demand, and the user's demand is not replaced
    able = [mend for mend in finding.remedy if mend.requirement is None or mend.column not in demands]
    for number, mend in enumerate(able):
        words = mend.words[0].upper() + mend.words[1:]
        steps.button(
            escaped(words),
            key=f"tables_mend_{place}_{number}",
            on_click=_mend,
            args=(file, mend),
            type="secondary" if number == 0 else "tertiary",
        )


def _mend(file: File, mend: kanon.Mend) -> None:
    """Apply a fix to the columns and the requirements on groups; no requirement applies to a column left out."""
    mend_columns(file, mend)
    if mend.requirement is not None or mend.action == "drop":
        ask(file.family, mend.column, mend.requirement)


def _figures(figures: SensitiveFigures) -> str:
    values = f"{figures.l:,} different value{'s' * (figures.l != 1)}"
    return (
        f"“{figures.column}”: each group has at least {values}; measured by entropy, the least diverse group is as "
        f"diverse as {number_text(figures.entropy_l, 3)} equally common values. The distribution in a group differs by "
        f"up to {number_text(figures.t, 3)} (t) from the distribution in the whole table."
    )
