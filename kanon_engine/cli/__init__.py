"""The command line: a command for each family, and the others that `kanon --help` lists."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from kanon_engine.cli.app import run_app, run_warm
from kanon_engine.cli.attack import run_attack
from kanon_engine.cli.audit import run_audit
from kanon_engine.cli.families import algorithms_command, class_command
from kanon_engine.cli.flags import with_flags
from kanon_engine.cli.guard import guarded
from kanon_engine.cli.intersect import run_intersect
from kanon_engine.cli.reading import commands, files_again
from kanon_engine.cli.release import run_release
from kanon_engine.cli.report import package_flags, run_report
from kanon_engine.cli.run import run_command
from kanon_engine.cli.sweep import sweep_command
from kanon_engine.cli.teaching import run_figure7, run_k_optimize, run_lessons, run_recoding
from kanon_engine.cli.verify import run_verify
from kanon_engine.version import __version__


def application() -> typer.Typer:
    """The commands for the families that are registered now."""
    app = typer.Typer(
        name="kanon",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_show_locals=False,  # locals hold people's data
        help="See what k-anonymity costs, and prove what you release.",
        callback=_common,
    )
    sweeps = typer.Typer(no_args_is_help=True, help="Compare many k and many algorithms in one table.")
    studies = typer.Typer(no_args_is_help=True, help="Repeat the papers' experiments.")

    def add(name: str, words: str, command: Callable[..., None], of: typer.Typer = app, **more: Any) -> None:
        of.command(name, help=words, **more)(guarded(command))

    for name, family in commands().items():
        add(name, family.reader.help, class_command(family))
        add(name, f"Compare many k and many algorithms: {family.items}.", sweep_command(family), sweeps)
    app.add_typer(sweeps, name="sweep")
    add("run", "Make the groups that a project file specifies.", run_command())
    claims: dict[str, tuple[str, Callable[..., None]]] = {
        "verify": ("Check a certificate against its file, or a signed bundle.", run_verify),
        "release": ("Export a result's groups, or your own records with group labels.", run_release),
        "audit": ("Show what a release of records reveals, finding by finding, and how to fix each one.", run_audit),
        "attack": ("Run attacks against a release; show what each finds and whether the release survives.", run_attack),
        "intersect": (
            "Find the counts below k that two or more releases of the same file reveal together.",
            run_intersect,
        ),
        "report": ("Write the report that an officer signs: a release's risk, stated rules and attacks.", run_report),
    }
    for name, (words, command) in claims.items():
        add(name, words, with_flags(command, [*files_again(), *(package_flags() if command is run_report else [])]))
    add("algorithms", "List the algorithms with their guarantees, sources and options.", algorithms_command())
    add("figure7", "Draw Figure 7 of the paper: the overfull ratio of Fold and Spread at every k.", run_figure7)
    add("k-optimize", "Draw Figures 6a, 6b, 7a and 7b of the K-Optimize paper, on Adult.", run_k_optimize, studies)
    add(
        "recoding",
        "Compare single cuts, boxes and full-domain levels on Adult and other tables.",
        run_recoding,
        studies,
    )
    app.add_typer(studies, name="experiments")
    add("lessons", "Write six lessons into one HTML file that needs no server and no network.", run_lessons)
    add("warm", "Compile all kernels now, so that nobody has to wait later.", run_warm)
    passed_on = {"allow_extra_args": True, "ignore_unknown_options": True}
    add("app", "Open the pages in a browser; other arguments go to streamlit.", run_app, context_settings=passed_on)
    return app


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
    application()(prog_name="kanon")
