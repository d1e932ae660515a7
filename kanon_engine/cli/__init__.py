"""The command line: a command for each family, and the others that `kanon --help` lists."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Annotated

import typer

from kanon_engine.cli.usage import NothingWrong, listed_flags, looks_wrong, stub
from kanon_engine.processes.nursery import share_imports
from kanon_engine.version import __version__

HELP = {  # what `kanon --help` prints, without loading what the commands need
    "regions": "Group areas with counts into connected groups, each with counts of at least k in total.",
    "points": "Group points into rectangles with at least k records each.",
    "labels": "Group labels such as names or diagnoses into groups of at least k records.",
    "table": "Put the values of columns into intervals until every record looks like at least k − 1 others.",
    "clusters": "Group records around centers, at least k records around each center.",
    "run": "Make the groups that a project file specifies.",
    "verify": "Check a certificate against its file, or a signed bundle.",
    "release": "Export a result's groups, or your own records with group labels.",
    "audit": "Show what a release of records reveals, finding by finding, and how to fix each one.",
    "attack": "Run attacks against a release; show what each finds and whether the release survives.",
    "intersect": "Find the counts below k that two or more releases of the same file reveal together.",
    "report": "Write the report that an officer signs: a release's risk, stated rules and attacks.",
    "algorithms": "List the algorithms with their guarantees, sources and options.",
    "figure7": "Draw Figure 7 of Du et al. 2009: the largest group's size ÷ k at every k, for Fold and Spread.",
    "lessons": "Write six lessons on k-anonymity as one HTML file that needs no server and no network.",
    "warm": "Compile kanon's code now, so that nobody has to wait later.",
    "app": "Open kanon's pages in a browser; other arguments go to Streamlit, which serves the pages.",
}
GROUPS = {
    "sweep": "Compare algorithms at many values of k in one table.",
    "experiments": "Repeat a paper's experiments, and compare ways to recode tables.",
}
PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True}


def application() -> typer.Typer:
    """All commands, those for families that a program registered among them."""
    from kanon_engine.cli.commands import commands, groups, single_commands

    app = _application()
    words = {name: f"Group {family.items}, at least k records in each group." for name, family in commands().items()}
    single = single_commands()
    for name, sentence in {**words, **HELP}.items():
        _add(app, name, sentence, single[name])
    for group, members in groups().items():
        _add_group(app, group, members)
    return app


def _listing() -> typer.Typer:
    """The commands with a name and a sentence alone."""
    app = _application()
    for name, sentence in HELP.items():
        _add(app, name, sentence, lambda: None)
    for name, words in GROUPS.items():
        app.add_typer(typer.Typer(help=words, callback=lambda: None), name=name)
    return app


def _application() -> typer.Typer:
    return typer.Typer(
        name="kanon",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_show_locals=False,  # locals hold people's data
        help="See what k-anonymity costs, and prove that your release has it.",
        callback=_common,
    )


def _add(app: typer.Typer, name: str, sentence: str, command: Callable[..., None]) -> None:
    app.command(name, help=sentence, context_settings=PASSED_ON if name == "app" else None)(command)


def _add_group(app: typer.Typer, group: str, members: Mapping[str, tuple[str, Callable[..., None]]]) -> None:
    below = typer.Typer(no_args_is_help=True, help=GROUPS[group])
    for name, (sentence, command) in members.items():
        below.command(name, help=sentence)(command)
    app.add_typer(below, name=group)


def _version(requested: bool) -> None:
    if requested:
        typer.echo(f"kanon {__version__}")
        raise typer.Exit


def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Entry point of `kanon` and `python -m kanon_engine`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    called = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    if called != "app":  # the server has its own ways to fork
        share_imports()
    added = "kanon_engine.registry" in sys.modules  # by a program, which may have registered a family
    known = called in HELP or called in GROUPS
    if known and called != "app" and not added:
        _require_known_flags(called, sys.argv[1:])
    app = application() if added or known else _listing()
    app(prog_name="kanon")


def _require_known_flags(called: str, words: list[str]) -> None:
    """End with an error of usage for what is unknown or missing, without loading what the command needs."""
    listed = listed_flags()
    names = [word for word in words if not word.startswith("-")][: 2 if called in GROUPS else 1]
    command = " ".join(names)
    other_words = [word for word in words if word not in names]
    no_such_member = len(names) == 2 and command not in listed
    if no_such_member or looks_wrong(other_words, listed.get(command, [])):
        app = _application()
        if called in GROUPS:
            members = {name: flags for name, flags in listed.items() if name.startswith(f"{called} ")}
            _add_group(app, called, {name.split()[1]: ("", stub(flags)) for name, flags in members.items()})
        else:
            _add(app, called, HELP[called], stub(listed[called]))
        _add(app, "app", HELP["app"], lambda: None)  # with one command alone, Typer leaves its name out
        with suppress(NothingWrong):
            app(prog_name="kanon")
