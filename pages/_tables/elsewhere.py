"""Which columns of records where they live a table is counted by."""

from __future__ import annotations

from pages._shared.asked import Field

FIELDS = (
    Field(
        "Columns that could be linked",
        "What somebody could also know from other data, as age, sex and zip code. They are generalized.",
        several=True,
    ),
    Field(
        "Sensitive columns",
        "What tells something about a person, as an illness. They are released unchanged. All other columns are left "
        "where they are.",
        "sensitive",
        several=True,
    ),
)
