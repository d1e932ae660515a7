"""A folder for what an engine spills to the disk. The next run clears what a killed one left."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from kanon_engine.records.held import held

PREFIX = "kanon-spilled-"  # and nothing else is called so: what nobody holds is removed
CAN_HOLD = os.name == "posix"


class Spilled:
    """A new folder that only its owner may look into, held by this process.

    Attributes
    ----------
    path : Path
    """

    def __init__(self) -> None:
        self._lock: int | None = None
        if CAN_HOLD:
            _clear(Path(tempfile.gettempdir()))
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
            if not CAN_HOLD:
                return
            with suppress(FileNotFoundError):  # another run cleared it before it was held
                self._lock = held(self.path)
                if self._lock is not None:
                    return

    def remove(self) -> None:
        """The folder is gone with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _clear(place: Path) -> None:
    """Remove the folders of runs that have ended; their system let go of them."""
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError):  # another run clears it just now
            if folder.lstat().st_uid != os.getuid():
                continue
            lock = held(folder)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)
