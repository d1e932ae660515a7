"""`kanon audit`: what a release of records reveals."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

import kanon_engine as kanon
from kanon_engine.cli.counting import LIVING, PANEL, PASSWORD, SOURCE_HELP, DryRun, Table, opened, statements
from kanon_engine.cli.files import READS, given
from kanon_engine.cli.flags import argument, option
from kanon_engine.cli.reading import OpenedCertificate
from kanon_engine.cli.release import require_about
from kanon_engine.cli.summary import Format, as_json, audit_figures, audit_lines, table_of
from kanon_engine.errors import InvalidInput
from kanon_engine.io.names import column_list
from kanon_engine.release.publication import audit_check, audit_of

ALONE = "Records without a certificate"
SENSITIVE = {
    "column": ("sensitive column", ""),
    "l": ("l (fewest values)", ","),
    "entropy_l": ("entropy l", ".2f"),
    "t": ("t (largest distance)", ".3f"),
    "constant_groups": ("groups with one value", ","),
}
ABOUT = "this option applies only to records without a certificate; leave the certificate out."


def run_audit(
    certificate: Annotated[
        Path | None, argument(f"The certificate that another command wrote with --certificate; {READS}")
    ] = None,
    file: Annotated[str | None, argument(SOURCE_HELP)] = None,
    form: Annotated[Format, option("Output format of the findings.", "--format")] = Format.TABLE,
    records: Annotated[
        str | None,
        option(
            f"Where the records are stored: {LIVING}. Without a certificate, these are the records to audit; with a "
            f"certificate, the records that its counts came from. {PASSWORD}",
            panel=PANEL,
        ),
    ] = None,
    table: Table = None,
    quasi_identifiers: Annotated[
        str, option("Columns by which people could be found, such as age,sex.", panel=ALONE)
    ] = "",
    k: Annotated[
        int | None, option("Minimum number of records that must look alike.", "-k", "--k", panel=ALONE)
    ] = None,
    sensitive: Annotated[str, option("Columns that reveal something about a person.", panel=ALONE)] = "",
    keep: Annotated[str, option("Other columns that a reader of the release sees.", panel=ALONE)] = "",
    dry_run: DryRun = False,
    **files: Any,
) -> None:
    """Verify a certificate, then audit its release as a reader sees it; or audit records where they live."""
    roles = {"quasi_identifiers": quasi_identifiers, "sensitive": sensitive, "keep": keep}
    if certificate is None:
        require_about(None, "this option applies only to a certificate; give one.", files)
        _audit_records(records, table, roles, k, dry_run, form)
        return
    require_about(None, ABOUT, {**roles, "k": k})
    if file is None:
        raise typer.BadParameter("also give the file that the result was made from.", param_hint="FILE")
    claimed, source = given(certificate, file)
    claim = OpenedCertificate.opened(claimed, source, files, records, table)
    if dry_run:
        typer.echo(claim.sql())
        return
    instance, g = claim.verified()
    audit_check(instance, g, claim.text)
    audit_result = audit_of(instance, g)
    if audit_result is None:
        raise InvalidInput(
            "This certificate does not cover single records, so there is no release of records to audit."
        )
    _show(audit_result, form)


def _audit_records(
    records: str | None, table: str | None, roles: Mapping[str, str], k: int | None, dry_run: bool, form: Format
) -> None:
    """What records reveal as they are, counted where they live."""
    from kanon_engine.records import audit, sql_of_audit

    if records is None:
        raise typer.BadParameter("give a certificate and its file, or give --records.", param_hint="CERTIFICATE")
    role_columns = {name: column_list(text) for name, text in roles.items()}
    quasi = role_columns.pop("quasi_identifiers")
    if not quasi:
        raise typer.BadParameter(
            "list the columns by which people could be found, such as age,sex.", param_hint="--quasi-identifiers"
        )
    if k is None:
        raise typer.BadParameter("say how many records must look alike, for example -k 5.", param_hint="--k")
    with opened(records, table) as (living, progress):
        if dry_run:
            typer.echo(statements(sql_of_audit(living, quasi, **role_columns)))
            return
        audit_result = audit(living, quasi, k=k, progress=progress, **role_columns)
    _show(audit_result, form)


def _show(audit_result: kanon.Audit, form: Format) -> None:
    """The findings: a sentence, then lines, then l, entropy and t of each sensitive column."""
    content = audit_figures(audit_result)
    if form is Format.JSON:
        typer.echo(as_json(content))
        return
    typer.echo("\n".join([content["sentence"], *audit_lines(content, len(audit_result.findings))]))
    if content["sensitive"]:
        typer.echo("\n" + table_of(content["sensitive"], SENSITIVE))
