"""The command of each family: one file, one k, one result."""

# annotations are not postponed here: they name the kind of data that a command is made for

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from kanon_engine.cli.counting import Counting, counting_flags, what_runs
from kanon_engine.cli.files import require_writable, write_files
from kanon_engine.cli.flags import Flag, in_records, one_of, option_flags, require_taken, with_flags
from kanon_engine.cli.outputs import require_known_ending, writer, written
from kanon_engine.cli.progress import progress_bar
from kanon_engine.cli.publishing import Publishing, publishing_flags
from kanon_engine.cli.reading import reader_flags, reader_settings
from kanon_engine.cli.requirements import require_one_use, requirement_flags, requirements, with_columns
from kanon_engine.cli.standard import READS, STANDARD, given
from kanon_engine.cli.summary import Format, as_json, figures, summary_text
from kanon_engine.generalize import certified
from kanon_engine.model.family import Family
from kanon_engine.model.generalization import Generalization
from kanon_engine.release.spreadsheet import FORMULAS
from kanon_engine.sweep import one_more, told

RELEASE = "Write the generalized records as .csv, .parquet or .xlsx, without row numbers and in an order of their own."

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

    def run(
        file: Annotated[str, typer.Argument(help=f"The file with the {family.items}; {READS}", show_default=False)],
        k: Annotated[int, typer.Option("-k", "--k", help="Least weight of a group.", show_default=False)],
        out: Annotated[
            Path | None,
            typer.Option(
                help="Write item → group as .csv (internal: it links items to groups)"
                + (f", or the groups with their shapes as {shapes}." if shapes else ".")
                + (" See --release for the records themselves." if records else "")
                + " Here and there “-” writes to standard output, and the summary to standard error.",
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
        publishing = Publishing.taken(family, settings, out)
        dry_run = settings.pop("dry_run", False)
        counting = Counting.taken(family, file, settings)
        inputs = [
            *(counting.inputs if counting else []),
            Path(file),
            *(value for value in settings.values() if isinstance(value, Path)),
            *publishing.inputs,
        ]
        paths = {"out": out, "certificate": certificate, "release": release}
        written_to = [path for path in (*paths.values(), *publishing.packages.values()) if path is not None]
        if not dry_run:
            require_writable(written_to, inputs, force)
        algorithm = settings.pop("algorithm", None)
        require = requirements(settings)
        reading = reader_settings(family, settings)
        if family.name == "tables":
            require_one_use(reading, require, settings.get("weights"))
        reading = with_columns(reading, require, counting.by if counting else ())
        if dry_run:
            typer.echo(what_runs(counting, reading))
            return
        require_taken(family.algorithm(algorithm), settings)
        if counting is None:
            instance = family.reader.function(*given(file), **reading)
        else:
            instance = counting.instance(file, reading)
        if release is not None and family.release is not None and family.release.settled is not None:
            family.release.settled(instance)
        settings = in_records(family.algorithm(algorithm).options, settings, instance.total)
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
        content = figures(instance, g, proof) | {"smaller_k": _smaller_k(instance, g)}
        files = publishing.files(instance, g, paths, formulas)
        write_files({path: writer(output) for path, output in files.items()})
        typer.echo(as_json(content) if form is Format.JSON else summary_text(content), err=STANDARD in files)
        for path, output in files.items():
            typer.echo(written(path, output), err=True)

    names = one_of(family.algorithms)
    algorithm = Flag("algorithm", f"Which algorithm. Default: {family.default}.", names, panel="Options")
    files = [Flag("release", RELEASE, Path, panel="Options")] if records else []
    more = [*requirement_flags(family), *option_flags(family), *reader_flags(family), *counting_flags(family)]
    return with_flags(run, [*files, *publishing_flags(family), FORMULAS_FLAG, algorithm, *more])


def _smaller_k(instance: Any, g: Generalization) -> dict[str, Any] | None:
    """What a slightly smaller k allows, with all that makes it again; None where nothing was found."""
    found = one_more(instance, g)
    if found is None:
        return None
    return {
        "words": told(g, found),
        "k": found.k,
        "classes": found.classes,
        "smallest": int(found.class_weights.min()),
        "largest": found.cost,
        "algorithm": found.algorithm,
        "options": dict(found.options),
        "seed": found.seed,
    }
