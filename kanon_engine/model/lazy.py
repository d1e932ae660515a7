"""Functions that are named now and imported at their first call."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Lazy:
    """A function by its dotted path, so that knowing of an algorithm does not load it, numba and solvers included.

    Attributes
    ----------
    path : str
        Module and name, as in "kanon_engine.labels.fold:fold".

    Example
    -------
    >>> Lazy("math:gcd")(12, 18)
    6
    """

    path: str

    @property
    def module(self) -> str:
        """Where it stands."""
        return self.path.partition(":")[0]

    @property
    def name(self) -> str:
        """What it is called there."""
        return self.path.partition(":")[2]

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        """Call the function."""
        return getattr(import_module(self.module), self.name)(*arguments, **settings)
