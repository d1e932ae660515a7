"""What the registry knows of a family: everything that pages, commands, files and certificates differ in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kanon_engine.errors import UnknownAlgorithm
from kanon_engine.model.algorithm import Algorithm, Lazy
from kanon_engine.model.objective import Bound, LargestClass, Objective
from kanon_engine.model.run import Outcome
from kanon_engine.model.setting import Setting

TABLES = ("csv", "txt", "tsv", "xlsx", "parquet")  # endings of the files that hold a table


@dataclass(frozen=True)
class Columns:
    """By what records are counted where they live; the reader then takes the counts as a table."""

    titles: tuple[str, ...]  # what each column is called, for a person
    parameters: tuple[str, ...]  # those of the reader that name them
    counts: str  # that which names the column of counts
    joined: str = ""  # that which takes the table, where items stand in a file of their own; "" where the table is all
    several: bool = False  # whether one parameter names any number of columns


@dataclass(frozen=True)
class Reader:
    """How a file becomes an instance."""

    function: Lazy  # ``function(file, *, filename=None, **parameters)``; a certificate calls it by its name
    # command, help: the command that it is read by, and one line on what that does
    command: str
    help: str
    parameters: tuple[Setting, ...] = ()  # all but the file itself and what to call it
    endings: tuple[str, ...] = TABLES  # of the files that a page takes
    files: str = "A CSV, Excel or Parquet file."  # which files are understood, for a person
    also: tuple[Lazy, ...] = ()  # further functions that read files, for which a worker must be ready
    counted: Columns | None = None  # by what records are counted where they live; None where they are only read
    # ``rehearsal(shapes, tables)`` yields (function, arguments, settings): what a worker tries before files of
    # strangers come, on small files of every kind
    rehearsal: Lazy | None = None
    holds: tuple[type, ...] = ()  # classes of values inside an instance that a worker sends besides

    @property
    def name(self) -> str:
        return self.function.name

    def parameter(self, name: str) -> Setting | None:
        return next((parameter for parameter in self.parameters if parameter.name == name), None)

    def as_written(self, reading: Mapping[str, Any], given: Collection[str]) -> dict[str, Any]:
        """The arguments that a certificate or a project holds, and what it meant where it does not name one.

        `given`: parameters that are files and are given.
        """
        meant = {
            parameter.name: parameter.before
            for parameter in self.parameters
            if parameter.before is not None and (parameter.needs is None or parameter.needs[0] in given)
        }
        return {**meant, **reading}


@dataclass(frozen=True)
class Package:
    """One zip of everything that may be published of a result, and one of what stays inside."""

    publication: Lazy  # ``publication(instance, **settings)`` is what a person decides of it, from the parameters below
    outputs: Lazy  # ``outputs(instance, g, publication)`` is the `Output` of each
    files: Lazy  # ``files(instance, g, publication)`` are those that may be published, by their names
    read: Lazy  # ``read(instance, g, files)`` is what a person decided of a package, as its files tell it
    released: Lazy  # ``released(instance, g, files, publication)`` is what a package tells, as its reader has it
    # ``compared(instance, g, files, publication)`` says of each file whether the result makes it byte for byte
    compared: Lazy
    # ``earlier(instance, files, name)`` is the class of each item in a package that was published before, and what its
    # reader has
    earlier: Lazy
    members: tuple[str, ...]  # what the files can be called
    parameters: tuple[Setting, ...]  # from which the command line makes flags


@dataclass(frozen=True)
class Hands:
    """What a person changes by hand, and a project keeps."""

    # what results say of who made them; nobody can choose it. Its function is ``moved(instance, g, items, to)``
    algorithm: Algorithm
    locked: Lazy  # ``locked(instance, sets)`` is the instance whose classes of these items a search leaves as they are
    named: Lazy  # ``named(instance, [(name, items), …])`` is what a `Package` takes as given names


@dataclass(frozen=True)
class Records:
    """What attackers and figures of risk need of released records, each by itself."""

    rows: Lazy  # ``rows(instance)`` is the row of each record in the instance's `frame`
    cells: Lazy  # ``cells(instance, g)`` is a frame of what each class shows in the quasi-identifiers


@dataclass(frozen=True)
class Release:
    """The files that can be made of a result, besides the crosswalk and the certificate that every family has."""

    # ``files(instance, g, **surroundings)`` lists what is `Offered`: tables, each as files of several kinds
    files: Lazy
    # ``picture(instance, g, **surroundings)`` draws what may be published, from the groups alone
    picture: Lazy | None = None
    # ``pictured(instance, g, **surroundings)`` says what is in that picture, and whether it may be published
    pictured: Lazy | None = None
    # ``print_picture(figure, instance, g, **surroundings)`` draws what may be published on a figure of matplotlib, for
    # paper; it is false where nothing may be drawn
    print_picture: Lazy | None = None
    # of the files with the shapes of classes, if there are any: ending of a path, such as ".gpkg", to that of the
    # `Output`
    shapes: Mapping[str, str] = field(default_factory=dict)
    # where the items themselves are released, generalized: then people can look them up one by one
    records: Records | None = None
    package: Package | None = None
    # parameters of the package that `files` and `pictured` take too, for they decide what may be published
    asks: tuple[str, ...] = ()
    # ``frame(instance, g, keep)`` is what may leave as a frame, with what the release `asks` too; the groups alone
    # where it is None
    frame: Lazy | None = None
    # ``audit(instance, g)`` is what released records reveal, with its `figures`, `digest` and `sentence`, or None where
    # they are too many; no function where the items themselves are not released
    audit: Lazy | None = None
    # ``settled(instance)`` raises `InvalidInput` where a person must say something before anything is released
    settled: Lazy | None = None
    # ``released(instance, g, keep, sensitive)`` is what leaves as its reader has it, a `Released`, with what the
    # release `asks` too; the groups and their weights where it is None
    released: Lazy | None = None
    # ``placed(instance, g, records, by)`` is in which class each record of a person's own is, a `Placed`, with what the
    # release `asks` too; None where no further record can be placed
    placed: Lazy | None = None
    # ``private(instance, g, frame)`` says what of single items stands in a table that is to leave, "" for nothing, with
    # what the release `asks` too
    private: Lazy | None = None

    def asked(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """What of these it asks a person."""
        return {name: said[name] for name in self.asks if name in said}


@dataclass(frozen=True)
class Page:
    """Where a family stands in the app."""

    # title, icon: in the navigation; the name of a Material symbol
    title: str
    icon: str
    line: str  # the question that its page answers, for the first page
    heading: str  # above the page, while there is no result
    lead: str  # one or two sentences on what the page does


@dataclass(frozen=True)
class Family:
    """One kind of instance with its algorithms; nothing outside of it has to be told that it exists.

    What is heavy is named by its dotted path and loaded at first use: knowing of a family loads no algorithm, no
    picture and no reader.
    """

    name: str
    instance: type  # the instance class
    items: str  # what its items are called: areas, points, labels
    algorithms: Mapping[str, Algorithm]  # best first
    default: str  # the algorithm to use where nothing is known against it; it may take its time
    quick: str  # an algorithm that answers at once, to look at while the default searches
    verifier: Any  # what judges its results, as `kanon_engine.verification.core` says
    # the records of details that its results have; a certificate is read back as these and no others
    records: tuple[type, ...]
    # each bound that a result can name → the argument that proves it, as a sentence without its beginning
    bounds: Mapping[str, str]
    # ``promise(instance, k, algorithm, options, g=None) -> str``: what is proven of the cost with these options before
    # the search, in words; with the result of a run, what holds for that run. It begins with "none" where nothing is
    promise: Callable[..., str]
    reader: Reader
    page: Page
    # ``lower_bound(instance, k) -> Bound``, for algorithms that say no bound; None where it depends on the options:
    # then every algorithm says one
    lower_bound: Callable[..., Bound] | None = None
    # ``objective(algorithm, options) -> Objective``: what a run with these options is to make small
    objective: Callable[[str, Mapping[str, Any]], Objective] = lambda algorithm, options: LargestClass()
    # None where nothing may leave but what stays inside: the crosswalk and the certificate
    release: Release | None = None
    # ``picture(instance, g, selected=None)`` draws a result for a page without parts of its own, one class standing
    # out; the sizes of the classes are shown alone where there is none
    picture: Callable[..., Any] | None = None
    # options with which the quick algorithm answers at once, where its defaults take longer
    quick_options: Mapping[str, Any] = field(default_factory=dict)
    # ``merge(instance, outcome, algorithm, holds) -> Outcome`` merges classes as long as ``holds(positions)`` is false
    # of one, and keeps the details true; None where classes cannot be merged
    merge: Callable[..., Outcome] | None = None
    # whether `lower_bound` takes the requirements as a third argument, for a better bound
    bound_takes_requirements: bool = False
    by_hand: Hands | None = None  # None where nobody changes a result
    # ``prepare(instance, k, require, algorithm)`` is what algorithms are given in place of an instance: the instance
    # itself, or one whose ``restored(outcome)`` is the outcome of that. None where they are given the instance
    prepare: Callable[..., Any] | None = None
    # ``places(instance)``: whether the items lie on the ground, so that a group of them is an area where people are
    places: Callable[[Any], bool] = lambda instance: False
    # ``utility(instance, g)`` gives the `Measure` of each thing that a release of this family loses
    utility: Lazy | None = None
    # key of an attack on what an algorithm does → ``attack(instance, g)``, which gives the `Attacked`
    attacks: Mapping[str, Lazy] = field(default_factory=dict)

    def algorithm(self, name: str | None) -> Algorithm:
        """The algorithm of this name (the default for None), or `UnknownAlgorithm` with a list."""
        chosen = self.default if name is None else name
        if not isinstance(chosen, str) or chosen not in self.algorithms:
            listing = ", ".join(self.algorithms)
            message = f"There is no algorithm {chosen!r} for {self.name}; choose one of {listing}."
            raise UnknownAlgorithm(message, parameter="algorithm", value=chosen)
        return self.algorithms[chosen]

    @property
    def makers(self) -> dict[str, Algorithm]:
        """Who may have made a result, by name: the algorithms, and a person."""
        hands = {} if self.by_hand is None else {self.by_hand.algorithm.name: self.by_hand.algorithm}
        return dict(self.algorithms) | hands

    @property
    def releases_records(self) -> bool:
        """Whether the items themselves are released, generalized."""
        return self.release is not None and self.release.records is not None

    def promised(self, instance: Any, g: Any) -> str:
        """What is proven of the cost of this result, in words."""
        if not self.makers[g.algorithm].handles_all(g.require):
            return "none: groups may have been merged to satisfy what is required, and no ceiling counts that"
        return self.promise(instance, g.k, g.algorithm, g.options, g)


# ---------------------------------------------------------------------------------------------------------------------
# Parameters that the readers of several families have.
# ---------------------------------------------------------------------------------------------------------------------


def names_in(text: str) -> tuple[str, ...]:
    """Names of columns as a person writes them.

    >>> names_in("cases, deaths")
    ('cases', 'deaths')
    """
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise ValueError(f"{text!r} is no list of columns as cases,deaths.")
    return names


def _no_names(value: Any) -> str:
    fine = value is None or (
        isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(name, str) for name in value)
    )
    return "" if fine else "are no list of names"


def _count_in(text: str) -> int:
    if not text.strip().isdecimal() or len(text) > 9:
        raise ValueError(f"{text!r} is no whole number of at least 0.")
    return int(text)


def _no_sheet(value: Any) -> str:
    return "" if value is None or (isinstance(value, str | int) and not isinstance(value, bool)) else "is no name"


SHEET = Setting(
    "sheet",
    "Which sheet of a workbook, by its name or its number from 1. When left out, the first that holds a table with the "
    "columns that are named.",
    unfit=_no_sheet,
    before=1,
)
ID = Setting("id", "Column of the ids.", "column", asked="The codes or names of the areas stand in")
WEIGHT = Setting("weight", "Column of the counts.", "counts")
UNIT = Setting("unit", "What the counts count, for sentences: people, births, …")
LAYER = Setting("layer", "Which layer, of a file with several.")
PER_RECORD = Setting("per_record", "Each row is one record, or each row has a count.", "flag", off="in-column")
MERGE = Setting("merge_duplicates", "Take rows with the same id or label as one.", "flag")
COLUMNS = Setting("columns", "Columns of second counts, as cases,deaths.", parse=names_in, unfit=_no_names)
ROUNDING = Setting(
    "rounding",
    "Counts that are no whole numbers: refuse them, or round each to the nearest.",
    "choice",
    ("refuse", "nearest"),
    asked="What shall become of counts that are no whole numbers?",
)
HIDDEN_COUNTS = Setting(
    "hidden",
    "Counts such as <5, * and empty cells: refuse them, take each as 0 or as the largest that it may stand for, or "
    "leave out what they count.",
    "choice",
    ("refuse", "zero", "largest", "leave-out"),
    asked="What shall become of counts that are hidden?",
)
HIDDEN_MOST = Setting(
    "hidden_most", "The largest count that a mark without a number, such as *, may stand for.", parse=_count_in
)
