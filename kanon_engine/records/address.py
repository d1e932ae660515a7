"""Addresses of records: which engine, where, and which table or path; a password is never part of one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from kanon_engine.errors import InvalidInput

SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?=//|local\b)")  # two letters or more: C:\people.csv is a path
SECRET = re.compile(r"(?i)password|passwd|pwd|token|secret|(?<!ssl)key$")  # in the name of a part; sslkey is a path


@dataclass(frozen=True)
class Address:
    """The parts of an address."""

    scheme: str  # in lower case: "spark", "postgresql"
    text: str  # the address without `path` and `table`, for an engine
    # path, table: "" if there is none
    path: str = ""
    table: str = ""

    @classmethod
    def of(cls, text: str) -> Address | None:
        """An address in its parts; None for a path.

        Raises
        ------
        InvalidInput : It holds a password, or unknown parts.

        >>> Address.of("spark:local?path=people.parquet")
        Address(scheme='spark', text='spark:local', path='people.parquet', table='')
        >>> Address.of("people.csv") is None
        True
        """
        match = SCHEME.match(text)
        if match is None:
            return None
        base, _, query = text.partition("?")
        parameters = parse_qs(query, keep_blank_values=True) if query else {}
        names = [*parameters, *re.findall(r"[?&;#]([^=?&;#]*)=", text)]
        try:
            parts = urlsplit(text)
            secret = parts.password is not None
            port_is_right = parts.port is None or parts.port > 0
        except ValueError:
            secret, port_is_right = False, False
        if secret or "@" in base.partition("//")[2].partition("/")[2] or any(map(SECRET.search, names)):
            raise InvalidInput(
                "The address holds a password; leave it out, and set it as KANON_PASSWORD in the environment or keep "
                "it in a keyring, so that no link, file or command history holds it."
            )
        if not port_is_right:
            raise InvalidInput(f"The {match[1].lower()} address has no valid port; correct it.")
        path, table = (parameters.pop(name, [""])[-1] for name in ("path", "table"))
        rest = "&".join(f"{name}={value}" for name, values in parameters.items() for value in values)
        return cls(match[1].lower(), f"{base}?{rest}" if rest else base, path, table)
