"""The headline of a table's result, and the meaning of its figures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.model.requirement import (
    UNKNOWN,
    best_possible,
    by_word,
    demand_words,
    demands_in,
    percent_up,
    within_words,
)
from kanon_engine.model.words import counted, enumerated
from kanon_engine.plot import curve_figure
from kanon_engine.tables.instance import BoxDetails, CellDetails, IntervalDetails
from kanon_engine.tables.metrics import METRICS, penalty_of, steps_of
from kanon_engine.tables.plot import boxes_figure, columns_figure
from kanon_engine.tables.read_columns import keep_words
from kanon_engine.tables.release import class_frame, kept_columns
from kanon_engine.verification.table_costs import sizes_alone
from pages._shared.picture import Rest, picture
from pages._shared.result import rows_of
from pages._shared.results import Answer, objective_of, objective_of_choice
from pages._shared.stage import selected_class
from pages._shared.steps import show_how
from pages._shared.widgets import pick_view
from pages._shared.wording import escaped
from pages._tables.before_after import detail_words

MEANINGS = {
    "DM": "Discernibility: for each record, the size of its group, or the number of all records if the record is left "
    "out; these numbers are added up.",
    "CM": "Classification: the number of records whose class label differs from their group's majority, or that are "
    "left out.",
    "AVG": "The number of records in each group minus k, added up. It is lowest when the number of groups is highest.",
    "LM": "Loss: the width of each interval, measured between values that occur, added up over records and columns.",
}


def table_headline(table: kanon.Table, g: kanon.Generalization, proof: str) -> str:
    """The result, its remaining detail and its quality, as Markdown; `proof` is the certificate's.

    Emphasized is what a phone shows smaller: the detail; or not at all: the meaning of the cost, which `meaning` gives.
    """
    sizes, unit = g.class_weights, escaped(table.unit)
    least, most = int(sizes.min()), int(sizes.max())
    groups = counted(g.classes, "group")
    sentence = f"{groups} of {least:,} {unit}" if least == most else f"{groups} of {least:,} to {most:,} {unit}"
    lost = table.total - int(sizes.sum())
    left_out = f"{lost:,} {unit} left out ({percent_up(lost / table.total)})" if lost else "none left out"
    columns = kept_columns(table)
    unchanged = f" {escaped(keep_words(columns, table.reading.get('bins', {})))}." if columns else ""
    demands = enumerated([demand_words(one, escaped(one.column)) for one in demands_in(g.require)]) if g.require else ""
    requirements = f" Every group has {demands}." if demands else ""
    detail = escaped(detail_words(table, g))
    return f"{sentence}, {left_out}.{requirements} *{detail}{unchanged}*\n\n:small[{small_print(table, g, proof)}]"


def meaning(g: kanon.Generalization) -> str:
    """What the cost measures; "" where `cost_words` says it."""
    return MEANINGS.get(str(g.options.get("metric")), "")


def small_print(table: kanon.Table, g: kanon.Generalization, proof: str) -> str:
    """Cost and bound, and what the cost measures."""
    measured = f"*{meaning(g)}* " if meaning(g) else ""
    return f"{measured}{cost_words(table, g)} {nearness(table, g, proof)}"


def cost_words(table: kanon.Table, g: kanon.Generalization) -> str:
    unit = escaped(table.unit)
    if isinstance(g.details, CellDetails):
        cells = table.total * len(table.quasi_identifiers)
        instead = " or show a larger group of their hierarchy" if table.trees else ""
        return f"{g.cost:,} of {cells:,} cells are hidden{instead} ({percent_up(g.cost / cells)})."
    metric = g.options["metric"]
    if metric == "DM":
        sizes = g.class_weights.tolist()
        alike = sum(size * size for size in sizes) / sum(sizes)
        out = f"; each record left out counts as {table.total:,}" if sum(sizes) < table.total else ""
        return f"Discernibility {g.cost:,}: on average, a record is one of {alike:,.1f} {unit} that look the same{out}."
    if metric == "CM":
        share = percent_up(g.cost / table.total)
        lost = " or are left out" if g.details.suppressed else ""
        label = escaped(str(table.class_label))
        return f"{g.cost:,} {unit} ({share}) differ from their group's majority in “{label}”{lost}."
    if metric == "AVG":
        return f"A group holds {g.class_weights.mean():,.1f} {unit} on average (cost {g.cost:,})."
    lost = percent_up(g.cost / all_detail(table, g))
    detail = "weighted detail" if g.options["weights"] else "detail"
    if isinstance(g.details, BoxDetails):
        steps = steps_of(table, METRICS["LM"], g.options["weights"])
        widths = ((g.details.high - g.details.low) * steps).sum(axis=1)
        released_loss = percent_up(int((g.class_weights * widths).sum()) / all_detail(table, g))
        more = "" if released_loss == lost else f"; with rounded ends of ranges, {released_loss} is lost"
        return f"{lost} of the {detail} is lost (cost {g.cost:,}){more}."
    return f"{lost} of the {detail} is lost (cost {g.cost:,})."


def nearness(table: kanon.Table, g: kanon.Generalization, proof: str) -> str:
    """How close the cost is to the best possible, among which solutions, and whether that was checked."""
    objective, boxes = objective_of(g), isinstance(g.details, BoxDetails)
    what = f"{objective.solution}{' under these requirements' if g.require else ''} {objective.less}"
    # groups with individual cuts are not such intervals, and may cost less
    among = " among such cuts" if isinstance(g.details, IntervalDetails) else ""
    if g.status == "optimal":
        return f"No {what}: {best_possible(proof)}{among}."
    records = int(g.class_weights.sum())
    if boxes and g.options["metric"] == "AVG":
        most = (records - g.lower_bound) // g.k
        return f"No {objective.solution} can make more than {counted(most, 'group')}{by_word(proof)}."
    if math.isinf(g.gap):
        return UNKNOWN
    near = f"this result is {within_words(g.gap)} the best possible{among}{by_word(proof)}"
    if g.options["metric"] == "LM":  # a share, rounded down because it is a lower bound
        share = math.floor(1000 * g.lower_bound / all_detail(table, g)) / 10
        return f"No {what.replace('cost', 'lose')} than {share:.1f} %; {near}."
    return f"No {what} than {g.lower_bound:,}; {near}."


def all_detail(table: kanon.Table, g: kanon.Generalization) -> int:
    """What is lost by LM if every record shows whole columns; at least 1."""
    return max(1, table.total * penalty_of(table, METRICS["LM"], steps_of(table, METRICS["LM"], g.options["weights"])))


# ---------------------------------------------------------------------------------------------------------------------
# The picture of a table's result: all columns as histograms, or the boxes of groups over two of them.
# ---------------------------------------------------------------------------------------------------------------------


RECORDS, EVERY, TWO = "Before and after", "All columns", "Two columns"


def result_figure(table: kanon.Table, g: kanon.Generalization) -> go.Figure | None:
    """The chosen picture, None for records; groups that show boxes can be drawn over two columns."""
    selected = selected_class(g)
    names = list(table.quasi_identifiers)
    views = [RECORDS, EVERY, *([TWO] if isinstance(g.details, BoxDetails) and len(names) > 1 else [])]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        view = pick_view("Picture", {view: view for view in views}, "tables_view")
        if view == RECORDS:
            return None
        if view == EVERY:
            return columns_figure(table, g, selected)
        finest = sorted(names, key=lambda name: -len(table.orders[name]))[:2]  # type: ignore[index]
        across = st.selectbox("Horizontal axis", names, index=names.index(finest[0]), key="tables_across", width=220)
        others = [name for name in names if name != across]
        first = next(name for name in finest if name != across)
        up = st.selectbox("Vertical axis", others, index=others.index(first), key="tables_up", width=220)
    return boxes_figure(table, g, (across, up), selected)


# ---------------------------------------------------------------------------------------------------------------------
# The table of the groups of records.
# ---------------------------------------------------------------------------------------------------------------------


def group_table(table: kanon.Table, g: kanon.Generalization) -> pd.DataFrame:
    frame = class_frame(table, g)
    return frame.rename(columns={"group": "Group", "records": table.unit.capitalize(), "overfull_ratio": "× k"})


# ---------------------------------------------------------------------------------------------------------------------
# The tab "How it works" of tables: the run step by step, or best and bound over time; live while it searches.
# ---------------------------------------------------------------------------------------------------------------------


LIVE = 1.0  # seconds between two polls of a search
STEPS, CURVE = "Step by step", "Best and bound"


def show_run(table: kanon.Table, answer: Answer) -> None:
    """While the search runs, words and its curve over seconds; then its steps, or its curve over its own count."""
    algorithm, g = answer.choice.algorithm, answer.g
    if answer.waiting:
        st.markdown(algorithm.how or algorithm.summary)
        st.fragment(_live, run_every=LIVE)(answer)
        return
    details: Any = g.details
    boxes = isinstance(details, BoxDetails)
    rows = details.curve if isinstance(details, IntervalDetails | BoxDetails) and len(details.curve) > 1 else None
    least = sizes_alone(g.options["metric"], int(g.class_weights.sum()), g.k) if boxes else 0
    meaning = f"Any grouping, even one that is not made of boxes, costs at least {least:,}. " if least else ""
    meaning += MEANINGS.get(str(g.options.get("metric")), "")
    view = STEPS
    if rows is not None or len(rows_of(answer)) > 1:
        view = pick_view("Run", {STEPS: STEPS, CURVE: CURVE}, "tables_run")
    if view == STEPS:
        if meaning:
            st.caption(meaning)
        show_how(table, g)
        return
    st.markdown(algorithm.how or algorithm.summary)
    noun = objective_of(g).noun
    if rows is None:  # the search counted nothing
        _draw(rows_of(answer), "seconds", noun)
        return
    along = "neighborhoods" if boxes else "nodes" if details.nodes else "steps"
    count = details.rounds if boxes else details.nodes
    words = f"{count:,} {along} were examined. " if count else ""
    best = "boxes" if boxes else "cuts of whole columns"
    end = f"If the lines meet, there are no better {best}. " if g.status == "optimal" else ""
    st.caption(f"{words}{end}{meaning}")
    _draw(rows, along, noun)


def _live(answer: Answer) -> None:
    if not answer.task.running:
        st.rerun()
    st.caption(f"The search has been running for {answer.task.seconds:,.0f} s.{_gap(answer)}")
    _draw(rows_of(answer), "seconds", objective_of_choice(answer.choice).noun)


def _gap(answer: Answer) -> str:
    """The distance between best and bound."""
    if not answer.task.history:
        return ""
    _, best, bound = answer.task.history[-1]
    if not bound > 0:  # also if none is known
        return f" Best so far: {best:,.0f}."
    less = percent_up(1 - bound / best)
    return (
        f" Best so far: {best:,.0f}. No result can cost less than {bound:,.0f}, so at most {less} can still be saved."
    )


def _draw(rows: np.ndarray, along: str, noun: str) -> None:
    picture(curve_figure(rows, along, noun.capitalize()), key="tables_curve", height=Rest(), filename="kanon-search")
