"""The headline of a table's result, and what its figures mean."""

from __future__ import annotations

import math

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
from kanon_engine.model.words import counted
from kanon_engine.tables.instance import BoxDetails, CellDetails, IntervalDetails
from kanon_engine.tables.metrics import METRICS, penalty_of, steps_of
from kanon_engine.tables.read_columns import kept_words
from kanon_engine.tables.release import kept_columns
from kanon_engine.verification.table_costs import sizes_alone
from pages._shared.costs import objective_of
from pages._shared.wording import escaped, listed

MEANINGS = {
    "DM": "Discernibility: for every record, how many look the same, or all records for one that is left out; summed.",
    "CM": "Classification: records whose class label differs from the majority of their group, or that are left out.",
    "AVG": "Records less k for each group: least where there are most groups.",
    "LM": "Loss: how wide intervals are between values that occur, summed over records and columns.",
}


def table_headline(table: kanon.Table, g: kanon.Generalization, proof: str) -> str:
    """What was found and how good it is, as Markdown; for verified results, with their certificate's `proof`."""
    sizes, unit = g.class_weights, escaped(table.unit)
    least, most = int(sizes.min()), int(sizes.max())
    groups = counted(g.classes, "group")
    found = f"{groups} of {least:,} {unit}." if least == most else f"{groups} of {least:,} to {most:,} {unit}."
    lost = table.total - int(sizes.sum())
    left_out = f" {lost:,} {unit} are left out ({percent_up(lost / table.total)})." if lost else ""
    kept = kept_columns(table)
    unchanged = f" {escaped(kept_words(kept, table.reading.get('bins', {})))}." if kept else ""
    asked = listed([demand_words(one, escaped(one.column)) for one in demands_in(g.require)]) if g.require else ""
    held = f" Every group has {asked}." if asked else ""
    return f"{found}{held}{left_out} {cost_words(table, g)} {nearness(g, proof)}{unchanged}"


def cost_words(table: kanon.Table, g: kanon.Generalization) -> str:
    """What the cost says."""
    if isinstance(g.details, CellDetails):
        cells = table.total * len(table.quasi_identifiers)
        instead = " or show a larger group" if table.trees else ""
        return f"{g.cost:,} of {cells:,} cells are hidden{instead} ({percent_up(g.cost / cells)})."
    metric = g.options["metric"]
    if metric == "DM":
        sizes = g.class_weights.tolist()
        alike = sum(size * size for size in sizes) / sum(sizes)
        out = f"; each one left out counts as {table.total:,}" if sum(sizes) < table.total else ""
        return f"Discernibility {g.cost:,}: {alike:,.1f} look the same on average in a group{out}."
    if metric == "CM":
        share = percent_up(g.cost / table.total)
        lost = " or are left out" if g.details.suppressed else ""
        return f"{g.cost:,} ({share}) differ from their group's majority in “{escaped(str(table.class_label))}”{lost}."
    if metric == "AVG":
        return f"A group holds {g.class_weights.mean():,.1f} {escaped(table.unit)} on average (cost {g.cost:,})."
    steps = steps_of(table, METRICS["LM"], g.options.get("weights"))
    all_lost = max(1, table.total * penalty_of(table, METRICS["LM"], steps))
    lost = percent_up(g.cost / all_lost)
    if isinstance(g.details, BoxDetails):
        widths = ((g.details.high - g.details.low) * steps).sum(axis=1)
        shown = percent_up(int((g.class_weights * widths).sum()) / all_lost)
        more = "" if shown == lost else f"; {shown} is, as ends of ranges are rounded"
        return f"{lost} of the detail is lost between the records of a group (cost {g.cost:,}){more}."
    return f"{lost} of the detail is lost (cost {g.cost:,})."


def nearness(g: kanon.Generalization, proof: str) -> str:
    """How close the cost is to the best possible, among what, and on whose word."""
    objective, boxes = objective_of(g), isinstance(g.details, BoxDetails)
    what = f"{objective.solution}{' that keeps to this' if g.require else ''} {objective.less}"
    # groups that are cut each in its own way are no such intervals, and may cost less
    among = " among such cuts" if isinstance(g.details, IntervalDetails) else ""
    if g.status == "optimal":
        return f"No {what}: {best_possible(proof)}{among}."
    records = int(g.class_weights.sum())
    if boxes and g.options["metric"] == "AVG":
        most = (records - g.lower_bound) // g.k
        return f"No {objective.solution} make more than {counted(most, 'group')}{by_word(proof)}."
    if math.isinf(g.gap):
        return UNKNOWN
    near = f"{within_words(g.gap)} the best possible{among}{by_word(proof)}"
    return f"No {what} than {g.lower_bound:,}: {near}."


def any_groups(g: kanon.Generalization) -> str:
    """What is proven of groups that need not be boxes, as a sentence; nothing where that is not known."""
    if not isinstance(g.details, BoxDetails):
        return ""
    least = sizes_alone(g.options["metric"], int(g.class_weights.sum()), g.k)
    return f"Groups of any kind, boxes or not, cost at least {least:,}. " if least else ""
