"""`kanon sweep`: many k and many algorithms in one table."""

# annotations are not postponed here: they name the kind of data that a command is made for

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import kanon_engine as kanon
from kanon_engine.cli.files import READS, STANDARD, called, given, require_writable, text_writer, write_files
from kanon_engine.cli.flags import requirement_flags, requirements, with_columns, with_flags
from kanon_engine.cli.guard import in_entry, progress_bar
from kanon_engine.cli.reading import reader_flags, reader_settings
from kanon_engine.cli.summary import Format, as_json, columns
from kanon_engine.errors import InvalidInput
from kanon_engine.model.family import Family
from kanon_engine.model.words import number_text
from kanon_engine.release.formats import csv_text

if TYPE_CHECKING:
    import pandas as pd

MOST_STEPS = 100_000
MANY = "Publish it only where the counts are public: sizes of groups at many k tell the counts of single items."


def sweep_command(family: Family) -> Callable[..., None]:
    """The command of one kind of data."""

    def run(
        file: Annotated[Path, typer.Argument(help=f"The file with the {family.items}; {READS}", show_default=False)],
        ks: Annotated[str | None, typer.Option("--ks", help="Every k, as 5,10,20.", show_default=False)] = None,
        first: Annotated[int | None, typer.Option("--from", help="Least k.", show_default=False)] = None,
        last: Annotated[int | None, typer.Option("--to", help="Largest k.", show_default=False)] = None,
        steps: Annotated[
            int, typer.Option("--steps", min=2, max=MOST_STEPS, help="How many k from --from to --to.")
        ] = 10,
        algorithms: Annotated[
            str | None,
            typer.Option(
                help=f"As {_example(family)}: names, each with its options. Default: {family.default}.",
                show_default=False,
            ),
        ] = None,
        seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
        time_limit: Annotated[
            float | None, typer.Option(help="Seconds for each single run.", show_default=False)
        ] = None,
        reuse: Annotated[
            bool,
            typer.Option(
                "--reuse/--no-reuse",
                help="Show what was made for a larger k where it is better at a smaller one, which it serves too; the "
                "column made_for says so. Or show each k's own.",
            ),
        ] = True,
        out: Annotated[
            Path | None,
            typer.Option(
                help="Write the table as .csv or .json; “-” writes it as .csv to standard output.", show_default=False
            ),
        ] = None,
        form: Annotated[Format, typer.Option("--format", help="How the table is printed.")] = Format.TABLE,
        force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
        **settings: Any,
    ) -> None:
        values = _ks(ks, first, last, steps)
        chosen = None if algorithms is None else named_algorithms(family, algorithms)
        inputs = [file, *(value for value in settings.values() if isinstance(value, Path))]
        if out is not None:
            if out != STANDARD and out.suffix.lower() not in (".csv", ".json"):
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
        if out is not None:
            make = _json if out.suffix.lower() == ".json" else _csv
            write_files({out: text_writer(lambda: make(table))})
        typer.echo(
            _json(table) if form is Format.JSON else table_text(table, _cost(family, chosen)), err=out == STANDARD
        )
        if out is not None:
            typer.echo(f"Written: {called(out)} (internal). {MANY}", err=True)

    return with_flags(run, [*requirement_flags(family), *reader_flags(family)])


def _example(family: Family) -> str:
    """Names with an option, for the help."""
    option = next((entry for entry in family.algorithm(None).options if entry.choices), None)
    plain = ",".join(family.algorithms)
    return plain if option is None else f"{plain},{family.default}:{option.name}={option.choices[-1]}"


def _cost(family: Family, chosen: Mapping[str, tuple[str, Mapping[str, Any]]] | None) -> str:
    """What the costs of these algorithms count, if it is the same of all."""
    default = family.algorithm(None)
    runs = [(default.name, default.checked_options({}))] if chosen is None else chosen.values()
    nouns = {family.objective(name, options).noun for name, options in runs}
    return nouns.pop() if len(nouns) == 1 else "cost"


def _ks(ks: str | None, first: int | None, last: int | None, steps: int) -> list[int]:
    """The k asked for, or a usage error."""
    if (ks is None) == (first is None and last is None):
        raise typer.BadParameter("give either --ks 5,10,20 or --from A --to B.", param_hint="k")
    if ks is not None:
        try:
            return [int(part) for part in ks.split(",")]
        except ValueError:
            raise typer.BadParameter(f"{ks!r} is no list of whole numbers as 5,10,20.", param_hint="--ks") from None
    if first is None or last is None or first > last:
        raise typer.BadParameter("both are needed, and --from must not be above --to.", param_hint="--from, --to")
    return sorted({first + (last - first) * step // (steps - 1) for step in range(steps)})


def named_algorithms(family: Family, text: str) -> Mapping[str, tuple[str, Mapping[str, Any]]]:
    """`fold,fold:order=random` as label → (name, options).

    Raises
    ------
    InvalidInput, UnknownAlgorithm
        An unknown name, option or value; the sentence lists what there is.
    """
    chosen: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for label in (part.strip() for part in text.split(",")):
        name, *pairs = label.split(":")
        algorithm = family.algorithm(name)
        given: dict[str, Any] = {}
        for pair in pairs:
            option, equals, value = pair.partition("=")
            if not equals:
                raise InvalidInput(f"In {label!r}, {pair!r} is no option; write NAME:OPTION=VALUE.")
            given[option] = _value(value)
        try:
            chosen[label] = (name, algorithm.checked_options(given))
        except InvalidInput as error:
            raise InvalidInput(f"In {label!r}: {error.told(in_entry)}") from error
    return chosen


def _value(text: str) -> Any:
    """A number, true, false or null as such; anything else is text."""
    try:
        return json.loads(text.lower())
    except ValueError:
        return text


def _rows(table: "pd.DataFrame") -> list[dict[str, Any]]:
    """Rows of plain values, None where a figure is missing."""
    return table.astype(object).where(table.notna(), None).to_dict(orient="records")  # type: ignore[return-value]


def _json(table: "pd.DataFrame") -> str:
    return as_json(_rows(table))


def _csv(table: "pd.DataFrame") -> str:
    return csv_text(table)


def table_text(table: "pd.DataFrame", cost: str) -> str:
    """The table for a person; what was made for another k says so at the end of its row."""
    header = ["algorithm", "k", "groups", cost, "lower bound", "overfull ratio", "status", "seconds"]
    served = bool((table["made_for"] != table["k"]).any())
    header += ["made for k"] if served else []
    rows = []
    for row in _rows(table):
        sizes = [_number(row[name]) for name in ("classes", "cost", "lower_bound")]
        ratio = "" if row["overfull_ratio"] is None else f"{row['overfull_ratio']:.3f}"
        seconds = "" if row["seconds"] is None else f"{row['seconds']:.3f}"
        cells = [row["algorithm"], f"{row['k']:,}", *sizes, ratio, row["status"], seconds]
        rows.append([*cells, "" if row["made_for"] == row["k"] else f"{row['made_for']:,}"] if served else cells)
    return columns(rows, header, {1, 2, 3, 4, 5, 7, 8})


def _number(value: float | None) -> str:
    return "" if value is None else number_text(value)
