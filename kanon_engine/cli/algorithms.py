"""`kanon algorithms`: what there is, with guarantees and sources."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kanon_engine.cli.flags import one_of
from kanon_engine.cli.reading import COMMANDS, Kind
from kanon_engine.cli.summary import Format, as_json
from kanon_engine.model.algorithm import Algorithm, Option

Name = one_of(COMMANDS)


def show_algorithms(
    family: Annotated[Name | None, typer.Argument(help="Only these; all when left out.", show_default=False)] = None,  # type: ignore[valid-type]
    form: Annotated[Format, typer.Option("--format", help="How they are printed.")] = Format.TABLE,
) -> None:
    """Print every algorithm of a family, best first."""
    kinds = [kind for name, kind in COMMANDS.items() if family in (None, name)]
    if form is Format.JSON:
        typer.echo(as_json([_record(kind, entry) for kind in kinds for entry in kind.family.algorithms.values()]))
    else:
        typer.echo("\n\n".join(_text(kind, entry) for kind in kinds for entry in kind.family.algorithms.values()))


def _record(kind: Kind, algorithm: Algorithm) -> dict[str, Any]:
    return {
        "command": kind.name,
        "family": algorithm.family,
        "name": algorithm.name,
        "default": algorithm.name == kind.family.default,
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


def _text(kind: Kind, algorithm: Algorithm) -> str:
    default = ", the default" if algorithm.name == kind.family.default else ""
    lines = [
        f"kanon {kind.name} --algorithm {algorithm.name}{default}",
        f"  {algorithm.summary}",
        f"  guarantee   {algorithm.guarantee}",
        f"  source      {algorithm.source}",
        f"  time        {algorithm.complexity}",
    ]
    if algorithm.max_items is not None:
        lines.append(f"  up to       {algorithm.max_items:,} {kind.items}")
    for option in algorithm.options:
        choices = f" ({', '.join(option.choices)})" if option.choices else ""
        lines.append(f"  --{option.name.replace('_', '-'):<10}{option.help}{choices} Default: {option.default}.")
    return "\n".join(lines)
