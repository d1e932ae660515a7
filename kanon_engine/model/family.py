"""What the registry knows of a family: everything that pages, commands, files and certificates differ in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kanon_engine.errors import UnknownAlgorithm
from kanon_engine.model.algorithm import Algorithm, Lazy
from kanon_engine.model.objective import Bound, LargestClass, Objective
from kanon_engine.model.run import Outcome

TABLES = ("csv", "txt", "tsv", "xlsx", "parquet")  # endings of the files that hold a table


@dataclass(frozen=True)
class Parameter:
    """A parameter of a reader, from which the command line makes a flag and a page a widget.

    Attributes
    ----------
    name : str
        Keyword of the reader.
    help : str
        One line for a person.
    kind : str
        "text", "column" (the name of one), "counts" (that of a column with counts), "flag", "choice", "file", or
        "files" (a file for each of some columns).
    choices : tuple of str
        The allowed values of a "choice".
    off : str
        What a flag is called when it is switched off; it cannot be when this is "".
    parse : callable or None
        ``parse(text)`` makes the reader's argument of what a person writes; ValueError for what is none.
    again : str
        Of a file whose content no certificate holds: what `kanon verify`, which has to be given the file again, says
        of it.
    needs : pair of str or None
        Of a parameter that speaks of such a file: its name, and what is said where it is not given again.
    unfit : callable or None
        ``unfit(value)`` says what is wrong with the value that a certificate holds, "" for nothing: a certificate comes
        from anybody, and only files that a person names are opened.
    asked : str
        How a page asks for it where nobody can tell which column is meant.
    before : object
        What files were read with before there was this parameter, so that certificates that do not name it still
        verify; None where that is the default.
    """

    name: str
    help: str
    kind: str = "text"
    choices: tuple[str, ...] = ()
    off: str = ""
    parse: Callable[[str], Any] | None = None
    again: str = ""
    needs: tuple[str, str] | None = None
    unfit: Callable[[Any], str] | None = None
    asked: str = ""
    before: Any = None

    @property
    def in_certificate(self) -> bool:
        """Whether a certificate keeps its value."""
        return not self.again and self.kind != "files"


@dataclass(frozen=True)
class Columns:
    """By what records are counted where they live; the reader then takes the counts as a table.

    Attributes
    ----------
    titles : tuple of str
        What each column is called, for a person.
    parameters : tuple of str
        Those of the reader that name them.
    counts : str
        That which names the column of counts.
    joined : str
        That which takes the table, where items stand in a file of their own; "" where the table is all.
    several : bool
        Whether one parameter names any number of columns.
    """

    titles: tuple[str, ...]
    parameters: tuple[str, ...]
    counts: str
    joined: str = ""
    several: bool = False


@dataclass(frozen=True)
class Reader:
    """How a file becomes an instance.

    Attributes
    ----------
    function : Lazy
        ``function(file, *, filename=None, **parameters)``; a certificate calls it by its name.
    command, help : str
        The command that it is read by, and one line on what that does.
    parameters : tuple of Parameter
        All but the file itself and what to call it.
    endings : tuple of str
        Of the files that a page takes.
    files : str
        Which files are understood, for a person.
    also : tuple of Lazy
        Further functions that read files, for which a worker must be ready.
    counted : Columns or None
        By what records are counted where they live; None where they are only read.
    rehearsal : Lazy or None
        ``rehearsal(shapes, tables)`` yields (function, arguments, settings): what a worker tries before files of
        strangers come, on small files of every kind.
    holds : tuple of types
        Classes of values inside an instance that a worker sends besides.
    """

    function: Lazy
    command: str
    help: str
    parameters: tuple[Parameter, ...] = ()
    endings: tuple[str, ...] = TABLES
    files: str = "A CSV, Excel or Parquet file."
    also: tuple[Lazy, ...] = ()
    counted: Columns | None = None
    rehearsal: Lazy | None = None
    holds: tuple[type, ...] = ()

    @property
    def name(self) -> str:
        """As certificates call it."""
        return self.function.name

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of this name, if there is one."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)

    def as_written(self, reading: Mapping[str, Any], given: Collection[str]) -> dict[str, Any]:
        """The arguments that a certificate or a project holds, and what it meant where it does not name one.

        Parameters
        ----------
        reading : mapping
        given : collection of str
            Parameters that are files and are given.
        """
        meant = {
            parameter.name: parameter.before
            for parameter in self.parameters
            if parameter.before is not None and (parameter.needs is None or parameter.needs[0] in given)
        }
        return {**meant, **reading}


def largest_class(algorithm: str, options: Mapping[str, Any]) -> Objective:
    """The objective of most families, whatever the algorithm and its options."""
    return LargestClass()


def nowhere(instance: Any) -> bool:
    """Of a family whose items have no place on the ground."""
    return False


@dataclass(frozen=True)
class Package:
    """One zip of everything that may be published of a result, and one of what stays inside.

    Attributes
    ----------
    publication : Lazy
        ``publication(instance, **settings)`` is what a person decides of it, from the parameters below.
    outputs : Lazy
        ``outputs(instance, g, publication)`` is the `Output` of each.
    files : Lazy
        ``files(instance, g, publication)`` are those that may be published, by their names.
    read : Lazy
        ``read(instance, g, files)`` is what a person decided of a package, as its files tell it.
    released : Lazy
        ``released(instance, g, files, publication)`` is what a package tells, as its reader has it.
    compared : Lazy
        ``compared(instance, g, files, publication)`` says of each file whether the result makes it byte for byte.
    earlier : Lazy
        ``earlier(instance, files, name)`` is the class of each item in a package that was published before, and what
        its reader has.
    members : tuple of str
        What the files can be called.
    parameters : tuple of Parameter
        From which the command line makes flags.
    """

    publication: Lazy
    outputs: Lazy
    files: Lazy
    read: Lazy
    released: Lazy
    compared: Lazy
    earlier: Lazy
    members: tuple[str, ...]
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True)
class Hands:
    """What a person changes by hand, and a project keeps.

    Attributes
    ----------
    algorithm : Algorithm
        What results say of who made them; nobody can choose it. Its function is ``moved(instance, g, items, to)``.
    locked : Lazy
        ``locked(instance, sets)`` is the instance whose classes of these items a search leaves as they are.
    named : Lazy
        ``named(instance, [(name, items), …])`` is what a `Package` takes as given names.
    """

    algorithm: Algorithm
    locked: Lazy
    named: Lazy


@dataclass(frozen=True)
class Release:
    """The files that can be made of a result, besides the crosswalk and the certificate that every family has.

    Attributes
    ----------
    files : Lazy
        ``files(instance, g, **surroundings)`` lists what is `Offered`: tables, each as files of several kinds.
    picture : Lazy or None
        ``picture(instance, g, **surroundings)`` draws what may be published, from the groups alone.
    pictured : Lazy or None
        ``pictured(instance, g, **surroundings)`` says what is in that picture, and whether it may be published.
    shapes : mapping
        Of the files with the shapes of classes, if there are any: ending of a path, such as ".gpkg", to that of the
        `Output`.
    records : bool
        Whether the items themselves are released, generalized: then people can look them up one by one.
    package : Package or None
    asks : tuple of str
        Parameters of the package that `files` and `pictured` take too, for they decide what may be published.
    frame : Lazy or None
        ``frame(instance, g, keep)`` is what may leave as a frame, with what the release `asks` too; the groups alone
        where it is None.
    audit : Lazy or None
        ``audit(instance, g)`` is what released records reveal, with its `figures`, `digest` and `sentence`, or None
        where they are too many; no function where the items themselves are not released.
    settled : Lazy or None
        ``settled(instance)`` raises `InvalidInput` where a person must say something before anything is released.
    released : Lazy or None
        ``released(instance, g, keep, sensitive)`` is what leaves as its reader has it, a `Released`, with what the
        release `asks` too; the groups and their weights where it is None.
    placed : Lazy or None
        ``placed(instance, g, records, by)`` is in which class each record of a person's own is, a `Placed`, with what
        the release `asks` too; None where no further record can be placed.
    private : Lazy or None
        ``private(instance, g, frame)`` says what of single items stands in a table that is to leave, "" for nothing,
        with what the release `asks` too.
    """

    files: Lazy
    picture: Lazy | None = None
    pictured: Lazy | None = None
    shapes: Mapping[str, str] = field(default_factory=dict)
    records: bool = False
    package: Package | None = None
    asks: tuple[str, ...] = ()
    frame: Lazy | None = None
    audit: Lazy | None = None
    settled: Lazy | None = None
    released: Lazy | None = None
    placed: Lazy | None = None
    private: Lazy | None = None

    def asked(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """What of these it asks a person."""
        return {name: said[name] for name in self.asks if name in said}


@dataclass(frozen=True)
class Page:
    """Where a family stands in the app.

    Attributes
    ----------
    title, icon : str
        In the navigation; the name of a Material symbol.
    line : str
        The question that its page answers, for the first page.
    heading : str
        Above the page, while there is no result.
    lead : str
        One or two sentences on what the page does.
    """

    title: str
    icon: str
    line: str
    heading: str
    lead: str


@dataclass(frozen=True)
class Family:
    """One kind of instance with its algorithms; nothing outside of it has to be told that it exists.

    What is heavy is named by its dotted path and loaded at first use: knowing of a family loads no algorithm, no
    picture and no reader.

    Attributes
    ----------
    name : str
    instance : type
        The instance class.
    items : str
        What its items are called: areas, points, labels.
    algorithms : dict of str to Algorithm
        Best first.
    default : str
        The algorithm to use where nothing is known against it; it may take its time.
    quick : str
        An algorithm that answers at once, to look at while the default searches.
    verifier : module
        What judges its results, as `kanon_engine.verification.core` says.
    records : tuple of types
        The records of details that its results have; a certificate is read back as these and no others.
    bounds : mapping
        Each bound that a result can name → the argument that proves it, as a sentence without its beginning.
    promise : callable
        ``promise(instance, k, algorithm, options, g=None) -> str``: what is proven of the cost with these options
        before the search, in words; with the result of a run, what holds for that run. It begins with "none" where
        nothing is.
    reader : Reader
    page : Page
    lower_bound : callable or None
        ``lower_bound(instance, k) -> Bound``, for algorithms that say no bound; None where it depends on the options:
        then every algorithm says one.
    objective : callable
        ``objective(algorithm, options) -> Objective``: what a run with these options is to make small.
    release : Release or None
        None where nothing may leave but what stays inside: the crosswalk and the certificate.
    picture : callable or None
        ``picture(instance, g, selected=None)`` draws a result for a page without parts of its own, one class standing
        out; the sizes of the classes are shown alone where there is none.
    quick_options : mapping
        Options with which the quick algorithm answers at once, where its defaults take longer.
    merge : callable or None
        ``merge(instance, outcome, algorithm, holds) -> Outcome`` merges classes as long as ``holds(positions)`` is
        false of one, and keeps the details true; None where classes cannot be merged.
    bound_takes_requirements : bool
        Whether `lower_bound` takes the requirements as a third argument, for a better bound.
    by_hand : Hands or None
        None where nobody changes a result.
    places : callable
        ``places(instance)``: whether the items lie on the ground, so that a group of them is an area where people are.
    utility : Lazy or None
        ``utility(instance, g)`` gives the `Measure` of each thing that a release of this family loses.
    prepare : callable or None
        ``prepare(instance, k, require, algorithm)`` is what algorithms are given in place of an instance: the instance
        itself, or one whose ``restored(outcome)`` is the outcome of that. None where they are given the instance.
    """

    name: str
    instance: type
    items: str
    algorithms: Mapping[str, Algorithm]
    default: str
    quick: str
    verifier: Any
    records: tuple[type, ...]
    bounds: Mapping[str, str]
    promise: Callable[..., str]
    reader: Reader
    page: Page
    lower_bound: Callable[..., Bound] | None = None
    objective: Callable[[str, Mapping[str, Any]], Objective] = largest_class
    release: Release | None = None
    picture: Callable[..., Any] | None = None
    quick_options: Mapping[str, Any] = field(default_factory=dict)
    merge: Callable[..., Outcome] | None = None
    bound_takes_requirements: bool = False
    by_hand: Hands | None = None
    prepare: Callable[..., Any] | None = None
    places: Callable[[Any], bool] = nowhere
    utility: Lazy | None = None

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
        return self.release is not None and self.release.records

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

    Example
    -------
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
    """A whole number of at least 0 as a person writes it."""
    if not text.strip().isdecimal() or len(text) > 9:
        raise ValueError(f"{text!r} is no whole number of at least 0.")
    return int(text)


def _no_sheet(value: Any) -> str:
    return "" if value is None or (isinstance(value, str | int) and not isinstance(value, bool)) else "is no name"


SHEET = Parameter(
    "sheet",
    "Which sheet of a workbook, by its name or its number from 1. When left out, the first that holds a table with the "
    "columns that are named.",
    unfit=_no_sheet,
    before=1,
)
ID = Parameter("id", "Column of the ids.", "column", asked="The codes or names of the areas stand in")
WEIGHT = Parameter("weight", "Column of the counts.", "counts")
UNIT = Parameter("unit", "What the counts count, for sentences: people, births, …")
LAYER = Parameter("layer", "Which layer, of a file with several.")
PER_RECORD = Parameter("per_record", "Each row is one record, or each row has a count.", "flag", off="in-column")
MERGE = Parameter("merge_duplicates", "Take rows with the same id or label as one.", "flag")
COLUMNS = Parameter("columns", "Columns of second counts, as cases,deaths.", parse=names_in, unfit=_no_names)
ROUNDING = Parameter(
    "rounding",
    "Counts that are no whole numbers: refuse them, or round each to the nearest.",
    "choice",
    ("refuse", "nearest"),
    asked="What shall become of counts that are no whole numbers?",
)
HIDDEN_COUNTS = Parameter(
    "hidden",
    "Counts such as <5, * and empty cells: refuse them, take each as 0 or as the largest that it may stand for, or "
    "leave out what they count.",
    "choice",
    ("refuse", "zero", "largest", "leave-out"),
    asked="What shall become of counts that are hidden?",
)
HIDDEN_MOST = Parameter(
    "hidden_most", "The largest count that a mark without a number, such as *, may stand for.", parse=_count_in
)
