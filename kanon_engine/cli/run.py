"""`kanon run`: what a project file asks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from kanon_engine.cli.files import require_writable, write_files
from kanon_engine.cli.flags import flag_name, with_flags
from kanon_engine.cli.outputs import require_known_ending, writer, written
from kanon_engine.cli.progress import progress_bar
from kanon_engine.cli.publishing import Publishing, publishing_flags
from kanon_engine.cli.releasing import Releasing
from kanon_engine.cli.standard import STANDARD
from kanon_engine.cli.summary import Format, as_json, figures, summary_text
from kanon_engine.errors import InvalidInput
from kanon_engine.generalize import certified, verify
from kanon_engine.model.known import FAMILIES, family_named
from kanon_engine.project import LARGEST, project_from
from kanon_engine.report.signing import signing_key


def run_command() -> Callable[..., None]:
    """`kanon run`, with the flags for publishing of every family that has a package."""
    flags = {flag.name: flag for family in FAMILIES.values() for flag in publishing_flags(family)}
    return with_flags(_run, flags.values())


def _run(
    project: Annotated[Path, typer.Argument(help="A project file, as a page saves it.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option(help="Write item → group as .csv (internal), or groups with shapes.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Write the whole result as JSON, for kanon verify (internal).")
    ] = None,
    release: Annotated[
        Path | None, typer.Option(help="Write the files that leave, as the project says, into this folder.")
    ] = None,
    bundle: Annotated[
        Path | None, typer.Option(help="Write the signed bundle of the release as .zip (internal).")
    ] = None,
    data: Annotated[bool, typer.Option("--data", help="Put the data as they were read into the bundle.")] = False,
    time_limit: Annotated[float | None, typer.Option(help="Seconds after which a search stops with its best.")] = None,
    form: Annotated[Format, typer.Option("--format", help="How the summary is printed.")] = Format.TABLE,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    **settings: Any,
) -> None:
    """Read the files that a project names, beside it, and make its groups."""
    if not project.is_file():
        raise InvalidInput(f"There is no file {project}.")
    with project.open("rb") as file:
        asked = project_from(file.read(LARGEST + 1))
    family = family_named(asked.family)
    if out is not None:
        require_known_ending(family, out)
    publishing = Publishing.taken(family, settings, out)
    if settings:
        raise InvalidInput(f"There is no package of {family.items}; leave {flag_name(next(iter(settings)))} out.")
    inputs = [project, *(project.parent / name for name in asked.files), *publishing.inputs]
    releasing = Releasing(asked, project.parent, release, bundle, data)
    require_writable(
        [path for path in (out, certificate, *publishing.packages.values(), *releasing.paths) if path], inputs, force
    )
    if bundle is not None:
        signing_key()  # refused before anything is searched, where it cannot sign
    instance, changed = asked.read(project.parent)
    for sentence in changed:
        typer.echo(sentence, err=True)
    with progress_bar(f"{family.items}, k = {asked.k:,}") as progress:
        g, proof = certified(
            instance,
            asked.k,
            asked.algorithm,
            require=asked.require,
            seed=asked.seed,
            time_limit=time_limit,
            progress=progress,
            **asked.options,
        )
    if asked.by_hand.moves:
        g, others = asked.moved(instance, g)
        proof = verify(instance, g)
        for sentence in others:
            typer.echo(sentence, err=True)
    content = figures(instance, g, proof)
    files = publishing.files(instance, g, {"out": out, "certificate": certificate}, given=asked.given_names(instance))
    writers, compared = releasing.made(instance, g)
    write_files({path: writer(output) for path, output in files.items()} | writers)
    typer.echo(as_json(content) if form is Format.JSON else summary_text(content), err=STANDARD in files)
    for path, output in files.items():
        typer.echo(written(path, output), err=True)
    releasing.tell(writers, compared)
