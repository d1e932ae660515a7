"""The settings of a run, in one form for everything that stores them: a project, its recipe, a link, a scenario.

A project file has the entries of a `Question` as TOML, a link has them as texts. Both have the version `FORMAT`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import quote, unquote

from kanon_engine.errors import InvalidInput
from kanon_engine.model.family import Family
from kanon_engine.model.known import FAMILIES, get_family
from kanon_engine.model.requirement import Minimum, Requirement, demand_of, demand_text, demands_in
from kanon_engine.validate import checked_seed, positive_k, told

FORMAT = 1  # a link states the version from the second on
KINDS = {"column": str, "counts": str, "flag": bool, "choice": str}
PAIRS = {"minimum": ("minima", ":"), "demands": ("demands", "=")}  # their names in a link, and the separator in a pair


@dataclass(frozen=True)
class Question:
    """Of the same data the same question has the same answer.

    >>> asked = Question("tables", "adult", 5, "mondrian", {"metric": "DM"}, demands={"pay": "0.3:closeness"})
    >>> asked.link()
    {'sample': 'adult', 'k': '5', 'algorithm': 'mondrian', 'metric': 'DM', 'seed': '0', 'demands': 'pay=0.3:closeness'}
    """

    family: str
    file: str  # the data, as a path from the folder of the project file, or the name of a sample
    k: int
    algorithm: str
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    # the reader's arguments; a file is a path from that folder, a set of items a list
    reading: Mapping[str, Any] = field(default_factory=dict)
    minimum: Mapping[str, int] = field(default_factory=dict)  # column of a second count → least sum in a group
    # sensitive column of a table → what is required of it in every group, as `demand_text` writes it
    demands: Mapping[str, str] = field(default_factory=dict)

    @property
    def require(self) -> tuple[Requirement, ...]:
        """What is required besides k."""
        minima = (Minimum(column, m) for column, m in self.minimum.items())
        return (*minima, *(demand_of(column, text) for column, text in self.demands.items()))

    @property
    def entries(self) -> dict[str, Any]:
        """In the form of a project file."""
        return {one.name: getattr(self, one.name) for one in fields(Question)}

    def link(self, *, rules: bool = True) -> dict[str, str]:
        """For the address bar, without the reading, because only samples have links. Without `rules`, without pairs."""
        values = {"sample": self.file, "k": self.k, "algorithm": self.algorithm, **self.options, "seed": self.seed}
        encoded = {text: link_of_pairs(getattr(self, name).items(), sign) for name, (text, sign) in PAIRS.items()}
        pairs = {text: pairs for text, pairs in encoded.items() if pairs and rules}
        return {name: str(value) for name, value in values.items()} | pairs


def required_of(require: Iterable[Requirement]) -> dict[str, Any]:
    """What is required of groups besides k, in a question's form."""
    requirements = tuple(require)
    return {
        "minimum": {one.column: one.m for one in requirements if isinstance(one, Minimum)},
        "demands": {one.column: demand_text(one) for one in demands_in(requirements)},
    }


# ---------------------------------------------------------------------------------------------------------------------
# The entries of a project file. Files are untrusted: each error is a sentence about the entry.
# ---------------------------------------------------------------------------------------------------------------------


def question_from(content: Mapping[str, Any]) -> Question:
    """From the entries of a project file, in which tables are tables."""
    name = content.get("family")
    if not isinstance(name, str) or name not in FAMILIES:
        raise wrong(f"has the unknown family {told(name)}; choose one of {', '.join(FAMILIES)}")
    family = get_family(name)
    algorithm = family.algorithm(content.get("algorithm"))
    minimum = {column: Minimum(column, m).m for column, m in content["minimum"].items()}
    reading = {key: _argument(family, key, value) for key, value in content["reading"].items()}
    if minimum:
        if family.reader.parameter("columns") is None:
            raise wrong(f"requires a minimum, but files of {family.items} have no column for it")
        reading["columns"] = list(dict.fromkeys([*reading.get("columns", ()), *minimum]))
    demands = {
        column: demand_text(demand_of(column, as_text(value, f"“{column}” in the section “demands”")))
        for column, value in content["demands"].items()
    }
    if demands and not hasattr(family.instance, "sensitive"):
        raise wrong(
            f"has demands, which apply to sensitive columns, but files of {family.items} have no sensitive columns"
        )
    return Question(
        name,
        as_path(content.get("file"), "file"),
        positive_k(content.get("k")),
        algorithm.name,
        algorithm.checked_options(content["options"]),
        checked_seed(content.get("seed", 0)),
        reading,
        minimum,
        demands,
    )


def _argument(family: Family, name: str, value: Any) -> Any:
    """An argument of the reader, as far as it can be judged without the data."""
    parameter = family.reader.parameter(name)
    if parameter is None or parameter.kind == "files":
        listing = ", ".join(one.name for one in family.reader.parameters if one.kind != "files")
        raise wrong(f"has an unknown entry {told(name)} in the section “reading”; the entries are: {listing}")
    if parameter.kind == "file" and isinstance(value, str):
        return as_path(value, f"“{name}” in the section “reading”")
    problem = f"says {name} = {told(value)} in the section “reading”"
    if parameter.kind == "file" and parameter.again:
        raise wrong(f"{problem}; give the path of a file")
    if parameter.kind == "file" and isinstance(value, list):
        value = tuple(tuple(members) if isinstance(members, list) else members for members in value)
    unfit = parameter.unfit(value) if parameter.unfit else ""
    if unfit:
        raise wrong(f"{problem}, which {unfit}")
    if parameter.parse is not None and isinstance(value, str):
        try:
            return parameter.parse(value)
        except InvalidInput:
            raise
        except ValueError as error:
            raise wrong(f"{problem}: {error}") from error
    kind = KINDS.get(parameter.kind, str if parameter.parse is None and parameter.kind == "text" else object)
    if not isinstance(value, kind):
        raise wrong(f"{problem}, but it must be {'true or false' if kind is bool else 'text'}")
    return value


def as_path(value: Any, what: str) -> str:
    """A path within the folder of the project file, with slashes on every system."""
    text = as_text(value, what).strip()
    windows = PureWindowsPath(text)
    parts = PurePosixPath(windows.as_posix()).parts
    if not parts or windows.drive or windows.root or ".." in parts or "\0" in text:
        raise wrong(f"gives {told(value)} as {what}, but it must be a file in the project's folder; put the file there")
    return PurePosixPath(*parts).as_posix()


def as_text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise wrong(f"gives {told(value)} as {what}, but it must be text")
    return value


def wrong(what: str) -> InvalidInput:
    return InvalidInput(f"The project file {what}.")


# ---------------------------------------------------------------------------------------------------------------------
# Sets and pairs as texts of a link.
# ---------------------------------------------------------------------------------------------------------------------


def link_of(rows: Iterable[Iterable[Any]]) -> str:
    """Sets for a link.

    >>> link_of([["a", "b, c"], ["d;"]])
    'a,b%2C c;d%3B'
    """
    return ";".join(",".join(quote(str(item), safe=" ") for item in row) for row in rows)


def rows_of_link(text: str) -> list[list[str]]:
    """What `link_of` wrote.

    >>> rows_of_link("a,b%2C c;d%3B")
    [['a', 'b, c'], ['d;']]
    """
    rows = [[unquote(item).strip() for item in row.split(",")] for row in text.split(";")]
    return [[item for item in row if item] for row in rows if any(row)]


def link_of_pairs(pairs: Iterable[tuple[str, object]], sign: str) -> str:
    """Requirements on columns, for a link.

    >>> link_of_pairs([("cases", 11), ("low:birth", 5)], ":")
    'cases:11;low%3Abirth:5'
    """
    return ";".join(f"{quote(column, safe=' ')}{sign}{value}" for column, value in pairs)


def pairs_of_link(name: str, text: str, parse: Callable[[str, str], Any]) -> tuple[tuple[str, Any], ...]:
    """A link's "minimum" or "demands", each ``parse(column, value)``, or ValueError.

    If a column appears twice, the last one counts.

    >>> pairs_of_link("demands", "disease=3;low%3Dpay=0.3:closeness", demand_of)[1]
    ('low=pay', Closeness(column='low=pay', t=0.3))
    """
    values: dict[str, str] = {}
    for entry in filter(None, text.split(";")):
        column, there, value = entry.rpartition(PAIRS[name][1])
        if not there:
            raise ValueError(text)
        values[unquote(column)] = value
    return tuple((column, parse(column, value)) for column, value in values.items())
