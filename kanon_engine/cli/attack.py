"""`kanon attack`: run attacks against a release, given what attackers have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from kanon_engine.cli.files import READS, STANDARD, announce_file, called, given, require_writable, write_files
from kanon_engine.cli.flags import argument, option
from kanon_engine.cli.reading import OpenedCertificate
from kanon_engine.cli.summary import Format, as_json
from kanon_engine.errors import InvalidInput
from kanon_engine.io.counts import counts_of
from kanon_engine.io.frames import read_frame
from kanon_engine.io.names import column_list
from kanon_engine.io.source import Source
from kanon_engine.model.attacked import Attacked
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.tree import Tree
from kanon_engine.release.formats import csv_text, unescaped
from kanon_engine.release.made import released_of
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks import ATTACKS, attack
from kanon_engine.risk.attacks.knowledge import Knowledge, Limits
from kanon_engine.risk.attacks.matching import Match
from kanon_engine.shown import listed
from kanon_engine.tables.read_columns import read_hierarchy

HAVE = "What attackers have"
TOLD = (  # of an attack, as JSON
    "attack",
    "verdict",
    "found",
    "of",
    "unit",
    "share",
    "interval",
    "sentence",
    "knowledge",
    "figures",
    "source",
)
TELL = (
    "age=birth_age (RELEASE=TABLE), xmin:xmax=x or center_x:center_y:radius=x:y. Columns with the same name are "
    "matched automatically."
)


@dataclass(frozen=True)
class Outside:
    """A table of people with their names, which attackers link to a release."""

    against: Annotated[Path | None, option("A table of people with their names.", panel=HAVE)] = None
    name: Annotated[str | None, option("The column of that table that holds the names.", panel=HAVE)] = None
    match: Annotated[
        list[str] | None,
        option(f"Which columns of the release match which columns of that table, such as {TELL}", panel=HAVE),
    ] = None
    everybody: Annotated[
        bool, option("State that the table lists everyone who can be in the release.", "--everybody", panel=HAVE)
    ] = False
    year: Annotated[
        int | None,
        option(
            "The year in which ages were recorded, if they are compared with years or dates of birth; estimated by "
            "default.",
            panel=HAVE,
        ),
    ] = None


@dataclass(frozen=True)
class Others:
    """Other releases of the same people, and what is known about sensitive values."""

    other_certificate: Annotated[
        list[Path] | None, option("The certificate of another release; may be repeated.", panel=HAVE)
    ] = None
    other_file: Annotated[
        list[Path] | None,
        option(
            "The file that each --other-certificate was made from, in the same order; by default, the file that the "
            "release was made from.",
            panel=HAVE,
        ),
    ] = None
    person: Annotated[
        str | None, option("The column that identifies people across files of different releases.", panel=HAVE)
    ] = None
    crosswalk: Annotated[
        Path | None,
        option(
            "A file that shows which records belong to the same person, used instead of --person: one row per person "
            "and one column per release, in order, starting with this release. Each cell holds the person's row number "
            "in the file of that release, counting from 1.",
            panel=HAVE,
        ),
    ] = None
    tree: Annotated[
        list[str] | None,
        option(
            "A hierarchy, in the format of the tool ARX, that shows which values of a sensitive column are similar, "
            "such as illness=diagnoses.csv.",
            "--tree",
            panel=HAVE,
        ),
    ] = None
    limit: Annotated[
        list[str] | None,
        option(
            "The most that a group may reveal about a sensitive value, such as t=0.2 "
            f"({', '.join(one.name for one in fields(Limits))}); may be repeated.",
            "--limit",
        ),
    ] = None

    @property
    def paths(self) -> list[Path]:
        """The certificates and their files."""
        return [*(self.other_certificate or []), *(self.other_file or [])]

    def results(
        self, file: Path | None, sources: Mapping[Path, Path | Source], files: Mapping[str, Any]
    ) -> tuple[tuple[Any, Generalization], ...]:
        """The verified instance and result of each certificate; `file` is that of the release."""
        certificates, paths = self.other_certificate or [], self.other_file or []
        if paths and len(paths) != len(certificates):
            raise InvalidInput(
                "Give one --other-file for each --other-certificate, or none if they all belong to --file."
            )
        if certificates and not paths and file is None:
            raise InvalidInput("Each certificate is read with its file; give --other-file for each, or --file for all.")
        theirs = paths or [path for path in [file] if path is not None] * len(certificates)
        return tuple(
            OpenedCertificate.opened(sources[one], sources[path], files).verified()
            for one, path in zip(certificates, theirs, strict=True)
        )


Seed = Annotated[int, option("Random seed.")]


def run_attack(
    *,
    release: Annotated[Path, argument(f"The release as CSV, Parquet or Excel: records or groups; {READS}")],
    k: Annotated[int, option("The k that the release promises.", "-k", min=1)],
    quasi_identifiers: Annotated[str, option("The columns by which people could be found, such as age,zip.")],
    sensitive: Annotated[str, option("The columns that reveal what others do not know about a person.")] = "",
    count_column: Annotated[str | None, option("The column that says how many records a row represents.")] = None,
    outside: Outside,
    other: Annotated[
        list[Path] | None, option("Another release with some of the same people; may be repeated.", panel=HAVE)
    ] = None,
    certificate: Annotated[Path | None, option("The certificate of the release; needs --file.", panel=HAVE)] = None,
    file: Annotated[Path | None, option("The file that the release was made from.", panel=HAVE)] = None,
    others: Others,
    only: Annotated[
        str | None, option(f"Run only some of these attacks, separated by commas: {', '.join(ATTACKS)}.")
    ] = None,
    seed: Seed = 0,
    evidence: Annotated[Path | None, option("Write a .csv of the people whom the attacks expose (internal).")] = None,
    form: Annotated[Format, option("Output format of the findings.", "--format")] = Format.TABLE,
    force: Annotated[bool, option("Overwrite an existing file.", "--force")] = False,
    **files: Any,
) -> None:
    """Run the attacks and print what each found and whether the release survives it."""
    read = [release, *filter(None, (outside.against, certificate, file, others.crosswalk)), *(other or [])]
    read += others.paths
    require_writable([evidence], [*read, *files.values()], force)
    chosen = None if only is None else column_list(only)
    sources = dict(zip(read, given(*read), strict=True))
    texts = {"quasi_identifiers": quasi_identifiers, "sensitive": sensitive}
    roles: dict[str, Any] = {role: tuple(column_list(text)) for role, text in texts.items()} | {"k": k}
    attacked = _released(sources[release], called(release), counts=count_column, **roles)
    if (certificate is None) != (file is None):
        raise InvalidInput("A certificate is read with its file; give both --certificate and --file.")
    instance, result = None, None
    if certificate and file:
        instance, result = OpenedCertificate.opened(sources[certificate], sources[file], files).verified()
    knowledge = replace(
        knowledge_of(outside, others, seed, file, sources, files),
        others=tuple(_released(sources[one], called(one), counts=count_column, **roles) for one in other or []),
        instance=instance,
        result=result,
    )
    if result is not None:  # a reader knows what the words of a public hierarchy mean
        released = released_of(instance, result)
        if attacked.records != released.records:
            raise InvalidInput(
                f"The certificate is for a release of {released.records:,} {released.unit}, but {attacked.name} has "
                f"{attacked.records:,}; give the certificate of this release, and --count-column if each row is a "
                "group."
            )
        attacked = replace(attacked, meanings=released.meanings)
    outcomes = attack(attacked, knowledge, chosen)
    if evidence is not None:  # one row per exposed person
        exposed = [one.evidence.astype(object).assign(attack=one.attack) for one in outcomes if len(one.evidence)]
        frame = pd.concat(exposed, ignore_index=True) if exposed else pd.DataFrame({"attack": []})
        frame.insert(0, "attack", frame.pop("attack"))
        write_files({evidence: lambda: csv_text(frame)})
    content = [{name: getattr(one, name) for name in TOLD} | {"figures": dict(one.figures)} for one in outcomes]
    text = as_json({"k": k, "attacks": content}) if form is Format.JSON else _text(outcomes)
    typer.echo(text, err=evidence == STANDARD)
    announce_file(evidence, "(internal). This file lists the people whom the attacks expose.")


def _released(file: Path | Source, name: str, *, counts: str | None, **roles: Any) -> Released:
    """A release as it was read, with cells unescaped that were escaped for spreadsheets, and counts as numbers."""
    frame = unescaped(read_frame(Source.open(file))[0])
    if counts is not None and counts in frame.columns:
        frame[counts] = counts_of(frame[counts], f"counts of {name}", name)
    for column in set(roles["sensitive"]) & set(frame.columns):
        numbers = pd.to_numeric(frame[column], errors="coerce")
        if (numbers.notna() | frame[column].isna()).all():  # numbers have an order
            frame[column] = numbers
    return Released(frame, counts=counts, name=name, **roles)


def _text(outcomes: tuple[Attacked, ...]) -> str:
    lines = []
    for one in outcomes:
        lines += [f"{one.title}: {one.verdict}", f"  {one.sentence}"]
        if one.of:
            low, high = one.interval
            ends = "" if low == high else f" (95 % interval: {low:.2%} to {high:.2%})"
            lines.append(f"  {one.found:,} of {one.of:,} {one.unit}: {one.share:.2%}{ends}")
        lines += [f"  {name}: {value}" for name, value in one.figures.items()]
        lines.append("")
    broken = [one.title.lower() for one in outcomes if one.verdict == "does not survive"]
    ran = [one for one in outcomes if one.verdict != "not run"]
    end = (
        f"The release does not survive: {listed(broken)}."
        if broken
        else "The release survives these attacks."
        if ran
        else ""
    )
    lines.append(f"{len(ran):,} of {len(outcomes):,} attacks were run. {end}".strip())
    return "\n".join(lines)


def knowledge_of(
    outside: Outside,
    others: Others,
    seed: int,
    file: Path | None,
    sources: Mapping[Path, Path | Source],
    files: Mapping[str, Any],
) -> Knowledge:
    """What attackers have, from these flags; `file` is the release's, `files` what no certificate holds."""
    return Knowledge(
        outside=table_in(sources, outside.against),
        name=outside.name,
        match=tuple(map(Match.read, outside.match or [])),
        everybody=outside.everybody,
        year=outside.year,
        other_results=others.results(file, sources, files),
        person=others.person,
        crosswalk=table_in(sources, others.crosswalk),
        limits=Limits.read(others.limit or []),
        trees=_trees(others.tree or []),
        seed=seed,
    )


def table_in(sources: Mapping[Path, Path | Source], path: Path | None) -> pd.DataFrame | None:
    """The table of this file; None if no file was given."""
    return None if path is None else read_frame(Source.open(sources[path]))[0]


def _trees(texts: Sequence[str]) -> dict[str, Tree]:
    """Trees of columns, from texts such as "illness=diagnoses.csv"."""
    trees = {}
    for text in texts:
        name, equals, file = (part.strip() for part in text.partition("="))
        if not (name and equals and file):
            raise InvalidInput(f"{text!r} does not name a hierarchy; write COLUMN=FILE, such as illness=diagnoses.csv.")
        trees[name] = read_hierarchy(Path(file), column=name)
    return trees
