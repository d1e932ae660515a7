"""How a user's own file of records is read."""

from __future__ import annotations

from pages._shared.form import Control, Form, ReadingStep, counts_step, rows, show_notes

AS_COLUMNS, ALIKE = "chosen to fit the columns", "all columns count equally"
FORM = Form(
    (
        ReadingStep(
            "1: Columns",
            (
                Control(
                    "columns",
                    "Columns used for distances",
                    "What others may know about a record, and what makes records similar. Columns of longitude and "
                    "latitude are treated as places.",
                    "columns",
                    example=lambda space: "guessed" if space is None else ", ".join(space.names),
                ),
                Control(
                    "keep",
                    "Columns to show for each cluster",
                    "For example, an illness. These columns are published unchanged for each cluster and do not "
                    "affect distances.",
                    "columns",
                    example="none",
                ),
                Control("drop_missing", kind="flag"),
            ),
            beside=rows(220),
        ),
        ReadingStep(
            "2: Distance",
            (
                Control(
                    "metric",
                    "Distance",
                    kind="choice",
                    choices=(
                        ("euclidean", "straight-line distance between numbers"),
                        ("haversine", "kilometers on the globe (longitude, latitude)"),
                        ("gower", "mean difference of numbers and words (Gower)"),
                        ("hamming", "number of columns that differ (Hamming)"),
                    ),
                    usual=AS_COLUMNS,
                ),
                Control(
                    "scale",
                    "How columns of numbers are scaled",
                    "Ages differ by tens and incomes by thousands. Without a scale, only income would count. The "
                    "scale applies only to straight-line distances.",
                    "choice",
                    (
                        ("standard", "divided by their standard deviation"),
                        ("range", "divided by their range"),
                        ("none", "unchanged"),
                    ),
                    ALIKE,
                ),
                Control(
                    "column_weights",
                    "Column weights",
                    "A column without a weight counts as 1. A weight of 2 doubles the distance in that column.",
                    "text",
                    example="age=2, sex=1",
                ),
            ),
            beside=show_notes,
        ),
        counts_step("3: Counts", "weight", "How many records a row represents."),
    ),
    unasked=("id",),
)
