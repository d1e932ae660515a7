"""The command of each family: one file, one k, one result."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from kanon_engine.cli.counting import Counting, counting_flags
from kanon_engine.cli.files import READS, given, require_writable
from kanon_engine.cli.flags import (
    argument,
    flag_name,
    in_records,
    one_of,
    option,
    option_flags,
    require_one_use,
    require_valid_options,
    requirement_flags,
    requirements,
    with_columns,
    with_flags,
)
from kanon_engine.cli.guard import progress_bar
from kanon_engine.cli.reading import commands, reader_flags, reader_settings
from kanon_engine.cli.release import Publishing, publishing_flags, require_file_ending, write_outputs
from kanon_engine.cli.summary import Format, as_json, columns, figures
from kanon_engine.generalize import certified
from kanon_engine.model.algorithm import Algorithm
from kanon_engine.model.family import Family
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.setting import Setting
from kanon_engine.release.formats import FORMULAS, TABLE, dotted
from kanon_engine.sweep import one_more, told

RELEASE = f"Write the generalized records as {dotted(TABLE)}, without row numbers and in a new order."

FORMULAS_FLAG = Setting(
    "formulas",
    "What to do with text in a .csv that a spreadsheet would run as a formula: “escape” puts an apostrophe in front; "
    "“refuse” writes no file. Default: escape.",
    "choice",
    tuple(FORMULAS),
    panel="Options",
)


def class_command(family: Family) -> Callable[..., None]:
    """The command of one kind of data."""
    release = family.release
    shapes = " or ".join(release.shapes) if release else ""
    records = family.releases_records

    def run(
        file: Annotated[str, argument(f"The file with the {family.items}; {READS}")],
        k: Annotated[
            int, option("Minimum weight of a group: the sum of its counts, or its number of records.", "-k", "--k")
        ],
        out: Annotated[
            Path | None,
            option(
                "Write a list of items and their groups as .csv (internal)"
                + (f", or the groups with their shapes as {shapes}." if shapes else ".")
                + (" For the records themselves, use --release. For --out and --release," if records else "")
                + " “-” writes to standard output; the summary then goes to standard error."
            ),
        ] = None,
        certificate: Annotated[
            Path | None, option("Write the whole result as JSON, for “kanon verify” (internal).")
        ] = None,
        seed: Annotated[int, option("Random seed.")] = 0,
        time_limit: Annotated[float | None, option("Seconds after which a search stops with its best result.")] = None,
        form: Annotated[Format, option("Output format of the summary.", "--format")] = Format.TABLE,
        force: Annotated[bool, option("Overwrite existing files.", "--force")] = False,
        **settings: Any,
    ) -> None:
        if out is not None:
            require_file_ending(family, out)
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
        if not dry_run:
            require_writable([*paths.values(), *publishing.packages.values()], inputs, force)
        algorithm = settings.pop("algorithm", None)
        require = requirements(settings)
        reading = reader_settings(family, settings)
        if family.name == "tables":
            require_one_use(reading, require, settings.get("weights"))
        reading = with_columns(reading, require, counting.by if counting else ())
        if dry_run and counting is None:
            raise typer.BadParameter(
                "this option applies only to counted records; list their columns with --count-by.",
                param_hint="--dry-run",
            )
        if counting is not None and dry_run:
            typer.echo(counting.sql(reading))
            return
        require_valid_options(family.algorithm(algorithm), settings)
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
        write_outputs(files, content, form)

    words = f"The algorithm to use. Default: {family.default}."
    algorithm = Setting("algorithm", words, "choice", tuple(family.algorithms), panel="Options")
    files = [Setting("release", RELEASE, "file", panel="Options")] if records else []
    more = [*requirement_flags(family), *option_flags(family), *reader_flags(family), *counting_flags(family)]
    return with_flags(run, [*files, *publishing_flags(family), FORMULAS_FLAG, algorithm, *more])


def _smaller_k(instance: Any, g: Generalization) -> dict[str, Any] | None:
    """What a slightly smaller k allows, with what is needed to repeat it; None if nothing was found."""
    alternative = one_more(instance, g)
    if alternative is None:
        return None
    settings = {"algorithm": alternative.algorithm, "options": dict(alternative.options), "seed": alternative.seed}
    sizes = {
        "classes": alternative.classes,
        "smallest": int(alternative.class_weights.min()),
        "largest": alternative.cost,
    }
    return {"words": told(g, alternative), "k": alternative.k, **sizes, **settings}


# ---------------------------------------------------------------------------------------------------------------------
# `kanon algorithms`: all algorithms, with guarantees and sources.
# ---------------------------------------------------------------------------------------------------------------------


TOLD = ("title", "summary", "guarantee", "source", "complexity", "max_items")


def algorithms_command() -> Callable[..., None]:
    """The command for all registered families."""
    families = commands()

    def show(
        family: Annotated[
            one_of(families) | None,  # type: ignore
            argument("List only the algorithms for this kind of data; default: all."),
        ] = None,
        form: Annotated[Format, option("Output format of the list.", "--format")] = Format.TABLE,
    ) -> None:
        """Print every algorithm of a family, best first."""
        chosen = [one for name, one in families.items() if family in (None, name)]
        entries = [(one, entry) for one in chosen for entry in one.algorithms.values()]
        if form is Format.JSON:
            typer.echo(as_json([_record(one, entry) for one, entry in entries]))
        else:
            typer.echo("\n\n".join(_text(one, entry) for one, entry in entries))

    return show


def _record(family: Family, algorithm: Algorithm) -> dict[str, Any]:
    return {
        "command": family.reader.command,
        "family": algorithm.family,
        "name": algorithm.name,
        "default": algorithm.name == family.default,
        **{name: getattr(algorithm, name) for name in TOLD},
        "options": {
            one.name: {"kind": one.kind, "default": one.default, "choices": list(one.choices), "help": one.help}
            for one in algorithm.options
        },
    }


def _text(family: Family, algorithm: Algorithm) -> str:
    default = ", the default" if algorithm.name == family.default else ""
    rows = {"guarantee": algorithm.guarantee, "source": algorithm.source, "time": algorithm.complexity}
    if algorithm.max_items is not None:
        rows["up to"] = f"{algorithm.max_items:,} {family.items}"
    for one in algorithm.options:
        choices = f" ({', '.join(one.choices)})" if one.choices else ""
        rows[flag_name(one.name)] = f"{one.help}{choices} Default: {one.default}."
    usage = f"kanon {family.reader.command} --algorithm {algorithm.name}{default}"
    return "\n".join([usage, f"  {algorithm.summary}", columns([(f"  {name}", text) for name, text in rows.items()])])
