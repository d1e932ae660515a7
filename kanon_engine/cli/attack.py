"""`kanon attack`: attacks that are run against a release, with what attackers have besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

import kanon_engine as kanon
from kanon_engine.cli.files import READS, STANDARD, called, given, require_writable, text_writer, write_files
from kanon_engine.cli.reading import read_again
from kanon_engine.cli.summary import Format, as_json
from kanon_engine.errors import InvalidInput
from kanon_engine.io.frames import read_frame
from kanon_engine.io.source import Source
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.tree import Tree
from kanon_engine.release.formats import csv_text, unescaped
from kanon_engine.release.made import released_of
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks import ATTACKS, attack
from kanon_engine.risk.attacks.attacked import Attacked
from kanon_engine.risk.attacks.knowledge import Knowledge, Limits
from kanon_engine.risk.attacks.matching import Match
from kanon_engine.shown import listed
from kanon_engine.tables.read_columns import column_list, read_hierarchy
from kanon_engine.validate import whole_numbers

WORDS = "As age,zip."


def run_attack(
    release: Annotated[
        Path,
        typer.Argument(help=f"What leaves, as CSV, Parquet or Excel: records or groups; {READS}", show_default=False),
    ],
    k: Annotated[int, typer.Option("-k", min=1, help="What was promised.", show_default=False)],
    quasi_identifiers: Annotated[
        str, typer.Option(help=f"The columns by which people are found. {WORDS}", show_default=False)
    ],
    sensitive: Annotated[
        str, typer.Option(help="The columns that tell what others do not know of a person.", show_default=False)
    ] = "",
    count_column: Annotated[
        str | None,
        typer.Option(help="The column that says for how many records a row stands.", show_default=False),
    ] = None,
    against: Against = None,
    name: Name = None,
    match: Matches = None,
    everybody: Everybody = False,
    year: Year = None,
    other: Annotated[
        list[Path] | None,
        typer.Option(
            help="Another release with some of the same people; several times.",
            rich_help_panel=HAVE,
            show_default=False,
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            help="What --certificate wrote of the release; needs --file.", rich_help_panel=HAVE, show_default=False
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(help="The file that the release was made from.", rich_help_panel=HAVE, show_default=False),
    ] = None,
    other_certificate: OtherCertificates = None,
    other_file: OtherFiles = None,
    person: Person = None,
    crosswalk: Crosswalk = None,
    tree: Trees = None,
    limit: Limited = None,
    only: Annotated[str | None, typer.Option(help=f"Some attacks: {', '.join(ATTACKS)}.", show_default=False)] = None,
    seed: Seed = 0,
    evidence: Annotated[
        Path | None,
        typer.Option(help="Write whom the attacks expose as .csv (internal).", show_default=False),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How the findings are printed.")] = Format.TABLE,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    **files: Any,
) -> None:
    """Run the attacks and say of each what it found and whether the release survives it."""
    read = [release, *filter(None, (against, certificate, file, crosswalk)), *(other or []), *(other_certificate or [])]
    read += other_file or []
    if evidence is not None:
        require_writable([evidence], [*read, *files.values()], force)
    chosen = None if only is None else column_list(only)
    sources = dict(zip(read, given(*read), strict=True))
    named = {"quasi_identifiers": quasi_identifiers, "sensitive": sensitive}
    roles: dict[str, Any] = {role: tuple(column_list(text)) for role, text in named.items()} | {"k": k}
    attacked = _released(sources[release], called(release), counts=count_column, **roles)
    if (certificate is None) != (file is None):
        raise InvalidInput("A certificate is read with its file; give both --certificate and --file.")
    instance, result = made_again(sources[certificate], sources[file], files) if certificate and file else (None, None)
    knowledge = Knowledge(
        outside=None if against is None else read_frame(Source.open(sources[against]))[0],
        name=name,
        match=tuple(map(Match.read, match or [])),
        everybody=everybody,
        year=year,
        others=tuple(_released(sources[one], called(one), counts=count_column, **roles) for one in other or []),
        instance=instance,
        result=result,
        other_results=others_again(other_certificate or [], other_file or [], file, sources, files),
        person=person,
        crosswalk=None if crosswalk is None else read_frame(Source.open(sources[crosswalk]))[0],
        limits=Limits.read(limit or []),
        trees=trees_of(tree or []),
        seed=seed,
    )
    if result is not None:  # what words of a public hierarchy mean, a reader knows
        made = released_of(instance, result)
        if attacked.records != made.records:
            raise InvalidInput(
                f"The certificate is of a release of {made.records:,} {made.unit}, and {attacked.name} has "
                f"{attacked.records:,}; give that of this release, and --count-column where its rows are groups."
            )
        attacked = replace(attacked, meanings=made.meanings)
    found = attack(attacked, knowledge, chosen)
    if evidence is not None:
        write_files({evidence: text_writer(lambda: csv_text(evidence_frame(found)))})
    say = partial(typer.echo, err=evidence == STANDARD)
    say(as_json({"k": k, "attacks": [_content(one) for one in found]}) if form is Format.JSON else _text(found))
    if evidence is not None:
        typer.echo(f"Written: {called(evidence)} (internal). It names whom the attacks expose.", err=True)


def evidence_frame(found: tuple[Attacked, ...]) -> pd.DataFrame:
    """One row for each that is exposed, with the attack in front."""
    parts = [one.evidence.astype(object).assign(attack=one.attack) for one in found if len(one.evidence)]
    if not parts:
        return pd.DataFrame({"attack": []})
    frame = pd.concat(parts, ignore_index=True)
    return frame[["attack", *(name for name in frame.columns if name != "attack")]]


def _released(file: Path | Source, name: str, *, counts: str | None, **roles: Any) -> Released:
    """A release as it was read: cells that were escaped for spreadsheets, and counts as numbers."""
    frame = unescaped(read_frame(Source.open(file))[0])
    if counts is not None and counts in frame.columns:
        frame[counts] = whole_numbers(pd.to_numeric(frame[counts], errors="coerce").to_numpy(), f"counts of {name}", 0)
    for column in roles["sensitive"]:
        if column in frame.columns:
            frame[column] = _numbers(frame[column])
    return Released(frame, counts=counts, name=name, **roles)


def _numbers(column: pd.Series) -> pd.Series:
    """Numbers where all cells are, so that they have an order; else as it was."""
    numbers = pd.to_numeric(column, errors="coerce")
    return numbers if bool((numbers.notna() | column.isna()).all()) else column


def _content(one: Attacked) -> dict[str, Any]:
    return {
        "attack": one.attack,
        "verdict": one.verdict,
        "found": one.found,
        "of": one.of,
        "unit": one.unit,
        "share": one.share,
        "interval": list(one.interval),
        "sentence": one.sentence,
        "knowledge": one.knowledge,
        "figures": dict(one.figures),
        "source": one.source,
    }


def _text(found: tuple[Attacked, ...]) -> str:
    lines = []
    for one in found:
        lines += [f"{one.title}: {one.verdict}", f"  {one.sentence}"]
        if one.of:
            low, high = one.interval
            ends = "" if low == high else f" (95 %: {low:.2%} to {high:.2%})"
            lines.append(f"  {one.found:,} of {one.of:,} {one.unit}: {one.share:.2%}{ends}")
        lines += [f"  {name}: {value}" for name, value in one.figures.items()]
        lines.append("")
    broken = [one.title.lower() for one in found if one.verdict == "does not survive"]
    ran = [one for one in found if one.verdict != "not run"]
    end = f"It does not survive: {listed(broken)}." if broken else "It survives these." if ran else ""
    lines.append(f"{len(ran):,} of {len(found):,} attacks were run. {end}".strip())
    return "\n".join(lines)


# ---------------------------------------------------------------------------------------------------------------------
# Flags about what attackers have, and how it is read.
# ---------------------------------------------------------------------------------------------------------------------


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
