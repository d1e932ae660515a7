"""`kanon sweep`: many k and many algorithms in one table."""

# annotations are not postponed here: they depend on the kind of data that a command is made for

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import kanon_engine as kanon
from kanon_engine.cli.files import READS, STANDARD, announce_file, given, require_writable, write_files
from kanon_engine.cli.flags import (
    argument,
    option,
    requirement_flags,
    requirements,
    whole_numbers_in,
    with_columns,
    with_flags,
)
from kanon_engine.cli.guard import in_entry, progress_bar
from kanon_engine.cli.reading import reader_flags, reader_settings
from kanon_engine.cli.summary import Format, as_json, records_of, table_of
from kanon_engine.errors import InvalidInput
from kanon_engine.model.family import Family
from kanon_engine.model.words import number_text
from kanon_engine.release.formats import csv_text

if TYPE_CHECKING:
    import pandas as pd

MOST_STEPS = 100_000
MANY = (
    "Publish the table only if the counts are public: group sizes at many values of k reveal the counts of single "
    "items."
)


def sweep_command(family: Family) -> Callable[..., None]:
    """The command of one kind of data."""

    def run(
        file: Annotated[Path, argument(f"The file with the {family.items}; {READS}")],
        ks: Annotated[str | None, option("The values of k, such as 5,10,20.", "--ks")] = None,
        first: Annotated[int | None, option("The smallest k.", "--from")] = None,
        last: Annotated[int | None, option("The largest k.", "--to")] = None,
        steps: Annotated[
            int, option("How many values of k to use between --from and --to.", "--steps", min=2, max=MOST_STEPS)
        ] = 10,
        algorithms: Annotated[
            str | None,
            option(
                f"Names of algorithms, each with its options, such as {_example(family)}. Default: {family.default}."
            ),
        ] = None,
        seed: Annotated[int, option("Random seed.")] = 0,
        time_limit: Annotated[float | None, option("Time limit of each run, in seconds.")] = None,
        reuse: Annotated[
            bool,
            option(
                "--reuse: if a result for a larger k is also better at a smaller k, show it there, and say for which k "
                "it was made. --no-reuse: show the result that was computed for each k.",
                "--reuse/--no-reuse",
            ),
        ] = True,
        out: Annotated[
            Path | None, option("Write the table as .csv or .json; “-” writes .csv to standard output.")
        ] = None,
        form: Annotated[Format, option("Output format of the table.", "--format")] = Format.TABLE,
        force: Annotated[bool, option("Overwrite an existing file.", "--force")] = False,
        **settings: Any,
    ) -> None:
        values = _ks(ks, first, last, steps)
        chosen = None if algorithms is None else parse_algorithms(family, algorithms)
        inputs = [file, *(value for value in settings.values() if isinstance(value, Path))]
        if out is not None and out != STANDARD and out.suffix.lower() not in (".csv", ".json"):
            raise typer.BadParameter(f"{out.name} should end in .csv or .json.", param_hint="--out")
        require_writable([out], inputs, force)
        require = requirements(settings)
        instance = family.reader.function(*given(file), **with_columns(reader_settings(family, settings), require))
        with progress_bar("sweep") as progress:
            table = kanon.sweep(
                instance,
                values,
                chosen,
                require=require,
                seed=seed,
                time_limit=time_limit,
                progress=progress,
                reuse=reuse,
            )
        is_json = out is not None and out.suffix.lower() == ".json"
        write_files({out: lambda: as_json(records_of(table)) if is_json else csv_text(table)})
        text = as_json(records_of(table)) if form is Format.JSON else table_text(table, _cost(family, chosen))
        typer.echo(text, err=out == STANDARD)
        announce_file(out, f"(internal). {MANY}")

    return with_flags(run, [*requirement_flags(family), *reader_flags(family)])


def _example(family: Family) -> str:
    """Names with an option, for the help text."""
    option = next((entry for entry in family.algorithm(None).options if entry.choices), None)
    plain = ",".join(family.algorithms)
    return plain if option is None else f"{plain},{family.default}:{option.name}={option.choices[-1]}"


def _cost(family: Family, chosen: Mapping[str, tuple[str, Mapping[str, Any]]] | None) -> str:
    """What the costs of these algorithms count, if it is the same for all."""
    default = family.algorithm(None)
    runs = [(default.name, default.checked_options({}))] if chosen is None else chosen.values()
    nouns = {family.objective(name, options).noun for name, options in runs}
    return nouns.pop() if len(nouns) == 1 else "cost"


def _ks(ks: str | None, first: int | None, last: int | None, steps: int) -> list[int]:
    """The requested k, or a usage error."""
    if (ks is None) == (first is None and last is None):
        raise typer.BadParameter("give either --ks 5,10,20 or --from A --to B.", param_hint="k")
    if ks is not None:
        return whole_numbers_in(ks, "--ks")
    if first is None or last is None or first > last:
        raise typer.BadParameter("both are needed, and --from must not be above --to.", param_hint="--from, --to")
    return sorted({first + (last - first) * step // (steps - 1) for step in range(steps)})


def parse_algorithms(family: Family, text: str) -> Mapping[str, tuple[str, Mapping[str, Any]]]:
    """`fold,fold:order=random` as label → (name, options); an error lists the valid ones."""
    chosen: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for label in (part.strip() for part in text.split(",")):
        name, *pairs = label.split(":")
        algorithm = family.algorithm(name)
        options: dict[str, Any] = {}
        for pair in pairs:
            option, equals, value = pair.partition("=")
            if not equals:
                raise InvalidInput(f"In {label!r}, {pair!r} is not an option; write NAME:OPTION=VALUE.")
            try:  # a number, true, false or null; anything else is text
                options[option] = json.loads(value.lower())
            except ValueError:
                options[option] = value
        try:
            chosen[label] = (name, algorithm.checked_options(options))
        except InvalidInput as error:
            raise InvalidInput(f"In {label!r}: {error.told(in_entry)}") from error
    return chosen


def table_text(table: "pd.DataFrame", cost: str) -> str:
    """The table for a person; a result for another k says so at the end of its row."""
    layout = {
        "algorithm": ("algorithm", ""),
        "k": ("k", ","),
        "classes": ("groups", ">"),
        "cost": (cost, ">"),
        "lower_bound": ("lower bound", ">"),
        "overfull_ratio": ("overfull ratio", ".3f"),
        "status": ("status", ""),
        "seconds": ("seconds", ".3f"),
        "made_for": ("groups made for k =", ","),
    }
    rows = records_of(table)
    for row in rows:
        row |= {
            name: None if row[name] is None else number_text(row[name]) for name in ("classes", "cost", "lower_bound")
        }
        row["made_for"] = None if row["made_for"] == row["k"] else row["made_for"]
    if all(row["made_for"] is None for row in rows):
        del layout["made_for"]
    return table_of(rows, layout)
