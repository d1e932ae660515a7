"""The utility of a table's release as measures, for a review."""

from __future__ import annotations

from collections.abc import Iterator

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.measure import Measure, short
from kanon_engine.model.words import number_text
from kanon_engine.tables.instance import Table
from kanon_engine.tables.utility import Utility, utility
from kanon_engine.tables.utility.columns import MEAN

SPREAD = "A released cell stands for each value of its range alike."
QUERIES = "1,000 random counts over one to three columns: |told − true| / true, or / a thousandth of all records."


def measured(table: Table, g: Generalization) -> tuple[Measure, ...]:
    """Queries, columns, means, associations and a classifier, before and after."""
    found = utility(table, g)
    return (*_queries(found), *_columns(found), *_means(found), *_pairs(found), _classifier(found))


def _queries(found: Utility) -> Iterator[Measure]:
    for key, title, value in (
        ("query-median", "Error of a random count, in the middle", found.queries.median),
        ("query-ninth", "Error of a random count, nine in ten", found.queries.ninth),
    ):
        yield Measure(
            key,
            title,
            value,
            f"{number_text(100 * value, 3)} %",
            "How far a count from the release is off what the table has.",
            QUERIES,
        )


def _columns(found: Utility) -> Iterator[Measure]:
    for row in found.columns.to_dict("records"):
        yield Measure(
            f"difference-{row['column']}",
            f"“{row['column']}”: distribution",
            float(row["difference"]),
            f"{number_text(100 * row['difference'], 3)} % off; a cell stands for {short(row['values_a_cell'])} of "
            f"{row['values']:,} values",
            "The share of records that would have to change their value to turn what the release tells into the table.",
            f"Total variation distance. {SPREAD}",
        )


def _means(found: Utility) -> Iterator[Measure]:
    for row in found.numbers[found.numbers["figure"] == MEAN].to_dict("records"):
        yield Measure(
            f"mean-{row['column']}",
            f"“{row['column']}”: mean",
            float(row["after"] - row["before"]),
            f"{short(row['before'])} before, {short(row['after'])} after",
            "The mean of the records, and that of what is released of them.",
            SPREAD,
        )


def _pairs(found: Utility) -> Iterator[Measure]:
    if not len(found.pairs):
        return
    worst = max(found.pairs.to_dict("records"), key=lambda row: abs(row["after"] - row["before"]))
    yield Measure(
        "association",
        "Association that changes most",
        float(worst["after"] - worst["before"]),
        f"{worst['before']:.3g} before, {worst['after']:.3g} after, of “{worst['first']}” and “{worst['second']}”",
        "How much one column tells of the other, from 0 to 1.",
        f"Cramér's V. {SPREAD}",
    )


def _classifier(found: Utility) -> Measure:
    after = found.accuracy.after
    return Measure(
        "classifier",
        "Predicting the class label",
        after,
        found.accuracy.words if after is not None else f"not worked out: {found.accuracy.reason}",
        "The share of records whose class label a decision tree gets right that learned from the others.",
        "Decision tree, learned on two thirds and asked about the third, three times.",
    )
