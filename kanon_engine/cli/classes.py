"""The command of each family: one file, one k, one result."""

# annotations are not postponed here: they name the kind of data that a command is made for

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from kanon_engine.cli.files import require_writable, write_files
from kanon_engine.cli.flags import Flag, flag_name, one_of, option_flags, require_taken, with_flags
from kanon_engine.cli.minima import minima, minimum_flags, with_columns
from kanon_engine.cli.outputs import chosen, packaged, require_known_ending, writer, written
from kanon_engine.cli.progress import progress_bar
from kanon_engine.cli.reading import parameter_flag, reader_flags, reader_settings
from kanon_engine.cli.summary import Format, as_json, figures, summary_text
from kanon_engine.generalize import certified
from kanon_engine.model.family import Family
from kanon_engine.release.spreadsheet import FORMULAS

RELEASE = "Write the generalized records as .csv, without row numbers and in an order of their own."

PUBLISHING = "Publishing"
PACKAGES = {
    "package": "Write one .zip of everything that may be published.",
    "internal_package": "Write one .zip of what belongs to it and stays inside: crosswalk, certificate, given names.",
}

FORMULAS_FLAG = Flag(
    "formulas",
    "Text in a .csv that a spreadsheet would run as a formula: escape puts an apostrophe in front, refuse writes no "
    "file. Default: escape.",
    one_of(FORMULAS),
    panel="Options",
)


def class_command(family: Family) -> Callable[..., None]:
    """The command of one kind of data."""
    release = family.release
    shapes = " or ".join(release.shapes) if release else ""
    records = family.releases_records
    package = release.package if release else None
    publishes = {parameter.name: parameter for parameter in package.parameters} if package else {}

    def run(
        file: Annotated[Path, typer.Argument(help=f"The file with the {family.items}.", show_default=False)],
        k: Annotated[int, typer.Option("-k", "--k", help="Least weight of a group.", show_default=False)],
        out: Annotated[
            Path | None,
            typer.Option(
                help="Write item → group as .csv (internal: it links items to groups)"
                + (f", or the groups with their shapes as {shapes}." if shapes else ".")
                + (" See --release for the records themselves." if records else ""),
                show_default=False,
            ),
        ] = None,
        certificate: Annotated[
            Path | None,
            typer.Option(help="Write the whole result as JSON, for kanon verify (internal).", show_default=False),
        ] = None,
        seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
        time_limit: Annotated[
            float | None, typer.Option(help="Seconds after which a search stops with its best.", show_default=False)
        ] = None,
        form: Annotated[Format, typer.Option("--format", help="How the summary is printed.")] = Format.TABLE,
        force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
        **settings: Any,
    ) -> None:
        if out is not None:
            require_known_ending(family, out)
        release = settings.pop("release", None)
        formulas = settings.pop("formulas", "escape")
        packages = {name: settings.pop(name) for name in PACKAGES if name in settings}
        publishing = {name: settings.pop(name) for name in publishes if name in settings}
        if publishing and not packages:
            raise typer.BadParameter("it is about a package, and there is no --package.",
                                     param_hint=flag_name(next(iter(publishing))))  # fmt: skip
        inputs = [file, *(value for value in (settings | publishing).values() if isinstance(value, Path))]
        written_to = [path for path in (out, certificate, release, *packages.values()) if path is not None]
        require_writable(written_to, inputs, force)
        algorithm = settings.pop("algorithm", None)
        require = minima(settings.pop("minimum", None))
        reading = with_columns(reader_settings(family, settings), require)
        require_taken(family.algorithm(algorithm), settings)
        instance = family.reader.function(file, **reading)
        with progress_bar(f"{family.items}, k = {k:,}") as progress:
            g, proof = certified(
                instance,
                k,
                algorithm,
                require=require,
                seed=seed,
                time_limit=time_limit,
                progress=progress,
                **settings,
            )
        content = figures(instance, g, proof)
        files = chosen(instance, g, formulas, out, certificate, release)
        if packages:
            files |= packaged(instance, g, packages, formulas=formulas, **publishing)
        write_files({path: writer(output) for path, output in files.items()})
        typer.echo(as_json(content) if form is Format.JSON else summary_text(content))
        for path, output in files.items():
            typer.echo(written(path, output), err=True)

    names = one_of(family.algorithms)
    algorithm = Flag("algorithm", f"Which algorithm. Default: {family.default}.", names, panel="Options")
    files = [Flag("release", RELEASE, Path, panel="Options")] if records else []
    files += [Flag(name, words, Path, panel=PUBLISHING) for name, words in PACKAGES.items() if package]
    files += [parameter_flag(parameter, PUBLISHING) for parameter in publishes.values()]
    more = [*minimum_flags(family), *option_flags(family), *reader_flags(family)]
    return with_flags(run, [*files, FORMULAS_FLAG, algorithm, *more])
