"""A person's signing key: made on first use, kept in their own folder, never in a bundle, a log or a link."""

from __future__ import annotations

import os
import secrets
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_engine.errors import InvalidInput

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

VARIABLE = "KANON_KEY"
NAME = "signing_key.pem"
LARGEST = 10_000  # bytes; a key has 119
OTHERS = stat.S_IRWXG | stat.S_IRWXO
ELSEWHERE = f"set {VARIABLE} to the path of the key file to use"


def key_file() -> Path:
    """Where the key is, or will be: the path in KANON_KEY, or a file in the person's settings folder."""
    path = os.environ.get(VARIABLE)
    return Path(path) if path else _settings() / "kanon" / NAME


def _settings() -> Path:
    """The person's settings folder on this system."""
    try:
        if sys.platform == "win32":
            return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Application Support"
        chosen = os.environ.get("XDG_CONFIG_HOME", "")
        return Path(chosen) if os.path.isabs(chosen) else Path.home() / ".config"
    except RuntimeError as error:
        raise InvalidInput(f"There is no home folder to keep the signing key in; {ELSEWHERE}.") from error


def signing_key() -> Ed25519PrivateKey:
    """The person's Ed25519 key (RFC 8032); it is made on first use.

    Two processes that make it at once get the same one. To back it up, copy the file; a lost key is replaced by a new
    one, whose fingerprint others must be told. `InvalidInput` if the file cannot be made or read, others can read it,
    or it does not contain such a key.
    """
    path = key_file()
    try:
        if not path.exists():
            _make(path)
        return _read(path)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InvalidInput(f"The signing key {path} cannot be made or read ({reason}); {ELSEWHERE}.") from error


def _make(path: Path) -> None:
    """Write a new key next to its place and link it there, unless another process was first."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    content = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):  # a link, because it replaces nothing and is atomic
            os.link(part, path)
    finally:
        part.unlink()


def _read(path: Path) -> Ed25519PrivateKey:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    # do not block on a pipe
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise InvalidInput(f"The signing key {path} is not a file; {ELSEWHERE}.")
        if os.name == "posix" and status.st_mode & OTHERS:
            raise InvalidInput(
                f"The signing key {path} can be read by others, who could sign with it; remove their permissions "
                f"(chmod 600), and make a new key if someone may have copied it."
            )
        content = file.read(LARGEST)
    if not content.strip():
        raise InvalidInput(f"The signing key {path} is empty; remove the file, and a new key will be created.")
    try:
        key = load_pem_private_key(content, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):  # their messages may quote the file
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise InvalidInput(
            f"The signing key {path} is broken, or is not an Ed25519 key in PEM format without a password; put your "
            "own key back, or remove the file, and a new key will be created."
        )
    return key


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    """The 32 bytes that everyone may know."""
    return key.public_key().public_bytes_raw()
