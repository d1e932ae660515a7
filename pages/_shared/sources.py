"""What a person wants of records where they live: where these are, and which columns."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from kanon_engine.errors import InvalidInput
from kanon_engine.records.address import Address


@dataclass(frozen=True)
class Field:
    """Which columns of the records a person is asked for."""

    title: str
    help: str = ""
    # of `kanon_engine.records.count`, that takes these columns, or none; "" where the records are counted by them
    option: str = ""
    several: bool = False  # whether it takes as many columns as a person likes


@dataclass(frozen=True)
class Asked:
    """What a person wants to have counted."""

    address: str
    table: str | None  # of a database
    columns: tuple[tuple[Field, tuple[str, ...]], ...] = ()  # tuple of (Field, columns)
    unit: str | None = None  # what a record is called

    @property
    def place(self) -> Asked:
        """Where the records are, and nothing of what is wanted of them."""
        return replace(self, columns=(), unit=None)

    @property
    def by(self) -> str | tuple[str, ...] | list[str]:
        """What is counted, as `count` takes it."""
        counted = [(field, names) for field, names in self.columns if not field.option]
        names = [name for _, own in counted for name in own]
        if any(field.several for field, _ in counted):
            return names
        return names[0] if len(names) == 1 else tuple(names)

    @property
    def options(self) -> dict[str, Any]:
        """Of `count`, columns by option; none that is empty."""
        return {field.option: list(names) for field, names in self.columns if field.option and names}

    @property
    def words(self) -> str:
        """What is being done."""
        names = dict.fromkeys(name for _, own in self.columns for name in own)
        return f"Counting the records by {', '.join(names)}"


def pick_field(field: Field, columns: Sequence[str], key: str) -> tuple[str, ...]:
    """A widget for the columns of a field, and what is picked in it; those of other records are forgotten."""
    held = st.session_state.get(key)
    help = field.help or None
    if field.several:
        kept = [name for name in held or () if name in columns]
        if kept != held:
            st.session_state[key] = kept
        st.multiselect(field.title, columns, key=key, help=help, persist_state="session")
    else:
        if held not in columns:
            st.session_state[key] = None
        st.selectbox(field.title, columns, index=None, key=key, help=help, persist_state="session")
    return picked_field(field, key)


def picked_field(field: Field, key: str) -> tuple[str, ...]:
    """What is picked there."""
    held = st.session_state[key]
    return tuple(held) if field.several else () if held is None else (held,)


# ---------------------------------------------------------------------------------------------------------------------
# Which records on the server's side a visitor may have counted: all on a machine of one's own, else what is named.
#
# A file that a visitor uploads is the visitor's. Records where they live are read with the rights of the server. A
# page
# that took any path or address from anybody would hand over the server's files and databases. What is released of such
# records is a new file on the server's side: who may read does not write yet, so folders for releases are named apart.
# ---------------------------------------------------------------------------------------------------------------------


VARIABLE = "KANON_RECORDS"  # folders and addresses that pages may count, separated by semicolons
RELEASES = "KANON_RELEASES"  # folders that pages may write releases into, separated by semicolons
LOOPBACK = ("localhost", "127.0.0.1", "::1")
PASSED_ON = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via")  # by a server in between


@dataclass(frozen=True)
class Permission:
    """What pages may count, and where they may write what is released of it.

    Example
    -------
    >>> Permission(named=("postgresql://reader@db/births",)).refusal("postgresql://reader@db/deaths")
    'This server counts only what KANON_RECORDS names: postgresql://reader@db/births.'
    """

    anything: bool = False  # whatever the server itself may read and write
    named: tuple[str, ...] = ()  # else these addresses, these files, and what is in these folders
    releases: tuple[str, ...] = ()  # releases go into these folders then

    def __bool__(self) -> bool:
        return self.anything or bool(self.named)

    def refusal(self, address: str) -> str:
        """Why this may not be counted; "" where it may.

        An address must be one that is named, letter for letter, for its query can name a path. Of a path it counts
        where it leads to.
        """
        if self.anything or address in self.named:
            return ""
        if not _is_address(address) and any(_within(address, one) for one in self.named if not _is_address(one)):
            return ""
        return f"This server counts only what {VARIABLE} names: {', '.join(self.named)}."

    def folders(self, address: str) -> tuple[str, ...]:
        """Folders into which records of this address may be released: those that are not the records' own.

        Example
        -------
        >>> Permission(named=("births.csv",), releases=("/", "/no/such/folder")).folders("births.csv")
        ('/',)
        """
        return tuple(one for one in self.releases if _is_folder(one) and not _within(one, address))

    def release_refusal(self, address: str, destination: str) -> str:
        """Why records of this address may not be released into this file; "" where they may.

        A file counts where it would be, links followed. With no file, whether there is any place for one.
        """
        folders = self.folders(address)
        if self.anything or (folders and not destination) or any(_within(destination, one) for one in folders):
            return ""
        if not folders:
            return f"This server writes no release of these records: {RELEASES} names no folder for it."
        return f"This server writes only into the folders that {RELEASES} names: {', '.join(folders)}."


def permission() -> Permission:
    """What this visitor may have counted, and where a release of it may go."""
    if VARIABLE in os.environ:
        return Permission(named=_listed(VARIABLE), releases=_listed(RELEASES))
    return Permission(anything=_alone())


def _listed(variable: str) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, os.environ.get(variable, "").split(";"))))


def is_local(bound: str | None, visitor: str | None, headers: Mapping[str, str]) -> bool:
    """Whether a visit comes from a browser on the machine of the server, as far as a server can tell.

    Parameters
    ----------
    bound : The address that the server listens at; None for every one of the machine.
    visitor : That of the visitor; None on the same machine.
    headers : Of the visit. A page of somebody else's and a server in between show in them.

    Example
    -------
    >>> own = {"Host": "localhost:8501", "Origin": "http://localhost:8501"}
    >>> is_local("localhost", None, own), is_local(None, None, own), is_local("localhost", None, own | {"Via": "1.1 x"})
    (True, False, False)
    """
    hosts = [f"//{headers.get('Host', '')}", headers.get("Origin", "")]
    return (
        bound in LOOPBACK
        and visitor is None
        and all(_host(address) in LOOPBACK for address in hosts)
        and not any(headers.get(name) for name in PASSED_ON)
    )


def _alone() -> bool:
    bound = st.get_option("server.address")
    return is_local(None if bound is None else str(bound), st.context.ip_address, st.context.headers)


def _is_address(text: str) -> bool:
    try:
        return Address.of(text) is not None
    except InvalidInput:  # one that holds a password
        return True


def _is_folder(path: str) -> bool:
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _within(path: str, folder: str) -> bool:
    try:
        return Path(path).resolve().is_relative_to(Path(folder).resolve())
    except (OSError, ValueError, RuntimeError):
        return False
