"""The registry's entry for an algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kanon_engine.errors import InvalidInput
from kanon_engine.model.run import Outcome
from kanon_engine.model.setting import Setting
from kanon_engine.shown import Shown

if TYPE_CHECKING:
    from kanon_engine.model.requirement import Requirement


@dataclass(frozen=True, repr=False)
class Algorithm(Shown):
    """One way to make classes; its options, complexity and source are given here, not again at its function."""

    name: str  # the key in its family
    # title, summary: its name and one line for a person
    title: str
    summary: str
    # the proven general ceiling on the cost, in words, with its conditions; `Family.promise` says which part of it
    # holds for an instance, its options and a run
    guarantee: str
    source: str  # paper and theorem
    complexity: str  # time in the number of items n
    options: tuple[Setting, ...] = ()
    max_items: int | None = None  # the most items for which an answer can be expected; None is no limit
    # special claims that its results may make: "solver", a lower bound that is only reported by a solver; "relaxed",
    # classes that reach a threshold below k
    claims: tuple[str, ...] = ()
    # the solutions among which its lower bound holds, as in "among choices of cells"; "" if it holds among all
    among: str = ""
    # the form of all its solutions, as in "intervals of ordered labels"; "" if any solution is possible
    kind: str = ""
    how: str = ""  # how it works, in a few sentences for a person; if "", the summary is used
    # the kinds of `Requirement` that it handles itself; it then takes them as `require`
    handles: tuple[str, ...] = ()
    _: KW_ONLY
    # family, function: filled in by `algorithms_of`; ``function(instance, k, run, **options) -> Outcome``
    family: str = ""
    function: Callable[..., Outcome] = field(default_factory=lambda: Lazy(""))

    def _facts(self) -> dict[str, object]:
        return {
            "name": self.name,
            "family": self.family,
            "guarantee": self.guarantee,
            "source": self.source,
            "options": tuple(option.name for option in self.options) or "none",
        }

    def handles_all(self, requirements: Iterable[Requirement]) -> bool:
        """Whether it handles all of these itself, so that no class has to be merged for them."""
        return all(type(requirement).__name__ in self.handles for requirement in requirements)

    def checked_options(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """All options of this algorithm: the given ones, checked, and the defaults of the others."""
        options = {option.name: option for option in self.options}
        for name in values:
            if name not in options:
                listing = ", ".join(options) or "none"
                raise InvalidInput(
                    f"Algorithm {self.name} has no option {name!r}; its options are: {listing}.", parameter=name
                )
        return {name: option.checked(values.get(name, option.default)) for name, option in options.items()}


@dataclass(frozen=True)
class Lazy:
    """A function by its dotted path, so that listing an algorithm does not load it, numba or solvers.

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


def algorithms_of(family: str, *algorithms: Algorithm) -> dict[str, Algorithm]:
    """A family's algorithms by name; each function has the same name, in the file of that name in the folder."""
    result = {}
    for algorithm in algorithms:
        module = algorithm.name.replace("-", "_")
        function = Lazy(f"kanon_engine.{family}.{module}:{module}")
        result[algorithm.name] = replace(algorithm, family=family, function=function)
    return result


def functions_of(module: str, *names: str) -> dict[str, Any]:
    """Functions of a module by name, as keyword arguments."""
    return {name: Lazy(f"{module}:{name}") for name in names}
