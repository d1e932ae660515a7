"""The functions behind the commands."""

from __future__ import annotations

from collections.abc import Callable

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

Command = Callable[..., None]


def single_commands() -> dict[str, Command]:
    """The commands that are called by their name."""
    again = files_again()
    made: dict[str, Command] = {
        **{name: class_command(family) for name, family in commands().items()},
        "run": run_command(),
        "verify": with_flags(run_verify, again),
        "release": with_flags(run_release, again),
        "audit": with_flags(run_audit, again),
        "attack": with_flags(run_attack, again),
        "intersect": with_flags(run_intersect, again),
        "report": with_flags(run_report, [*again, *package_flags()]),
        "algorithms": algorithms_command(),
        "figure7": run_figure7,
        "lessons": run_lessons,
        "warm": run_warm,
        "app": run_app,
    }
    return {name: guarded(command) for name, command in made.items()}


def groups() -> dict[str, dict[str, tuple[str, Command]]]:
    """The commands below `sweep` and `experiments`, each with its sentence."""
    sweeps = {
        name: (f"Compare algorithms for {family.items} at many values of k.", guarded(sweep_command(family)))
        for name, family in commands().items()
    }
    studies = {
        "k-optimize": (
            "Draw Figures 6a, 6b, 7a and 7b of the paper on the algorithm K-Optimize, from the Adult census data.",
            guarded(run_k_optimize),
        ),
        "recoding": (
            "Compare three ways to recode a table: cuts of whole columns, boxes (one interval per column), and "
            "full-domain levels (one level of each column's hierarchy). The tables are the Adult census data and two "
            "generated ones.",
            guarded(run_recoding),
        ),
    }
    return {"sweep": sweeps, "experiments": studies}
