"""`kanon verify`: a certificate against its file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import kanon_engine as kanon
from kanon_engine.cli.reading import read_again
from kanon_engine.cli.standard import READS, given
from kanon_engine.cli.summary import NOT_ANONYMOUS, Format, as_json, columns
from kanon_engine.io.source import Source
from kanon_engine.model.words import number_text
from kanon_engine.release.audited import audit_check


def run_verify(
    certificate: Annotated[Path, typer.Argument(help=f"What --certificate wrote; {READS}", show_default=False)],
    file: Annotated[Path, typer.Argument(help="The file that the result was made from.", show_default=False)],
    rerun: Annotated[
        bool,
        typer.Option(
            "--rerun",
            help="Repeat the search where the bound is its word; takes as long as the search did.",
        ),
    ] = False,
    form: Annotated[Format, typer.Option("--format", help="How the checks are printed.")] = Format.TABLE,
    **files: Any,
) -> None:
    """Read the file as the certificate says and check every claim."""
    claimed, source = given(certificate, file)
    text = Source.open(claimed).data
    g = kanon.Generalization.from_json(text)
    instance = read_again(g.reading, source, files)
    passed = kanon.verify(instance, g, rerun)
    audited = audit_check(instance, g, text)
    if audited is not None:
        passed = replace(passed, checks=(*passed.checks, audited))
    if form is Format.JSON:
        checks = [{"name": check.name, "passed": check.passed, "detail": check.detail} for check in passed.checks]
        told = {"passed": True, "family": g.family, "algorithm": g.algorithm, "k": g.k, "proof": passed.proof}
        typer.echo(as_json(told | {"checks": checks}))
        return
    typer.echo(columns([(check.name, check.detail) for check in passed.checks], ["check", "found"]))
    least = g.details.threshold if g.status == "relaxed" else g.k
    typer.echo(f"\nAll {len(passed.checks)} checks passed: {g.classes:,} groups of at least {least:,} {instance.unit}.")
    if g.status == "relaxed":
        typer.secho(NOT_ANONYMOUS, fg=typer.colors.RED, bold=True)
    if passed.proof == "solver":
        again = "which gave it twice" if rerun else "which --rerun asks for again"
        bound = number_text(g.lower_bound)
        typer.echo(f"One claim was not checked: that nothing is below {bound} is the search's word, {again}.")
    elif rerun:
        typer.echo("Every claim was recomputed; no search had to be repeated.")
