"""`kanon release`: what may leave of a result as a file, and of a person's own records with its groups."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import kanon_engine as kanon
from kanon_engine.apply import OwnRelease, own_file, own_groups, together_file, typed_columns
from kanon_engine.cli.counting import LIVING, MADE_FROM, PASSWORD, DryRun, Table, elsewhere, opened, statements
from kanon_engine.cli.files import READS, STANDARD, Writer, bytes_writer, called, given, require_writable, write_files
from kanon_engine.cli.flags import Flag, flag_name
from kanon_engine.cli.guard import progress_bar
from kanon_engine.cli.reading import COUNTED, again, parameter_flag, read_again
from kanon_engine.cli.summary import Format, as_json
from kanon_engine.errors import InvalidInput
from kanon_engine.io.frames import read_frame
from kanon_engine.io.source import Source
from kanon_engine.model.family import Family
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_named
from kanon_engine.release import require_releasable
from kanon_engine.release.publication import KINDS, SHAPES, TABLE, Output, outputs
from kanon_engine.tables.read_columns import column_list


def run_release(
    certificate: Annotated[Path, typer.Argument(help=f"What --certificate wrote; {READS}", show_default=False)],
    file: Annotated[str, typer.Argument(help=MADE_FROM, show_default=False)],
    out: Annotated[
        Path,
        typer.Option(help=f"Where it is written: {', '.join(f'.{ending}' for ending in KINDS)}.", show_default=False),
    ],
    records: Annotated[
        str | None,
        typer.Option(
            help="Your own records, a row each: groups take the place of codes, places or labels in them. They are a "
            f"file, or live elsewhere: {LIVING}. {PASSWORD}",
            rich_help_panel=RECORDS,
            show_default=False,
        ),
    ] = None,
    table: Table = None,
    dry_run: DryRun = False,
    by: By = None,
    quasi_identifiers: QuasiIdentifiers = "",
    keep: Annotated[
        str, typer.Option(help="Columns that leave as they are.", rich_help_panel=RECORDS, show_default=False)
    ] = "",
    sensitive: Annotated[
        str,
        typer.Option(
            help="Columns that leave and tell something about a person.", rich_help_panel=RECORDS, show_default=False
        ),
    ] = "",
    k: Least = None,
    together: Annotated[
        int | None,
        typer.Option(
            help="Generalize all quasi-identifiers together, so that each set holds so many.",
            rich_help_panel=RECORDS,
            show_default=False,
        ),
    ] = None,
    codes_are_public: Annotated[
        bool, typer.Option("--codes-are-public", help="Anybody can look up which places the codes of areas stand for.")
    ] = False,
    formulas: Annotated[
        Literal["escape", "refuse"], typer.Option(help="Text that a spreadsheet would run as a formula.")
    ] = "escape",
    form: Annotated[Format, typer.Option("--format", help="How the summary is printed.")] = Format.TABLE,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    **files: Any,
) -> None:
    """Verify a certificate, then write what may leave, read again from its bytes."""
    ending = out.suffix.lower().removeprefix(".") or ("csv" if out == STANDARD else "")
    if ending not in KINDS:
        listing = " or ".join(f".{known}" for known in KINDS)
        raise typer.BadParameter(f"{out.name} should end in {listing}, which says what to write.", param_hint="--out")
    roles = {"quasi_identifiers": quasi_identifiers, "keep": keep, "sensitive": sensitive}
    require_about(records, ABOUT, {"by": by, **roles, "k": k, "together": together})
    inputs = [Path(one) for one in (file, records) if one is not None and not elsewhere(one)]
    require_writable([out], [certificate, *inputs, *files.values()], force)
    claimed, source = given(certificate, file)
    claim = Generalization.from_json(Source.open(claimed).data)
    living = records is not None and (table is not None or elsewhere(records) or claim.reading.get("reader") == COUNTED)
    if dry_run and not living:
        raise typer.BadParameter(
            "it is about records where they live; name these by --records.", param_hint="--dry-run"
        )
    if dry_run:
        typer.echo(sql_of_pushed(claim, str(records), table, by, roles))
        return
    instance = read_again(
        claim.reading, source, files, *again(claim.reading, records if living else None, table, files)
    )
    kanon.verify(instance, claim)
    g = claim
    said: dict[str, Any] = {"codes_are_public": codes_are_public}
    if living:
        if together is not None:
            raise typer.BadParameter("it is about records in a file; leave it out.", param_hint="--together")
        _say(pushed_release(instance, g, str(records), table, out, by, roles, k, formulas, said), out, form)
        return
    told: dict[str, Any]
    if records is None:
        told, content = _released(instance, g, ending, formulas, said)
    else:
        own = own_release(instance, g, Path(records), by, roles, k, said)
        told = own_told(own)
        if together is not None:
            content, sentence = together_file(own, together, ending, formulas)
            told["sentence"] += f" {sentence}"
        elif ending in SHAPES:
            content = own_groups(instance, g, own, ending, **said)
        else:
            content = own_file(instance, g, own, ending, formulas)
    write_files({out: bytes_writer(lambda: content)})
    _say(told, out, form)


def _say(told: dict[str, Any], out: Path, form: Format) -> None:
    """What was released, and where it is."""
    say = partial(typer.echo, err=out == STANDARD)
    if form is Format.JSON:
        say(as_json(told | {"written": called(out)}))
        return
    say(told["sentence"])
    for note in told.get("notes", ()):
        say(note)
    say(f"Written: {called(out)} (may be published, as far as its rules say). It was read again and is what the "
        "certificate says.")  # fmt: skip


def _released(
    instance: Any, g: kanon.Generalization, ending: str, formulas: str, said: dict[str, Any]
) -> tuple[dict[str, Any], bytes]:
    """What may leave of the result itself."""
    family = family_named(g.family)
    if family.release is not None and family.release.settled is not None:
        family.release.settled(instance)
    asked = {} if family.release is None else family.release.asked(said)
    name = "release" if family.releases_records and ending not in SHAPES else "groups"
    known = {one.ending: one for one in outputs(instance, g, formulas=formulas, **asked)}
    chosen = known.get(f"{name}.{ending}")
    if chosen is None:
        raise InvalidInput(
            f"There are no shapes of these {family.items} to write as .{ending}; write .csv, .parquet or .xlsx."
        )
    if not chosen.publishable:
        raise InvalidInput(f"This may not leave. {chosen.contents}")
    content = chosen.make()
    told = {"sentence": chosen.contents, "k": g.k, "groups": g.classes}
    return told, content.encode() if isinstance(content, str) else content


# ---------------------------------------------------------------------------------------------------------------------
# The flags for publishing: packages, and what a person says of what may leave.
# ---------------------------------------------------------------------------------------------------------------------


PANEL = "Publishing"
PACKAGES = {
    "package": "Write one .zip of everything that may be published.",
    "internal_package": "Write one .zip of what belongs to it and stays inside: crosswalk, certificate, given names.",
}


def publishing_flags(family: Family) -> list[Flag]:
    """None where a family has no package."""
    package = family.release.package if family.release else None
    if package is None:
        return []
    files = [Flag(name, words, Path, panel=PANEL) for name, words in PACKAGES.items()]
    return [*files, *(parameter_flag(parameter, PANEL) for parameter in package.parameters)]


@dataclass(frozen=True)
class Publishing:
    """What was said of what may leave."""

    packages: Mapping[str, Path] = field(default_factory=dict)  # which package goes where
    settings: Mapping[str, Any] = field(default_factory=dict)  # the other flags for publishing
    shapes: Mapping[str, Any] = field(default_factory=dict)  # those that are also about the shapes of `--out`

    @classmethod
    def taken(cls, family: Family, settings: dict[str, Any], out: Path | None) -> Publishing:
        """Take them out of the flags that were given; a usage error where one is about no file."""
        release = family.release
        if release is None or release.package is None:
            return cls()
        packages = {name: settings.pop(name) for name in PACKAGES if name in settings}
        known = [parameter.name for parameter in release.package.parameters]
        publishing = {name: settings.pop(name) for name in known if name in settings}
        shaped = out is not None and out.suffix.lower() in release.shapes
        shapes = {name: value for name, value in publishing.items() if shaped and name in release.asks}
        idle = [name for name in publishing if not packages and name not in shapes]
        if idle:
            more = f" or shapes ({' or '.join(release.shapes)} by --out)" if idle[0] in release.asks else ""
            raise typer.BadParameter(f"it is about a package{more}; write one by --package.",
                                     param_hint=flag_name(idle[0]))  # fmt: skip
        return cls(packages, publishing, shapes)

    @property
    def inputs(self) -> list[Path]:
        """Files that are read for it."""
        return [value for value in self.settings.values() if isinstance(value, Path)]

    def files(
        self, instance: Any, g: Generalization, paths: Mapping[str, Path | None], formulas: str = "escape", **more: Any
    ) -> dict[Path, Output]:
        """Which file goes where: those of `paths` by their flags, and the packages; `more` goes into these."""
        found = chosen(instance, g, paths, formulas=formulas, **self.shapes)
        if self.packages:
            found |= packaged(instance, g, self.packages, formulas=formulas, **self.settings, **more)
        return found


# ---------------------------------------------------------------------------------------------------------------------
# What the command line writes, from the engine's one list of files.
# ---------------------------------------------------------------------------------------------------------------------


def endings(family: Family) -> dict[str, str]:
    """How the path of --out can end, and which output that is."""
    return {".csv": "crosswalk.csv"} | (dict(family.release.shapes) if family.release else {})


def require_known_ending(family: Family, path: Path) -> None:
    """A usage error unless the ending says what to write."""
    if path != STANDARD and path.suffix.lower() not in endings(family):
        raise typer.BadParameter(
            f"{path.name} should end in {' or '.join(endings(family))}, which says what to write.", param_hint="--out"
        )


def chosen(instance: Any, g: Generalization, paths: Mapping[str, Path | None], **settings: Any) -> dict[Path, Output]:
    """Which file goes where.

    Parameters
    ----------
    paths : The flag "out", "release" or "certificate" → what it names.
    **settings : Those of `kanon_engine.release.publication.outputs`.

    Raises
    ------
    InvalidInput
        A result that is not k-anonymous, or items without shapes.

    References
    ----------
    F. Dankar, K. El Emam, A. Neisa, T. Roffey, "Estimating the re-identification risk of clinical data sets", BMC
    Medical Informatics and Decision Making 12:66, 2012.
    """
    family = family_named(g.family)

    def ending_of(flag: str, path: Path) -> str:
        if flag == "out":
            return endings(family)[path.suffix.lower() or ".csv"]
        kind = path.suffix.lower().removeprefix(".")
        return "certificate.json" if flag == "certificate" else f"release.{kind if kind in TABLE else 'csv'}"

    wanted = {path: ending_of(flag, path) for flag, path in paths.items() if path is not None}
    if not wanted:
        return {}
    known = {output.ending: output for output in outputs(instance, g, **settings)}
    return {path: _named(ending, known, g, family.items) for path, ending in wanted.items()}


def packaged(instance: Any, g: Generalization, paths: Mapping[str, Path], **settings: Any) -> dict[Path, Output]:
    """Which package goes where, made as the flags for publishing say."""
    require_releasable(g)
    release = family_named(g.family).release
    if release is None or release.package is None:
        raise InvalidInput(f"There is no package of {g.family}; write its files one by one.")
    publishable, internal = release.package.outputs(instance, g, release.package.publication(instance, **settings))
    by_name = {"package": publishable, "internal_package": internal}
    return {path: by_name[name] for name, path in paths.items()}


def _named(ending: str, known: Mapping[str, Output], g: Generalization, items: str) -> Output:
    if ending in known:
        return known[ending]
    require_releasable(g)
    raise InvalidInput(f"These {items} have no shapes; write item → group as .csv, or read a file with shapes.")


def writer(output: Output) -> Writer:
    """Writes what an output makes."""

    def write(path: Path) -> None:
        content = output.make()
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    return write


def written(path: Path, output: Output) -> str:
    """What is said of a file that was written."""
    return f"Written: {called(path)} ({'may be published' if output.publishable else 'internal'}). {output.contents}"


# ---------------------------------------------------------------------------------------------------------------------
# Flags about records of a person's own, and these records as a result lets them leave.
# ---------------------------------------------------------------------------------------------------------------------


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
    about : What these flags are about, as a sentence.
    given : Name of each flag → its value.
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


# ---------------------------------------------------------------------------------------------------------------------
# `kanon release` for records where they live: the groups go to the records, and one file comes out.
# ---------------------------------------------------------------------------------------------------------------------


def pushed_release(
    instance: Any,
    g: Generalization,
    records: str,
    table: str | None,
    out: Path,
    by: str | None,
    roles: Mapping[str, str],
    k: int | None,
    formulas: str,
    said: Mapping[str, Any],
) -> dict[str, Any]:
    """Write the release of records where they live; what is said of it.

    A file that is there already is replaced once the new one is whole.
    """
    from kanon_engine.records import Records, release

    named: dict[str, Any] = {name: column_list(text or "") for name, text in roles.items()}
    asking = family_named(g.family).release
    told = {} if asking is None else asking.asked(said)
    # a path stays one, so that nothing is written among the records themselves
    living = nullcontext(records) if table is None else Records.open(records, table)
    unfinished = tempfile.TemporaryDirectory(prefix=".kanon-", dir=out.parent)
    with unfinished as folder, progress_bar("releasing") as progress, living as source:
        part = Path(folder, out.name) if out.exists() else out
        made = release(
            source,
            instance,
            g,
            part,
            by=column_list(by or ""),
            k=k,
            formulas=formulas,
            progress=progress,
            **named,
            **told,
        )
        if part != out:
            os.replace(part, out)
    below = made.below
    return {
        "sentence": made.sentence,
        "notes": list(made.notes),
        "records": made.records,
        "left_out": {reason: count for reason, count, _ in made.unmatched.reasons},
        "k": made.k,
        "promised": {"k": made.promised, "unit": made.unit, "of": int(made.population.sum())},
        "groups": int((made.own > 0).sum()),
        "quasi_identifiers": list(made.quasi_identifiers),
        "below": {"records": below.records, "sets": below.groups, "smallest": below.smallest},
    }


def sql_of_pushed(
    claim: Generalization, records: str, table: str | None, by: str | None, roles: Mapping[str, str]
) -> str:
    """What `pushed_release` asks the engine."""
    from kanon_engine.records import sql_of_release

    leaving = [name for text in roles.values() for name in column_list(text or "")]
    where = column_list(by or "")
    if not where and claim.family == "tables":
        where = [str(name) for name in claim.reading.get("by") or claim.reading.get("quasi_identifiers") or ()]
    if not where:
        raise InvalidInput("Name the column, or the columns, that say where a record is.", parameter="by")
    with opened(records, table) as (living, _):
        return statements(sql_of_release(living, where, leaving))
