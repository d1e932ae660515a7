"""The registry's entry for a family: everything in which pages, commands, files and certificates differ."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kanon_engine.errors import UnknownAlgorithm
from kanon_engine.model.algorithm import Algorithm, Lazy
from kanon_engine.model.objective import Bound, LargestClass, Objective
from kanon_engine.model.run import Outcome
from kanon_engine.model.setting import Setting

TABLES = ("csv", "txt", "tsv", "xlsx", "parquet")  # endings of files that hold a table


@dataclass(frozen=True)
class Columns:
    """The columns by which records are counted where they live; the reader then takes the counts as a table."""

    titles: tuple[str, ...]  # the name of each column for a person
    parameters: tuple[str, ...]  # the reader's parameters that set them
    counts: str  # the one that sets the column of counts
    joined: str = ""  # the one for the table, if items are in a separate file; "" if there is only the table
    several: bool = False  # whether one parameter names any number of columns


@dataclass(frozen=True)
class Reader:
    """How a file becomes an instance."""

    function: Lazy  # ``function(file, *, filename=None, **parameters)``; certificates refer to it by name
    command: str  # the command that reads it
    parameters: tuple[Setting, ...] = ()  # all except the file itself and its name
    endings: tuple[str, ...] = TABLES  # endings of the files that a page accepts
    files: str = "A CSV, Excel or Parquet file."  # the supported files, for a person
    also: tuple[Lazy, ...] = ()  # other functions that read files, which a worker must support
    counted: Columns | None = None  # the columns for counts of records where they live; None if they are only read
    # ``rehearsal(shapes, tables)`` yields (function, arguments, settings): what a worker tries, on small files of every
    # kind, before untrusted files arrive
    rehearsal: Lazy | None = None
    holds: tuple[type, ...] = ()  # classes of values inside an instance that a worker also sends

    @property
    def name(self) -> str:
        return self.function.name

    def parameter(self, name: str) -> Setting | None:
        return next((parameter for parameter in self.parameters if parameter.name == name), None)

    def with_defaults(self, reading: Mapping[str, Any], files: Collection[str]) -> dict[str, Any]:
        """The arguments in a certificate or a project, with the meant values of missing ones.

        `files`: parameters that are files and are given.
        """
        defaults = {
            parameter.name: parameter.before
            for parameter in self.parameters
            if parameter.before is not None and (parameter.needs is None or parameter.needs[0] in files)
        }
        return {**defaults, **reading}


@dataclass(frozen=True)
class Package:
    """One zip of all publishable files of a result, and one of the internal files."""

    publication: (
        Lazy  # ``publication(instance, **settings)`` is a person's decisions about it, from the parameters below
    )
    outputs: Lazy  # ``outputs(instance, g, publication)`` is the `Output` of each
    files: Lazy  # ``files(instance, g, publication)`` are the publishable files by name
    read: Lazy  # ``read(instance, g, files)`` is a person's decisions about a package, from its files
    released: Lazy  # ``released(instance, g, files, publication)`` is the content of a package as its reader sees it
    # ``compared(instance, g, files, publication)`` says for each file whether the result reproduces it byte for byte
    compared: Lazy
    # ``earlier(instance, files, name)`` is the class of each item in a package that was published before, and its
    # content as its reader sees it
    earlier: Lazy
    members: tuple[str, ...]  # possible names of the files
    parameters: tuple[Setting, ...]  # the command line makes flags from these


@dataclass(frozen=True)
class Hands:
    """A person's changes by hand, which a project keeps."""

    # the algorithm that such results name; nobody can choose it. Its function is ``moved(instance, g, items, to)``
    algorithm: Algorithm
    locked: Lazy  # ``locked(instance, sets)`` is the instance in which a search keeps the classes of these items
    named: Lazy  # ``named(instance, [(name, items), …])`` is the given names for a `Package`


@dataclass(frozen=True)
class Records:
    """The released records one by one, for attackers and risk figures."""

    rows: Lazy  # ``rows(instance)`` is the row of each record in the instance's `frame`
    cells: Lazy  # ``cells(instance, g)`` is a frame of each class's values in the quasi-identifiers


@dataclass(frozen=True)
class Release:
    """The files that can be made from a result, besides the crosswalk and the certificate that every family has."""

    # ``files(instance, g, **surroundings)`` lists the `Offered` tables, each as files of several kinds
    files: Lazy
    # ``picture(instance, g, **surroundings)`` draws the publishable picture, only from the groups
    picture: Lazy | None = None
    # ``pictured(instance, g, **surroundings)`` describes that picture, and whether it may be published
    pictured: Lazy | None = None
    # ``print_picture(figure, instance, g, **surroundings)`` draws the publishable picture on a matplotlib figure, for
    # print; it returns false if nothing may be drawn
    print_picture: Lazy | None = None
    # for files with the shapes of classes, if there are any: ending of a path, such as ".gpkg", to that of the
    # `Output`
    shapes: Mapping[str, str] = field(default_factory=dict)
    # for families that release the items themselves, generalized: then people can look them up one by one
    records: Records | None = None
    package: Package | None = None
    # parameters of the package that `files` and `pictured` also take, because they decide what may be published
    asks: tuple[str, ...] = ()
    # ``frame(instance, g, keep)`` is the release as a frame, also with the settings in `asks`; if None, only the
    # groups
    frame: Lazy | None = None
    # ``audit(instance, g)`` is what released records reveal, with its `figures`, `digest` and `sentence`, or None if
    # there are too many; no function if the items themselves are not released
    audit: Lazy | None = None
    # ``settled(instance)`` raises `InvalidInput` if a person must decide something before anything is released
    settled: Lazy | None = None
    # ``released(instance, g, keep, sensitive)`` is the release as its reader sees it, a `Released`, also with the
    # settings in `asks`; if None, the groups and their weights
    released: Lazy | None = None
    # ``placed(instance, g, records, by)`` is the class of each of a person's own records, a `Placed`, also with the
    # settings in `asks`; None if no other records can be placed
    placed: Lazy | None = None
    # ``private(instance, g, frame)`` says which data on single items a table to be released contains, "" for none, also
    # with the settings in `asks`
    private: Lazy | None = None

    def asked(self, surroundings: Mapping[str, Any]) -> dict[str, Any]:
        """Those of these settings that it asks a person."""
        return {name: surroundings[name] for name in self.asks if name in surroundings}


@dataclass(frozen=True)
class Page:
    """A family's place in the app."""

    # title, icon: in the navigation; the name of a Material symbol
    title: str
    icon: str
    line: str  # the question that its page answers, shown on the first page
    heading: str  # shown above the page while there is no result
    lead: str  # one or two sentences about the page


@dataclass(frozen=True)
class Family:
    """One kind of instance with its algorithms; nothing else has to know that it exists.

    Heavy parts are given by dotted path and loaded at first use: listing a family loads no algorithm, no picture and no
    reader.
    """

    name: str
    instance: type  # the instance class
    items: str  # the name of its items: areas, points, labels
    algorithms: Mapping[str, Algorithm]  # best first
    default: str  # the algorithm to use unless there is a reason not to; it may take long
    quick: str  # an algorithm that answers at once, to show while the default searches
    verifier: Any  # the judge of its results, as defined in `kanon_engine.verification.core`
    # the detail records of its results; a certificate is read back only as these
    records: tuple[type, ...]
    # each bound that a result can name → the argument that proves it, as a sentence without its start
    bounds: Mapping[str, str]
    # ``promise(instance, k, algorithm, options, g=None) -> str``: what is proven about the cost with these options
    # before the search, in words; with the result of a run, what holds for that run. It starts with "none" if nothing
    # is
    promise: Callable[..., str]
    reader: Reader
    page: Page
    # ``lower_bound(instance, k) -> Bound``, for algorithms that give no bound; None if it depends on the options: then
    # every algorithm gives one
    lower_bound: Callable[..., Bound] | None = None
    # ``objective(algorithm, options) -> Objective``: what a run with these options minimizes
    objective: Callable[[str, Mapping[str, Any]], Objective] = lambda algorithm, options: LargestClass()
    # None if nothing may be released, and there are only the internal crosswalk and certificate
    release: Release | None = None
    # ``picture(instance, g, selected=None)`` draws a result for a page without its own parts, with one class
    # highlighted; if there is none, only the sizes of the classes are shown
    picture: Callable[..., Any] | None = None
    # options with which the quick algorithm answers at once, if its defaults take longer
    quick_options: Mapping[str, Any] = field(default_factory=dict)
    # ``merge(instance, outcome, algorithm, holds) -> Outcome`` merges classes as long as ``holds(positions)`` is false
    # for one, and updates the details; None if classes cannot be merged
    merge: Callable[..., Outcome] | None = None
    # whether `lower_bound` takes the requirements as a third argument for a better bound
    bound_takes_requirements: bool = False
    by_hand: Hands | None = None  # None if results cannot be changed by hand
    # ``prepare(instance, k, require, algorithm)`` is the input of algorithms in place of an instance: the instance
    # itself, or one whose ``restored(outcome)`` is the outcome for the original. None if they get the instance
    prepare: Callable[..., Any] | None = None
    # ``places(instance)``: whether the items are places, so that a group of them is an area where people are
    places: Callable[[Any], bool] = lambda instance: False
    # ``utility(instance, g)`` gives a `Measure` for each kind of loss in a release of this family
    utility: Lazy | None = None
    # key of an attack on an algorithm's behavior → ``attack(instance, g)``, which gives the `Attacked`
    attacks: Mapping[str, Lazy] = field(default_factory=dict)

    def algorithm(self, name: str | None) -> Algorithm:
        """The algorithm of this name (the default for None), or `UnknownAlgorithm` with a list of names."""
        chosen = self.default if name is None else name
        if not isinstance(chosen, str) or chosen not in self.algorithms:
            listing = ", ".join(self.algorithms)
            message = f"There is no algorithm {chosen!r} for {self.name}; choose one of {listing}."
            raise UnknownAlgorithm(message, parameter="algorithm", value=chosen)
        return self.algorithms[chosen]

    @property
    def makers(self) -> dict[str, Algorithm]:
        """The possible makers of a result by name: the algorithms, and a person."""
        hands = {} if self.by_hand is None else {self.by_hand.algorithm.name: self.by_hand.algorithm}
        return dict(self.algorithms) | hands

    @property
    def releases_records(self) -> bool:
        """Whether the items themselves are released, generalized."""
        return self.release is not None and self.release.records is not None

    def promised(self, instance: Any, g: Any) -> str:
        """What is proven about the cost of this result, in words."""
        if not self.makers[g.algorithm].handles_all(g.require):
            return (
                "none: groups may have been merged to satisfy the requirements, and nothing is proven for merged groups"
            )
        return self.promise(instance, g.k, g.algorithm, g.options, g)


# ---------------------------------------------------------------------------------------------------------------------
# Parameters shared by the readers of several families.
# ---------------------------------------------------------------------------------------------------------------------


def names_in(text: str) -> tuple[str, ...]:
    """Column names as a person writes them.

    >>> names_in("cases, deaths")
    ('cases', 'deaths')
    """
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise ValueError(f"{text!r} is not a list of columns such as cases,deaths.")
    return names


def _no_names(value: Any) -> str:
    fine = value is None or (
        isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(name, str) for name in value)
    )
    return "" if fine else "are not a list of names"


def _count_in(text: str) -> int:
    if not text.strip().isdecimal() or len(text) > 9:
        raise ValueError(f"{text!r} is not a whole number of at least 0.")
    return int(text)


def _no_sheet(value: Any) -> str:
    return "" if value is None or (isinstance(value, str | int) and not isinstance(value, bool)) else "is not a name"


SHEET = Setting(
    "sheet",
    "The sheet of a workbook, by name or by number, starting at 1. Default: the first sheet with a table that has the "
    "given columns.",
    unfit=_no_sheet,
    before=1,
)
ID = Setting("id", "Column of the ids.", "column", asked="Column with the codes or names of the areas")
WEIGHT = Setting("weight", "Column of the counts.", "counts")
UNIT = Setting("unit", "The word for what is counted: people, births, …")
LAYER = Setting("layer", "The layer to read, if the file has several.")
PER_RECORD = Setting("per_record", "Whether each row is one record or has a count.", "flag", off="in-column")
MERGE = Setting("merge_duplicates", "Merge rows with the same id or label.", "flag")
COLUMNS = Setting("columns", "Columns of second counts, such as cases,deaths.", parse=names_in, unfit=_no_names)
ROUNDING = Setting(
    "rounding",
    "What to do with counts that are not whole numbers: refuse them, or round each to the nearest whole number.",
    "choice",
    ("refuse", "nearest"),
    asked="What should happen to counts that are not whole numbers?",
)
HIDDEN_COUNTS = Setting(
    "hidden",
    "What to do with counts such as <5, * and empty cells: refuse them, count each as 0 or as the largest number that "
    "it can represent, or leave out the items that have them.",
    "choice",
    ("refuse", "zero", "largest", "leave-out"),
    asked="What should happen to hidden counts?",
)
HIDDEN_MOST = Setting(
    "hidden_most", "The largest count that a marker without a number, such as *, can represent.", parse=_count_in
)
