"""Flags about records of a person's own, and these records as a result lets them leave."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

import kanon_engine as kanon
from kanon_engine.apply import OwnRelease, typed_columns
from kanon_engine.cli.flags import flag_name
from kanon_engine.io.frames import read_frame
from kanon_engine.io.source import Source
from kanon_engine.model.generalization import Generalization
from kanon_engine.tables.read.written import column_list

RECORDS = "Your own records"
ABOUT = "it is about records of your own; give them by --records."

Records = Annotated[
    Path | None,
    typer.Option(
        help="Your own records, a row each: groups take the place of codes, places or labels in them.",
        rich_help_panel=RECORDS,
        show_default=False,
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        help="The column with the code of the area or the label; of points x,y; of clusters their columns.",
        rich_help_panel=RECORDS,
        show_default=False,
    ),
]
QuasiIdentifiers = Annotated[
    str,
    typer.Option(
        help="Other columns that leave and by which people could be found: age,sex.",
        rich_help_panel=RECORDS,
        show_default=False,
    ),
]
Least = Annotated[
    int | None,
    typer.Option(
        "-k",
        "--k",
        help="What sets of these records are to hold; that of the result if left out.",
        rich_help_panel=RECORDS,
        show_default=False,
    ),
]


def require_about(whole: object, about: str, given: Mapping[str, Any]) -> None:
    """Refuse flags that are about a file that was not given.

    Parameters
    ----------
    whole : the file, or None
    about : str
        What these flags are about, as a sentence.
    given : mapping
        Name of each flag → its value.
    """
    idle = [] if whole is not None else [name for name, value in given.items() if value]
    if idle:
        raise typer.BadParameter(about, param_hint=flag_name(idle[0]))


def own_release(
    instance: Any,
    g: Generalization,
    records: Path | Source,
    by: str | None,
    roles: Mapping[str, str | None],
    k: int | None,
    said: Mapping[str, Any],
) -> OwnRelease:
    """The records of a file in the groups of a result; `roles` are the columns of each, as a person writes them."""
    named = {name: column_list(value or "") for name, value in roles.items()}
    placed_by, shown = column_list(by or ""), [name for own in named.values() for name in own]
    frame, _ = read_frame(Source.open(records), wanted=[*placed_by, *shown])
    return kanon.apply(instance, g, typed_columns(frame, shown), placed_by, **named, k=k, **said)


def own_told(own: OwnRelease) -> dict[str, Any]:
    """What leaves of the records, and what is below k."""
    below = own.below
    return {
        "sentence": own.sentence,
        "notes": list(own.notes),
        "records": own.released.records,
        "left_out": {reason: count for reason, count, _ in own.unmatched.reasons},
        "k": own.released.k,
        "promised": {"k": own.promised, "unit": own.unit, "of": int(own.population.sum())},
        "groups": int((own.own > 0).sum()),
        "quasi_identifiers": list(own.released.quasi_identifiers),
        "below": {"records": below.records, "sets": below.groups, "smallest": below.smallest},
    }
