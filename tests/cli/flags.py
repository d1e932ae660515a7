"""Write `kanon_engine/cli/flags.txt`: what each command takes.

python -m tests.cli.flags
"""

from __future__ import annotations

from typer.main import get_command

from kanon_engine.cli import application
from kanon_engine.cli.usage import FLAGS


def flags_of(parameter) -> str:
    if parameter.param_type_name == "argument":
        return (parameter.name if parameter.required else f"[{parameter.name}]") + "..." * (parameter.nargs != 1)
    if parameter.secondary_opts:
        return "|".join([*parameter.opts, *parameter.secondary_opts])
    return "/".join(parameter.opts) + ("" if parameter.is_flag else "=") + "!" * parameter.required


def listing() -> str:
    """A line for each command but `app`, which passes its flags on."""
    lines = []
    for name, command in get_command(application()).commands.items():
        members = getattr(command, "commands", None)
        below = {name: command} if members is None else {f"{name} {member}": members[member] for member in members}
        lines += [" ".join([f"{path}:", *map(flags_of, one.params)]) for path, one in below.items() if path != "app"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FLAGS.write_text(listing(), "utf-8")
