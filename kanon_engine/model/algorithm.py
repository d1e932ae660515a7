"""What the registry knows of an algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.model.run import Outcome
from kanon_engine.shown import Shown
from kanon_engine.validate import told

if TYPE_CHECKING:
    from kanon_engine.model.requirement import Requirement


WEIGHTS = "no list of columns with numbers from 0 to 1,000,000, as “age=2, sex=1”"


@dataclass(frozen=True)
class Option(Shown):
    """A parameter of an algorithm, from which pages make widgets and the command line makes flags."""

    name: str  # keyword of `generalize`
    # "choice", "number", "integer", "flag", or "weights": a number for each of some columns, as a mapping or as text
    # like "age=2, sex=1"; kept as such text
    kind: str
    default: Any  # value when it is not given
    choices: tuple[str, ...] = ()  # the allowed values of a "choice"
    help: str = ""  # one line for a person
    # minimum, maximum: limits of a number, both allowed
    minimum: float | None = None
    maximum: float | None = None
    share: bool = False  # whether the command line takes a share of all records for a whole number of them, as 4%

    def checked(self, value: Any) -> Any:
        """The value in its proper type, or `InvalidInput`."""
        if value is None and self.default is None:
            return None
        if self.kind == "choice":
            if value not in self.choices:
                raise self._wrong(value, f"not among {', '.join(self.choices)}")
            return value
        if self.kind == "flag":
            if not isinstance(value, bool):
                raise self._wrong(value, "neither true nor false")
            return value
        if self.kind == "weights":
            return self._weights(value)
        number = int if self.kind == "integer" else float
        try:
            result = number(value)
            exact = not isinstance(value, bool) and result == value and abs(result) != float("inf")
        except (TypeError, ValueError, OverflowError):
            exact = False
        if not exact:
            raise self._wrong(value, f"no {'whole ' * (number is int)}number")
        if self.minimum is not None and result < self.minimum:
            raise self._wrong(value, f"no number of at least {self.minimum:g}")
        if self.maximum is not None and result > self.maximum:
            raise self._wrong(value, f"no number of at most {self.maximum:g}")
        return result

    def _wrong(self, value: Any, flaw: str) -> InvalidInput:
        """The error says what the value is not; the option is named as it is called where somebody reads it."""
        message = f"{told(value)} is {flaw}"
        return InvalidInput(message, parameter=self.name, value=value, remedy=Remedy("choose another", self.name))

    def _weights(self, value: Any) -> str | None:
        parts = value.split(",") if isinstance(value, str) else []
        pairs = value.items() if isinstance(value, Mapping) else [part.rpartition("=")[::2] for part in parts]
        weights = {}
        for name, number in pairs:
            if "," in str(name):
                raise InvalidInput(
                    f"Column {name!r} cannot have a weight, as a comma ends one; rename the column.",
                    parameter=self.name,
                    value=value,
                )
            try:
                weights[str(name).strip()] = weight = float(number)
            except (TypeError, ValueError):
                weight = -1.0
            if not 0 <= weight <= 1e6 or not str(name).strip():
                raise self._wrong(value, WEIGHTS)
        if not isinstance(value, str | Mapping):
            raise self._wrong(value, WEIGHTS)
        return ", ".join(f"{name}={weight!r}" for name, weight in weights.items()) or None


@dataclass(frozen=True, repr=False)
class Algorithm(Shown):
    """One way to make classes; options, complexity and source are told here, not again at its function."""

    # name, family: the registry's keys
    name: str
    family: str
    # title, summary: name and one line for a person
    title: str
    summary: str
    function: Callable[..., Outcome]  # ``function(instance, k, run, **options) -> Outcome``
    # the proven ceiling on the cost in general, in words, with its conditions; `Family.promise` says what of it holds
    # for an instance, its options and a run
    guarantee: str
    source: str  # paper and theorem
    complexity: str  # time in the number of items n
    options: tuple[Option, ...] = ()
    max_items: int | None = None  # most items for which an answer can be expected; None is no limit
    # what its results may claim that others may not: "solver", a lower bound on the word of a search; "relaxed",
    # classes that reach a threshold below k
    claims: tuple[str, ...] = ()
    # among which solutions its lower bound holds, as in "among choices of cells"; "" where it holds among all
    among: str = ""
    # what every solution of its is besides, as in "intervals of an order"; "" where any solution could be its own
    kind: str = ""
    how: str = ""  # how it works, in a few sentences for a person; the summary is said where this is ""
    # the kinds of `Requirement` that it looks after by itself; it then takes them as `require`
    handles: tuple[str, ...] = ()

    def _facts(self) -> dict[str, object]:
        return {
            "name": self.name,
            "family": self.family,
            "guarantee": self.guarantee,
            "source": self.source,
            "options": tuple(option.name for option in self.options) or "none",
        }

    def handles_all(self, requirements: Iterable[Requirement]) -> bool:
        """Whether it looks after all of these by itself, so that no class has to be merged for them."""
        return all(type(requirement).__name__ in self.handles for requirement in requirements)

    def checked_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All options of this algorithm, the given ones checked, the others at their default."""
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                listing = ", ".join(known) or "none"
                raise InvalidInput(
                    f"Algorithm {self.name} has no option {name!r}; its options are: {listing}.", parameter=name
                )
        return {name: option.checked(given.get(name, option.default)) for name, option in known.items()}


@dataclass(frozen=True)
class Lazy:
    """A function by its dotted path, so that knowing of an algorithm does not load it, numba and solvers included.

    Example
    -------
    >>> Lazy("math:gcd")(12, 18)
    6
    """

    path: str  # module and name, as in "kanon_engine.labels.fold:fold"

    @property
    def module(self) -> str:
        return self.path.partition(":")[0]

    @property
    def name(self) -> str:
        return self.path.partition(":")[2]

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        return getattr(import_module(self.module), self.name)(*arguments, **settings)
