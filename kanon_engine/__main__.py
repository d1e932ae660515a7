"""`kanon` and `python -m kanon_engine`: the command line; commands that do not need the engine do not load it."""

from __future__ import annotations

import sys

from kanon_engine.folders import APP, open_app
from kanon_engine.version import __version__


def main() -> None:
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        sys.stdout.write(f"kanon {__version__}\n")
    elif arguments[:1] == ["app"] and "--help" not in arguments and (APP / "app.py").is_file():
        sys.exit(open_app(arguments[1:]))
    else:
        from kanon_engine.cli import main as command_line

        command_line()


if __name__ == "__main__":
    main()
