"""Check a bundle of kanon, or a certificate alone. Python 3.9 is all that is needed.

    python check [BUNDLE.zip, folder or certificate.json] [--instance FILE] [--key HEX]

Without a path it checks the folder around this one, that of an unpacked bundle. It prints one line per check: "ok",
"FAILED", "not checked" with the reason, or "note" with what the bundle does not promise. It writes and sends nothing.
Exit code 0 if nothing failed, 1 if something did, 2 if a file or the command cannot be read.

If you check a bundle with the folder inside it, you trust whoever made the bundle. A careful reader takes this folder
from a release of kanon, where it is kanon_engine/verification, and compares the two.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

LONGEST = 2_000  # characters of a line that a certificate may make
USAGE = "python check [BUNDLE.zip, folder or certificate.json] [--instance FILE] [--key HEX]\n"


def package() -> Any:
    """Load the files next to this one as a package, without adding a folder to the import path."""
    sys.dont_write_bytecode = True  # a bundle has no file that its manifest does not list
    folder, name = os.path.dirname(os.path.abspath(__file__)), "kanon_check"
    spec: Any = importlib.util.spec_from_file_location(
        name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    importlib.import_module(f"{name}.bundle")
    return sys.modules[name]


def main(arguments: Sequence[str], write: Callable[[str], Any] = sys.stdout.write) -> int:
    """Check the bundle or the certificate that the arguments give."""
    options: dict[str, str] = {}
    paths: list[str] = []
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        if word in ("--instance", "--key") and waiting:
            options[word] = waiting.pop(0)
        elif word.startswith("-") or paths:
            write(USAGE)
            return 2
        else:
            paths.append(word)
    check = package()
    path = paths[0] if paths else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    bundle = check.bundle.Bundle(check.FAMILIES, options.get("--key"))
    marks: Counter[str] = Counter()
    try:
        for line in bundle.lines(path, options.get("--instance")):
            marks[line.mark] += 1
            write(f"{line.mark:<12}{line.name}: {check.core.printable(line.detail)[:LONGEST]}\n")
    except OSError as error:
        write(f"{error.filename} cannot be read: {error.strerror}.\n")
        return 2
    noted = f"; notes: {marks['note']:,}" if marks["note"] else ""
    write(f"\n{marks['ok']:,} ok, {marks['FAILED']:,} FAILED, {marks['not checked']:,} not checked{noted}.\n")
    return 1 if marks["FAILED"] else 0


if __name__ == "__main__":
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    sys.exit(main(sys.argv[1:]))
