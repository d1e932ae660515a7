"""`kanon verify`: a certificate against its file, or a signed bundle, with its file or without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import kanon_engine as kanon
from kanon_engine.cli.counting import Again, DryRun, Table, elsewhere
from kanon_engine.cli.files import READS, given
from kanon_engine.cli.flags import argument, option
from kanon_engine.cli.reading import OpenedCertificate, read_again, require_order
from kanon_engine.cli.summary import NOT_ANONYMOUS, Format, as_json, columns
from kanon_engine.errors import CertificateError, InvalidInput
from kanon_engine.generalize import Certificate
from kanon_engine.io.source import Source
from kanon_engine.model.words import number_text
from kanon_engine.release.publication import audit_check
from kanon_engine.report.members import is_zip
from kanon_engine.report.verify import verify_bundle
from kanon_engine.verification.core import Check

NEEDED = "a certificate is checked against the file that it was made from; only a bundle is checked without a file"
ASK = "Ask the signer in some other way, such as by phone, whether this is their fingerprint, then give it with --key."


def run_verify(
    certificate: Annotated[
        Path, argument(f"The certificate that another command wrote with --certificate, or a signed bundle; {READS}")
    ],
    file: Annotated[
        str | None,
        argument(
            "What the result was made from: a file, or the place where the records are stored. Not needed for a bundle."
        ),
    ] = None,
    key: Annotated[str | None, option("The fingerprint of the key that must have signed the bundle.")] = None,
    rerun: Annotated[
        bool,
        option(
            "Repeat the search if the bound is only reported by the solver; this takes as long as the search did.",
            "--rerun",
        ),
    ] = False,
    form: Annotated[Format, option("Output format of the checks.", "--format")] = Format.TABLE,
    records: Again = None,
    table: Table = None,
    dry_run: DryRun = False,
    **files: Any,
) -> None:
    """Check a certificate against its file, claim by claim, or a signed bundle byte by byte."""
    claimed, *read = given(certificate, *([] if file is None else [file]))
    content = Source.open(claimed).data
    if is_zip(content) or certificate.suffix.lower() == ".zip":  # so a damaged one is refused as a bundle
        if dry_run:
            raise typer.BadParameter(
                "no records are counted to check a bundle; leave --dry-run out.", param_hint="--dry-run"
            )
        try:
            _bundle(content, read, files, key, rerun, form)
        except CertificateError:
            for one in read:
                require_order(claimed, one)
            raise
        return
    if key is not None:
        raise typer.BadParameter("a certificate is not signed; leave --key out, or give a bundle.", param_hint="--key")
    if not read:
        raise typer.BadParameter(f"{NEEDED}.", param_hint="FILE")
    claim = OpenedCertificate.opened(claimed, read[0], files, records, table)
    if dry_run:
        typer.echo(claim.sql())
        return
    instance, g = claim.instance(), claim.g
    passed = kanon.verify(instance, g, rerun)
    audited = audit_check(instance, g, content)
    if audited is not None:
        passed = replace(passed, checks=(*passed.checks, audited))
    if form is Format.JSON:
        typer.echo(as_json(_told(g, passed.checks, passed)))
        return
    _show(passed.checks)
    least = g.details.threshold if g.status == "relaxed" else g.k
    typer.echo(f"\nAll {len(passed.checks)} checks passed: {g.classes:,} groups of at least {least:,} {instance.unit}.")
    if g.status == "relaxed":
        typer.secho(NOT_ANONYMOUS, fg=typer.colors.RED, bold=True)
    _show_proof(g, passed, rerun)


def _bundle(
    content: bytes,
    read: list[Any],
    files: Mapping[str, Path],
    key: str | None,
    rerun: bool,
    form: Format,
) -> None:
    """First the bundle by itself, because nothing that it says is used before it is known to be intact."""
    verified = verify_bundle(content, key=key)
    if any(not isinstance(one, Source) and elsewhere(one) for one in read):
        raise InvalidInput(
            "A bundle cannot be checked with records in a folder or database; give a file, or check the bundle's "
            "certificate.json instead."
        )
    if read:
        opened = [Source.open(one) for one in (*read, *files.values())]
        instance = read_again(verified.g.reading, opened[0], files)
        inputs = {one.name: one.data for one in opened}
        verified = verify_bundle(content, instance, key=key, inputs=inputs, rerun=rerun)
    elif rerun or files:
        raise typer.BadParameter("also give the file that the result was made from.", param_hint="FILE")
    if form is Format.JSON:
        left = [{"name": one.name, "why": one.why} for one in verified.unchecked]
        signed = {"fingerprint": verified.fingerprint, "named": key is not None, "files": list(verified.members)}
        summary = _told(verified.g, verified.checks, verified.certificate) | {"not_checked": left}
        typer.echo(as_json(summary | signed))
        return
    _show(verified.checks)
    if verified.unchecked:
        typer.echo("\n" + columns([(one.name, one.why) for one in verified.unchecked], ["not checked", "why"]))
    typer.echo(f"\nAll {len(verified.checks)} checks passed. Signed with the key {verified.fingerprint}.")
    if key is None:
        typer.echo(ASK)
    if verified.certificate is not None:
        _show_proof(verified.g, verified.certificate, rerun)
        return
    names = ", ".join(verified.manifest.input)
    file = f"the file that was read ({names})" if names else "the file that was read"
    typer.echo(f"The result's claims about the data were not checked; to check them, also give {file}.")


def _told(g: kanon.Generalization, checks: tuple[Check, ...], certificate: Certificate | None) -> dict[str, Any]:
    proof = None if certificate is None else certificate.proof
    listed = [{"name": check.name, "passed": check.passed, "detail": check.detail} for check in checks]
    summary = {"passed": True, "family": g.family, "algorithm": g.algorithm, "k": g.k, "proof": proof}
    return summary | {"checks": listed}


def _show(checks: tuple[Check, ...]) -> None:
    typer.echo(columns([(check.name, check.detail) for check in checks], ["check", "found"]))


def _show_proof(g: kanon.Generalization, passed: Certificate, rerun: bool) -> None:
    """Print which claims were not recomputed."""
    if passed.proof == "solver":
        again = "; a second run reported it again" if rerun else "; --rerun repeats the search"
        bound = number_text(g.lower_bound)
        typer.echo(
            f"One claim was not checked: that no result can have a cost below {bound}. It is reported by the "
            f"solver{again}."
        )
    elif rerun:
        typer.echo("Every claim was recomputed; no search had to be repeated.")
