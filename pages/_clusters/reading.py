"""How a person's own file of records is read."""

from __future__ import annotations

from pages._shared.form import Control, Form, ReadingStep, counts_step, rows, show_notes

AS_COLUMNS, ALIKE = "as the columns are", "alike, where there are several"
FORM = Form(
    (
        ReadingStep(
            "1 Columns",
            (
                Control(
                    "columns",
                    "Columns that distances are made of",
                    "What others may know of a record, and what makes records alike. Two columns of longitude and "
                    "latitude are places.",
                    "columns",
                    example=lambda space: "guessed" if space is None else ", ".join(space.names),
                ),
                Control(
                    "keep",
                    "Columns to show for each cluster",
                    "Such as an illness: published for each cluster, as they are. No distance is made of them.",
                    "columns",
                    example="none",
                ),
                Control("drop_missing", kind="flag"),
            ),
            beside=rows(220),
        ),
        ReadingStep(
            "2 Distance",
            (
                Control(
                    "metric",
                    "Distance",
                    kind="choice",
                    choices=(
                        ("euclidean", "straight distances of numbers"),
                        ("haversine", "km on the globe (longitude, latitude)"),
                        ("gower", "numbers and words together (Gower)"),
                        ("hamming", "how many columns differ (Hamming)"),
                    ),
                    usual=AS_COLUMNS,
                ),
                Control(
                    "scale",
                    "Columns of numbers count",
                    "Ages differ by tens and incomes by thousands: without a scale the income alone would count. Only "
                    "for straight distances.",
                    "choice",
                    (
                        ("standard", "divided by their standard deviation"),
                        ("range", "divided by their range"),
                        ("none", "as they are"),
                    ),
                    ALIKE,
                ),
                Control(
                    "column_weights",
                    "What columns count",
                    "1 if not given. A column that counts twice is twice as far.",
                    "text",
                    example="age=2, sex=1",
                ),
            ),
            beside=show_notes,
        ),
        counts_step("3 Counts", "weight", "How many records a row stands for."),
    ),
    unasked=("id",),
)
