"""What a release of a table is still good for, beside the table: a sentence, a picture and the same as tables."""

from __future__ import annotations

import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.requirement import percent_up
from kanon_engine.tables.plot import utility_figure
from pages._shared.picture import Rest, picture
from pages._shared.wording import escaped

BELOW, LEAST = 72, 300  # pixels of what stands below the picture, and of the picture
WIDE = 620  # pixels of the tables


def show_utility(table: kanon.Table, g: kanon.Generalization) -> None:
    """Before and after, of the columns that were generalized."""
    found = _utility(g.digest, table, g)
    st.markdown(f"{queries_words(found)} {accuracy_words(table, found)}")
    picture(utility_figure(found), key="tables_utility", height=Rest(BELOW, LEAST), filename="kanon-before-and-after")
    words, button = st.columns([5, 2], vertical_alignment="top")
    words.caption(
        "Who works with the release takes each value that a cell stands for as equally likely. Left is the least share "
        "of records that would have to change their value until a column is as in the table."
    )
    with button.popover("The numbers as tables", width="stretch"):
        _show_tables(found)


def queries_words(found: kanon.Utility) -> str:
    """How far counts are off that somebody could ask for."""
    queries = found.queries
    return (
        f"Half of {len(queries.frame):,} random counts in ranges of up to three columns are off by at most "
        f"{percent_up(queries.median)}, nine in ten by at most {percent_up(queries.ninth)}."
    )


def accuracy_words(table: kanon.Table, found: kanon.Utility) -> str:
    """How well the class label can be predicted, or why nobody knows."""
    accuracy = found.accuracy
    if accuracy.before is None or accuracy.after is None or accuracy.baseline is None:
        return f"How well a class label can be predicted is not said: {accuracy.reason}."
    return (
        f"A decision tree predicts “{escaped(str(table.class_label))}” of {100 * accuracy.after:.1f} % of the records "
        f"from the release, of {100 * accuracy.before:.1f} % from the table. The most common one is right for "
        f"{100 * accuracy.baseline:.1f} %."
    )


def _show_tables(found: kanon.Utility) -> None:
    share = st.column_config.NumberColumn(format="percent")
    two = st.column_config.NumberColumn(format="%.2f")
    names = {"column": "Column", "values": "Values", "ranges": "Ranges shown", "values_a_cell": "Values a cell",
             "difference": "Difference"}  # fmt: skip
    st.dataframe(found.columns.rename(columns=names), hide_index=True, width=WIDE, key="tables_utility_columns",
                 column_config={"Difference": share, "Values a cell": two})  # fmt: skip
    if len(found.numbers):
        names = {"column": "Column", "figure": "Mean, or not above", "before": "Before", "after": "After"}
        st.caption("Mean and quantiles: so much of the records is not above the number.")
        st.dataframe(found.numbers.rename(columns=names), hide_index=True, width=WIDE, key="tables_utility_numbers",
                     column_config={"Before": two, "After": two})  # fmt: skip
    if len(found.pairs):
        names = {"first": "Column", "second": "With", "before": "Before", "after": "After"}
        st.caption("Cramér’s V of each pair of columns: 0 where one tells nothing of the other, 1 where it tells all.")
        st.dataframe(found.pairs.rename(columns=names), hide_index=True, width=WIDE, key="tables_utility_pairs",
                     column_config={"Before": two, "After": two})  # fmt: skip


@st.cache_data(scope="session", max_entries=4, show_spinner="Comparing the release with the table …")
def _utility(digest: str, _table: kanon.Table, _g: kanon.Generalization) -> kanon.Utility:
    return kanon.utility(_table, _g)
