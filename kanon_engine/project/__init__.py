"""A project file: the files, how they are read, and the settings; to open on a page, and for `kanon run`."""

from __future__ import annotations

import datetime
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import tomli_w

from kanon_engine.errors import Infeasible, InvalidInput
from kanon_engine.model.family import Family
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_of, get_family
from kanon_engine.model.serialize import content_digest
from kanon_engine.model.wishes import places_by_name
from kanon_engine.project.context import Context, Decision, context_from, decision_from
from kanon_engine.project.question import FORMAT, Question, as_path, as_text, question_from, required_of, wrong
from kanon_engine.project.recipe import Leaving, Looking
from kanon_engine.release.formats import FORMATS
from kanon_engine.risk.attacks.knowledge import Limits
from kanon_engine.risk.rules.facts import Facts, facts_from, facts_to_dict
from kanon_engine.validate import checked_seed, positive_k, told

HEAD = (
    "# A kanon project: open it in kanon's pages, or with “kanon run”. Of the data, it contains only names and codes, "
    "and the values of columns for which an order or a hierarchy was given.\n"
)
LARGEST = 5_000_000  # bytes
TABLES = (
    "options", "reading", "minimum", "demands", "locks", "digests", "release", "context", "facts", "review", "decision",
)  # fmt: skip
LISTS = ("moves", "names")
KNOWN = ("kanon", "family", "file", "k", "algorithm", "seed", "groups", *TABLES, *LISTS)
LOCKS = ("held", "new")
SETS = ("formats", "keep", "sensitive", "by", "quasi_identifiers")  # of a release
RECORD_ENTRIES = ("by", "quasi_identifiers", "k")  # entries only for own records
LEAVING = (*SETS, "codes_are_public", "own", "k", "package", "digests")
PACKED = ("date", "title", "source", "named_after", "rates")  # of a package
LOOKING = ("rules", "threshold", "seed", "limits", "beside")
OTHERS = (
    "After the moves by hand, the groups differ from those saved with the project: the files have changed, or the "
    "search had not finished when the project was saved."
)


@dataclass(frozen=True)
class Move:
    """Items that a person moved to another group."""

    items: tuple[str, ...]  # their ids
    to: str | None = None  # the id of an item in the group that they were moved to; None for a new group


@dataclass(frozen=True)
class ByHand:
    """What a person changed by hand."""

    held: tuple[tuple[str, ...], ...] = ()  # the ids of the items of each group that the search leaves as it is
    # the same for groups that were locked later, which only moves leave as they are
    locked: tuple[tuple[str, ...], ...] = ()
    moves: tuple[Move, ...] = ()  # in order, applied to the search's result
    # names of groups, with the ids of the items that each contained when it was named
    names: tuple[tuple[str, tuple[str, ...]], ...] = ()
    groups: str = ""  # the digest of the groups after all moves; "" if not known


@dataclass(frozen=True)
class Project(Question):
    """What a person requests for some files.

    >>> project = Project("labels", "names.csv", 11, "near-optimal", reading={"label": "name"})
    >>> project_from(project.to_toml()) == project
    True
    """

    digests: Mapping[str, str] = field(default_factory=dict)  # file → digest of its content, as far as known
    by_hand: ByHand = ByHand()
    leaving: Leaving = field(default_factory=Leaving)  # what is released, for `kanon run --release`
    context: Context = field(default_factory=Context)  # what an officer states about the release
    looking: Looking = field(default_factory=Looking)  # what is examined before the release
    facts: Facts = field(default_factory=Facts)  # what stated rules need to know and only a person can answer
    decision: Decision | None = None  # the decision on the release; None if nobody decided

    def to_toml(self) -> str:
        """As text."""
        hands, usual = self.by_hand, vars(Looking())
        decision = {} if self.decision is None else asdict(self.decision)
        leaving = {name: one for name, one in vars(self.leaving).items() if name != "given" and one not in ((), "", {})}
        content = {
            "kanon": FORMAT,
            **self.entries,
            "groups": hands.groups,
            "locks": {name: sets for name, sets in zip(LOCKS, (hands.held, hands.locked), strict=True) if sets},
            "digests": self.digests,
            "release": leaving,
            "context": {name: text for name, text in asdict(self.context).items() if text},
            "facts": facts_to_dict(self.facts),
            "review": {name: one for name, one in vars(self.looking).items() if one != usual[name]},
            "decision": {name: text for name, text in decision.items() if text},
            "moves": [{"items": move.items, "to": move.to} for move in hands.moves],
            "names": [{"name": name, "items": items} for name, items in hands.names],
        }
        return HEAD + tomli_w.dumps({name: one for name, one in _table(content).items() if one not in ({}, [], "")})

    @property
    def files(self) -> tuple[str, ...]:
        """All files that it refers to, the data first."""
        more = [value for name, value in self.reading.items() if _is_file(self.family, name, value)]
        return tuple(dict.fromkeys([self.file, *more, *([self.leaving.own] if self.leaving.own else [])]))

    def inputs(self, folder: Path) -> dict[str, bytes]:
        """The content of all these files, each of which must be there."""
        return {name: _inside(folder, name).read_bytes() for name in self.files}

    @property
    def meant(self) -> Mapping[str, Any]:
        """The reading; for a sealed project, with the values that it implied before some parameters existed."""
        return (
            get_family(self.family).reader.with_defaults(self.reading, self.reading) if self.digests else self.reading
        )

    def sealed(self, folder: Path, files: Mapping[str, bytes], reading: Mapping[str, Any]) -> Project:
        """The same with the digests of what it reads now, and of the released `files`, name → content.

        `reading` is how the instance was read, in the instance's form.
        """
        digests = {name: content_digest(data=content) for name, content in self.inputs(folder).items()}
        later = [one.name for one in get_family(self.family).reader.parameters if one.before is not None]
        added = {name: reading[name] for name in later if name in reading}
        return replace(self, reading={**added, **self.reading}, digests=digests, leaving=self.leaving.sealed(files))

    def changed(self, contents: Mapping[str, bytes]) -> list[str]:
        """A sentence for each file whose content has changed since the project was saved."""
        return [
            f"{name} has changed since the project was saved."
            for name, content in contents.items()
            if name in self.digests and content_digest(data=content) != self.digests[name]
        ]

    def read(self, folder: Path) -> tuple[Any, list[str]]:
        """The data, and a sentence for each file that has changed; `InvalidInput` if a file cannot be read this way."""
        places = {name: _inside(folder, name) for name in self.files}
        changed = self.changed({name: path.read_bytes() for name, path in places.items() if name in self.digests})
        reading = {
            name: places[value] if _is_file(self.family, name, value) else value for name, value in self.meant.items()
        }
        family = get_family(self.family)
        try:
            instance = family.reader.function(places[self.file], **reading)
        except (TypeError, AttributeError, LookupError, ArithmeticError) as error:
            raise InvalidInput(f"The section “reading” of the project does not fit {self.file}; correct it.") from error
        if family.by_hand is not None and self.by_hand.held:
            instance = family.by_hand.locked(instance, self.by_hand.held)
        return instance, changed

    def moved(self, instance: Any, g: Generalization) -> tuple[Generalization, list[str]]:
        """The search's result after all moves, each verified; and a sentence if it differs from before."""
        for number, move in enumerate(self.by_hand.moves, start=1):
            g = replayed(instance, g, move, number)
        expected = self.by_hand.groups
        return g, [OTHERS] if self.by_hand.moves and expected and expected != groups_digest(g) else []

    def leaving_of(self, instance: Any) -> Leaving:
        """What is released, with the names that groups were given."""
        return replace(self.leaving, given=self.given_names(instance))

    def given_names(self, instance: Any) -> tuple[Any, ...]:
        """The names of groups in the form for a package of files."""
        hands = get_family(self.family).by_hand
        names: tuple[Any, ...] = () if hands is None else hands.named(instance, self.by_hand.names)
        return names


def project_of(instance: Any, g: Generalization, file: str, more: Mapping[str, str]) -> Project | None:
    """The project that makes a result again; None if its data came from no file, or groups were moved by hand.

    `file` is the name of the file of the data, `more` those of further files by the reader's parameters.
    """
    family = get_family(g.family)
    if instance.reading.get("reader") != family.reader.name or g.algorithm not in family.algorithms:
        return None
    reading, options = reading_of(instance, more), dict(g.options)
    return Project(g.family, file, g.k, g.algorithm, options, g.seed, reading, **required_of(g.require))


def reading_of(instance: Any, more: Mapping[str, str], sets: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """How an instance was read, in a project's form; `more` are the names of further files by the reader's parameters.

    `sets` are wishes by their kind, if these are not all that the data were read with.
    """
    parameters = family_of(instance).reader.parameters
    wishes = [one.name for one in parameters if one.kind == "file" and not one.again]
    arguments = {name: value for name, value in instance.reading.items() if name not in ("reader", *wishes)}
    current = {name: [list(map(str, members)) for members in getattr(instance, name)] for name in wishes}
    wished = {name: members for name, members in (current if sets is None else sets).items() if members}
    return {name: value for name, value in arguments.items() if value is not None} | dict(more) | wished


def replayed(instance: Any, g: Generalization, move: Move, number: int) -> Generalization:
    """One move of a project, numbered from 1, after those before it; an error if it no longer fits."""
    hands = get_family(g.family).by_hand
    if hands is None:
        raise wrong(f"has moves, but {get_family(g.family).items} cannot be moved by hand")
    position_of = places_by_name(instance.ids.tolist())
    try:
        items = move.items if move.to is None else (*move.items, move.to)
        missing = next((item for item in items if item not in position_of), None)
        if missing is not None:
            raise InvalidInput(f"There is no {told(missing)} anymore.")
        moved: Any = hands.algorithm.function(
            instance, g, move.items, None if move.to is None else int(g.assignment[position_of[move.to]])
        )
    except (InvalidInput, Infeasible) as error:
        raise InvalidInput(f"The project's move number {number:,} can no longer be made: {error}") from error
    return moved


def groups_digest(g: Generalization) -> str:
    """Identifies the groups of a result, however they were made."""
    return content_digest(assignment=g.assignment)


def project_from(text: str | bytes) -> Project:
    """A project from the content of its file, or `InvalidInput` with one sentence about the wrong entry."""
    content = _parsed(text)
    unknown = sorted(set(content) - set(KNOWN))
    if unknown:
        raise wrong(f"has an unknown entry {told(unknown[0])}; the entries are: {', '.join(KNOWN)}")
    if content.get("kanon") != FORMAT:
        raise wrong(f"says kanon = {told(content.get('kanon'))} instead of {FORMAT}")
    tables = {part: content.get(part, {}) for part in TABLES}
    for part, table in tables.items():
        if not isinstance(table, dict):
            raise wrong(f"says {part} = {told(table)}, but it must be a section that begins with [{part}]")
    question = question_from(content | tables)
    digests = {
        as_path(path, "digests"): as_text(one, f"the digest of {path}") for path, one in tables["digests"].items()
    }
    return Project(
        **vars(question),
        digests=digests,
        by_hand=_by_hand(get_family(question.family), content, tables["locks"]),
        leaving=_leaving(tables["release"]),
        context=context_from(tables["context"]),
        looking=_looking(tables["review"]),
        facts=facts_from(tables["facts"]),
        decision=decision_from(tables["decision"]),
    )


def _leaving(content: Mapping[str, Any]) -> Leaving:
    """What is released, as far as it can be judged without the data."""
    _require_entries(content, LEAVING, "release")
    sets = {name: _names(content.get(name, []), f"“{name}” in the section “release”") for name in SETS}
    strangers = [ending for ending in sets["formats"] if ending not in FORMATS]
    if strangers:
        raise wrong(
            f"has the unknown format {told(strangers[0])} in the section “release”; choose from {', '.join(FORMATS)}"
        )
    public = content.get("codes_are_public")
    if public is not None and not isinstance(public, bool):
        raise wrong(f"says codes_are_public = {told(public)} in the section “release”, but it must be true or false")
    records = as_path(content["own"], "“own” in the section “release”") if "own" in content else ""
    least = positive_k(content["k"]) if "k" in content else None
    idle = next((name for name in RECORD_ENTRIES if content.get(name) and not records), None)
    if idle:
        raise wrong(
            f"has “{idle}” in the section “release”, but this entry applies only to your own records; name their file "
            "in the entry “own”"
        )
    digests = content.get("digests", {})
    if not isinstance(digests, dict):
        raise wrong(
            f"says digests = {told(digests)} in the section “release”, but it must be a section that begins with "
            "[release.digests]"
        )
    digest_of = {name: as_text(value, f"“{name}” in the section “release.digests”") for name, value in digests.items()}
    package = _packed(content.get("package", {}))
    if package and (records or sets["formats"]):
        raise wrong("has “package” together with “formats” or “own” in the section “release”; keep only one")
    return Leaving(**sets, codes_are_public=public, own=records, k=least, package=package, digests=digest_of)


def _packed(content: Any) -> dict[str, Any]:
    """The entries of a package."""
    if not isinstance(content, dict):
        raise wrong(
            f"says package = {told(content)} in the section “release”, but it must be a section that begins with "
            "[release.package]"
        )
    _require_entries(content, PACKED, "release.package")
    settings: dict[str, Any] = {}
    for name, value in content.items():
        what = f"“{name}” in the section “release.package”"
        dated = value.isoformat() if isinstance(value, datetime.date) else value
        settings[name] = list(_names(value, what)) if name == "rates" else as_text(dated, what)
    if content and "date" not in content:
        raise wrong(
            "has no date in the section “release.package”; without a date, the same package cannot be made again"
        )
    return settings


def _looking(content: Mapping[str, Any]) -> Looking:
    _require_entries(content, LOOKING, "review")
    rules = _names(content["rules"], "“rules” in the section “review”") if "rules" in content else None
    threshold = content.get("threshold", Looking.threshold)
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 < threshold <= 1:
        raise wrong(
            f"says threshold = {told(threshold)} in the section “review”, but it must be a risk above 0 and at most 1"
        )
    limits = _names(content.get("limits", []), "“limits” in the section “review”")
    Limits.read(limits)
    extra = _names(content.get("beside", []), "“beside” in the section “review”")
    return Looking(rules, float(threshold), checked_seed(content.get("seed", 0)), limits, extra)


def _require_entries(content: Mapping[str, Any], names: Sequence[str], part: str) -> None:
    unknown = sorted(set(content) - set(names))
    if unknown:
        listing = ", ".join(names)
        raise wrong(f"has an unknown entry {told(unknown[0])} in the section “{part}”; the entries are: {listing}")


def _names(value: Any, what: str) -> tuple[str, ...]:
    """Names of columns and the like; one may stand without brackets."""
    listing = [value] if isinstance(value, str) else value
    if not isinstance(listing, list) or not all(isinstance(one, str) for one in listing):
        raise wrong(f"gives {told(value)} as {what}, but it must be a list of names")
    return tuple(dict.fromkeys(listing))


def _by_hand(family: Family, content: Mapping[str, Any], locks: Mapping[str, Any]) -> ByHand:
    _require_entries(locks, LOCKS, "locks")
    for name, sets in locks.items():
        if not isinstance(sets, list):
            raise wrong(f"gives {told(sets)} as “{name}” in the section “locks”, but it must be a list of sets")
    frozen, locked = (
        tuple(_items(one, f"“{name}” in the section “locks”") for one in locks.get(name, [])) for name in LOCKS
    )
    rows = {part: content.get(part, []) for part in LISTS}
    for part, (least, most) in {"moves": ({"items"}, {"items", "to"}), "names": ({"name", "items"},) * 2}.items():
        good = isinstance(rows[part], list) and all(isinstance(row, dict) for row in rows[part])
        if not good or not all(least <= set(row) <= most for row in rows[part]):
            raise wrong(
                f"says {part} = {told(rows[part])}, but each entry must be a section of its own that begins with "
                f"[[{part}]] and has {' and '.join(f'“{name}”' for name in sorted(most))}"
            )
    if family.by_hand is None and any((frozen, locked, *rows.values())):
        raise wrong(f"has locks, moves or names of groups, but groups of {family.items} cannot be changed by hand")
    moves = tuple(
        Move(
            _items(row["items"], "“items” in the section “moves”"),
            as_text(row["to"], "“to” in the section “moves”") if "to" in row else None,
        )
        for row in rows["moves"]
    )
    names = tuple(
        (as_text(row["name"], "“name” in the section “names”"), _items(row["items"], "“items” in the section “names”"))
        for row in rows["names"]
    )
    return ByHand(frozen, locked, moves, names, as_text(content.get("groups", ""), "groups"))


def _items(value: Any, what: str) -> tuple[str, ...]:
    """Ids, as text."""
    good = isinstance(value, list) and all(isinstance(one, str | int) and not isinstance(one, bool) for one in value)
    if not good or not value:
        raise wrong(f"gives {told(value)} as {what}, but it must be a list of ids")
    return tuple(map(str, value))


def _parsed(text: str | bytes) -> dict[str, Any]:
    if len(text) > LARGEST:
        raise wrong(f"has more than {LARGEST:,} bytes")
    try:
        return tomllib.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text)
    except tomllib.TOMLDecodeError as error:
        raise wrong(f"is broken TOML ({error})") from error
    except (ValueError, RecursionError, OverflowError) as error:
        raise wrong("is not TOML text") from error


def _is_file(family: str, name: str, value: Any) -> bool:
    parameter = get_family(family).reader.parameter(name)
    return parameter is not None and parameter.kind == "file" and isinstance(value, str)


def _inside(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):  # a link that leads outside
        raise wrong(f"refers to {name}, which is in another folder; put the file in the project's folder")
    if not path.is_file():
        raise InvalidInput(f"The project needs {name}, which is not in {folder}; put it there.")
    return path


def _table(values: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """In TOML's types. TOML has no missing value: it is left out, and a value that contains one becomes JSON text."""
    return {str(name): _writable(value, depth) for name, value in values.items() if value is not None}


def _writable(value: Any, depth: int) -> Any:
    if isinstance(value, Mapping):
        return _table(value, depth + 1) if depth < 1 or _fits(value) else json.dumps(value, ensure_ascii=False)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_writable(entry, depth) for entry in value]
    return value


def _fits(value: Any) -> bool:
    """Whether TOML can write it: no value in it is missing."""
    if isinstance(value, Mapping):
        return all(map(_fits, value.values()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return all(map(_fits, value))
    return value is not None
