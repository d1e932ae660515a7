"""What a person writes in one line for several columns."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kanon_engine.io.ordered import TEXT
from kanon_engine.io.source import Source
from kanon_engine.tables.read.ranges import parsed_range


def column_list(text: str) -> list[str]:
    """Names between commas; a name with a comma or a line break stands in double quotes.

    Example
    -------
    >>> column_list('age, "native, or not",sex')
    ['age', 'native, or not', 'sex']
    """
    return [
        name.strip()
        for name in next(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True), [])
        if name.strip()
    ]


def by_column(text: str) -> dict[str, str]:
    """Pairs of a column and something, or ValueError.

    Example
    -------
    >>> by_column("education=levels.csv,sex=sex.csv")
    {'education': 'levels.csv', 'sex': 'sex.csv'}
    """
    pairs = [part.rpartition("=") for part in column_list(text)]
    if not pairs or not all(name and equals and value for name, equals, value in pairs):
        raise ValueError(f"{text!r} is no list of pairs; write COLUMN=VALUE,COLUMN=VALUE.")
    return {name.strip(): value.strip() for name, _, value in pairs}


class Matched(dict[str, str]):
    """Files by what stands for their column, of a pattern or a folder: nobody named the columns one by one."""


def hierarchy_files(text: str) -> dict[str, str]:
    """A file for each column: pairs as `by_column` takes them, a pattern with one star, or a folder; or ValueError.

    The column is what the star stands for. In a folder it is what follows “hierarchy_” in the names of CSV files, or
    where no name has that, the whole name.
    """
    if "=" in text:
        return by_column(text)
    path = Path(text)
    before, star, after = path.name.partition("*")
    pattern = f"{re.escape(before)}(.+){re.escape(after)}"
    if path.is_dir():
        names = [one.name for one in path.iterdir() if one.suffix.lower() == ".csv"]
        called = [name for name in names if "hierarchy_" in name.lower()]
        folder, names, pattern = path, called or names, r"(?:.*hierarchy_)?(.+)\.csv"
    elif star and path.parent.is_dir():
        folder, names = path.parent, [one.name for one in path.parent.iterdir()]
    else:
        raise ValueError(f"{text!r} is no folder and no list of pairs; write COLUMN=FILE,COLUMN=FILE or NAME_*.csv.")
    found = Matched()
    for name in sorted(names):
        match = re.fullmatch(pattern, name, re.IGNORECASE)
        if match is not None and found.setdefault(match[1], str(folder / name)) != str(folder / name):
            raise ValueError(f"{text!r} fits two files for {match[1]!r}: {Path(found[match[1]]).name} and {name}.")
    if not found:
        raise ValueError(
            f"{text!r} fits no file; write COLUMN=FILE,COLUMN=FILE, NAME_*.csv, or a folder with CSV files."
        )
    return found


def ranges(text: str) -> dict[str, Any]:
    """Ranges of columns, or ValueError.

    Example
    -------
    >>> ranges("age=17:5,hours=10")
    {'age': (17, 5), 'hours': 10}
    """
    return {name: parsed_range(value) for name, value in by_column(text).items()}


def limits(text: str) -> dict[str, float]:
    """A number for each column, or ValueError.

    Example
    -------
    >>> limits("age=85,pay=2.5")
    {'age': 85, 'pay': 2.5}
    """
    numbers = {name: float(value) for name, value in by_column(text).items()}
    return {name: int(number) if number.is_integer() else number for name, number in numbers.items()}


def date_formats(text: str) -> Any:
    """Date formats of columns, or ValueError.

    Example
    -------
    >>> date_formats("born=dd/mm/yyyy,admitted=mm/dd/yyyy"), date_formats("text")
    ({'born': 'dd/mm/yyyy', 'admitted': 'mm/dd/yyyy'}, 'text')
    """
    return TEXT if text.strip() == TEXT else by_column(text)


def orders(text: str) -> Any:
    """JSON, or the file that holds it; ValueError for what is neither.

    Example
    -------
    >>> orders('{"size": ["S", "M", "L"]}')
    {'size': ['S', 'M', 'L']}
    """
    content = text if text.lstrip().startswith("{") else Source.open(Path(text)).text()[0]
    try:
        return json.loads(content)
    except ValueError as error:
        raise ValueError(f'the orders are no JSON ({error}); write them as {{"size": ["S", "M"]}}.') from None


def no_orders(value: Any) -> str:
    """What is wrong with the orders that a stranger chose, "" for nothing; other text would name a file.

    Example
    -------
    >>> no_orders({"size": ["S"]}), no_orders('{"size": ["S"]}'), no_orders("/etc/passwd")
    ('', '', 'is no table of values by column')
    """
    good = isinstance(value, Mapping) or (isinstance(value, str) and value.lstrip().startswith("{"))
    return "" if good else "is no table of values by column"
