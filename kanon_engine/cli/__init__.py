"""The command line: a command for each family, and those that `kanon --help` lists beside them."""

from __future__ import annotations

import io
import sys
from typing import Annotated

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
    """The commands, for the families that there are now."""
    app = typer.Typer(
        name="kanon",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_show_locals=False,  # locals hold people's data
        help="See what k-anonymity costs, and prove what you release.",
        callback=_common,
    )
    sweeps = typer.Typer(no_args_is_help=True, help="Many k and many algorithms in one table.")
    for name, family in commands().items():
        app.command(name, help=family.reader.help)(guarded(class_command(family)))
        sweeps.command(name, help=f"Many k and many algorithms: {family.items}.")(guarded(sweep_command(family)))
    app.add_typer(sweeps, name="sweep")
    app.command("run", help="Make the groups that a project file asks for.")(guarded(run_command()))
    again = files_again()
    app.command("verify", help="Check a certificate against its file, or a signed bundle.")(
        guarded(with_flags(run_verify, again))
    )
    app.command("release", help="What may leave of a result as a file, or of your own records with its groups.")(
        guarded(with_flags(run_release, again))
    )
    app.command("audit", help="What a release of records tells, finding by finding, with what mends each.")(
        guarded(with_flags(run_audit, again))
    )
    app.command("attack", help="Attacks that are run against a release: what each finds, and whether it survives.")(
        guarded(with_flags(run_attack, again))
    )
    app.command("intersect", help="What two or more releases of the same file tell together: which counts below k.")(
        guarded(with_flags(run_intersect, again))
    )
    app.command("report", help="What an officer signs: risk, stated rules and attacks of a release, and the report.")(
        guarded(with_flags(run_report, [*again, *package_flags()]))
    )
    app.command("algorithms", help="The algorithms with their guarantees, sources and options.")(
        guarded(algorithms_command())
    )
    app.command("figure7", help="Figure 7 of the paper: the overfull ratio of Fold and Spread at every k.")(
        guarded(run_figure7)
    )
    studies = typer.Typer(no_args_is_help=True, help="The papers' experiments.")
    studies.command("k-optimize", help="Figures 6a, 6b, 7a and 7b of the K-Optimize paper, on Adult.")(
        guarded(run_k_optimize)
    )
    studies.command("recoding", help="Single cuts, boxes and full-domain levels side by side, on Adult and others.")(
        guarded(run_recoding)
    )
    app.add_typer(studies, name="experiments")
    app.command("lessons", help="Six lessons as one HTML file, to open or mail without a server or a network.")(
        guarded(run_lessons)
    )
    app.command("warm", help="Compile all kernels now, so that nobody waits for that later.")(guarded(run_warm))
    app.command(
        "app",
        help="Open the pages in a browser; further arguments go to streamlit.",
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    )(guarded(run_app))
    return app


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"kanon {__version__}")
        raise typer.Exit


def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Entry point of `kanon` and `python -m kanon_engine`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    application()(prog_name="kanon")
