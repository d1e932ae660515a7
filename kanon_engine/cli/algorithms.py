"""`kanon algorithms`: what there is, with guarantees and sources."""

# annotations are not postponed here: they name the families that there are

from collections.abc import Callable
from typing import Annotated, Any

import typer

from kanon_engine.cli.flags import one_of
from kanon_engine.cli.reading import commands
from kanon_engine.cli.summary import Format, as_json, columns
from kanon_engine.model.algorithm import Algorithm, Option
from kanon_engine.model.family import Family

ONLY = "Only these; all when left out."


def algorithms_command() -> Callable[..., None]:
    """The command for the families that there are."""
    known = commands()

    def show(
        family: Annotated[one_of(known) | None, typer.Argument(help=ONLY, show_default=False)] = None,  # type: ignore
        form: Annotated[Format, typer.Option("--format", help="How they are printed.")] = Format.TABLE,
    ) -> None:
        """Print every algorithm of a family, best first."""
        chosen = [one for name, one in known.items() if family in (None, name)]
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
        "title": algorithm.title,
        "summary": algorithm.summary,
        "guarantee": algorithm.guarantee,
        "source": algorithm.source,
        "complexity": algorithm.complexity,
        "max_items": algorithm.max_items,
        "options": {option.name: _option_record(option) for option in algorithm.options},
    }


def _option_record(option: Option) -> dict[str, Any]:
    return {"kind": option.kind, "default": option.default, "choices": list(option.choices), "help": option.help}


def _text(family: Family, algorithm: Algorithm) -> str:
    default = ", the default" if algorithm.name == family.default else ""
    rows = {"guarantee": algorithm.guarantee, "source": algorithm.source, "time": algorithm.complexity}
    if algorithm.max_items is not None:
        rows["up to"] = f"{algorithm.max_items:,} {family.items}"
    for option in algorithm.options:
        choices = f" ({', '.join(option.choices)})" if option.choices else ""
        rows[f"--{option.name.replace('_', '-')}"] = f"{option.help}{choices} Default: {option.default}."
    named = f"kanon {family.reader.command} --algorithm {algorithm.name}{default}"
    return "\n".join([named, f"  {algorithm.summary}", columns([(f"  {name}", text) for name, text in rows.items()])])
