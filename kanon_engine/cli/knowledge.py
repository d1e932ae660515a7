"""Flags about what attackers have, and how it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

import kanon_engine as kanon
from kanon_engine.cli.reading import read_again
from kanon_engine.errors import InvalidInput
from kanon_engine.io.source import Source
from kanon_engine.model.generalization import Generalization
from kanon_engine.risk.attacks.limits import Limits
from kanon_engine.tables.read.hierarchy import read_hierarchy
from kanon_engine.tables.tree import Tree

HAVE = "What attackers have"
TELL = "age=birth_age, xmin:xmax=x or center_x:center_y:radius=x:y; those of one name are found."

Against = Annotated[
    Path | None,
    typer.Option(help="A table of people with their names.", rich_help_panel=HAVE, show_default=False),
]
Name = Annotated[str | None, typer.Option(help="Its column of names.", rich_help_panel=HAVE, show_default=False)]
Matches = Annotated[
    list[str] | None,
    typer.Option(help=f"Columns that tell the same, as {TELL}", rich_help_panel=HAVE, show_default=False),
]
Everybody = Annotated[
    bool, typer.Option("--everybody", help="The table holds all who can be in the release.", rich_help_panel=HAVE)
]
Year = Annotated[
    int | None,
    typer.Option(
        help="The year that ages are of, where the other table has years or dates of birth; estimated by default.",
        rich_help_panel=HAVE,
        show_default=False,
    ),
]
OtherCertificates = Annotated[
    list[Path] | None,
    typer.Option(
        help="What --certificate wrote of another release; several times.", rich_help_panel=HAVE, show_default=False
    ),
]
OtherFiles = Annotated[
    list[Path] | None,
    typer.Option(
        help="The file of each, in their order; that of the release where it is left out.",
        rich_help_panel=HAVE,
        show_default=False,
    ),
]
Person = Annotated[
    str | None,
    typer.Option(
        help="The column that tells people apart in files of different releases.",
        rich_help_panel=HAVE,
        show_default=False,
    ),
]
Crosswalk = Annotated[
    Path | None,
    typer.Option(
        help="Whose the records are, in place of --person: a row a person, a column a release in their order (this one "
        "first), in each the row of the person in the file of that release, from 1.",
        rich_help_panel=HAVE,
        show_default=False,
    ),
]
Limited = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        help="How much a group may reveal about a sensitive value, as t=0.2 "
        f"({', '.join(one.name for one in fields(Limits))}); several times.",
        show_default=False,
    ),
]
Trees = Annotated[
    list[str] | None,
    typer.Option(
        "--tree",
        help="Which values of a sensitive column are similar, as illness=diagnoses.csv (an ARX hierarchy).",
        rich_help_panel=HAVE,
        show_default=False,
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of everything random.")]


def trees_of(texts: Sequence[str]) -> dict[str, Tree]:
    """Trees of columns, from texts such as "illness=diagnoses.csv"."""
    found = {}
    for text in texts:
        name, equals, file = (part.strip() for part in text.partition("="))
        if not (name and equals and file):
            raise InvalidInput(f"{text!r} names no tree; give COLUMN=FILE as illness=diagnoses.csv.")
        found[name] = read_hierarchy(Path(file), column=name)
    return found


def made_again(certificate: Path | Source, file: Path | Source, files: Mapping[str, Any]) -> tuple[Any, Generalization]:
    """What a certificate claims, verified against its file."""
    g = Generalization.from_json(Source.open(certificate).data)
    instance = read_again(g.reading, file, files)
    kanon.verify(instance, g)
    return instance, g


def others_again(
    certificates: Sequence[Path],
    paths: Sequence[Path],
    file: Path | None,
    sources: Mapping[Path, Path | Source],
    files: Mapping[str, Any],
) -> tuple[tuple[Any, Generalization], ...]:
    """The same of other releases."""
    if paths and len(paths) != len(certificates):
        raise InvalidInput("Give one --other-file for each --other-certificate, or none where all are of --file.")
    if certificates and not paths and file is None:
        raise InvalidInput("A certificate is read with its file; give --other-file, or --file for all of them.")
    theirs = list(paths) or [path for path in [file] if path is not None] * len(certificates)
    pairs = zip(certificates, theirs, strict=True)
    return tuple(made_again(sources[one], sources[path], files) for one, path in pairs)
