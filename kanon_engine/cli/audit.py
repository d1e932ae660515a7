"""`kanon audit`: what a release of records tells."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import kanon_engine as kanon
from kanon_engine.cli.counting import MADE_FROM, Again, Table
from kanon_engine.cli.reading import read_again
from kanon_engine.cli.standard import READS, given
from kanon_engine.cli.summary import Format, as_json, audit_figures, audit_lines, columns
from kanon_engine.errors import InvalidInput
from kanon_engine.io.source import Source
from kanon_engine.release.audited import audit_check
from kanon_engine.tables.one_by_one import too_many


def run_audit(
    certificate: Annotated[Path, typer.Argument(help=f"What --certificate wrote; {READS}", show_default=False)],
    file: Annotated[str, typer.Argument(help=MADE_FROM, show_default=False)],
    form: Annotated[Format, typer.Option("--format", help="How the findings are printed.")] = Format.TABLE,
    records: Again = None,
    table: Table = None,
    **files: Any,
) -> None:
    """Verify a certificate, then look at its release as a reader of it does."""
    claimed, source = given(certificate, file)
    text = Source.open(claimed).data
    g = kanon.Generalization.from_json(text)
    instance = read_again(g.reading, source, files, records, table)
    kanon.verify(instance, g)
    audit_check(instance, g, text)
    content = audit_figures(instance, g)
    if content is None:
        why = too_many(instance) if isinstance(instance, kanon.Table) else ""
        none = "This certificate is of groups without records, so there is no release of records to audit."
        raise InvalidInput(why or none)
    if form is Format.JSON:
        typer.echo(as_json(content))
        return
    typer.echo(content["sentence"])
    for line in audit_lines(content, len(content["findings"])):
        typer.echo(line)
    if content["sensitive"]:
        rows = [
            [
                one["column"],
                f"{one['l']:,}",
                f"{one['entropy_l']:.2f}",
                f"{one['t']:.3f}",
                f"{one['constant_groups']:,}",
            ]
            for one in content["sensitive"]
        ]
        header = ["sensitive column", "l", "entropy l", "t", "constant groups"]
        typer.echo("\n" + columns(rows, header, range(1, len(header))))
