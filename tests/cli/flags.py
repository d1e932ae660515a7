"""Write `kanon_engine/cli/flags.txt`: what each command takes.

python -m tests.cli.flags
"""

from __future__ import annotations

from typer.main import get_command

from kanon_engine.cli import application
from kanon_engine.cli.usage import FLAGS


def flags_of(parameter) -> str:
    if parameter.param_type_name == "argument":
        return parameter.name + ("..." if parameter.nargs != 1 else "")
    if parameter.secondary_opts:
        return "|".join([*parameter.opts, *parameter.secondary_opts])
    return "/".join(parameter.opts) + ("" if parameter.is_flag else "=") + "!" * parameter.required


def listing() -> str:
    """A line for each command that has flags and whose arguments are all required."""
    lines = []
    for name, command in get_command(application()).commands.items():
        parameters = getattr(command, "params", [])
        optional = [one for one in parameters if one.param_type_name == "argument" and not one.required]
        if parameters and not optional and not hasattr(command, "commands"):
            lines.append(" ".join([f"{name}:", *map(flags_of, parameters)]))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FLAGS.write_text(listing(), "utf-8")
