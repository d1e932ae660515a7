"""`kanon report`: what an officer signs."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import kanon_engine as kanon
from kanon_engine.cli.files import Writer, require_writable, write_files
from kanon_engine.cli.reading import read_again
from kanon_engine.cli.standard import READS, called, given
from kanon_engine.cli.summary import Format, as_json, columns
from kanon_engine.errors import InvalidInput
from kanon_engine.io.source import Source
from kanon_engine.recipe import FORMATS, Leaving
from kanon_engine.report.context import Context, context_from
from kanon_engine.report.review import Review

MOST = 1_000_000  # bytes of a context


def run_report(
    certificate: Annotated[Path, typer.Argument(help=f"What --certificate wrote; {READS}", show_default=False)],
    file: Annotated[Path, typer.Argument(help="The file that the result was made from.", show_default=False)],
    bundle: Annotated[
        Path | None, typer.Option(help="Write the signed bundle as .zip (internal).", show_default=False)
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write the report as one .html.", show_default=False)] = None,
    pdf: Annotated[Path | None, typer.Option(help="Write the report as .pdf.", show_default=False)] = None,
    context: Annotated[
        Path | None,
        typer.Option(help="A .toml of what only you know: recipient, purpose, controls, …", show_default=False),
    ] = None,
    rules: Annotated[
        str | None, typer.Option(help="Stated rules to hold it against, separated by commas; all by default.")
    ] = None,
    keep: Annotated[
        str | None, typer.Option(help="Columns of a table that leave as they are, separated by commas.")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option(help="Which of them tell something about a person, separated by commas.")
    ] = None,
    form_of_files: Annotated[
        str, typer.Option("--formats", help=f"Forms of what leaves: {', '.join(FORMATS)}, separated by commas.")
    ] = "csv",
    data: Annotated[
        bool, typer.Option("--data", help="Put the data as they were read into the bundle, for check.py.")
    ] = False,
    codes_are_public: Annotated[
        bool, typer.Option("--codes-are-public", help="Anybody can look up where the codes of areas are.")
    ] = False,
    form: Annotated[Format, typer.Option("--format", help="How the summary is printed.")] = Format.TABLE,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    **files: Any,
) -> None:
    """Verify a certificate, measure the risk of its release, hold it against stated rules, and attack it."""
    outputs = [path for path in (bundle, html, pdf) if path is not None]
    inputs = [certificate, file, *([context] if context else []), *files.values()]
    require_writable(outputs, inputs, force)
    claimed, source = given(certificate, file)
    g = kanon.Generalization.from_json(Source.open(claimed).data)
    instance = read_again(g.reading, source, files)
    from kanon_engine.report.assemble import review  # loads what draws and writes reports

    found = review(
        instance,
        g,
        leaving=Leaving(
            tuple(_formats(form_of_files)),
            tuple(_named(keep)),
            tuple(_named(sensitive)),
            True if codes_are_public else None,
        ),
        context=_context(context),
        rules=None if rules is None else _named(rules),
        inputs={file.name: Source.open(source).data},
    )
    write_files(_writers(found, bundle, html, pdf, data))
    typer.echo(_summary(found) if form is Format.TABLE else as_json(_figures(found)))
    for path in outputs:
        typer.echo(f"Written: {called(path)} (internal).", err=True)


def _named(text: str | None) -> list[str]:
    """Names that a person wrote between commas."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _formats(text: str) -> list[str]:
    named = _named(text)
    unknown = [name for name in named if name not in FORMATS]
    if unknown:
        raise InvalidInput(f"There is no form {unknown[0]!r}; choose from {', '.join(FORMATS)}.")
    return named


def _context(path: Path | None) -> Context:
    if path is None:
        return Context()
    if not path.is_file():
        raise InvalidInput(f"There is no file {path}.")
    with path.open("rb") as opened:
        content = opened.read(MOST + 1)
    try:
        if len(content) > MOST:
            raise InvalidInput(f"{path.name} has more than {MOST:,} bytes, which no context has; choose another.")
        said = tomllib.loads(content.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path.name} is broken TOML ({error}); correct it.") from error
    return context_from(said.get("context", said))


def _writers(found: Review, bundle: Path | None, html: Path | None, pdf: Path | None, data: bool) -> dict[Path, Writer]:
    makers: dict[Path, Callable[[], bytes]] = {}
    if html is not None:
        makers[html] = lambda: _html(found)
    if pdf is not None:
        makers[pdf] = lambda: _pdf(found)
    if bundle is not None:
        makers[bundle] = lambda: _bundle(found, data)
    return {path: _writer(make) for path, make in makers.items()}


def _writer(make: Callable[[], bytes]) -> Writer:
    return lambda path: path.write_bytes(make())


def _html(found: Review) -> bytes:
    from kanon_engine.report.html import report_html

    return report_html(found).encode()


def _pdf(found: Review) -> bytes:
    from kanon_engine.report.pdf import report_pdf

    return report_pdf(found)


def _bundle(found: Review, data: bool) -> bytes:
    from kanon_engine.report.bundle import bundle
    from kanon_engine.report.signing import signing_key

    return bundle(found, key=signing_key(), data=data)


def _summary(found: Review) -> str:
    rules = columns([(one.title, one.verdict, one.told) for one in found.rulings], ["rule", "verdict", "why"])
    attacks = columns([(one.title, one.verdict, one.sentence) for one in found.attacks], ["attack", "verdict", "why"])
    risk = columns([(one.title, one.words) for one in found.after], ["risk of the release", "figure"])
    return f"{rules}\n\n{attacks}\n\n{risk}"


def _figures(found: Review) -> dict[str, Any]:
    return {
        "family": found.g.family,
        "k": found.g.k,
        "rules": [
            {"rule": one.key, "verdict": one.verdict, "found": one.found, "origin": one.origin} for one in found.rulings
        ],
        "attacks": [
            {"attack": one.attack, "verdict": one.verdict, "found": one.found, "of": one.of, "unit": one.unit,
             "interval": list(one.interval), "sentence": one.sentence} for one in found.attacks
        ],
        "risk": {one.key: one.value for one in found.after},
        "before": {one.key: one.value for one in found.before},
        "utility": {one.key: one.value for one in found.utility},
        "checklist": {"done": sum(line.done for line in found.checklist), "of": len(found.checklist)},
        "digests": dict(found.digests),
    }  # fmt: skip
