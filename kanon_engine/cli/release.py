"""`kanon release`: what may leave of a result as a file, and of a person's own records with its groups."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import kanon_engine as kanon
from kanon_engine.apply import own_file, own_groups, together_file
from kanon_engine.cli.counting import LIVING, MADE_FROM, PASSWORD, DryRun, Table, elsewhere
from kanon_engine.cli.files import bytes_writer, require_writable, write_files
from kanon_engine.cli.own_records import (
    ABOUT,
    RECORDS,
    By,
    Least,
    QuasiIdentifiers,
    own_release,
    own_told,
    require_about,
)
from kanon_engine.cli.pushed import pushed_release, sql_of_pushed
from kanon_engine.cli.reading import COUNTED, again, read_again
from kanon_engine.cli.standard import READS, STANDARD, called, given
from kanon_engine.cli.summary import Format, as_json
from kanon_engine.errors import InvalidInput
from kanon_engine.io.source import Source
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_named
from kanon_engine.release.publication import KINDS, SHAPES, outputs


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
