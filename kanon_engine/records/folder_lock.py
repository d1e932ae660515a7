"""A folder that one process locks until it ends, however it ends."""

from __future__ import annotations

import os
from pathlib import Path


def held(folder: Path) -> int | None:
    """Lock a folder for this process until the returned file is closed; None if another process holds it.

    Raises
    ------
    FileNotFoundError : It is gone, or was created again meanwhile.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> lock = held(folder)
    >>> held(folder) is None
    True
    >>> os.close(lock)
    """
    import fcntl

    lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(lock), os.lstat(folder)):
            raise FileNotFoundError(folder)
    except BlockingIOError:
        os.close(lock)
        return None
    except OSError:
        os.close(lock)
        raise
    return lock
